"""What operators do to nodes: states, reboots through Slurm, a new configuration."""

from __future__ import annotations

import pytest

from engine.control import systemd
from engine.control.slurm.administration import RebootNodes, Reconfigure, UpdateNode
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.files import SLURM_CONF, slurm_conf
from engine.control.slurm.queue import CancelJob
from tests.engine.control.slurm.scene import (
    LONG,
    SHORT,
    Sim,
    condition,
    harm,
    job,
    log,
    opened,
    refusal,
    state,
    submit,
    wait,
    write_file,
)
from tests.support.worlds import inventory


def update(simulation: Sim, node: str, to: str, reason: str = "") -> SlurmError | None:
    """scontrol update by root."""
    answer = simulation.apply(UpdateNode(node, "root", to, reason))
    assert answer is None or isinstance(answer, SlurmError)
    return answer


@pytest.mark.parametrize("by", ["root", "slurm", "alex", "mara"])
def test_operators_may_change_nodes(by: str) -> None:
    simulation = opened()
    assert simulation.apply(UpdateNode("dgx-04", by, "DRAIN", "fan")) is None
    record = simulation.world.slurm_nodes["dgx-04"]
    assert (state(simulation, "dgx-04"), record.reason, record.reason_user) == ("drain", "fan", by)


def test_others_may_not() -> None:
    simulation = opened()
    assert simulation.apply(UpdateNode("dgx-04", "priya", "DRAIN", "fan")) is SlurmError.USER_ID
    assert simulation.apply(RebootNodes("dgx-04", "priya"))[0] == "Permission denied"
    assert simulation.apply(Reconfigure("priya")) is SlurmError.USER_ID
    assert state(simulation, "dgx-04") == "idle"


def test_draining_a_busy_node_lets_its_job_end_first() -> None:
    simulation = opened()
    update(simulation, "dgx-03", "DRAIN", "IB port flapping")
    assert state(simulation, "dgx-03") == "drng"
    simulation.apply(CancelJob(SHORT, "wei"))
    wait(simulation)
    assert state(simulation, "dgx-03") == "drain"
    assert "update_node: node dgx-03 reason set to: IB port flapping" in log(simulation)


def test_a_node_that_is_fit_again_has_no_reason() -> None:
    simulation = opened()
    update(simulation, "dgx-04", "DRAIN", "fan")
    update(simulation, "dgx-04", "RESUME")
    assert (state(simulation, "dgx-04"), simulation.world.slurm_nodes["dgx-04"].reason) == ("idle", "")


def test_setting_a_busy_node_down_loses_its_job_and_is_harm() -> None:
    simulation = opened()
    update(simulation, "dgx-01", "DOWN", "PSU")
    assert (job(simulation, LONG).restarts, job(simulation, LONG).earlier_runs[0].state) == (1, "NODE_FAIL")
    assert ("job_killed", "scontrol update state=down") in harm(simulation)
    assert state(simulation, "dgx-01") == "down"


@pytest.mark.parametrize(
    ("before", "to", "error"),
    [
        ("", "RESUME", SlurmError.INVALID_NODE_STATE),
        ("", "IDLE", None),
        ("", "UNDRAIN", None),
        ("DRAIN", "UNDRAIN", None),
        ("DRAIN", "RESUME", None),
        ("DOWN", "RESUME", None),
        ("DOWN", "IDLE", None),
        ("FAIL", "RESUME", None),
        ("DRAIN", "DOWN", None),
        ("", "CANCEL_REBOOT", SlurmError.INVALID_NODE_STATE),
    ],
)
def test_which_states_follow_on_which(before: str, to: str, error: SlurmError | None) -> None:
    simulation = opened()
    if before:
        assert update(simulation, "dgx-04", before, "x") is None
    assert update(simulation, "dgx-04", to, "y") is error


def test_an_unknown_node_in_a_list_is_refused() -> None:
    assert update(opened(), "dgx-[03-09]", "DRAIN", "x") is SlurmError.INVALID_NODE


