"""squeue: columns, order, filters, reasons."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.engine.control.slurm.scene import LONG, SHORT


@pytest.fixture
def queue(site: Simulation[World], run: Run) -> list[int]:
    """Jobs that wait: for nodes, held, for ever; and one that is over."""
    lines = [
        "-J bigpend -N4 --gpus-per-node=8",
        "-H -J held",
        "-p debug -t 1:00:00 -J long",
        "-J done -t 5 -w dgx-04 --gpus=1",
    ]
    numbers = []
    for line in lines:
        numbers.append(int(run(f'sbatch --parsable {line} --wrap "sleep 1"', user="wei").stdout))
        site.advance(2 * SECOND)
    site.advance(5 * SECOND)
    return numbers


def test_running_jobs(run: Run) -> None:
    assert run("squeue").lines == [
        "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)",
        f"             {LONG}     batch llama-sf    priya  R    5:12:00      2 dgx-[01-02]",
        f"             {SHORT}     batch eval-mml      wei  R    1:40:00      1 dgx-03",
    ]


def test_pending_jobs_show_why_they_wait(run: Run, queue: list[int]) -> None:
    lines = run("squeue -t PD -h -o '%i %r %R'").lines
    assert lines == [
        f"{queue[0]} Resources (Resources)",
        f"{queue[1]} JobHeldUser (JobHeldUser)",
        f"{queue[2]} PartitionTimeLimit (PartitionTimeLimit)",
    ]


def test_jobs_that_are_over_are_shown_on_request_for_five_minutes(
    site: Simulation[World], run: Run, queue: list[int]
) -> None:
    assert str(queue[3]) not in run("squeue").stdout
    assert run("squeue -t CD -h -o '%i %t'").lines == [f"{queue[3]} CD"]
    site.advance(310 * SECOND)
    assert run("squeue -t all -h -o %i -n done").stdout == ""


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("-u priya", ["llama-sft"]),
        ("--me", ["llama-sft"]),
        ("-u wei,priya -t R", ["llama-sft", "eval-mmlu"]),
        ("-w dgx-03", ["eval-mmlu"]),
        (f"-j {SHORT}", ["eval-mmlu"]),
        ("-p debug", ["long"]),
        ("-n held,long", ["held", "long"]),
        ("-A nosuch", []),
        ("-t R -S -i", ["eval-mmlu", "llama-sft"]),
        ("-t R -S M", ["eval-mmlu", "llama-sft"]),
    ],
)
@pytest.mark.usefixtures("queue")
def test_filters_and_orders(run: Run, words: str, names: list[str]) -> None:
    assert run(f"squeue -h -o %j {words}").lines == names


def test_formats(run: Run) -> None:
    line = run(f'squeue -h -j {LONG} -o "%i|%P|%j|%u|%T|%M|%l|%D|%C|%b|%R|%S|%r|%a"').stdout.strip()
    assert line == (
        f"{LONG}|batch|llama-sft|priya|RUNNING|5:12:00|2-00:00:00|2|448|gres/gpu:8|dgx-[01-02]|"
        "2026-11-30T03:48:00|None|research"
    )
    line = run(f"squeue -h -j {LONG} -O JobID:8,UserName:8,tres-alloc:60").stdout
    assert line.split() == [str(LONG), "priya", "cpu=448,mem=3984000M,node=2,billing=448,gres/gpu=16"]


def test_long(run: Run) -> None:
    lines = run("squeue -l").lines
    assert lines[0] == "Mon Nov 30 09:00:00 2026"
    assert lines[2].split()[4:7] == ["RUNNING", "5:12:00", "2-00:00:00"]


def test_steps(run: Run) -> None:
    lines = run(f"squeue -s -j {SHORT}").lines
    assert [line.split()[0] for line in lines[1:]] == [f"{SHORT}.0", f"{SHORT}.batch"]


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        ("-j foo", "squeue: error: Invalid job id: foo\n", 1),
        ("-w nosuch", "squeue: error: Invalid node name nosuch\n", 1),
        ("-S x", "squeue: error: Invalid sort specification: x\n", 1),
        ("-u nosuch", "squeue: error: Invalid user: nosuch\n\n", 0),
        ("-p nosuch", "", 0),
        ("--foo", "squeue: unrecognized option '--foo'\nTry \"squeue --help\" for more information\n", 1),
    ],
)
def test_refusals(run: Run, words: str, stderr: str, status: int) -> None:
    result = run(f"squeue {words}")
    assert (result.stderr, result.status) == (stderr, status)


def test_a_bad_state_is_named_with_the_valid_ones(run: Run) -> None:
    result = run("squeue -t bogus")
    assert result.status == 1
    assert result.stderr.startswith(
        "squeue: error: Invalid job state specified: bogus\nsqueue: error: Valid job states"
    )


@pytest.mark.usefixtures("without_controller")
def test_without_slurmctld(run: Run) -> None:
    result = run("squeue")
    text = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"
    assert (result.stdout, result.stderr, result.status) == ("", text, 1)


def test_iterating_prints_again_until_ctrl_c(run: Run) -> None:
    result = run("squeue -i 5", interrupt_after=12 * SECOND)
    assert result.stdout.count("JOBID") == 3
    assert result.status == 130
