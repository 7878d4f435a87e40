"""What slurmd finds when it starts, what slurmctld makes of it, and of nodes that fall silent."""

from __future__ import annotations

import pytest

from engine.control import boot, modules, packages, systemd
from engine.control.slurm import files, registration, slurmctld, slurmd
from engine.control.slurm.administration import UpdateNode
from engine.control.slurm.errors import SlurmError
from engine.kernel.units import MINUTE
from engine.physics import gpu_bus
from engine.world.records import BusDefect
from tests.engine.control.slurm.scene import (
    LONG,
    SHORT,
    Sim,
    condition,
    harm,
    job,
    log,
    opened,
    state,
    submit,
    wait,
    write_file,
)

IDLE = "dgx-04"
LOWER = "gres/gpu count reported lower than configured (7 < 8)"
FILE_CONF = "NodeName=dgx-[01-04] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n"


def lose_a_gpu(simulation: Sim, node: str = IDLE, index: int = 5) -> None:
    """A GPU falls off the bus and stays away."""
    simulation.world.gpus.update(f"{node}/gpu{index}", defect=BusDefect(None))
    gpu_bus.drop(simulation, f"{node}/gpu{index}")


def restart_slurmd(simulation: Sim, node: str = IDLE) -> None:
    """systemctl restart slurmd."""
    simulation.apply(systemd.RestartUnit(node, "slurmd.service", "root"))


def test_a_lost_gpu_changes_nothing_until_slurmd_looks_again() -> None:
    simulation = opened()
    lose_a_gpu(simulation)
    wait(simulation, 3600)
    assert state(simulation, IDLE) == "idle"
    restart_slurmd(simulation)
    record = simulation.world.slurm_nodes[IDLE]
    assert condition(simulation, IDLE).complete == "IDLE+DRAIN+INVALID_REG"
    assert (record.reason, record.reason_user, record.registered_gpus) == (LOWER, "slurm", 7)


def test_the_log_tells_of_a_refused_registration_in_order() -> None:
    simulation = opened()
    lose_a_gpu(simulation)
    restart_slurmd(simulation)
    expected = [
        f"_node_config_validate: gres/gpu: Count changed on node {IDLE} (8 != 7)",
        f"error: Setting node {IDLE} state to INVAL with reason:{LOWER}",
        f"drain_nodes: node {IDLE} state set to DRAIN",
        f"error: _slurm_rpc_node_registration node={IDLE}: Invalid argument",
    ]
    assert [line for line in log(simulation) if line in expected] == expected
    assert any("7 GPU system device(s) detected" in line for line in log(simulation, IDLE))


def test_an_invalid_node_is_not_resumed_by_hand() -> None:
    simulation = opened()
    lose_a_gpu(simulation)
    restart_slurmd(simulation)
    assert simulation.apply(UpdateNode(IDLE, "root", "RESUME")) is SlurmError.INVALID_NODE_STATE
    assert state(simulation, IDLE) == "inval"


def test_a_node_with_all_its_gpus_again_is_valid_but_stays_drained() -> None:
    simulation = opened()
    lose_a_gpu(simulation)
    restart_slurmd(simulation)
    simulation.world.gpus.update(f"{IDLE}/gpu5", defect=None)
    simulation.apply(boot.ChassisPower(IDLE, "cycle", "root"))
    wait(simulation, 600)
    assert condition(simulation, IDLE).complete == "IDLE+DRAIN"
    assert simulation.apply(UpdateNode(IDLE, "root", "RESUME")) is None
    assert state(simulation, IDLE) == "idle"
    assert simulation.world.slurm_nodes[IDLE].reason == ""


def test_with_file_lines_slurmd_counts_files_and_not_devices() -> None:
    simulation = opened()
    write_file(simulation, IDLE, files.GRES_CONF, FILE_CONF)
    lose_a_gpu(simulation)
    assert slurmd.detected_gpus(simulation.world, IDLE) == 8
    restart_slurmd(simulation)
    assert state(simulation, IDLE) == "idle"


def test_with_file_lines_slurmd_does_not_start_without_its_device() -> None:
    simulation = opened()
    write_file(simulation, IDLE, files.GRES_CONF, FILE_CONF)
    lose_a_gpu(simulation)
    simulation.apply(boot.Reboot(IDLE, "root"))
    wait(simulation, 600)
    assert not registration.is_running(simulation.world, IDLE, "slurmd")
    assert "can't stat gres.conf file /dev/nvidia7" in slurmd.refusal(simulation.world, IDLE)[-1]


def test_a_driver_mismatch_leaves_no_gpu_to_find() -> None:
    simulation = opened()
    upgrade = packages.Upgrade(IDLE, "*nvidia*", "590.60.02", "root", "apt-get upgrade")
    simulation.apply(upgrade)
    if modules.driver_version(simulation.world, IDLE) == packages.library_version(simulation.world, IDLE):
        pytest.skip("the upgrade changed no library")
    restart_slurmd(simulation)
    assert simulation.world.slurm_nodes[IDLE].reason == LOWER.replace("7", "0")