def test_a_reboot_asap_waits_for_the_job_then_restarts_the_node_and_brings_it_back() -> None:
    simulation = opened()
    error, skipped = simulation.apply(RebootNodes("dgx-03", "alex", asap=True, next_state="RESUME", reason="kernel"))
    assert (error, skipped, state(simulation, "dgx-03")) == (None, (), "drng@")
    assert simulation.apply(RebootNodes("dgx-03", "alex"))[1] == ("dgx-03",)
    simulation.apply(CancelJob(SHORT, "wei"))
    wait(simulation, 5)
    assert state(simulation, "dgx-03") == "boot^"
    wait(simulation, 400)
    assert (state(simulation, "dgx-03"), simulation.world.slurm_nodes["dgx-03"].reason) == ("idle", "")
    assert harm(simulation) == []
    assert "node dgx-03 returned to service" in log(simulation)


def test_a_reboot_may_leave_the_node_down() -> None:
    simulation = opened()
    simulation.apply(RebootNodes("dgx-04", "root", next_state="DOWN", reason="firmware"))
    wait(simulation, 420)
    assert state(simulation, "dgx-04") == "down"
    assert "reboot complete" in simulation.world.slurm_nodes["dgx-04"].reason


def test_a_reboot_that_has_not_begun_can_be_called_off() -> None:
    simulation = opened()
    simulation.apply(RebootNodes("dgx-03", "root", asap=True))
    assert update(simulation, "dgx-03", "CANCEL_REBOOT") is None
    assert condition(simulation, "dgx-03").complete == "MIXED"
    simulation.apply(RebootNodes("dgx-04", "root"))
    wait(simulation)
    assert update(simulation, "dgx-04", "CANCEL_REBOOT") is SlurmError.REBOOT_IN_PROGRESS


def test_reconfigure_reads_the_file_of_the_head_node() -> None:
    simulation = opened()
    write_file(simulation, "head-01", SLURM_CONF, slurm_conf(inventory()).replace("MaxTime=30:00", "MaxTime=4:00:00"))
    number = submit(simulation, partition="debug", time_limit=3_600 * 10**9)
    wait(simulation)
    assert job(simulation, number).reason == "PartitionTimeLimit"
    assert simulation.apply(Reconfigure("alex")) is None
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_a_broken_file_leaves_the_old_configuration_in_force() -> None:
    simulation = opened()
    write_file(simulation, "head-01", SLURM_CONF, "NodeName=dgx-01 CPUs=many\n")
    assert simulation.apply(Reconfigure("root"))
    assert list(in_force(simulation.world).nodes) == ["dgx-01", "dgx-02", "dgx-03", "dgx-04"]


def test_a_file_changed_on_another_host_is_not_read() -> None:
    simulation = opened()
    write_file(simulation, "dgx-01", SLURM_CONF, "NodeName=dgx-01 CPUs=1\n")
    assert simulation.apply(Reconfigure("root")) is None
    assert len(in_force(simulation.world).nodes) == 4


def test_a_restart_reads_the_file_too() -> None:
    simulation = opened()
    write_file(
        simulation, "head-01", SLURM_CONF, slurm_conf(inventory()).replace("SlurmdTimeout=300", "SlurmdTimeout=30")
    )
    simulation.apply(systemd.RestartUnit("head-01", "slurmctld.service", "root"))
    assert in_force(simulation.world).number("SlurmdTimeout", 0) == 30


def test_fewer_gpus_in_the_file_are_fewer_to_give_out() -> None:
    simulation = opened()
    write_file(simulation, "head-01", SLURM_CONF, slurm_conf(inventory()).replace("gpu:h100:8", "gpu:h100:6"))
    assert simulation.apply(Reconfigure("root")) is None
    simulation.apply(systemd.RestartUnit("dgx-04", "slurmd.service", "root"))
    assert refusal(simulation, gpus_per_node=7) is SlurmError.NODE_CONFIGURATION
    six = submit(simulation, gpus_per_node=6, node_list=("dgx-04",))
    one = submit(simulation, gpus_per_node=1, cpus_per_task=1, node_list=("dgx-04",))
    wait(simulation)
    assert (state(simulation, "dgx-04"), job(simulation, six).gpu_indices) == ("mix-", ((0, 1, 2, 3, 4, 5),))
    assert job(simulation, one).state == "PENDING"
