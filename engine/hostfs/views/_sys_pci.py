"""PCI functions in sysfs: attributes by Linux 6.8's drivers/pci/pci-sysfs.c, and what drivers hang below (net,
infiniband, nvme).

A function that has dropped off the bus keeps what the kernel had cached (ids, class, NUMA node); what is read from
it live is all ones, which the kernel words as speed "Unknown" and width 63.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import modules
from engine.control.module_table import NOUVEAU
from engine.control.pci_resources import Region, regions
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Content, Node, control_file, directory, file, link
from engine.hostfs.tree import ErrorCode
from engine.hostfs.views import _sys_infiniband, _sys_net, _sys_nvme
from engine.hostfs.views._cpu_sets import cpu_list, cpu_mask, cpus_of_numa
from engine.hostfs.views._pci_control import error_counts, on_number
from engine.physics import pcie
from engine.physics.config_space.space import class_code, revision, subsystem
from engine.world.inventory import Hca, PcieDevice

SPEEDS = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0", 6: "64.0"}
_ALL_ONES_WIDTH = "63"
BUILT_IN = "pcieport"
MODULES = {"nvidia-nvswitch": "nvidia"}
"""The module of drivers that do not bear its name."""


def roots(machine: Machine) -> Children:
    """The host bridges with what is below them: `pci0000:15/0000:15:01.0/...`."""
    tops = [device for device in machine.node.pcie if device.parent is None]
    names = dict.fromkeys(_bus_name(device) for device in tops)
    return {name: _root(name) for name in names}


def sysfs_path(machine: Machine, address: str) -> str:
    """A function's directory below /sys."""
    path = machine.node.path_to_root(address)
    return "/".join(["devices", _bus_name(path[-1]), *(device.address for device in reversed(path))])


def listed(machine: Machine) -> list[PcieDevice]:
    """What the kernel enumerated, by address."""
    return [device for device in machine.node.pcie if pcie.enumerated(machine.world, machine.host, device.address)]


def bound_driver(machine: Machine, device: PcieDevice) -> str | None:
    """The driver that a function is bound to; None where its module is not loaded, or did not take the GPU."""
    world, driver = machine.world, device.driver
    if driver is None or driver == BUILT_IN:
        return driver
    gpu = pcie.gpu_at(world, machine.host, device.address) if device.role == "gpu" else None
    if gpu is not None and modules.holds_gpus(world, machine.host):
        return NOUVEAU
    if gpu is not None and not world.gpus[gpu.id].bound:
        return None
    if world.pci_functions[f"{machine.host}/{device.address}"].unbound:
        return None
    return driver if modules.is_loaded(world, machine.host, MODULES.get(driver, driver)) else None


def rdma_devices(machine: Machine) -> list[Hca]:
    """Functions of network cards that are RDMA devices: the RDMA driver is loaded beside the network one."""
    if not modules.is_loaded(machine.world, machine.host, "mlx5_ib"):
        return []
    return [hca for hca in machine.node.hcas if bound_driver(machine, machine.node.devices[hca.address])]


def _bus_name(top: PcieDevice) -> str:
    return f"pci{top.address[:7]}"


def _root(name: str) -> Node:
    return directory(lambda machine: _below_root(machine, name))


def _below_root(machine: Machine, name: str) -> Children:
    tops = [device for device in listed(machine) if device.parent is None and _bus_name(device) == name]
    return {device.address: _function(device) for device in tops}


def _function(device: PcieDevice) -> Node:
    return directory(lambda machine: _attributes(machine, device))


def _attributes(machine: Machine, device: PcieDevice) -> Children:
    children = {child.address: _function(child) for child in listed(machine) if child.parent == device.address}
    up = "../" * (len(machine.node.path_to_root(device.address)) + 2)
    links: dict[str, Node] = {"subsystem": link(f"{up}bus/pci")}
    if driver := bound_driver(machine, device):
        links["driver"] = link(f"{up}bus/pci/drivers/{driver}")
    return {
        **children,
        **links,
        **_plain(machine, device),
        **_link_state(device),
        **error_counts(device),
        **_subsystems(machine, device),
    }


