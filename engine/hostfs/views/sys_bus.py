"""/sys/bus/pci: functions by address and by driver, as links into /sys/devices."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, control_file, directory, link
from engine.hostfs.realms import SYSFS
from engine.hostfs.tree import ErrorCode
from engine.hostfs.views._pci_control import on_address, on_number
from engine.hostfs.views._sys_pci import bound_driver, listed, sysfs_path


def _devices(machine: Machine) -> Children:
    return {device.address: link(f"../../../{sysfs_path(machine, device.address)}") for device in listed(machine)}


def _drivers(machine: Machine) -> Children:
    bound: dict[str, dict[str, Node]] = {}
    for device in listed(machine):
        if driver := bound_driver(machine, device):
            below = bound.setdefault(driver, {})
            below[device.address] = link(f"../../../../{sysfs_path(machine, device.address)}")
    return {name: directory({**links, **_VERBS}) for name, links in bound.items()}


_VERBS: dict[str, Node] = {
    "bind": on_address("bind"),
    "unbind": on_address("unbind"),
    "new_id": control_file(lambda _machine, _content: ErrorCode.NOT_MODELLED),
}


DIRECTORY = directory(
    {
        "pci/devices": directory(_devices),
        "pci/drivers": directory(_drivers),
        "pci": directory({"rescan": on_number("rescan")}),
    },
    realm=SYSFS,
)
