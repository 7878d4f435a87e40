"""Faults of Slurm's ground: what each changes, what is seen of it, and that its remedy mends it."""

from __future__ import annotations

import pytest

from engine.control import files as host_files
from engine.control import host_clock, munge, systemd
from engine.control.slurm import configuration, devices, files
from engine.control.slurm.administration import UpdateNode
from engine.control.slurm.reservations import DeleteReservation
from engine.faults.fault import InjectFault
from engine.faults.slurm_prolog_failing import PATH as PROLOG
from engine.faults.slurm_prolog_failing import script
from tests.engine.control.slurm.scene import Sim, ask, harm, job, log, opened, state, submit, wait
from tests.support.run import run_command
from tests.support.sessions import screen

HEAD, NODE, HEALTHY = "head-01", "dgx-04", "dgx-03"


def broken(fault: str, target: str = NODE, **parameters: str) -> Sim:
    simulation = opened()
    simulation.apply(InjectFault(fault, target, tuple(sorted(parameters.items()))))
    return simulation


def reason(simulation: Sim) -> str:
    return simulation.world.slurm_nodes[NODE].reason


@pytest.mark.parametrize(
    ("mistake", "seen"),
    [
        ("files", "gres/gpu count reported lower than configured (7 < 8)"),
        ("type", "gres/gpu count reported lower than configured (0 < 8)"),
        ("duplicate", "Not responding"),
    ],
)
def test_a_wrong_gres_conf(mistake: str, seen: str) -> None:
    simulation = broken("slurm.gres_misconfigured", mistake=mistake)
    wait(simulation, 600)
    assert reason(simulation) == seen
    own = files.gres_conf(simulation.world.inventory)
    host_files.write(simulation, NODE, files.GRES_CONF, own.encode(), uid=0, gid=0)
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    simulation.apply(UpdateNode(NODE, "root", "RESUME"))
    assert state(simulation, NODE) == "idle"
    assert harm(simulation) == []


def test_devices_that_are_not_constrained() -> None:
    simulation = broken("slurm.devices_unconstrained")
    assert not devices.constrained(simulation.world, NODE)
    assert screen(simulation, [f"srun -w {NODE} --gres=gpu:1 nvidia-smi -L"]).count("GPU-") == 8
    assert screen(simulation, [f"srun -w {HEALTHY} --gres=gpu:1 nvidia-smi -L"]).count("GPU-") == 1


@pytest.mark.parametrize("how", ["killed", "disabled"])
def test_a_slurmd_that_does_not_run(how: str) -> None:
    simulation = broken("slurm.slurmd_stopped", how=how)
    wait(simulation, 600)
    assert (state(simulation, NODE), reason(simulation)) == ("down*", "Not responding")
    simulation.apply(systemd.StartUnit(NODE, "slurmd", "root"))
    assert state(simulation, NODE) == "idle"


def test_that_slurmd_is_gone_is_nobodys_fault() -> None:
    simulation = broken("slurm.slurmd_stopped", HEALTHY)
    wait(simulation, 600)
    assert harm(simulation) == []


@pytest.mark.parametrize("how", ["killed", "configuration"])
def test_a_controller_that_does_not_run(how: str) -> None:
    simulation = broken("slurm.controller_down", HEAD, how=how)
    assert not systemd.is_active(simulation.world, HEAD, "slurmctld")
    said = screen(simulation, ["sinfo", "squeue"])
    expected = "Bad SelectTypeParameter: CR_GPU" if how == "configuration" else "connect failure"
    assert said.count(expected) == 2


@pytest.mark.parametrize("how", ["not_restarted", "left_out"])
def test_another_key(how: str) -> None:
    simulation = broken("munge.key_changed", how=how)
    wait(simulation, 600)
    assert (state(simulation, NODE), state(simulation, HEALTHY)) == ("down*", "mix")
    assert munge.between(simulation.world, HEAD, NODE, simulation.now) == munge.INVALID
    simulation.apply(systemd.RestartUnit(NODE, "munge", "root"))
    wait(simulation, 120)
    assert state(simulation, NODE) == ("idle" if how == "not_restarted" else "down*")
    assert harm(simulation) == []


