"""DCGM does not give profiling metrics on a node, all others are there (NVIDIA/dcgm-exporter#22, #68): the host engine
was told to pause profiling for another tool and never to resume, its profiling module is on the denylist, or somebody's
profiler had the counters before the host engine started.

Resuming, a restart of the host engine, or the end of the profiler mends it.
"""

from __future__ import annotations

from engine.control import processes, systemd
from engine.control.dcgm import daemon, exporter, host_engine
from engine.control.dcgm.modules import PROFILING
from engine.control.dcgm.profilers import COMMAND
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_PAUSED, _DENIED, _PROFILER = "paused", "denied", "profiler"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Do what somebody did."""
    if values["how"] == _PAUSED:
        simulation.apply(host_engine.PauseProfiling(target, True))
        return
    if values["how"] == _PROFILER:
        people = [user.name for user in simulation.world.inventory.users] or ["root"]
        user = simulation.stream(f"profiler/{target}").choice(people)
        processes.start(simulation, target, user=user, command=COMMAND, cpu_permille=900, resident_kib=410_000)
    simulation.apply(systemd.RestartUnit(target, daemon.UNIT, "root"))
    if values["how"] == _DENIED:
        simulation.apply(host_engine.DenyModule(target, PROFILING))
    simulation.apply(systemd.RestartUnit(target, exporter.UNIT, "root"))


FAULT = Fault(
    id="dcgm.profiling_unavailable",
    title="DCGM gives no profiling metrics",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("how", "choice", _PAUSED, "Why.", (_PAUSED, _DENIED, _PROFILER)),),
    doc="DCGM_FI_PROF_* are missing, dcgmi modules -l says why. Resume, restart nvidia-dcgm, or end the profiler.",
)
