"""opensm.conf: what counts, when it is read, and what is said of mistakes."""

from __future__ import annotations

import pytest

from engine.control.processes import Kill
from engine.control.subnet_manager import configuration, managers
from engine.control.subnet_manager.configuration import CONFIGURATION, FABRIC
from engine.control.systemd import StartUnit, StopUnit, service
from engine.hostfs.changes import WriteFile
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.events import NodeUp
from engine.world.world import World

HEAD, UNIT = "head-01", "opensm.service"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


def written(site: Simulation[World], text: str) -> Simulation[World]:
    """A simulation in which opensm's file has this text; nobody has restarted it."""
    simulation = site.fork()
    simulation.apply(WriteFile(HEAD, CONFIGURATION, text.encode(), 0o644, 0, 0))
    return simulation


def restarted(simulation: Simulation[World]) -> list[str]:
    """Restart opensm. Returns what it logged."""
    before = len(simulation.world.logs[HEAD].entries)
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)
    return [line.text for line in simulation.world.logs[HEAD].entries[before:] if line.source == "OpenSM"]


def priority(simulation: Simulation[World]) -> int:
    found = managers.master(simulation.world)
    assert found
    return found.priority


def test_a_change_counts_from_the_next_start(site: Simulation[World]) -> None:
    simulation = written(site, "sm_priority 3 # low\nsweep_interval 0x14\n")
    assert priority(simulation) == 14
    restarted(simulation)
    assert priority(simulation) == 3 and configuration.sweep_interval(simulation.world) == 20 * SECOND


@pytest.mark.parametrize("engine", ["updn", "ftree", "minhop"])
def test_the_routing_engine_is_the_one_of_the_file(site: Simulation[World], engine: str) -> None:
    simulation = written(site, f"routing_engine {engine}\n")
    lines = restarted(simulation)
    assert simulation.world.subnet_manager[FABRIC].engine == engine
    assert f"osm_ucast_mgr_process: {engine} tables configured on all switches" in lines


def test_an_engine_that_opensm_does_not_know(site: Simulation[World]) -> None:
    lines = restarted(written(site, 'routing_engine "best"\n'))
    assert "setup_routing_engine: cannot find or setup routing engine 'best'" in lines
    assert "osm_ucast_mgr_process: minhop tables configured on all switches" in lines


def test_an_engine_that_is_not_modelled_says_so(site: Simulation[World]) -> None:
    lines = restarted(written(site, "routing_engine lash\n"))
    assert any(line.startswith("breakfix: the routing engine lash is not modelled") for line in lines)


def test_values_that_opensm_does_not_take(site: Simulation[World]) -> None:
    simulation = written(site, "sm_priority 99\nsweep_interval soon\nlmc 0\n")
    lines = restarted(simulation)
    assert " Invalid Cached Option Value:sm_priority = 99:Using Default:14" in lines
    assert "-E- Parsing error in field sweep_interval, expected numeric input received: soon" in lines
    assert priority(simulation) == 14 and configuration.sweep_interval(simulation.world) == 10 * SECOND


def test_a_restarted_node_reads_it_too(site: Simulation[World]) -> None:
    simulation = written(site, "sm_priority 5\n")
    simulation.publish(NodeUp("dgx-01"))
    assert priority(simulation) == 14
    simulation.publish(NodeUp(HEAD))
    simulation.advance(5 * SECOND)
    assert priority(simulation) == 5


def test_the_signal_hup_makes_it_read_some_settings_again(site: Simulation[World]) -> None:
    simulation = written(site, "sm_priority 7\nrouting_engine ftree\n")
    pid = service(simulation.world, HEAD, UNIT).pid
    simulation.apply(Kill(HEAD, pid, 1, "root"))
    simulation.advance(5 * SECOND)
    assert priority(simulation) == 7 and service(simulation.world, HEAD, UNIT).pid == pid
    assert simulation.world.subnet_manager[FABRIC].engine == "minhop"