def _plain(machine: Machine, device: PcieDevice) -> dict[str, Node]:
    vendor, _, product = device.ids.partition(":")
    subsystem_vendor, _, subsystem_device = subsystem(device).partition(":")
    local = cpus_of_numa(machine.node, device.numa)
    texts = {
        "class": f"0x{class_code(machine.node, device):06x}",
        "device": f"0x{product}",
        "vendor": f"0x{vendor}",
        "subsystem_device": f"0x{subsystem_device}",
        "subsystem_vendor": f"0x{subsystem_vendor}",
        "revision": f"0x{revision(device):02x}",
        "local_cpulist": cpu_list(local),
        "local_cpus": cpu_mask(local, machine.node),
        "power_state": "D0",
        "modalias": _modalias(machine, device),
        "resource": _resource_text(machine, device),
    }
    return {
        **{name: file(f"{text}\n", 0o444) for name, text in texts.items()},
        "numa_node": file(f"{device.numa}\n"),
        "enable": file("1\n"),
        "uevent": file(lambda machine: _uevent(machine, device)),
        "remove": on_number("remove", device.address),
        "rescan": on_number("rescan", device.address),
        "reset": control_file(_not_modelled),
    }


def _not_modelled(_machine: Machine, _content: bytes) -> ErrorCode:
    """Resetting functions through sysfs."""
    return ErrorCode.NOT_MODELLED


def _modalias(machine: Machine, device: PcieDevice) -> str:
    vendor, _, product = device.ids.upper().partition(":")
    subsystem_vendor, _, subsystem_device = subsystem(device).upper().partition(":")
    code = class_code(machine.node, device)
    ids = f"v0000{vendor}d0000{product}sv0000{subsystem_vendor}sd0000{subsystem_device}"
    return f"pci:{ids}bc{code >> 16:02X}sc{code >> 8 & 0xFF:02X}i{code & 0xFF:02X}"


def _uevent(machine: Machine, device: PcieDevice) -> str:
    driver = bound_driver(machine, device)
    lines = [f"DRIVER={driver}"] if driver else []
    lines += [
        f"PCI_CLASS={class_code(machine.node, device):X}",
        f"PCI_ID={device.ids.upper()}",
        f"PCI_SUBSYS_ID={subsystem(device).upper()}",
        f"PCI_SLOT_NAME={device.address}",
        f"MODALIAS={_modalias(machine, device)}",
    ]
    return "\n".join(lines) + "\n"


def _resource_text(machine: Machine, device: PcieDevice) -> str:
    """Start, end and flags of the six BARs, the ROM and the six BARs of virtual functions (IORESOURCE_* of
    linux/ioport.h).
    """
    owned = {region.bar: region for region in regions(machine.inventory, machine.host).get(device.address, ())}
    lines = []
    for bar in range(13):
        region = owned.get(bar)
        start, end = (region.start, region.end) if region else (0, 0)
        lines.append(f"0x{start:016x} 0x{end:016x} 0x{_flags(region) if region else 0:016x}")
    return "\n".join(lines)


def _flags(region: Region) -> int:
    return 0x40200 | (0x100004 if region.wide else 0) | (0x2008 if region.prefetchable else 0)


def _link_state(device: PcieDevice) -> dict[str, Node]:
    """Speed and width of the link above; host bridges and what is on the chipset have none."""
    if not device.generation:
        return {}
    contents: dict[str, Content] = {
        "current_link_speed": lambda machine: _live(machine, device, "Unknown", lambda seen: _speed(seen.generation)),
        "current_link_width": lambda machine: _live(machine, device, _ALL_ONES_WIDTH, lambda seen: str(seen.width)),
        "max_link_speed": lambda machine: _live(machine, device, _speed(6), lambda _: _speed(device.generation)),
        "max_link_width": lambda machine: _live(machine, device, _ALL_ONES_WIDTH, lambda _: str(device.width)),
    }
    return {name: file(content, 0o444) for name, content in contents.items()}


def _live(machine: Machine, device: PcieDevice, all_ones: str, shown: Callable[[pcie.Link], str]) -> str:
    """What is read from the function itself, or what the kernel makes of all ones."""
    if not pcie.answers(machine.world, machine.host, device.address):
        return f"{all_ones}\n"
    return shown(pcie.link(machine.world, machine.host, device.address)) + "\n"


def _speed(generation: int) -> str:
    return f"{SPEEDS[generation]} GT/s PCIe" if generation in SPEEDS else "Unknown"


def _subsystems(machine: Machine, device: PcieDevice) -> dict[str, Node]:
    """What the function's driver offers: RDMA devices, network interfaces, NVMe controllers."""
    if bound_driver(machine, device) is None:
        return {}
    host, address = machine.node, device.address
    found: dict[str, Node] = {}
    for hca in host.hcas:
        if hca.address == address:
            found |= _sys_infiniband.below_function(hca) if hca in rdma_devices(machine) else {}
            found |= _sys_net.below_function(hca.netdev)
    for interface in host.addresses:
        if interface.pci_address == address:
            found |= _sys_net.below_function(interface.interface)
    for drive in host.drives:
        if drive.address == address:
            found |= _sys_nvme.below_function(drive)
    return found
