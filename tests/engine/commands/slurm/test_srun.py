"""srun in a real shell: allocation, tasks, environment, failures, cancellation."""

from __future__ import annotations

import pytest

from engine.control import systemd
from engine.control.slurm import jobs
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import Job
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.engine.control.slurm.scene import LONG, SHORT
from tests.support.sessions import type_lines


def typed(site: Simulation[World], line: str, user: str = "priya") -> tuple[str, int]:
    """What a line gives in a shell on the head node: its output with standard error, and its status."""
    result = type_lines(site, [line], user=user)[0]
    return result.output.decode(), result.status


def newest(site: Simulation[World]) -> Job:
    """The job that was made last."""
    return jobs.recorded(site.world)[-1]


def test_a_task_on_each_of_two_nodes(site: Simulation[World]) -> None:
    assert typed(site, "srun -N2 hostname") == ("dgx-03\ndgx-04\n", 0)
    assert (newest(site).state, newest(site).name, newest(site).steps[0].state) == (
        "COMPLETED",
        "hostname",
        "COMPLETED",
    )


def test_labels(site: Simulation[World]) -> None:
    assert typed(site, "srun -n4 -N2 -l hostname")[0] == "0: dgx-03\n1: dgx-03\n2: dgx-04\n3: dgx-04\n"


def test_a_job_sees_its_own_gpus(site: Simulation[World]) -> None:
    text, _ = typed(site, "srun --gres=gpu:2 -w dgx-04 nvidia-smi -L")
    assert [line.partition(" (UUID")[0] for line in text.splitlines()] == [
        "GPU 0: NVIDIA H100 80GB HBM3", "GPU 1: NVIDIA H100 80GB HBM3",
    ]  # fmt: skip
    text, _ = typed(site, "srun --gres=gpu:1 -w dgx-03 nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader")
    everything, _ = typed(site, "ssh dgx-03 nvidia-smi --query-gpu=index,pci.bus_id --format=csv,noheader")
    assert text.split(", ")[1] == everything.splitlines()[4].split(", ")[1] + "\n"


def test_the_environment_of_a_task(site: Simulation[World]) -> None:
    text, _ = typed(site, "srun -N2 -n4 --gpus-per-node=2 -t 5 env")
    first = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    job = newest(site)
    for name, value in {
        "SLURM_JOB_ID": str(job.id), "SLURM_JOB_NODELIST": "dgx-[03-04]", "SLURM_NTASKS": "4", "SLURM_NNODES": "2",
        "SLURM_TASKS_PER_NODE": "2(x2)", "SLURM_JOB_CPUS_PER_NODE": "56(x2)", "SLURM_JOB_USER": "priya",
        "CUDA_VISIBLE_DEVICES": "0,1", "SLURM_GPUS_ON_NODE": "2", "SLURM_STEP_ID": "0", "SLURM_SUBMIT_HOST": "head-01",
    }.items():  # fmt: skip
        assert first[name] == value
    assert sorted(line for line in text.splitlines() if line.startswith("SLURM_PROCID")) == [
        f"SLURM_PROCID={rank}" for rank in range(4)
    ]
    assert "GPU_DEVICE_ORDINAL" not in first


@pytest.mark.parametrize(
    ("line", "output", "status"),
    [
        ("srun false", "srun: error: dgx-03: task 0: Exited with exit code 1\n", 1),
        ('srun -n2 bash -c "exit \\$SLURM_PROCID"', "srun: error: dgx-03: task 1: Exited with exit code 1\n", 1),
        ("srun -n3 bash -c 'exit 4'", "srun: error: dgx-03: tasks 0-2: Exited with exit code 4\n", 4),
        (
            "srun nosuchcmd",
            "slurmstepd: error: execve(): nosuchcmd: No such file or directory\n"
            "srun: error: dgx-03: task 0: Exited with exit code 2\n",
            2,
        ),
    ],
)
def test_tasks_that_fail(site: Simulation[World], line: str, output: str, status: int) -> None:
    assert typed(site, line) == (output, status)
    assert (newest(site).state, newest(site).exit_code) == ("FAILED", status)


@pytest.mark.parametrize(
    ("line", "output", "status"),
    [
        ("srun", "srun: fatal: No command given to execute.\n", 1),
        ("srun --foo ls", "srun: unrecognized option '--foo'\nTry \"srun --help\" for more information\n", 255),
        (
            "srun -p nosuch ls",
            "srun: error: invalid partition specified: nosuch\n"
            "srun: error: Unable to allocate resources: Invalid partition name specified\n",
            1,
        ),
        ("srun -t abc ls", "srun: error: Invalid --time specification\n", 255),
        ("srun -I -N4 hostname", "srun: error: Unable to allocate resources: Requested nodes are busy\n", 1),
        ("srun -i in hostname", "breakfix: not modelled: srun --input\n", 125),
    ],
)
def test_refusals(site: Simulation[World], line: str, output: str, status: int) -> None:
    before = site.world.slurm[""].next_job
    assert typed(site, line) == (output, status)
    assert site.world.slurm[""].next_job == before


