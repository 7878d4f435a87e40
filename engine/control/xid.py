"""What the NVIDIA kernel modules say of GPUs in the kernel log: Xid lines, the loss of a GPU, a dead one at probe
time, NVSwitch SXids.

Forms from the open kernel modules' source by release, compared with captures: krcReportXid (up to 565 an unknown
process is written as `pid='<unknown>', name=<unknown>`, from 570 on it is left out), _krcLogUuidOnce (uuid and serial
once per GPU and load), osHandleGpuLost and RmLogGpuCrash (the lines that follow Xid 79; all channels are told from
565 on), gpuRefreshRecoveryAction (Xid 154, from 565 on), rm_is_supported_device and nv.c (probe), "caused by previous
Xid" from 570 on, intr_ls10.c (SXid 20034). One printk is one entry; its text may have several lines. The port numbers
of the NVSwitches are a guess.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control import journald
from engine.control.modules import driver_version
from engine.kernel.simulation import Simulation
from engine.world.inventory import Gpu, GpuProduct, Node, PcieDevice
from engine.world.records import GpuState, Priority, Process, RecoveryAction
from engine.world.world import World

FALLEN_OFF_BUS, PREEMPTIVE_REMOVAL, RECOVERY_ACTION_CHANGED = 79, 45, 154
LTSSM_FAULT_UP = 20034

_WITHOUT_UNKNOWN_PROCESS = 570
_NAMES_PREVIOUS_XID = 570
HAS_RECOVERY_ACTION = 565

_ACTIONS = {
    RecoveryAction.NONE: (0, "None"),
    RecoveryAction.RESET: (1, "GPU Reset Required"),
    RecoveryAction.REBOOT: (2, "Node Reboot Required"),
    RecoveryAction.DRAIN_P2P: (3, "Drain P2P"),
    RecoveryAction.DRAIN_AND_RESET: (4, "Drain and Reset"),
}
# The function that tells all channels of the loss and names itself, by the release from which it is called so.
_TELLS_ALL_CHANNELS = ((590, "krcRcAndNotifyAllChannels_IMPL"), (565, "kgspRcAndNotifyAllChannels_IMPL"))
_LINK_FAULT_DATA = "{0x10000000, 0x10000000, 0x00000000, 0x10000000, " + ", ".join(["0x00000000"] * 5) + "}"
_SWITCH_PORTS = 64


def release(version: str) -> int:
    """The branch of a driver version: 590 of 590.48.01."""
    branch = version.partition(".")[0]
    return int(branch) if branch.isdecimal() else 0


def xid(
    simulation: Simulation[World],
    gpu_id: str,
    number: int,
    text: str,
    pid: int | None = None,
    process: str | None = None,
) -> None:
    """Write an Xid of a GPU, in the form of the driver that is loaded; `pid` and `process` are its context if there
    is one.
    """
    gpu = simulation.world.inventory.gpu(gpu_id)
    if not _identified(simulation.world, gpu):
        for line in identification(gpu, simulation.world.gpus[gpu_id]):
            _say(simulation, gpu.node, line)
    version = driver_version(simulation.world, gpu.node) or ""
    _say(simulation, gpu.node, xid_line(version, gpu.address, number, text, pid, process))


def xid_line(version: str, address: str, number: int, text: str, pid: int | None, process: str | None) -> str:
    """An Xid line of the driver `version`."""
    if pid is not None:
        context = f"pid={pid}, name={process}, "
    elif release(version) < _WITHOUT_UNKNOWN_PROCESS:
        context = "pid='<unknown>', name=<unknown>, "
    else:
        context = ""
    return f"NVRM: Xid (PCI:{_slot(address)}): {number}, {context}{text}"


def identification(gpu: Gpu, state: GpuState) -> list[str]:
    """The lines before the first Xid of a GPU since the driver was loaded."""
    return [f"NVRM: GPU at PCI:{_slot(gpu.address)}: {state.uuid}", f"NVRM: GPU Board Serial Number: {state.serial}"]


def report_loss(simulation: Simulation[World], gpu: Gpu, holders: list[Process]) -> None:
    """A GPU that the driver held has stopped answering: Xid 79 and what the driver says and does after it."""
    host = gpu.node
    version = driver_version(simulation.world, host) or ""
    xid(simulation, gpu.id, FALLEN_OFF_BUS, "GPU has fallen off the bus.")
    _say(simulation, host, f"NVRM: GPU {gpu.address}: GPU has fallen off the bus.")
    _say(simulation, host, f"NVRM: GPU {gpu.address}: GPU serial number is {simulation.world.gpus[gpu.id].serial}.")
    teller = next((name for since, name in _TELLS_ALL_CHANNELS if release(version) >= since), None)
    if teller:
        _say(simulation, host, f"NVRM: {teller}: RC all channels for critical error {FALLEN_OFF_BUS}.")
    _say(
        simulation,
        host,
        "NVRM: A GPU crash dump has been created. If possible, please run\n"
        "NVRM: nvidia-bug-report.sh as root to collect this data before\n"
        "NVRM: the NVIDIA kernel module is unloaded.",
    )
    previous = f" caused by previous Xid {FALLEN_OFF_BUS}" if release(version) >= _NAMES_PREVIOUS_XID else ""
    for process in holders:
        text = f"Ch {0x8:08x}{previous}"
        xid(simulation, gpu.id, PREEMPTIVE_REMOVAL, text, process.pid, short_name(process))


def change_recovery(simulation: Simulation[World], gpu_id: str, action: RecoveryAction) -> None:
    """The driver wants another recovery action for a GPU, and says so in an Xid 154."""
    before = simulation.world.gpus[gpu_id].recovery
    if action is before:
        return
    simulation.world.gpus.update(gpu_id, recovery=action)
    version = driver_version(simulation.world, gpu_id.partition("/")[0]) or ""
    if release(version) >= HAS_RECOVERY_ACTION:
        (old, old_name), (new, new_name) = _ACTIONS[before], _ACTIONS[action]
        text = f"GPU recovery action changed from 0x{old:x} ({old_name}) to 0x{new:x} ({new_name})"
        xid(simulation, gpu_id, RECOVERY_ACTION_CHANGED, text)


def report_dead_at_probe(simulation: Simulation[World], host: str, dead: list[PcieDevice]) -> None:
    """The driver is loaded and finds GPUs that are listed but do not answer. These lines bear no Xid."""
    for device in dead:
        _say(
            simulation,
            host,
            f"NVRM: The NVIDIA GPU {device.address}\n"
            f"NVRM: (PCI ID: {device.ids}) installed in this system has\n"
            "NVRM: fallen off the bus and is not responding to commands.",
        )
    if dead:
        _say(simulation, host, f"NVRM: The NVIDIA probe routine failed for {len(dead)} device(s).")


def report_mismatch(simulation: Simulation[World], host: str, client: str, pid: int, library: str) -> None:
    """A client whose libraries are of another version than the loaded module asks for the driver."""
    loaded = driver_version(simulation.world, host)
    _say(
        simulation,
        host,
        f"NVRM: API mismatch: the client '{client}' (pid {pid})\n"
        f"NVRM: has the version {library}, but this kernel module has\n"
        f"NVRM: the version {loaded}.  Please make sure that this\n"
        "NVRM: kernel module and all NVIDIA driver components\n"
        "NVRM: have the same version.",
    )


def switch_ports(node: Node, product: GpuProduct, module: int) -> Iterator[tuple[int, int]]:
    """(NVSwitch, port) of each NVLink of the GPU in socket `module`: an H100's 18 links are spread 5, 4, 4, 5."""
    chips = len(node.nvswitches)
    if not chips:
        return
    least, extra = divmod(product.nvlinks, chips)
    outermost = [index for pair in zip(range(chips), reversed(range(chips)), strict=True) for index in pair][:extra]
    for chip in range(chips):
        count = least + (chip in outermost)
        first = _SWITCH_PORTS - count * len(node.gpus)
        yield from ((chip, first + (module - 1) * count + link) for link in range(count))


