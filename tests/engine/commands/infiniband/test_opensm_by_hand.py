"""opensm started at a terminal: it takes part in the election as long as it runs."""

from __future__ import annotations

from engine.control.processes import Kill
from engine.control.subnet_manager import managers
from engine.control.subnet_manager.by_hand import ManageByHand
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.support.run import run_command

HEAD, NODE = "head-01", "dgx-02"


def test_once_and_gone(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit(HEAD, "opensm.service", "root"))
    result = run_command(simulation, NODE, "root", "opensm -o -p 3 -R updn")
    assert result.status == 0 and result.lines[3:6] == [
        " Run Once",
        " Priority = 3",
        " Activate 'updn' routing engine(s)",
    ]
    assert "Entering MASTER state" in result.lines and result.lines[-2:] == ["Exiting SM", ""]
    assert managers.managers(simulation.world) == []
    assert simulation.world.subnet_manager[""].engine == "updn"


def test_it_manages_until_it_is_interrupted(simulation: Simulation[World]) -> None:
    result = run_command(simulation, NODE, "root", "opensm -p 15", interrupt_after=5 * SECOND)
    assert "Entering MASTER state" in result.stdout and "OpenSM: Got signal 2 - exiting..." in result.stdout
    assert [each.place for each in managers.managers(simulation.world)] == [HEAD]


def test_a_killed_one_is_gone(simulation: Simulation[World]) -> None:
    from engine.control.programs import BeginProgram

    pid = simulation.apply(BeginProgram(NODE, "root", "opensm -p 15"))
    simulation.apply(ManageByHand(NODE, pid, (("sm_priority", "15"),)))
    simulation.advance(2 * SECOND)
    found = managers.master(simulation.world)
    assert found and (found.place, found.priority) == (NODE, 15)
    simulation.apply(Kill(NODE, pid, 9, "root"))
    assert managers.manager_of(simulation.world, NODE) is None


def test_one_is_enough_for_a_host(simulation: Simulation[World]) -> None:
    result = run_command(simulation, HEAD, "root", "opensm")
    assert result.status == 1 and "Perhaps another instance of OpenSM is already running" in result.stdout
    assert run_command(simulation, NODE, "alex", "opensm").status == 1
    assert run_command(simulation, HEAD, "alex", "opensm --version").lines[1].startswith("OpenSM 5.")
    assert run_command(simulation, HEAD, "root", "opensm -B").status == 125


def test_a_template_of_its_file(simulation: Simulation[World]) -> None:
    result = run_command(simulation, NODE, "root", "opensm -c /tmp/opensm.conf")
    assert " Creating config file template '/tmp/opensm.conf'." in result.lines
    text = simulation.world.files[NODE].files["/tmp/opensm.conf"]
    assert text and text.content and b"\nsm_priority 14\n" in text.content
