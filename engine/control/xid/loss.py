"""What the driver says of GPUs that are gone, dead at probe time, or asked for by a library of another version.

Forms from the open kernel modules' source by release, compared with captures: osHandleGpuLost and RmLogGpuCrash (the
lines that follow Xid 79; all channels are told from 565 on), rm_is_supported_device and nv.c (probe).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.control.modules import driver_version
from engine.control.xid import catalogue, lines
from engine.control.xid.report import tell_removal
from engine.kernel.simulation import Simulation
from engine.world.inventory import Gpu, PcieDevice
from engine.world.records import Process
from engine.world.world import World

FALLEN_OFF_BUS = 79

# The function that tells all channels of the loss and names itself, by the release from which it is called so.
_TELLS_ALL_CHANNELS = ((590, "krcRcAndNotifyAllChannels_IMPL"), (565, "kgspRcAndNotifyAllChannels_IMPL"))


def report_loss(simulation: Simulation[World], gpu: Gpu, holders: Sequence[Process]) -> None:
    """A GPU that the driver held has stopped answering: Xid 79 and what the driver says and does after it."""
    host, release = gpu.node, lines.loaded_release(simulation.world, gpu.node)
    lines.xid(simulation, gpu.id, FALLEN_OFF_BUS, catalogue.text(FALLEN_OFF_BUS, release))
    lines.say(simulation, host, f"NVRM: GPU {gpu.address}: GPU has fallen off the bus.")
    lines.say(
        simulation, host, f"NVRM: GPU {gpu.address}: GPU serial number is {simulation.world.gpus[gpu.id].serial}."
    )
    tell_all_channels(simulation, host, FALLEN_OFF_BUS)
    lines.say(
        simulation,
        host,
        "NVRM: A GPU crash dump has been created. If possible, please run\n"
        "NVRM: nvidia-bug-report.sh as root to collect this data before\n"
        "NVRM: the NVIDIA kernel module is unloaded.",
    )
    tell_removal(simulation, gpu.id, FALLEN_OFF_BUS, holders)


def tell_all_channels(simulation: Simulation[World], host: str, number: int, *, kernel: bool = True) -> None:
    """The line in which the driver gives up all channels of a GPU, or (`kernel` false) only those of programs."""
    release = lines.loaded_release(simulation.world, host)
    teller = next((name for since, name in _TELLS_ALL_CHANNELS if release >= since), None)
    which = "channels" if kernel else "user channels"
    if teller:
        lines.say(simulation, host, f"NVRM: {teller}: RC all {which} for critical error {number}.")


def report_dead_at_probe(simulation: Simulation[World], host: str, dead: Sequence[PcieDevice]) -> None:
    """The driver is loaded and finds GPUs that are listed but do not answer. These lines bear no Xid."""
    for device in dead:
        lines.say(
            simulation,
            host,
            f"NVRM: The NVIDIA GPU {device.address}\n"
            f"NVRM: (PCI ID: {device.ids}) installed in this system has\n"
            "NVRM: fallen off the bus and is not responding to commands.",
        )
    if dead:
        lines.say(simulation, host, f"NVRM: The NVIDIA probe routine failed for {len(dead)} device(s).")


def report_mismatch(simulation: Simulation[World], host: str, client: str, pid: int, library: str) -> None:
    """A client whose libraries are of another version than the loaded module asks for the driver."""
    loaded = driver_version(simulation.world, host)
    lines.say(
        simulation,
        host,
        f"NVRM: API mismatch: the client '{client}' (pid {pid})\n"
        f"NVRM: has the version {library}, but this kernel module has\n"
        f"NVRM: the version {loaded}.  Please make sure that this\n"
        "NVRM: kernel module and all NVIDIA driver components\n"
        "NVRM: have the same version.",
    )
