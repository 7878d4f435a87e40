"""/sys/bus/pci: functions by address and by driver, as links into /sys/devices."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, control_file, directory, link
from engine.hostfs.realms import SYSFS
from engine.hostfs.tree import ErrorCode
from engine.hostfs.views._sys_pci import bound_driver, listed, sysfs_path


def _devices(machine: Machine) -> Children:
    return {device.address: link(f"../../../{sysfs_path(machine, device.address)}") for device in listed(machine)}


def _drivers(machine: Machine) -> Children:
    bound: dict[str, dict[str, Node]] = {}
    for device in listed(machine):
        if driver := bound_driver(machine, device):
            below = bound.setdefault(driver, {})
            below[device.address] = link(f"../../../../{sysfs_path(machine, device.address)}")
    return {name: directory({**links, **_verbs("bind", "unbind", "new_id")}) for name, links in bound.items()}


def _verbs(*names: str) -> dict[str, Node]:
    return {name: control_file(lambda _machine, _content: ErrorCode.NOT_MODELLED) for name in names}


DIRECTORY = directory(
    {"pci/devices": directory(_devices), "pci/drivers": directory(_drivers), "pci": directory(_verbs("rescan"))},
    realm=SYSFS,
)
