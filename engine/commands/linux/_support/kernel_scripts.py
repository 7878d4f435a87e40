"""What the scripts of kernel packages print when apt has set them up or removed them: DKMS, initramfs-tools, GRUB.

Forms: /etc/kernel/postinst.d of Ubuntu 24.04, dkms 3.0.11's kernel_postinst.d.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import boot_loader
from engine.control import dkms, kernels


def output(ctx: Context, changes: Sequence[tuple[str, str, str]]) -> list[str]:
    """The lines for these changes (name, old version, new version)."""
    lines: list[str] = []
    for name, old, new in changes:
        if name.startswith(kernels.IMAGE) and bool(old) != bool(new):
            lines += _image(ctx, name, new)
        elif name.startswith(kernels.HEADERS) and new and not old:
            lines += ["/etc/kernel/header_postinst.d/dkms:", *_modules(ctx, name.removeprefix(kernels.HEADERS))]
        elif name.startswith("nvidia-dkms-") and new:
            lines += _sources(ctx)
    return lines


def _image(ctx: Context, name: str, new: str) -> list[str]:
    release, folder = name.removeprefix(kernels.IMAGE), "/etc/kernel/postinst.d" if new else "/etc/kernel/postrm.d"
    menu = [f"{folder}/zz-update-grub:", *boot_loader.progress(ctx)]
    if not new:
        return [f"{folder}/initramfs-tools:", f"update-initramfs: Deleting /boot/initrd.img-{release}", *menu]
    first = [f"Processing triggers for {name} ({new}) ...", f"{folder}/dkms:", *_modules(ctx, release)]
    return [*first, f"{folder}/initramfs-tools:", f"update-initramfs: Generating /boot/initrd.img-{release}", *menu]


def _modules(ctx: Context, release: str) -> list[str]:
    """dkms autoinstall; for a kernel without headers it only says so, and apt goes on (dkms_autoinstaller of 3.0)."""
    head = f" * dkms: running auto installation service for kernel {release}"
    if kernels.has_headers(ctx.world, ctx.host, release):
        return [head, "   ...done."]
    why = "was skipped since the kernel headers for this kernel do not seem to be installed."
    return [head, f" * dkms: autoinstall for kernel {release} {why}"]


def _sources(ctx: Context) -> list[str]:
    """The scripts of nvidia-dkms: its modules are built for every kernel that has headers."""
    version, lines = dkms.source_version(ctx.world, ctx.host), []
    for release in kernels.installed(ctx.world, ctx.host):
        if kernels.has_headers(ctx.world, ctx.host, release):
            lines.append(f"Building initial module for {release}\nDone.")
        else:
            lines.append(
                f"Module build for kernel {release} was skipped since the\n"
                "kernel headers for this kernel do not seem to be installed."
            )
    return [f"Loading new nvidia-{version} DKMS files...", *lines]
