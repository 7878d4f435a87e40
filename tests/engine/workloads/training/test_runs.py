"""Runs on a site: begun by Slurm, slowed by what happens to machines, ended by what does not move."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control import files
from engine.control.driver import LockClocks
from engine.control.slurm.queue import CancelJob, RequeueJob
from engine.kernel.simulation import replay
from engine.kernel.units import DAY, MINUTE, SECOND
from engine.physics import gpu_bus, links, thermal
from engine.physics.load import gpu_load
from engine.physics.traffic import exchange as traffic
from engine.simulation import open_site
from engine.workloads.nccl import CollectiveFailed, Result, Stage
from engine.workloads.training import communication, failure_lines, model, progress
from engine.world.events import GpuLoadChanged, NvLinksChanged
from engine.world.records import BusDefect, Flow, NvLinkState, TrainingEnding
from tests.engine.workloads.training.scene import (
    LARGE,
    STANDING,
    Sim,
    job,
    opened,
    regime,
    run,
    signal,
    submit,
    text,
)

_STOP, _GO_ON, _KILL = 19, 18, 9
SHORT = "#!/bin/bash\nexport NCCL_IB_TIMEOUT=18\nsrun python train.py --save-interval 20 --log-interval 1\n"


def steps(simulation: Sim, number: int = STANDING) -> int:
    return progress.steps_done(run(simulation, number), simulation.now)


def sent(simulation: Sim) -> int:
    """Bytes that the job has put on the fabric."""
    return traffic.moved(simulation.world, f"job/{STANDING}", simulation.now)


def sent_in_a_minute(simulation: Sim) -> int:
    before = sent(simulation)
    simulation.advance(MINUTE)
    return sent(simulation) - before


def test_a_run_puts_its_traffic_on_the_fabric() -> None:
    simulation = opened()
    bundle = simulation.world.bundles[f"job/{STANDING}"]
    assert bundle.coupled and len(bundle.flows) == 16
    pace = regime(simulation).step
    assert pace is not None
    each_step = 2 * 3 * model.exchange_bytes(run(simulation).configuration)
    assert sent(simulation) == pytest.approx(each_step * -regime(simulation).since / pace, rel=0.1)
    healthy = sent_in_a_minute(simulation)
    assert healthy == pytest.approx(each_step * MINUTE / pace, rel=0.1)
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    assert sent_in_a_minute(simulation) == pytest.approx(healthy / 1.8, rel=0.02)
    signal(simulation, "dgx-02", 3, _STOP)
    assert sent_in_a_minute(simulation) == 0
    signal(simulation, "dgx-02", 3, _GO_ON)
    assert sent_in_a_minute(simulation) > healthy / 2
    simulation.apply(CancelJob(STANDING, "root"))
    assert sent_in_a_minute(simulation) == 0


def test_traffic_of_others_slows_the_exchange() -> None:
    simulation = opened()
    healthy = regime(simulation)
    crowd = [Flow("dgx-01/mlx5_0/1", "dgx-02/mlx5_0/1", 400 * 10**9)] * 60
    traffic.open_bundle(simulation, "crowd", crowd)
    assert regime(simulation).exchange > 3 * healthy.exchange
    assert (regime(simulation).step or 0) > 1.02 * (healthy.step or 0)
    traffic.close_bundle(simulation, "crowd")
    assert regime(simulation).step == healthy.step


def test_a_standing_job_has_been_at_it_since_it_began() -> None:
    simulation = opened()
    found = run(simulation)
    assert (found.nodes, found.gpus, found.ranks) == (("dgx-01", "dgx-02"), 8, 16)
    pace = found.regimes[0].step
    assert pace is not None and SECOND < pace < 2 * SECOND
    assert steps(simulation) == pytest.approx((-found.started - 32 * SECOND) // pace, rel=0.02)
    before = steps(simulation)
    simulation.advance(100 * pace)
    assert before + 94 <= steps(simulation) <= before + 101
    assert len(run(simulation).regimes) == 1


def test_one_gpu_with_locked_clocks_slows_all_by_the_computed_factor() -> None:
    simulation = opened()
    healthy = regime(simulation)
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    slow = regime(simulation)
    assert slow.slow == ((11, 1_800_000),)
    assert healthy.step is not None and slow.step is not None
    pipe = healthy.step - healthy.common
    assert slow.step - slow.common == pytest.approx(pipe * 1.8, rel=0.001)
    assert run(simulation).regimes[0] == healthy


def test_a_power_cap_and_heat_slow_through_the_clocks() -> None:
    simulation = opened()
    simulation.world.gpus.update("dgx-01/gpu0", power_limit=400_000)
    simulation.publish(GpuLoadChanged("dgx-01"))
    clock = thermal.regime(simulation.world, "dgx-01/gpu0").sm_clock
    assert regime(simulation).slow == ((0, model.slowness(run(simulation).configuration, clock / 1980, 1.0)),)


def test_fewer_nvlinks_slow_tensor_parallel_groups() -> None:
    simulation = opened()
    number = submit(simulation, LARGE, nodes=1, node_list=("dgx-04",))
    healthy = regime(simulation, number)
    simulation.world.nvlinks["dgx-04/gpu0"] = NvLinkState(tuple(range(9)))
    simulation.publish(NvLinksChanged("dgx-04"))
    assert healthy.step is not None
    assert regime(simulation, number).tensor > 1.5 * healthy.tensor > 0
    assert (regime(simulation, number).step or 0) > healthy.step


def test_a_stopped_rank_lets_all_wait_until_the_watchdog_ends_them() -> None:
    simulation = opened()
    signal(simulation, "dgx-02", 3, _STOP)
    stall = regime(simulation).stall
    assert stall is not None and (stall.cause, stall.ranks) == ("rank", (11,))
    done = steps(simulation)
    assert gpu_load(simulation.world, "dgx-01/gpu0").sm == 100
    assert thermal.average_power(simulation.world, "dgx-01/gpu0", simulation.now) < 120_000
    assert gpu_load(simulation.world, "dgx-02/gpu3").sm == 0
    simulation.advance(599 * SECOND)
    assert (job(simulation).state, steps(simulation)) == ("RUNNING", done)
    simulation.advance(2 * SECOND)
    over = job(simulation)
    assert (over.state, over.exit_code, over.failed_node, over.reason) == ("FAILED", 134, "dgx-02", "NonZeroExitCode")
    assert [(step.id, step.exit_code, step.signal) for step in over.steps] == [("batch", 134, 0), ("0", 0, 6)]


def test_a_rank_that_goes_on_in_time_saves_the_job() -> None:
    simulation = opened()
    pace, done = regime(simulation).step, steps(simulation)
    signal(simulation, "dgx-02", 3, _STOP)
    simulation.advance(9 * MINUTE)
    signal(simulation, "dgx-02", 3, _GO_ON)
    assert regime(simulation).stall is None and regime(simulation).step == pace
    assert gpu_load(simulation.world, "dgx-01/gpu0").memory_busy > 0
    simulation.advance(30 * MINUTE)
    assert job(simulation).state == "RUNNING"
    assert steps(simulation) > done + 1000


def test_a_hung_gpu_is_no_different() -> None:
    simulation = opened()
    simulation.world.gpus.update("dgx-01/gpu6", hung=True)
    simulation.publish(GpuLoadChanged("dgx-01"))
    simulation.advance(601 * SECOND)
    assert (job(simulation).state, run(simulation).ending) != ("RUNNING", None)
    ending = run(simulation).ending
    assert ending is not None and (ending.cause, ending.ranks) == ("watchdog", (6,))


def test_slurm_drains_the_node_whose_hung_process_no_signal_ends() -> None:
    simulation = opened()
    host = "dgx-01"
    simulation.world.gpus.update(f"{host}/gpu6", hung=True)
    simulation.publish(GpuLoadChanged(host))
    simulation.advance(601 * SECOND)
    (stuck,) = simulation.world.systems[host].processes
    assert (stuck.gpus, stuck.state, stuck.job, stuck.parent) == ((6,), "D", None, 1)
    assert not simulation.world.slurm_nodes[host].drain
    assert job(simulation).completing
    simulation.advance(2 * MINUTE)
    node = simulation.world.slurm_nodes[host]
    assert (node.drain, node.reason, node.reason_user) == (True, "Kill task failed", "slurm")
    assert not job(simulation).completing
    others = [name for name in job(simulation).nodes if name != host]
    assert not any(simulation.world.slurm_nodes[name].drain for name in others)


def test_a_run_that_two_ranks_hold_up_goes_on_with_the_second() -> None:
    simulation = opened()
    held = (("dgx-01", 1), ("dgx-02", 3))
    for host, gpu in held:
        signal(simulation, host, gpu, _STOP)
    stall = regime(simulation).stall
    assert stall is not None and stall.ranks == (1, 11)
    signal(simulation, *held[0], _GO_ON)
    stall = regime(simulation).stall
    assert stall is not None and stall.ranks == (11,)
    signal(simulation, *held[1], _GO_ON)
    assert regime(simulation).stall is None and regime(simulation).step is not None


def test_a_link_that_stays_away_ends_the_job_and_one_that_flaps_does_not() -> None:
    flapping, away = opened(), opened()
    for simulation in (flapping, away):
        links.set_enabled(simulation, "leaf-01/1", False)
        stall = regime(simulation).stall
        assert stall is not None and stall.ports == ("dgx-01/mlx5_0/1",)
    flapping.advance(10 * SECOND)
    links.set_enabled(flapping, "leaf-01/1", True)
    flapping.advance(MINUTE)
    away.advance(30 * SECOND)
    assert job(away).state == "RUNNING"
    away.advance(2 * SECOND)
    assert (job(away).state, job(flapping).state) == ("FAILED", "RUNNING")
    assert regime(flapping).step is not None


def test_the_timeout_of_the_script_counts() -> None:
    simulation = opened()
    simulation.apply(CancelJob(STANDING, "root"))
    simulation.advance(3 * SECOND)
    number = submit(simulation, SHORT, nodes=2, node_list=("dgx-01", "dgx-02"))
    simulation.advance(MINUTE)
    links.set_enabled(simulation, "leaf-01/1", False)
    simulation.advance(9 * SECOND)
    assert job(simulation, number).state == "FAILED"


def test_a_lost_gpu_and_a_killed_rank_end_the_job_at_once() -> None:
    lost, killed = opened(), opened()
    lost.world.gpus.update("dgx-01/gpu3", defect=BusDefect(None))
    gpu_bus.drop(lost, "dgx-01/gpu3")
    signal(killed, "dgx-02", 5, _KILL)
    endings = [run(simulation).ending for simulation in (lost, killed)]
    assert [(each.cause, each.ranks) for each in endings if each] == [("gpu_lost", (3,)), ("killed", (13,))]
    assert (job(lost).exit_code, job(killed).exit_code) == (1, 137)


def test_a_new_job_in_the_same_place_goes_on_from_the_last_checkpoint() -> None:
    simulation = opened()
    number = submit(simulation, SHORT, node_list=("dgx-04",))
    simulation.advance(4 * MINUTE)
    done = steps(simulation, number)
    saved = done // 20 * 20
    assert saved >= 20
    simulation.apply(CancelJob(number, "wei"))
    simulation.advance(5 * SECOND)
    assert steps(simulation, number) == done
    again = submit(simulation, SHORT, node_list=("dgx-04",))
    assert run(simulation, again).first_step == saved
    elsewhere = submit(simulation, SHORT, gpus=4, node_list=("dgx-03",), name="other")
    assert run(simulation, elsewhere).first_step == 0
    simulation.advance(MINUTE)
    assert steps(simulation, again) > saved
    assert f"loaded checkpoint checkpoints/step_{saved:07d}" in text(simulation, again)


def test_a_requeued_job_goes_on_too() -> None:
    simulation = opened()
    simulation.advance(MINUTE)
    saved = progress.last_saved(run(simulation), simulation.now)
    simulation.apply(RequeueJob(STANDING, "root"))
    simulation.advance(5 * MINUTE)
    assert job(simulation).state == "RUNNING"
    assert run(simulation).first_step == saved > 10_000


def test_a_script_may_ask_to_be_put_back_into_the_queue() -> None:
    simulation = opened()
    script = SHORT + "scontrol requeue $SLURM_JOB_ID\n"
    number = submit(simulation, script, node_list=("dgx-04",))
    simulation.advance(2 * MINUTE)
    done = steps(simulation, number)
    signal(simulation, "dgx-04", 2, _STOP, number)
    simulation.advance(11 * MINUTE)
    assert (job(simulation, number).state, job(simulation, number).restarts) == ("PENDING", 1)
    assert "Watchdog caught collective operation timeout" in text(simulation, number)
    simulation.advance(4 * MINUTE)
    assert job(simulation, number).state == "RUNNING"
    assert run(simulation, number).first_step == done // 20 * 20 > 0


def test_without_a_communicator_the_ranks_end_at_once() -> None:
    simulation = opened()
    script = "#!/bin/bash\nexport NCCL_SOCKET_IFNAME==eth9\nsrun python train.py\n"
    number = submit(simulation, script, node_list=("dgx-04",))
    simulation.advance(MINUTE)
    over = job(simulation, number)
    assert (over.state, over.exit_code) == ("FAILED", 1)
    assert "torch.distributed.DistBackendError: NCCL error in: " in text(simulation, number)
    assert "srun: error: dgx-04: tasks 0-7: Exited with exit code 1" in text(simulation, number)


def test_a_job_stopped_by_slurm_says_so_while_it_waits_again() -> None:
    simulation = opened()
    simulation.apply(RequeueJob(STANDING, "root"))
    assert text(simulation).endswith("DUE TO JOB REQUEUE ***\n")


def test_a_slow_job_ends_later_and_a_job_that_stands_still_has_no_end() -> None:
    simulation = opened()
    expected = job(simulation).duration
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    slower = job(simulation).duration
    assert expected is not None and slower is not None and slower > 1.5 * expected
    signal(simulation, "dgx-01", 0, _STOP)
    assert job(simulation).duration is None
    assert job(simulation).state == "RUNNING"


def test_a_healthy_job_completes_when_it_was_to() -> None:
    simulation = opened()
    before = job(simulation)
    assert before.duration is not None and before.started is not None
    simulation.advance_to(before.started + before.duration + SECOND)
    assert job(simulation).state == "COMPLETED"
    assert abs(steps(simulation) - run(simulation).last_step) <= 1


def test_runs_are_equal_in_forks_and_replays() -> None:
    simulation = open_site("dgx-h100-4")
    fork = simulation.fork()
    for each in (simulation, fork):
        each.advance(MINUTE)
        each.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
        signal(each, "dgx-01", 1, _STOP)
        each.advance(15 * MINUTE)
    assert simulation.state_digest() == fork.state_digest()
    again = replay(open_site("dgx-h100-4"), simulation.recorded, simulation.now)
    assert again.state_digest() == simulation.state_digest()
    assert text(again) == text(simulation)


def test_reading_changes_nothing() -> None:
    simulation = opened()
    simulation.advance(DAY // 4)
    digest = simulation.state_digest()
    assert text(simulation)
    assert simulation.state_digest() == digest


def test_an_error_of_the_first_collective_is_an_asynchronous_one() -> None:
    simulation = opened()
    failure = CollectiveFailed(
        "no answer", Stage.RUN, result=Result.REMOTE_ERROR, lines={8: ("WARN of rank 8",)}, after=30, culprits=(0, 8)
    )
    found = communication.failed(run(simulation), failure)
    assert (found.patience, found.asynchronous, found.messages[8]) == (30, True, ("WARN of rank 8",))
    ended = replace(found, ending=TrainingEnding(simulation.now, "collective", (0, 8)))
    said = failure_lines.lines(simulation.world, job(simulation), ended)
    assert said[0].endswith(
        "raised the following async exception: NCCL error: " + ended.error + ", NCCL version 2.28.9"
    )
    assert "WARN of rank 8" in said and "srun: error: dgx-01: task 0: Aborted (core dumped)" in said


def test_nccl_reads_the_files_of_a_node_and_of_the_owner() -> None:
    for path in ("/etc/nccl.conf", "/home/wei/.nccl.conf"):
        simulation = opened()
        files.write(simulation, "dgx-04", path, b"NCCL_SOCKET_IFNAME==eth9\n", uid=2003, gid=2003)
        number = submit(simulation, "#!/bin/bash\nsrun python train.py\n", node_list=("dgx-04",))
        simulation.advance(MINUTE)
        assert job(simulation, number).state == "FAILED"
