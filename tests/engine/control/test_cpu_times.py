"""CPU time: one figure in ps, systemctl and /proc, different for different daemons, and never more than time alive."""

from __future__ import annotations

from engine.control.cpu_times import cpu_used
from engine.control.process_table import system_processes
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command


def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1, {})


def test_daemons_have_used_different_amounts() -> None:
    simulation = site()
    services = [
        process
        for process in system_processes(simulation.world, "dgx-01", driver=True)
        if ".service" in (process.unit or "")
    ]
    used = [cpu_used(process, simulation.now) for process in services]
    assert len({time // SECOND for time in used}) > len(used) // 2
    assert all(0 < time < simulation.now - process.started for time, process in zip(used, services, strict=True))


def test_ps_and_proc_tell_the_same() -> None:
    simulation = site()
    shown = run_command(simulation, "dgx-01", "root", "ps -o time= -p 1").stdout.strip()
    used = cpu_used(system_processes(simulation.world, "dgx-01", driver=True)[0], simulation.now) // SECOND
    assert used > 10
    assert shown == f"{used // 3600:02d}:{used // 60 % 60:02d}:{used % 60:02d}"
