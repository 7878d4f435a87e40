"""What the programs of GRUB print in common: grub-mkconfig of GRUB 2.12 (Ubuntu 24.04) on standard error."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.options import UsageError
from engine.control import grub, kernels
from engine.kernel.units import SECOND

TAKES = 3 * SECOND
"""How long it looks for systems: a guess."""

_OS_PROBER = (
    "Warning: os-prober will not be executed to detect other bootable partitions.",
    "Systems on them will not be added to the GRUB boot configuration.",
    "Check GRUB_DISABLE_OS_PROBER documentation entry.",
)


def demand_root(ctx: Context, text: str) -> None:
    """Raises UsageError with the program's own words for somebody who is not root."""
    if not ctx.is_root:
        raise UsageError(f"{text}\n", 1)


def progress(ctx: Context) -> list[str]:
    """What grub-mkconfig tells while it works."""
    texts = grub.sources(ctx.world, ctx.host)
    lines = [f"Sourcing file `{path}'" for path in texts]
    lines.append("Generating grub configuration file ...")
    for release in kernels.installed(ctx.world, ctx.host):
        lines += [f"Found linux image: /boot/vmlinuz-{release}", f"Found initrd image: /boot/initrd.img-{release}"]
    if grub.settings(texts).get("GRUB_DISABLE_OS_PROBER", "true") != "false":
        lines += _OS_PROBER
    return [*lines, "Adding boot menu entry for UEFI Firmware Settings ...", "done"]
