"""Kernel modules as files below /usr/lib/modules: where modinfo says that they lie."""

from __future__ import annotations

from engine.control import kernel_image, modules
from engine.control.module_table import module_specs
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.hostfs.views._programs import BINARY, binary

_START = "/lib/modules/"


def modules_on_disk(machine: Machine) -> Children:
    """One directory for the installed kernel."""
    release = kernel_image.release(machine.inventory)
    return {release: directory(_files)}


def _files(machine: Machine) -> Children:
    world, host = machine.world, machine.host
    start = f"{_START}{kernel_image.release(machine.inventory)}/"
    names = [name for name in module_specs() if modules.exists(world, host, name)]
    found: dict[str, Node] = {modules.module_path(world, host, name).removeprefix(start): _file(name) for name in names}
    return {**found, "build": directory(), "modules.order": file(""), "modules.builtin": file("")}


def _file(name: str) -> Node:
    return binary("nvidia-dkms") if module_specs()[name].origin == "nvidia" else file(BINARY)
