"""What slurmctld and slurmd write: one entry goes to the host's journal and to the daemon's log file.

In the journal the text bears the daemon's name before it (`slurmctld: error: ...`), as a daemon under systemd prints
it; the file has the time with milliseconds instead (`[2026-11-30T14:08:40.123] error: ...`, LogTimeFormat=iso8601_ms).
Source: SchedMD/slurm 24.11 src/common/log.c and logs of a 22.05 cluster; the journal form is in
ComputeCanada/puppet-magic_castle#361.
"""

from __future__ import annotations

from engine.control import journald, service_state
from engine.control.slurm import files
from engine.kernel.simulation import Simulation
from engine.world.records import Priority
from engine.world.world import World

SLURMCTLD, SLURMD = "slurmctld", "slurmd"
_PRIORITIES = (("fatal:", Priority.CRIT), ("error:", Priority.ERR))


def controller(simulation: Simulation[World], text: str) -> None:
    """slurmctld writes a line."""
    host = simulation.world.slurm[""].in_charge or files.controller_host(simulation.world.inventory)
    write(simulation, host, SLURMCTLD, text)


def write(simulation: Simulation[World], host: str, daemon: str, text: str) -> None:
    """A daemon on a host writes a line."""
    priority = next((priority for mark, priority in _PRIORITIES if text.startswith(mark)), Priority.INFO)
    pid = service_state.service(simulation.world, host, daemon).pid
    journald.log(
        simulation, host, f"{daemon}: {text}", source=daemon, priority=priority, pid=pid, unit=f"{daemon}.service"
    )
