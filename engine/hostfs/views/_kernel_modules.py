"""Kernel modules as files below /usr/lib/modules: where modinfo says that they lie, for each installed kernel."""

from __future__ import annotations

from functools import partial

from engine.control import dkms, kernels, modules
from engine.control.module_table import module_specs
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views._programs import BINARY, binary


def modules_on_disk(machine: Machine) -> Children:
    """One directory for each installed kernel."""
    return {
        release: directory(partial(_files, release=release))
        for release in kernels.with_modules(machine.world, machine.host)
    }


def _files(machine: Machine, release: str) -> Children:
    world, host = machine.world, machine.host
    built = dkms.installed_build(world, host, release) is not None
    names = [
        name for name, spec in module_specs().items() if spec.on(machine.node) and (built or spec.origin != "nvidia")
    ]
    found: dict[str, Node] = {modules.file_below(name): _file(name) for name in names}
    if kernels.has_headers(world, host, release):
        found["build"] = link(f"/usr/src/linux-headers-{release}")
    return {**found, "modules.order": file(""), "modules.builtin": file("")}


def _file(name: str) -> Node:
    return binary("nvidia-dkms") if module_specs()[name].origin == "nvidia" else file(BINARY)
