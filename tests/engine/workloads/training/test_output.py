"""What a training job's files say, read by the usual tools on any host."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from engine.control.driver import LockClocks
from engine.control.slurm import lifecycle
from engine.control.slurm.queue import CancelJob
from engine.kernel.units import MINUTE, SECOND
from engine.physics import links
from engine.workloads.training import output, progress, rank_table
from tests.engine.workloads.training.scene import STANDING, Sim, job, opened, rank, run, signal, submit, text

_STEP = re.compile(
    r"step +(\d+) \| loss (\d+\.\d{4}) \| lr \d\.\d\de-\d\d \| step time +(\d+\.\d) ms \| tokens/s +(\d+)"
    r" \| TFLOP/s/GPU +(\d+\.\d) \| MFU +(\d+\.\d\d)%"
)


def step_lines(simulation: Sim, number: int = STANDING) -> list[tuple[int, float]]:
    """(step, milliseconds) of each line about a step."""
    matches = (_STEP.fullmatch(line) for line in text(simulation, number).splitlines())
    return [(int(match[1]), float(match[3])) for match in matches if match]


def test_lines_come_every_tenth_step_and_end_with_the_last_one_done() -> None:
    simulation = opened()
    simulation.advance(7 * MINUTE)
    told = [step for step, _ in step_lines(simulation)]
    done = progress.steps_done(run(simulation), simulation.now)
    assert told == [1, *range(10, done + 1, 10)]


def test_what_was_written_stays_as_it_was() -> None:
    simulation = opened()
    pieces = [text(simulation)]
    for _ in range(5):
        simulation.advance(47 * SECOND)
        pieces.append(text(simulation))
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    for _ in range(5):
        simulation.advance(47 * SECOND)
        pieces.append(text(simulation))
    signal(simulation, "dgx-01", 0, 9)
    pieces.append(text(simulation))
    assert all(later.startswith(earlier) for earlier, later in pairwise(pieces))
    assert len(set(pieces)) == len(pieces)


def test_every_checkpoint_is_told_once_and_completed_before_the_next_step() -> None:
    simulation = opened()
    lines = [line for line in text(simulation).splitlines() if "checkpoint at step" in line]
    done = progress.steps_done(run(simulation), simulation.now)
    steps = [int(line.split("step ")[1].split(" ")[0]) for line in lines]
    assert steps == [step for number in range(500, done + 1, 500) for step in (number, number)]
    assert [line.split(" ")[0] for line in lines] == ["saving", "saved"] * (len(lines) // 2)


def test_lines_agree_with_the_step_and_scatter_little() -> None:
    simulation = opened()
    pace = run(simulation).regimes[0].step
    assert pace is not None
    times = [time for _, time in step_lines(simulation)]
    assert all(abs(time * 1e6 - pace) < 0.0101 * pace for time in times)
    assert sum(times) / len(times) == pytest.approx(pace / 1e6, rel=0.001)


def test_the_watchdog_lines_of_all_ranks_but_the_stopped_one() -> None:
    simulation = opened()
    signal(simulation, "dgx-02", 3, 19)
    simulation.advance(601 * SECOND)
    said = text(simulation)
    found = re.findall(
        r"\[rank(\d+)\]:\[E1130 09:10:\d\d\.\d{9} ProcessGroupNCCL\.cpp:616\] \[Rank (\d+)\] Watchdog caught collective"
        r" operation timeout: WorkNCCL\(SeqNum=(\d+), OpType=(\w+), NumelIn=(\d+), NumelOut=(\d+),"
        r" Timeout\(ms\)=600000\) ran for (6000\d\d) milliseconds before timing out\.",
        said.partition("Process group watchdog thread terminated")[0] + said,
    )
    ranks = sorted({int(first) for first, *_ in found})
    assert ranks == [rank for rank in range(16) if rank != 11]
    assert len({tuple(rest[1:5]) for _, *rest in found}) == 1
    number = int(found[0][2])
    assert f"last enqueued NCCL work: {number + 2}, last completed NCCL work: {number - 1}." in said
    assert "srun: error: dgx-01: tasks 0-7: Aborted (core dumped)\n" in said
    assert said.endswith("srun: error: dgx-02: task 11: Killed\n")


def test_both_peers_of_a_broken_connection_tell_it() -> None:
    simulation = opened()
    links.set_enabled(simulation, "leaf-01/1", False)
    simulation.advance(35 * SECOND)
    said = text(simulation)
    assert "from peer 10.30.0.12<" in said and "from peer 10.30.0.11<" in said
    assert said.count("with status=12 opcode=0 len=0 vendor err 129 (Send) hca mlx5_0") >= 1
    assert f"srun: Terminating StepId={STANDING}.0\n" in said
    assert set(re.findall(r"\[rank(\d+)\]", said)) == {"0", "8"}


def test_a_task_of_torchrun_is_a_node() -> None:
    simulation = opened()
    script = "#!/bin/bash\nexport NCCL_DEBUG=WARN\nsrun torchrun --nproc-per-node 4 train.py\n"
    number = submit(simulation, script, nodes=2, gpus=4, node_list=("dgx-03", "dgx-04"))
    simulation.advance(MINUTE)
    pid = rank(simulation, "dgx-04", 0, number).pid
    links.set_enabled(simulation, "dgx-04/mlx5_0/1", False)
    simulation.advance(35 * SECOND)
    said = text(simulation, number)
    assert job(simulation, number).exit_code == 1
    assert "srun: error: dgx-03: task 0: Exited with exit code 1\nsrun: Terminating" in said
    assert re.search(
        rf"\n\n\[2026-11-30 09:01:3\d\] dgx-04:{pid}:\d+ \[0\] transport/net_ib.cc:\d+ NCCL WARN NET/IB: Got", said
    )


def test_slurm_has_the_last_word_about_what_it_ends() -> None:
    simulation = opened()
    script = "#!/bin/bash\necho begin\nsrun python train.py\n"
    done, cancelled = (submit(simulation, script, gpus=4, node_list=("dgx-04",)) for _ in range(2))
    simulation.advance(5 * MINUTE)
    simulation.apply(CancelJob(cancelled, "wei"))
    lines = text(simulation, cancelled).splitlines()
    assert lines[0] == "begin"
    assert lines[-1] == f"slurmstepd: error: *** JOB {cancelled} ON dgx-04 CANCELLED AT 2026-11-30T09:05:06 ***"
    lifecycle.complete(simulation, job(simulation, done), 0)
    steps = progress.steps_done(run(simulation, done), simulation.now)
    assert text(simulation, done).endswith(
        f"training done at step {steps}, saved checkpoint checkpoints/step_{steps:07d}\n"
    )


def test_the_slow_rank_computes_long_and_waits_little() -> None:
    simulation = opened()
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    simulation.advance(10 * MINUTE)
    found = rank_table.report(simulation.world, job(simulation), run(simulation), simulation.now)
    assert found is not None
    _, ranks = found
    slow = ranks.pop(11)
    assert slow.compute == pytest.approx(1.8 * ranks[0].compute, rel=0.03)
    assert slow.wait < min(each.wait for each in ranks) / 5
    table = output.live(simulation.world, f"job/{STANDING}/ranks", simulation.now).splitlines()
    assert table[0].split("\t") == ["step", "rank", "host", "gpu", "compute_ms", "wait_ms"]
    assert table[12].split("\t")[1:4] == ["11", "dgx-02", "3"]


def test_ranks_of_a_healthy_job_differ_by_little() -> None:
    simulation = opened()
    found = rank_table.report(simulation.world, job(simulation), run(simulation), simulation.now)
    assert found is not None
    times = [each.compute for each in found[1]]
    assert len(times) == 16 and 0 < max(times) - min(times) < 0.021 * times[0]
