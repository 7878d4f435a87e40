"""The kernel of a host: which one runs with which options, and what the next boot would bring."""

from __future__ import annotations

from engine.control import dkms, grub, kernel_image, kernels, modules, secure_boot
from engine.facts.fact import View, fact
from engine.facts.kinds import Host, Node


@fact("kernel.running")
def running(view: View, host: Host) -> str:
    """The release of the running kernel."""
    return kernels.running(view.world, host)


@fact("kernel.next")
def next_kernel(view: View, host: Host) -> str | None:
    """The release that the next boot takes."""
    entry = grub.chosen(view.world, host)
    return entry.release if entry else None


@fact("kernel.installed")
def installed(view: View, host: Host, release: str) -> bool:
    """Whether a kernel's image is installed."""
    return release in kernels.installed(view.world, host)


@fact("kernel.option")
def option(view: View, host: Host, word: str) -> bool:
    """Whether the running kernel was given this option."""
    return word in kernel_image.command_line(view.world, host).split()


@fact("kernel.next_option")
def next_option(view: View, host: Host, word: str) -> bool:
    """Whether the next boot gives the kernel this option."""
    entry = grub.chosen(view.world, host)
    return entry is not None and word in entry.options.split()


@fact("driver.built_for_next")
def built_for_next(view: View, node: Node) -> bool:
    """Whether DKMS has installed the NVIDIA modules for the kernel that the next boot takes."""
    entry = grub.chosen(view.world, node)
    return entry is not None and dkms.installed_build(view.world, node, entry.release) is not None


@fact("driver.held_by_nouveau")
def held_by_nouveau(view: View, node: Node) -> bool:
    """Whether the kernel's own driver has taken the GPUs."""
    return modules.holds_gpus(view.world, node)


@fact("secure_boot.on")
def secure_boot_on(view: View, node: Node) -> bool:
    """Whether the firmware demands signatures."""
    return secure_boot.is_on(view.world, node)


@fact("secure_boot.key_enrolled")
def key_enrolled(view: View, node: Node) -> bool:
    """Whether the firmware trusts the key with which DKMS signs on this node."""
    return secure_boot.trusted(view.world, node, dkms.machine_key(node))
