"""What root does to PCI functions of a running kernel: writing registers (setpci), taking a function out and looking
for it again (`remove`, `rescan` in sysfs), and binding and unbinding its driver.

Rules of Linux 6.8 (drivers/pci/pci-sysfs.c, remove.c, drivers/base/bus.c). NVIDIA's driver does not give a GPU up that
somebody has open (a program, persistence mode, DCGM): it writes the line below to the kernel's log and waits for good,
and with it whoever wrote to sysfs (nv_pci_remove_helper of nv-pci.c in the open kernel modules; operators report that
ending the holders afterwards does not always free it). A rescan finds what answers; the driver then takes it as after a
start. mlx5's lines: eswitch.c. Not modelled: taking out drives, which all hold mounted file systems here.
"""

from __future__ import annotations

from engine.control import driver, gpu_settings, journald, modules
from engine.control.pci_resources import regions
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import links, pcie
from engine.physics.config_space import writing
from engine.physics.config_space.space import class_code
from engine.world.events import GpuSettingsChanged, PcieLinkChanged
from engine.world.inventory import Gpu, Node, PcieDevice
from engine.world.records import BusState, Priority
from engine.world.world import World

DONE, WAITS, NOT_MODELLED, NO_DEVICE = "", "waits", "not modelled", "no device"
"""How an attempt ended: WAITS never returns."""

_NVIDIA, _KERNEL = "nvidia", "kernel"
_KINDS = {
    "root_port": "PCIe Root Port",
    "switch_upstream": "PCIe Switch Upstream Port",
    "switch_downstream": "PCIe Switch Downstream Port",
}
_UNLOADING = (
    "E-Switch: Unload vfs: mode(LEGACY), nvfs(0), necvfs(0), active vports(0)",
    "E-Switch: Disable: mode(LEGACY), nvfs(0), necvfs(0), active vports(0)",
    "E-Switch: cleanup",
)


@dataclass(frozen=True, slots=True)
class WriteRegisters(Action):
    """Write bytes to the configuration space of a function."""

    host: str
    address: str
    offset: int
    content: bytes

    def perform(self, simulation: Simulation[World]) -> None:
        writing.write(simulation, self.host, self.address, self.offset, self.content)


@dataclass(frozen=True, slots=True)
class RemoveFunction(Action):
    """Take a function and what is below it out of the kernel's list. Gives how it ended (DONE, WAITS, ...)."""

    host: str
    address: str

    def perform(self, simulation: Simulation[World]) -> str:
        world = simulation.world
        node = world.inventory.node(self.host)
        gone = [each for each in node.pcie if self.address in (one.address for one in node.path_to_root(each.address))]
        if any(each.role in ("nvme", "nvswitch", "ethernet", "isa_bridge", "host_bridge") for each in gone):
            return NOT_MODELLED
        for device in gone:
            if _let_go(simulation, node, device) != DONE:
                return WAITS
        ports = [hca.port for hca in node.hcas if hca.address in (each.address for each in gone)]
        _change(simulation, self.host, self.address, ports, removed=True)
        return DONE


@dataclass(frozen=True, slots=True)
class Rescan(Action):
    """Look for functions again: everywhere, or with `below` at a bridge and under it."""

    host: str
    below: str = ""

    def perform(self, simulation: Simulation[World]) -> str:
        world = simulation.world
        node = world.inventory.node(self.host)
        for device in node.pcie:
            above = [one.address for one in node.path_to_root(device.address)]
            wanted = not self.below or self.below in above
            if wanted and world.pci_functions[f"{self.host}/{device.address}"].removed:
                _find(simulation, node, device)
        return DONE


@dataclass(frozen=True, slots=True)
class UnbindDriver(Action):
    """The driver of a function lets go of it. Gives how it ended."""

    host: str
    address: str

    def perform(self, simulation: Simulation[World]) -> str:
        node = simulation.world.inventory.node(self.host)
        device = node.devices.get(self.address)
        if device is None or device.role not in ("gpu", "hca"):
            return NOT_MODELLED if device else NO_DEVICE
        ended = _let_go(simulation, node, device)
        if ended == DONE and device.role == "hca":
            ports = [hca.port for hca in node.hcas if hca.address == self.address]
            _change(simulation, self.host, self.address, ports, unbound=True)
        return ended


