"""/sys/class: devices by what they are, as links into /sys/devices."""

from __future__ import annotations

from engine.control import modules
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, link
from engine.hostfs.realms import SYSFS
from engine.hostfs.views import _sys_hwmon, _sys_net
from engine.hostfs.views._sys_infiniband import device_number
from engine.hostfs.views._sys_pci import rdma_devices, sysfs_path


def _below(machine: Machine, address: str, rest: str) -> str:
    return f"../../{sysfs_path(machine, address)}/{rest}"


def _infiniband(machine: Machine) -> Children:
    return {hca.name: link(_below(machine, hca.address, f"infiniband/{hca.name}")) for hca in rdma_devices(machine)}


def _verbs(machine: Machine) -> Children:
    if not modules.is_loaded(machine.world, machine.host, "ib_uverbs"):
        return {}
    names = {f"uverbs{device_number(hca.name)}": hca for hca in rdma_devices(machine)}
    return {name: link(_below(machine, hca.address, f"infiniband_verbs/{name}")) for name, hca in names.items()}


def _mad(machine: Machine) -> Children:
    if not modules.is_loaded(machine.world, machine.host, "ib_umad"):
        return {}
    names = {f"umad{device_number(hca.name)}": hca for hca in rdma_devices(machine)}
    return {name: link(_below(machine, hca.address, f"infiniband_mad/{name}")) for name, hca in names.items()}


def _nvme(machine: Machine) -> Children:
    return {drive.name: link(_below(machine, drive.address, f"nvme/{drive.name}")) for drive in machine.node.drives}


def _block(machine: Machine) -> Children:
    return {
        f"{drive.name}n1": link(_below(machine, drive.address, f"nvme/{drive.name}/{drive.name}n1"))
        for drive in machine.node.drives
    }


def _net(machine: Machine) -> Children:
    return {name: link(f"../../{path}") for name, path in _sys_net.places(machine).items()}


DIRECTORY = directory(
    {
        "block": directory(_block),
        "dmi": directory({"id": link("../../devices/virtual/dmi/id")}),
        "hwmon": directory(_sys_hwmon.links),
        "infiniband": directory(_infiniband),
        "infiniband_mad": directory(_mad),
        "infiniband_verbs": directory(_verbs),
        "net": directory(_net),
        "nvme": directory(_nvme),
    },
    realm=SYSFS,
)
