"""Somebody took a GPU or a network card out of the running kernel's list (`remove` in sysfs) and did not put it back.
The hardware is sound.

Seen in nvidia-smi or ibstat (one less), lspci (not listed), and nowhere else: no Xid, no error. A rescan of the bus
brings it back, and so does a restart.
"""

from __future__ import annotations

from engine.control import pci_hotplug, processes
from engine.faults._pcie_parts import function_of
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.load import gpu_processes
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """What ran on a GPU had been ended, and whoever else had it open was stopped for the moment."""
    world, node = simulation.world, target.partition("/")[0]
    if target in world.inventory.node(node).gpus_by_id:
        pids = [process.pid for process in gpu_processes(world, target)]
        if pids:
            processes.end(simulation, node, pids, "exit")
        pci_hotplug.release(simulation, node, target)
    simulation.apply(pci_hotplug.RemoveFunction(node, function_of(world, target).address))


FAULT = Fault(
    id="pcie.function_removed",
    title="A GPU or network card was taken out of the kernel's list",
    targets=("gpu", "hca"),
    inject=inject,
    doc="lspci does not list it, and nothing says why. `echo 1 > /sys/bus/pci/rescan` brings it back.",
)
