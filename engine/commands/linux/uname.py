"""uname of GNU coreutils 9.4: the running kernel as the host's kernel image tells it."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gnu import extra_operand
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.control import kernel_image

_MACHINE = "x86_64"
_ORDER = ("kernel_name", "nodename", "kernel_release", "kernel_version", "machine", "processor", "hardware_platform",
          "operating_system")  # fmt: skip


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the parts asked for, in their fixed order."""
    if parsed.operands:
        raise extra_operand(ctx, parsed.operands[0])
    values = {
        "kernel_name": "Linux",
        "nodename": ctx.host,
        "kernel_release": kernel_image.running(ctx.world, ctx.host),
        "kernel_version": kernel_image.version(kernel_image.running(ctx.world, ctx.host)),
        "machine": _MACHINE,
        "processor": _MACHINE,
        "hardware_platform": _MACHINE,
        "operating_system": "GNU/Linux",
    }
    wanted = [key for key in _ORDER if key in parsed or "all" in parsed] or ["kernel_name"]
    ctx.line(" ".join(values[key] for key in wanted))
    return 0


COMMAND = program(
    "uname",
    "print what system this is",
    run,
    options=(
        Option("a", "all", help="everything"),
        Option("s", "kernel-name", help="the kernel's name (the default)"),
        Option("n", "nodename", help="the host's name"),
        Option("r", "kernel-release", help="the running kernel's release"),
        Option("v", "kernel-version", help="when and how the kernel was built"),
        Option("m", "machine", help="the machine's architecture"),
        Option("p", "processor", help="the processor's type"),
        Option("i", "hardware-platform", help="the hardware platform"),
        Option("o", "operating-system", help="the operating system"),
    ),
    manual="The release is that of the kernel that runs, which is the newest installed one only after a reboot.",
)
