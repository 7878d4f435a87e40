"""Daemons that do not understand each other: keys, clocks, ports."""

from __future__ import annotations

from engine.control import files as host_files
from engine.control import host_clock, munge, systemd
from engine.control.slurm import contact, files
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.slurm.scene import Sim, job, log, opened, state, submit, wait, write_file

HEAD, NODE, BUSY = "head-01", "dgx-04", "dgx-03"


def other_key(simulation: Sim, host: str) -> None:
    host_files.write(simulation, host, munge.KEY_FILE, bytes(range(128)), uid=munge.UID, gid=munge.GID, mode=0o400)
    simulation.apply(systemd.RestartUnit(host, "munge", "root"))


def test_a_node_with_another_key_falls_silent_goes_down_and_comes_back() -> None:
    simulation = opened()
    other_key(simulation, NODE)
    wait(simulation, 150)
    assert state(simulation, NODE) == "idle*"
    assert "error: Munge decode failed: Invalid credential" in log(simulation, NODE)
    wait(simulation, 300)
    assert (state(simulation, NODE), simulation.world.slurm_nodes[NODE].reason) == ("down*", "Not responding")
    other_key(simulation, HEAD)
    wait(simulation, 5)
    assert contact.answers(simulation.world, NODE, simulation.now)
    wait(simulation, 120)
    assert state(simulation, NODE) == "idle"


def test_a_short_misunderstanding_is_noticed_by_nobody() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit(NODE, "munge", "root"))
    wait(simulation, 30)
    simulation.apply(systemd.StartUnit(NODE, "munge", "root"))
    wait(simulation, 600)
    assert state(simulation, NODE) == "idle"
    assert not any("not responding" in line for line in log(simulation))


def test_a_wrong_clock_is_told_in_both_words() -> None:
    simulation = opened()
    host_clock.step(simulation, NODE, -HOUR)
    wait(simulation, 150)
    lines = log(simulation, NODE)
    assert "error: Munge decode failed: Rewound credential" in lines
    assert "error: Check for out of sync clocks" in lines
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    assert "error: Munge decode failed: Expired credential" in log(simulation)
    assert log(simulation, NODE)[-1] == "error: Unable to register: Zero Bytes were transmitted or received"


def test_a_few_minutes_matter_to_nobody() -> None:
    simulation = opened()
    host_clock.step(simulation, NODE, 4 * MINUTE)
    wait(simulation, 600)
    assert state(simulation, NODE) == "idle"


def test_without_munge_slurmd_cannot_register() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit(NODE, "munge", "root"))
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    assert log(simulation, NODE)[-1] == "error: Unable to register: Protocol authentication error"
    assert "If munged is up" in log(simulation, NODE)[-4]


def test_a_slurmd_that_asks_elsewhere_does_not_register() -> None:
    simulation = opened()
    text = files.slurm_conf(simulation.world.inventory).replace("SlurmctldPort=6817", "SlurmctldPort=7817")
    write_file(simulation, NODE, files.SLURM_CONF, text)
    obstacle = contact.to_controller(simulation.world, NODE, simulation.now)
    assert obstacle == contact.Obstacle("elsewhere")
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    assert log(simulation, NODE)[-1].endswith("Unable to contact slurm controller (connect failure)")


def test_a_job_waits_for_a_slurmd_that_nobody_has_missed_yet() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit(NODE, "slurmd", "root"))
    number = submit(simulation, node_list=(NODE,))
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"
    assert not any(each.job == number for each in simulation.world.systems[NODE].processes)
    simulation.apply(systemd.StartUnit(NODE, "slurmd", "root"))
    wait(simulation)
    assert any(each.job == number for each in simulation.world.systems[NODE].processes)


def test_a_different_file_is_complained_of() -> None:
    simulation = opened()
    text = files.slurm_conf(simulation.world.inventory) + "# mine\n"
    write_file(simulation, NODE, files.SLURM_CONF, text)
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    assert any(f"Node {NODE} appears to have a different slurm.conf" in line for line in log(simulation))
    assert simulation.now < SECOND
