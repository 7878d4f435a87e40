"""The NVIDIA driver of a node: the module in the kernel, the library on disk, and whether they fit."""

from __future__ import annotations

from engine.control import driver, modules, packages
from engine.facts.fact import View, fact
from engine.facts.kinds import Node


@fact("driver.loaded_version")
def loaded_version(view: View, node: Node) -> str | None:
    """The version of the kernel module that is loaded; no answer if none is."""
    return modules.driver_version(view.world, node)


@fact("driver.library_version")
def library_version(view: View, node: Node) -> str | None:
    """The version of the driver's libraries that are installed."""
    return packages.library_version(view.world, node)


@fact("driver.matched")
def matched(view: View, node: Node) -> bool:
    """Whether the module is loaded and of the libraries' version."""
    return driver.nvml(view.world, node).status is driver.NvmlStatus.OK


@fact("driver.gpus")
def gpus(view: View, node: Node) -> int:
    """How many GPUs nvidia-smi would list."""
    if not matched(view, node):
        return 0
    return sum(not driver.is_lost(view.world, gpu.id) for gpu in driver.bound_gpus(view.world, node))