@pytest.mark.parametrize(("seconds", "word"), [(-1260, "Rewound credential"), (5000, "Expired credential")])
def test_a_wrong_clock(seconds: int, word: str) -> None:
    simulation = broken("clock.skewed", seconds=str(seconds))
    wait(simulation, 600)
    assert (state(simulation, NODE), reason(simulation)) == ("down*", "Not responding")
    assert f"error: Munge decode failed: {word}" in log(simulation, NODE)
    simulation.apply(systemd.StartUnit(NODE, "chrony", "root"))
    wait(simulation, 120)
    assert state(simulation, NODE) == "idle"
    assert host_clock.offset(simulation.world, NODE, simulation.now) == 0


@pytest.mark.parametrize("mistake", ["mode", "check"])
def test_a_prolog_that_fails_on_one_node(mistake: str) -> None:
    simulation = broken("slurm.prolog_failing", mistake=mistake)
    lines = [f"sbatch -w {node} --gres=gpu:1 --wrap hostname" for node in (NODE, HEALTHY)]
    screen(simulation, [*lines, "sleep 10"])
    assert (reason(simulation), state(simulation, HEALTHY)) == ("Prolog error", "mix")
    host_files.write(simulation, NODE, PROLOG, script(8).encode(), uid=0, gid=0, mode=0o755)
    simulation.apply(UpdateNode(NODE, "root", "RESUME"))
    screen(simulation, [f"sbatch -w {NODE} --gres=gpu:1 --wrap hostname", "sleep 10"])
    assert state(simulation, NODE) == "idle"


def test_an_epilog_that_hangs_on_the_host_engine() -> None:
    simulation = broken("slurm.epilog_hanging")
    restart = f"ssh {NODE} sudo systemctl restart nvidia-dcgm"
    said = screen(
        simulation, [f"srun -w {NODE} hostname", "sleep 100", "sinfo -h -n dgx-04 -o %t", restart, "sleep 90"]
    )
    assert "comp" in said
    assert (state(simulation, NODE), reason(simulation)) == ("drain", "Epilog error")


def test_a_health_check_that_wants_too_much() -> None:
    simulation = broken("slurm.health_check_wrong")
    screen(simulation, ["sleep 310"])
    assert (state(simulation, NODE), state(simulation, HEALTHY)) == ("drain", "mix")
    assert reason(simulation).startswith("HC: InfiniBand: ")
    simulation.apply(UpdateNode(NODE, "root", "RESUME"))
    screen(simulation, ["sleep 310"])
    assert state(simulation, NODE) == "drain"


@pytest.mark.parametrize(
    ("mistake", "why"), [("down", "PartitionDown"), ("short", "PartitionTimeLimit"), ("left_out", "")]
)
def test_a_partition_that_was_changed(mistake: str, why: str) -> None:
    simulation = broken("slurm.partition_changed", HEAD, mistake=mistake)
    if mistake == "left_out":
        assert ask(simulation, node_list=(NODE,)).error is not None
        return
    number = submit(simulation)
    wait(simulation, 40)
    assert (job(simulation, number).state, job(simulation, number).reason) == ("PENDING", why)


def test_a_reservation_that_was_left() -> None:
    simulation = broken("slurm.reservation_left")
    assert state(simulation, NODE) == "maint"
    number = submit(simulation, node_list=(NODE,))
    wait(simulation, 40)
    assert job(simulation, number).state == "PENDING"
    simulation.apply(DeleteReservation("root", f"maint-{NODE}"))
    wait(simulation, 40)
    assert job(simulation, number).state == "RUNNING"


def test_a_name_that_leads_to_an_old_address() -> None:
    simulation = broken("slurm.wrong_address")
    wait(simulation, 600)
    assert (state(simulation, NODE), reason(simulation)) == ("down*", "Not responding")
    assert run_command(simulation, HEAD, "root", f"getent hosts {NODE}").stdout.startswith("10.20.0.250 ")
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    wait(simulation, 600)
    assert state(simulation, NODE) == "down*"
    host_files.put(simulation, HEAD, {}, gone="/etc/hosts")
    simulation.apply(systemd.RestartUnit(NODE, "slurmd", "root"))
    assert state(simulation, NODE) == "idle"
    assert harm(simulation) == []


def test_all_nodes_know_what_a_fault_has_installed() -> None:
    simulation = broken("slurm.prolog_failing")
    texts = {configuration.read_by_slurmd(simulation.world, node)[0] for node in (NODE, HEALTHY)}
    assert texts == {configuration.on_host(simulation.world, HEAD)[0]}
    assert f"Prolog={PROLOG}" in texts.pop()