def report_link_fault(simulation: Simulation[World], node: Node, switch: int, link: int) -> None:
    """An NVSwitch says that what was at the other end of a port has gone."""
    address = node.nvswitches[switch].address
    start = f"nvidia-nvswitch{switch}: SXid (PCI:{address}): {LTSSM_FAULT_UP}, "
    for text in (
        f"Fatal, Link {link:02d} LTSSM Fault Up",
        f"Severity 1 Engine instance {link:02d} Sub-engine instance 00",
        f"Data {_LINK_FAULT_DATA}",
    ):
        journald.kernel(simulation, node.name, start + text, Priority.ERR)


def short_name(process: Process) -> str:
    """The name that the kernel keeps of a process: its program's file name, 15 characters at most."""
    program = process.command.split(" ", 1)[0].rpartition("/")[2]
    return program[:15]


def _identified(world: World, gpu: Gpu) -> bool:
    """Whether the driver has named this GPU since it was loaded."""
    naming = f"NVRM: GPU at PCI:{_slot(gpu.address)}:"
    for entry in reversed(journald.ring_buffer(world, gpu.node)):
        if entry.text.startswith(naming):
            return True
        if entry.text.startswith("NVRM: loading "):
            return False
    return False


def _slot(address: str) -> str:
    """0000:91:00 of 0000:91:00.0."""
    return address.rpartition(".")[0]


def _say(simulation: Simulation[World], host: str, text: str) -> None:
    journald.kernel(simulation, host, text, Priority.WARNING)