@dataclass(frozen=True, slots=True)
class BindDriver(Action):
    """A driver takes a function. Gives how it ended."""

    host: str
    address: str

    def perform(self, simulation: Simulation[World]) -> str:
        node = simulation.world.inventory.node(self.host)
        device = node.devices.get(self.address)
        if device is None or not pcie.answers(simulation.world, self.host, self.address):
            return NO_DEVICE
        _take(simulation, node, device)
        return DONE


def release(simulation: Simulation[World], host: str, gpu_id: str) -> None:
    """The driver lets go of a GPU whose programs have ended, whoever else had it open."""
    world = simulation.world
    if world.gpus[gpu_id].bound:
        gpu_settings.let_go(world, world.inventory.gpu(gpu_id))
        simulation.publish(GpuSettingsChanged(host))


def _let_go(simulation: Simulation[World], node: Node, device: PcieDevice) -> str:
    """The driver gives a function up, or waits for those who have it open."""
    world = simulation.world
    gpu = pcie.gpu_at(world, node.name, device.address)
    if gpu is None or not world.gpus[gpu.id].bound:
        if device.role == "hca" and modules.is_loaded(world, node.name, "mlx5_core"):
            for text in _UNLOADING:
                _say(simulation, node.name, f"mlx5_core {device.address}: {text}")
        return DONE
    if gpu_settings.in_use(world, gpu):
        text = f"NVRM: Attempting to remove device {device.address} with non-zero usage count!"
        _say(simulation, node.name, text, Priority.ERR)
        return WAITS
    release(simulation, node.name, gpu.id)
    return DONE


def _find(simulation: Simulation[World], node: Node, device: PcieDevice) -> None:
    """A rescan comes upon a function that was taken out. A GPU that does not answer is not found."""
    world = simulation.world
    gpu = pcie.gpu_at(world, node.name, device.address)
    if gpu and world.gpus[gpu.id].bus is not BusState.PRESENT:
        return
    below = [each for each in node.pcie if device.address in (one.address for one in node.path_to_root(each.address))]
    for each in below:
        _tell(simulation, node, each)
    ports = [hca.port for hca in node.hcas if hca.address in (each.address for each in below)]
    _change(simulation, node.name, device.address, ports, removed=False)
    for each in below:
        _take(simulation, node, each)


def _tell(simulation: Simulation[World], node: Node, device: PcieDevice) -> None:
    """The kernel's lines of a function that it finds; as at its start."""
    name, header = f"pci {device.address}", "01" if device.role in _KINDS else "00"
    code = class_code(node, device)
    kind = _KINDS.get(device.role, "PCIe Endpoint")
    _say(simulation, node.name, f"{name}: [{device.ids}] type {header} class {code:#08x} {kind}")
    given = regions(simulation.world.inventory, node.name).get(device.address, ())
    for region in given:
        _say(simulation, node.name, f"{name}: BAR {region.bar} {region.text}")
    for region in given:
        _say(simulation, node.name, f"{name}: BAR {region.bar} {region.text}: assigned")


def _take(simulation: Simulation[World], node: Node, device: PcieDevice) -> None:
    """The driver of a function takes it."""
    world = simulation.world
    gpu: Gpu | None = pcie.gpu_at(world, node.name, device.address)
    if gpu is not None:
        if modules.is_loaded(world, node.name, _NVIDIA):
            simulation.apply(driver.UndrainGpu(node.name, gpu.id, _KERNEL))
        return
    ports = [hca.port for hca in node.hcas if hca.address == device.address]
    if ports and world.pci_functions[f"{node.name}/{device.address}"].unbound:
        _change(simulation, node.name, device.address, ports, unbound=False)


def _change(simulation: Simulation[World], host: str, address: str, ports: list[str], **changes: bool) -> None:
    """Note what became of a function; both ends of its network ports hear of it."""
    key = f"{host}/{address}"
    if not ports:
        simulation.world.pci_functions.update(key, **changes)
    for port in ports:
        with links.telling(simulation, port):
            simulation.world.pci_functions.update(key, **changes)
    simulation.publish(PcieLinkChanged(host, address))


def _say(simulation: Simulation[World], host: str, text: str, priority: Priority = Priority.INFO) -> None:
    journald.kernel(simulation, host, text, priority)