def test_waiting_for_nodes_until_they_are_free(site: Simulation[World]) -> None:
    number = site.world.slurm[""].next_job
    text, status = typed(site, "(sleep 20; scancel $(squeue -h -n llama-sft -o %i)) & srun -N3 --exclusive hostname")
    said, *rest = text.splitlines()
    assert said == f"srun: job {number} queued and waiting for resources"
    assert sorted(rest) == ["dgx-01", "dgx-02", "dgx-04", f"srun: job {number} has been allocated resources"]
    assert status == 0
    assert site.now >= 21 * SECOND


def test_giving_up_after_a_while(site: Simulation[World]) -> None:
    text, status = typed(site, "srun -I5 -N4 --exclusive hostname")
    number = newest(site).id
    assert text == (
        f"srun: job {number} queued and waiting for resources\n"
        "srun: error: Unable to allocate resources: Requested nodes are busy\n"
    )
    assert (status, newest(site).state) == (1, "CANCELLED")


def test_a_drained_node_that_is_asked_for(site: Simulation[World], run: Run) -> None:
    run("scontrol update nodename=dgx-04 state=drain reason=x", user="alex")
    text, status = typed(site, "srun -I2 -w dgx-04 hostname")
    number = newest(site).id
    assert text.splitlines()[:2] == [
        "srun: Required node not available (down, drained or reserved)",
        f"srun: job {number} queued and waiting for resources",
    ]
    assert status == 1


def test_cancelled_by_another_command(site: Simulation[World]) -> None:
    text, status = typed(site, "(sleep 3; scancel --me -n sleep) & srun -w dgx-04 sleep 100")
    number = newest(site).id
    assert text == (
        f"srun: Force Terminated JobId={number}\n"
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
        f"slurmstepd: error: *** STEP {number}.0 ON dgx-04 CANCELLED AT 2026-11-30T09:00:03 ***\n"
        "srun: error: dgx-04: task 0: Terminated\n"
    )
    assert status == 143


def test_at_its_time_limit(site: Simulation[World]) -> None:
    text, status = typed(site, "srun -t 1 sleep 300")
    assert "CANCELLED AT 2026-11-30T09:01:00 DUE TO TIME LIMIT ***" in text
    assert (status, newest(site).state) == (143, "TIMEOUT")


def test_a_node_whose_slurmd_is_gone(site: Simulation[World]) -> None:
    site.apply(systemd.StopUnit("dgx-04", "slurmd.service", "root"))
    text, status = typed(site, "srun -w dgx-04 hostname")
    number = newest(site).id
    assert text == (
        f"srun: error: Task launch for StepId={number}.0 failed on node dgx-04: Communication connection failure\n"
        "srun: error: Application launch failed: Communication connection failure\nsrun: Job step aborted\n"
    )
    assert status == 233


def test_a_step_within_a_job_of_ones_own(site: Simulation[World]) -> None:
    assert typed(site, f"srun --jobid={LONG} --overlap -N1 hostname") == ("dgx-01\n", 0)
    assert typed(site, f"SLURM_JOB_ID={LONG} srun --overlap hostname") == ("dgx-01\ndgx-02\n", 0)
    job = jobs.active_job(site.world, LONG)
    assert [step.id for step in job.steps] == ["batch", "0", "1", "2"]
    assert job.state == "RUNNING"


def test_a_step_within_anothers_job_or_none(site: Simulation[World]) -> None:
    text, status = typed(site, f"srun --jobid={SHORT} --overlap hostname")
    assert (text, status) == (f"srun: error: Unable to create step for job {SHORT}: Access/permission denied\n", 1)
    text, status = typed(site, "srun --jobid=99999 hostname")
    assert text == (
        "srun: error: Unable to confirm allocation for job 99999: Invalid job id specified\n"
        "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 99999\n"
    )
    assert status == 1


@pytest.mark.usefixtures("without_controller")
def test_without_slurmctld(site: Simulation[World]) -> None:
    away = "Unable to contact slurm controller (connect failure)"
    assert typed(site, "srun hostname") == (f"srun: error: Unable to allocate resources: {away}\n", 1)


def test_ctrl_c_ends_the_step_and_the_job(site: Simulation[World], run: Run) -> None:
    result = run("srun -w dgx-04 sleep 100", interrupt_after=5 * SECOND)
    number = newest(site).id
    assert result.status in (130, 143)
    assert newest(site).state != "RUNNING"
    assert f"StepId={number}.0" in result.stderr or f"JobId={number}" in result.stderr


def test_standard_input_goes_to_the_tasks(site: Simulation[World]) -> None:
    assert typed(site, "echo hello | srun -n2 cat")[0] == "hello\nhello\n"


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        ("", "A=1\nB=2\n"),
        ("--export=ALL,B=5,C=3", "A=1\nB=5\nC=3\n"),
        ("--export=A,C=3", "A=1\nC=3\n"),
        ("--export=NONE", ""),
    ],
)
def test_which_variables_go_along(site: Simulation[World], option: str, shown: str) -> None:
    line = f"A=1 B=2 srun {option} -w dgx-04 env | grep -E '^[ABC]=' | sort"
    assert typed(site, line)[0] == shown
