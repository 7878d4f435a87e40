"""The driver's lines in the kernel log: how an Xid is written by release, and which lines introduce a GPU.

From krcReportXid and _krcLogUuidOnce of the open kernel modules by release, compared with captures: up to 565 an
unknown process is written as `pid='<unknown>', name=<unknown>`, from 570 on it is left out; UUID and serial come once
per GPU and load of the driver. One printk is one entry; its text may have several lines.
"""

from __future__ import annotations

from engine.control import journald
from engine.control.modules import driver_version
from engine.kernel.simulation import Simulation
from engine.world.bus_events import XidReported
from engine.world.inventory import Gpu
from engine.world.records import GpuState, Priority, Process
from engine.world.world import World

_WITHOUT_UNKNOWN_PROCESS = 570
_SHORT_NAME = 15


def release(version: str) -> int:
    """The branch of a driver version: 590 of 590.48.01."""
    branch = version.partition(".")[0]
    return int(branch) if branch.isdecimal() else 0


def loaded_release(world: World, host: str) -> int:
    """The branch of the driver that is loaded on a host; 0 if none is."""
    return release(driver_version(world, host) or "")


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
            say(simulation, gpu.node, line)
    version = driver_version(simulation.world, gpu.node) or ""
    say(simulation, gpu.node, xid_line(version, gpu.address, number, text, pid, process))
    simulation.publish(XidReported(gpu_id, number))


def xid_line(version: str, address: str, number: int, text: str, pid: int | None, process: str | None) -> str:
    """An Xid line of the driver `version`."""
    if pid is not None:
        context = f"pid={pid}, name={process}, "
    elif release(version) < _WITHOUT_UNKNOWN_PROCESS:
        context = "pid='<unknown>', name=<unknown>, "
    else:
        context = ""
    return f"NVRM: Xid (PCI:{slot(address)}): {number}, {context}{text}"


def identification(gpu: Gpu, state: GpuState) -> list[str]:
    """The lines before the first Xid of a GPU since the driver was loaded."""
    return [f"NVRM: GPU at PCI:{slot(gpu.address)}: {state.uuid}", f"NVRM: GPU Board Serial Number: {state.serial}"]


def short_name(process: Process) -> str:
    """The name that the kernel keeps of a process: its program's file name, 15 characters at most."""
    program = process.command.split(" ", 1)[0].rpartition("/")[2]
    return program[:_SHORT_NAME]


def slot(address: str) -> str:
    """0000:91:00 of 0000:91:00.0."""
    return address.rpartition(".")[0]


def say(simulation: Simulation[World], host: str, text: str) -> None:
    """Write a message of the driver."""
    journald.kernel(simulation, host, text, Priority.WARNING)


def _identified(world: World, gpu: Gpu) -> bool:
    """Whether the driver has named this GPU since it was loaded."""
    naming = f"NVRM: GPU at PCI:{slot(gpu.address)}:"
    for entry in reversed(journald.ring_buffer(world, gpu.node)):
        if entry.text.startswith(naming):
            return True
        if entry.text.startswith("NVRM: loading "):
            return False
    return False
