"""A backup slurmctld: it stands by, takes over, and gives back."""

from __future__ import annotations

from functools import cache

from engine.control import systemd
from engine.control.slurm import charge, configuration, files
from engine.control.slurm.administration import Reconfigure
from engine.simulation import open_site
from tests.engine.control.slurm.scene import Sim, job, state, submit, wait, write_file
from tests.support.sessions import screen

PRIMARY, BACKUP, NODE = "head-01", "ctl-02", "dgx-02"


@cache
def _pristine() -> Sim:
    return open_site("dgx-h100-2-ha")


def opened() -> Sim:
    return _pristine().fork()


def said(simulation: Sim, host: str) -> list[str]:
    entries = simulation.world.logs[host].entries
    return [entry.text.partition(": ")[2] for entry in entries if entry.source == "slurmctld"]


def stop(simulation: Sim, host: str = PRIMARY) -> None:
    simulation.apply(systemd.StopUnit(host, "slurmctld", "root"))


def test_the_file_names_both_and_the_first_is_in_charge() -> None:
    simulation = opened()
    assert charge.hosts(simulation.world) == (PRIMARY, BACKUP)
    assert charge.in_charge(simulation.world) == PRIMARY
    assert not systemd.find(simulation.world, BACKUP, "slurmd")


def test_the_backup_takes_over_after_its_time_and_goes_on_with_the_queue() -> None:
    simulation = opened()
    stop(simulation)
    wait(simulation, 119)
    assert not charge.runs(simulation.world)
    wait(simulation, 2)
    assert (charge.in_charge(simulation.world), charge.runs(simulation.world)) == (BACKUP, True)
    assert said(simulation, BACKUP)[0].startswith(
        "error: ControlMachine head-01 not responding, BackupController1 ctl-02"
    )
    number = submit(simulation, gpus_per_node=1, host=PRIMARY)
    wait(simulation)
    assert (job(simulation, number).state, state(simulation, NODE)) == ("RUNNING", "mix")


def test_the_primary_takes_charge_again_when_it_starts() -> None:
    simulation = opened()
    stop(simulation)
    wait(simulation, 130)
    simulation.apply(systemd.StartUnit(PRIMARY, "slurmctld", "root"))
    assert charge.in_charge(simulation.world) == PRIMARY
    assert said(simulation, BACKUP)[-1] == "slurmctld running in background mode"


def test_who_was_back_in_time_is_not_taken_over_from() -> None:
    simulation = opened()
    stop(simulation)
    wait(simulation, 60)
    simulation.apply(systemd.StartUnit(PRIMARY, "slurmctld", "root"))
    wait(simulation, 300)
    assert charge.in_charge(simulation.world) == PRIMARY


def test_without_a_backup_nobody_takes_over() -> None:
    simulation = opened()
    text = configuration.text_on(simulation.world, PRIMARY, files.SLURM_CONF).replace(f"SlurmctldHost={BACKUP}\n", "")
    write_file(simulation, PRIMARY, files.SLURM_CONF, text)
    assert simulation.apply(Reconfigure("root")) is None
    stop(simulation)
    wait(simulation, 600)
    assert not charge.runs(simulation.world)


def test_ping_tells_of_both() -> None:
    simulation = opened()
    stop(simulation)
    lines = screen(simulation, ["scontrol ping", "sleep 130", "sinfo -h"]).splitlines()
    assert lines[:2] == ["Slurmctld(primary) at head-01 is DOWN", "Slurmctld(backup) at ctl-02 is UP"]
    assert any(line.startswith("batch*") for line in lines)


def test_an_operator_may_hand_over() -> None:
    simulation = opened()
    said_so = screen(simulation, ["sudo scontrol takeover", "scontrol ping", "sinfo -h"])
    assert charge.in_charge(simulation.world) == BACKUP
    assert said_so.splitlines()[:2] == [
        "Slurmctld(primary) at head-01 is DOWN",
        "Slurmctld(backup) at ctl-02 is UP",
    ]
    assert "batch*" in said_so
