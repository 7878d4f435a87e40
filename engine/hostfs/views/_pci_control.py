"""Control files of PCI functions in sysfs: remove, rescan, bind, unbind, and the kernel's counts of errors (AER).

Linux 6.8: drivers/pci/pci-sysfs.c (a number that is not 0 does it; anything else than a number is invalid),
drivers/base/bus.c (bind and unbind take an address), drivers/pci/pcie/aer.c (names and their order). A write that would
never return, as a GPU is in use, says that it is not modelled; the kernel's log has the driver's line.
"""

from __future__ import annotations

from engine.control import pci_hotplug, pcie_errors
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Effect, Node, control_file, file
from engine.hostfs.tree import ErrorCode
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics.config_space import writing
from engine.world.inventory import PcieDevice
from engine.world.world import World

_ENDED = {
    pci_hotplug.DONE: None,
    pci_hotplug.WAITS: ErrorCode.NOT_MODELLED,
    pci_hotplug.NOT_MODELLED: ErrorCode.NOT_MODELLED,
    pci_hotplug.NO_DEVICE: ErrorCode.NO_DEVICE,
}
_CORRECTABLE = ("RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout", "NonFatalErr", "CorrIntErr", "HeaderOF")
_UNCORRECTABLE = (
    "Undefined", "DLP", "SDES", "TLP", "FCP", "CmpltTO", "CmpltAbrt", "UnxCmplt", "RxOF", "MalfTLP", "ECRC", "UnsupReq",
    "ACSViol", "UncorrIntErr", "BlockedTLP", "AtomicOpBlocked", "TLPBlockedErr", "PoisonTLPBlocked",
)  # fmt: skip
_COUNTS = (
    ("correctable", _CORRECTABLE, "ERR_COR"),
    ("fatal", _UNCORRECTABLE, "ERR_FATAL"),
    ("nonfatal", _UNCORRECTABLE, "ERR_NONFATAL"),
)


@dataclass(frozen=True, slots=True)
class Written(Action):
    """Somebody wrote to a control file: `what` (remove, rescan, bind, unbind) with the function's address, or ""."""

    what: str
    host: str
    address: str

    def perform(self, simulation: Simulation[World]) -> ErrorCode | None:
        actions: dict[str, Action] = {
            "remove": pci_hotplug.RemoveFunction(self.host, self.address),
            "rescan": pci_hotplug.Rescan(self.host, self.address),
            "bind": pci_hotplug.BindDriver(self.host, self.address),
            "unbind": pci_hotplug.UnbindDriver(self.host, self.address),
        }
        return _ENDED[actions[self.what].perform(simulation)]


def on_number(what: str, address: str = "") -> Node:
    """A file that does something when a number other than 0 is written to it."""

    def write(machine: Machine, content: bytes) -> Effect:
        text = content.decode("ascii", "replace").strip()
        try:
            number = int(text, 0)
        except ValueError:
            return ErrorCode.INVALID
        return Written(what, machine.host, address) if number else None

    return control_file(write)


def on_address(what: str) -> Node:
    """A driver's file that takes the address of a function."""

    def write(machine: Machine, content: bytes) -> Effect:
        address = content.decode("ascii", "replace").strip()
        if address not in machine.node.devices:
            return ErrorCode.NO_DEVICE
        return Written(what, machine.host, address)

    return control_file(write)


def error_counts(device: PcieDevice) -> dict[str, Node]:
    """Files with the errors that the kernel has counted of a function; only what has the capability has them."""
    if writing.offset(device, "error_reporting", "CESta") is None:
        return {}
    files = {f"aer_dev_{kind}": _counts(device, kind, names, total) for kind, names, total in _COUNTS}
    if device.role == "root_port":
        files["aer_rootport_total_err_cor"] = file(lambda machine: _received(machine, device), 0o444)
        files["aer_rootport_total_err_fatal"] = file("0\n", 0o444)
        files["aer_rootport_total_err_nonfatal"] = file("0\n", 0o444)
    return files


def _counts(device: PcieDevice, kind: str, names: tuple[str, ...], total: str) -> Node:
    def text(machine: Machine) -> str:
        found = [pcie_errors.counted(machine.world, machine.host, device.address, kind, name) for name in names]
        lines = [f"{name} {count}" for name, count in zip(names, found, strict=True)]
        return "\n".join([*lines, f"TOTAL_{total} {sum(found)}"]) + "\n"

    return file(text, 0o444)


def _received(machine: Machine, root: PcieDevice) -> str:
    """Messages of correctable errors that a root port has received from below it."""
    world, node = machine.world, machine.node
    below = [each.address for each in node.pcie if root in node.path_to_root(each.address)]
    counts = [
        pcie_errors.counted(world, machine.host, address, "correctable", name)
        for address in below
        for name in _CORRECTABLE
    ]
    return f"{sum(counts)}\n"
