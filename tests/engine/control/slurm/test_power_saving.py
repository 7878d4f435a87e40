"""Nodes that are powered down and up: states, programs, and what is late."""

from __future__ import annotations

from engine.control import files as host_files
from engine.control import systemd
from engine.control.slurm import configuration, files
from engine.control.slurm.administration import Reconfigure, UpdateNode
from tests.engine.control.slurm.scene import Sim, condition, job, log, opened, state, submit, wait
from tests.support.sessions import screen

HEAD, NODE, BUSY = "head-01", "dgx-04", "dgx-03"
PROGRAM = "/etc/slurm/power.sh"


def with_programs(text: str = "#!/bin/bash\nexit 0\n") -> Sim:
    simulation = opened()
    settings = f"SuspendProgram={PROGRAM}\nResumeProgram={PROGRAM}\nSuspendTimeout=20\n"
    conf = configuration.text_on(simulation.world, HEAD, files.SLURM_CONF).replace(
        "ResumeTimeout=900", "ResumeTimeout=60"
    )
    host_files.write(simulation, HEAD, files.SLURM_CONF, (conf + settings).encode(), uid=0, gid=0)
    host_files.write(simulation, HEAD, PROGRAM, text.encode(), uid=0, gid=0, mode=0o755)
    assert simulation.apply(Reconfigure("root")) is None
    return simulation


def power(simulation: Sim, wanted: str, node: str = NODE) -> None:
    assert simulation.apply(UpdateNode(node, "root", wanted)) is None


def test_without_programs_the_wish_stays_a_wish() -> None:
    simulation = opened()
    power(simulation, "POWER_DOWN")
    wait(simulation, 600)
    assert (state(simulation, NODE), condition(simulation, NODE).complete) == ("idle!", "IDLE+POWER_DOWN")


def test_down_and_up_again() -> None:
    simulation = with_programs()
    power(simulation, "POWER_DOWN")
    seen = []
    for seconds in (1, 11, 20):
        wait(simulation, seconds)
        seen.append(state(simulation, NODE))
    assert seen == ["idle!", "idle%", "idle~"]
    simulation.apply(systemd.StopUnit(NODE, "slurmd", "root"))
    wait(simulation, 900)
    assert state(simulation, NODE) == "idle~"  # silent, and nobody wonders
    power(simulation, "POWER_UP")
    assert state(simulation, NODE) == "idle#"
    wait(simulation, 15)
    simulation.apply(systemd.StartUnit(NODE, "slurmd", "root"))
    assert state(simulation, NODE) == "idle"


def test_who_does_not_come_up_in_time_is_down() -> None:
    simulation = with_programs()
    power(simulation, "POWER_DOWN")
    wait(simulation, 60)
    power(simulation, "POWER_UP")
    wait(simulation, 90)
    assert state(simulation, NODE) == "down~"
    assert simulation.world.slurm_nodes[NODE].reason == "ResumeTimeout reached"
    assert any("not resumed by ResumeTimeout(60), setting DOWN and POWERED_DOWN" in line for line in log(simulation))


def test_a_node_that_works_goes_down_when_it_is_done() -> None:
    simulation = with_programs()
    number = submit(simulation, node_list=(NODE,), sleep=60)
    wait(simulation, 3)
    power(simulation, "POWER_DOWN")
    wait(simulation, 30)
    assert state(simulation, NODE) == "mix!"
    wait(simulation, 90)
    assert (job(simulation, number).state, state(simulation, NODE)) == ("COMPLETED", "idle~")
    later = submit(simulation, node_list=(NODE,))
    wait(simulation, 5)
    assert job(simulation, later).state == "PENDING"


def test_by_force_it_goes_down_at_once() -> None:
    simulation = with_programs()
    number = submit(simulation, node_list=(NODE,), sleep=600)
    wait(simulation, 3)
    power(simulation, "POWER_DOWN_FORCE")
    wait(simulation, 60)
    assert (job(simulation, number).state, state(simulation, NODE)) == ("PENDING", "idle~")


def test_the_programs_run_on_the_head_node_as_slurm_and_are_told_the_node() -> None:
    simulation = with_programs("#!/bin/bash\necho $(hostname) $(id -un) $1 > /tmp/asked\n")
    lines = [f"sudo scontrol update nodename={NODE} state=power_down", "sleep 15", "cat /tmp/asked"]
    assert screen(simulation, lines).splitlines()[-1] == f"{HEAD} slurm {NODE}"