def test_a_silent_slurmd_is_noticed_then_given_up() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit("dgx-03", "slurmd.service", "alex"))
    assert state(simulation, "dgx-03") == "mix"
    wait(simulation, 115)
    assert state(simulation, "dgx-03") == "mix*"
    assert "error: Nodes dgx-03 not responding" in log(simulation)
    wait(simulation, 300)
    assert state(simulation, "dgx-03") == "down*"
    assert simulation.world.slurm_nodes["dgx-03"].reason == registration.NOT_RESPONDING
    assert "error: Nodes dgx-03 not responding, setting DOWN" in log(simulation)


def test_jobs_of_a_node_that_is_given_up_go_back_to_the_queue() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit("dgx-03", "slurmd.service", "alex"))
    wait(simulation, 420)
    lost = job(simulation, SHORT)
    assert (lost.restarts, lost.earlier_runs[0].state) == (1, "NODE_FAIL")
    assert lost.state == "PENDING" or "dgx-03" not in lost.nodes
    assert ("job_killed", "slurmd stopped") in harm(simulation)
    assert not [each for each in simulation.world.systems["dgx-03"].processes if each.job == SHORT]


def test_a_node_that_was_only_silent_comes_back_by_itself() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit(IDLE, "slurmd.service", "alex"))
    wait(simulation, 600)
    assert state(simulation, IDLE) == "down*"
    simulation.apply(systemd.StartUnit(IDLE, "slurmd.service", "alex"))
    assert state(simulation, IDLE) == "idle"
    assert f"node {IDLE} returned to service" in log(simulation)


def test_a_slurmd_that_comes_back_in_time_costs_nothing() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit("dgx-03", "slurmd.service", "alex"))
    wait(simulation, 200)
    simulation.apply(systemd.StartUnit("dgx-03", "slurmd.service", "alex"))
    wait(simulation, 600)
    assert state(simulation, "dgx-03") == "mix"
    assert job(simulation, SHORT).state == "RUNNING"


def test_a_node_that_rebooted_by_itself_is_down_with_that_reason() -> None:
    simulation = opened()
    simulation.apply(boot.Reboot(IDLE, "alex"))
    wait(simulation, 400)
    record = simulation.world.slurm_nodes[IDLE]
    assert (state(simulation, IDLE), record.reason) == ("down", registration.REBOOTED)
    assert any("unexpectedly rebooted" in line for line in log(simulation))
    assert simulation.apply(UpdateNode(IDLE, "root", "RESUME")) is None
    assert state(simulation, IDLE) == "idle"


def test_a_drained_node_that_rebooted_stays_drained_and_is_not_down() -> None:
    simulation = opened()
    simulation.apply(UpdateNode(IDLE, "alex", "DRAIN", "swap board"))
    simulation.apply(boot.Reboot(IDLE, "alex"))
    wait(simulation, 400)
    assert condition(simulation, IDLE).complete == "IDLE+DRAIN"
    assert simulation.world.slurm_nodes[IDLE].reason == "swap board"


def test_a_reboot_under_a_job_is_harm_and_loses_the_job_on_all_its_nodes() -> None:
    simulation = opened()
    simulation.apply(boot.Reboot("dgx-01", "alex"))
    assert ("job_killed", "reboot by alex") in harm(simulation)
    wait(simulation, 600)
    lost = job(simulation, LONG)
    assert (lost.restarts, lost.earlier_runs[0].state) == (1, "NODE_FAIL")
    assert not [each for each in simulation.world.systems["dgx-02"].processes if each.job == LONG and each.started < 0]


def test_while_slurmctld_is_away_nothing_starts_and_running_jobs_run_on() -> None:
    simulation = opened()
    simulation.apply(systemd.StopUnit("head-01", "slurmctld.service", "alex"))
    simulation.apply(systemd.StopUnit(IDLE, "slurmd.service", "alex"))
    wait(simulation, 900)
    assert job(simulation, SHORT).state == "RUNNING"
    simulation.apply(systemd.StartUnit("head-01", "slurmctld.service", "alex"))
    assert condition(simulation, IDLE).complete == "UNKNOWN+NOT_RESPONDING"
    number = submit(simulation, gpus_per_node=8, node_list=("dgx-04",))
    wait(simulation)
    assert job(simulation, number).reason == f"ReqNodeNotAvail, UnavailableNodes:{IDLE}"


def test_a_new_slurmctld_knows_its_nodes_at_once() -> None:
    simulation = opened()
    simulation.apply(systemd.RestartUnit("head-01", "slurmctld.service", "alex"))
    assert [state(simulation, name) for name in ("dgx-01", "dgx-03", IDLE)] == ["alloc", "mix", "idle"]
    assert job(simulation, LONG).state == "RUNNING"
    simulation.advance(50 * MINUTE)
    assert job(simulation, LONG).state == "RUNNING"


def test_a_broken_slurm_conf_keeps_slurmctld_from_starting() -> None:
    simulation = opened()
    text = files.slurm_conf(simulation.world.inventory).replace("Nodes=dgx-04", "Nodes=nosuch")
    write_file(simulation, "head-01", files.SLURM_CONF, text)
    assert slurmctld.refusal(simulation.world, "head-01") == (
        "error: node_name2bitmap: invalid node specified nosuch",
        "fatal: Invalid node names in partition debug",
    )
    simulation.apply(systemd.RestartUnit("head-01", "slurmctld.service", "alex"))
    assert not registration.controller_runs(simulation.world)
