"""sbatch and scancel: options, scripts, refusals and exit statuses."""

from __future__ import annotations

import pytest

from engine.control.files import write
from engine.control.slurm import jobs
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE, SECOND
from engine.world.records import Job
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.engine.control.slurm.scene import LONG, SHORT

FAILED = "sbatch: error: Batch job submission failed: "


def newest(site: Simulation[World]) -> Job:
    """The job that was submitted last."""
    return jobs.recorded(site.world)[-1]


def put(site: Simulation[World], text: bytes, name: str = "job.sh") -> None:
    """A script of priya's."""
    write(site, "head-01", f"/home/priya/{name}", text, uid=2001, gid=2001)


def test_a_script_with_options_of_its_own(site: Simulation[World], run: Run) -> None:
    put(
        site,
        b"#!/bin/bash\n#SBATCH -J train --gpus-per-node=4   # four\n\n#SBATCH --time=1-0 -o out/%x-%j.log\n"
        b"# a comment\necho start\n#SBATCH --nodes=9\nsleep 90\n",
    )
    result = run("sbatch -t 30 job.sh 7 'a b'")
    job = newest(site)
    assert (result.stdout, result.stderr, result.status) == (f"Submitted batch job {job.id}\n", "", 0)
    assert (job.name, job.gpus_per_node, job.node_count, job.time_limit) == ("train", 4, 1, 30 * MINUTE)
    assert (job.command, job.submit_host) == ("/home/priya/job.sh 7 'a b'", "head-01")
    site.advance(3 * SECOND)
    assert f"StdOut=/home/priya/out/train-{job.id}.log" in run(f"scontrol show job {job.id}").stdout


def test_what_it_prints_is_in_its_output_file(site: Simulation[World], run: Run) -> None:
    put(site, b"#!/bin/bash\necho 'all is well'\nsleep 5\n")
    run("sbatch job.sh")
    site.advance(20 * SECOND)
    path = f"slurm-{newest(site).id}.out"
    assert run(f"tail {path}").stdout == "all is well\n"
    assert run(f"stat -c %U:%a {path}").stdout == "priya:664\n"


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("--gres=gpu:2", "gpus_per_node", 2),
        ("--gres=gpu:h100:2", "gpu_type", "h100"),
        ("-G 16", "node_count", 2),
        ("-n 8 --gpus-per-task=1", "gpus_per_node", 8),
        ("-c 16", "cpus_per_task", 16),
        ("-w dgx-[03-04]", "requested_nodes", ("dgx-03", "dgx-04")),
        ("-x dgx-03", "excluded_nodes", ("dgx-03",)),
        ("--mem=64G", "memory_mib", 65_536),
        ("--mem-per-cpu=2G -c 4", "memory_mib", 8192),
        ("--exclusive", "exclusive", True),
        ("-A research", "account", "research"),
        ("--no-requeue", "requeue", False),
        ("-H", "held", True),
        ("-p debug -t 10", "partition", "debug"),
        ("-t 1-2", "time_limit", 26 * HOUR),
        ("--begin=now+1hour", "begin", HOUR),
        ("-D /data", "working_directory", "/data"),
        ("--comment=hello", "comment", "hello"),
        ("-J x -J y", "name", "y"),
    ],
)
def test_options(site: Simulation[World], run: Run, words: str, field: str, value: object) -> None:
    result = run(f"sbatch {words} --wrap 'sleep 1'")
    assert (result.stderr, result.status) == ("", 0)
    assert getattr(newest(site), field) == value


def test_the_environment_gives_way_to_the_script_and_the_script_to_the_line(site: Simulation[World], run: Run) -> None:
    put(site, b"#!/bin/bash\n#SBATCH -t 20 -J script\nsleep 1\n")
    environment = {"SBATCH_TIMELIMIT": "10", "SBATCH_PARTITION": "debug", "SBATCH_JOB_NAME": "environment"}
    run("sbatch -J line job.sh", environment=environment)
    assert (newest(site).name, newest(site).time_limit, newest(site).partition) == ("line", 20 * MINUTE, "debug")


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        (
            "-p nosuch --wrap ls",
            f"sbatch: error: invalid partition specified: nosuch\n{FAILED}Invalid partition name specified\n", 1,
        ),
        ("--gres=gpu:a100:1 --wrap ls", f"{FAILED}Requested node configuration is not available\n", 1),
        ("--gres=fpga:1 --wrap ls", f"{FAILED}Invalid generic resource (gres) specification\n", 1),
        ("--gpus-per-node=9 --wrap ls", f"{FAILED}Requested node configuration is not available\n", 1),
        ("-w dgx-99 --wrap ls", f"{FAILED}Invalid node name specified\n", 1),
        ("-C b200 --wrap ls", f"{FAILED}Invalid feature specification\n", 1),
        (
            "--mem=9T --wrap ls",
            "sbatch: error: Memory specification can not be satisfied\n"
            f"{FAILED}Requested node configuration is not available\n", 1,
        ),
        ("--reservation=nope --wrap ls", f"{FAILED}Requested reservation is invalid\n", 1),
        ("-t abc --wrap ls", "sbatch: error: Invalid --time specification\n", 255),
        ("--mem=x --wrap ls", "sbatch: error: Invalid --mem specification\n", 255),
        ("-N x --wrap ls", 'sbatch: error: "x" is not a valid node count\n', 255),
        ("-n 0 --wrap ls", 'sbatch: error: Invalid numeric value "0" for --ntasks.\n', 1),
        (
            "--begin=soon --wrap ls",
            "Invalid time specification (pos=0): soon\nsbatch: error: Invalid --begin specification\n", 255,
        ),
        (
            "--mem=1G --mem-per-gpu=1G --wrap ls",
            "sbatch: fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.\n", 1,
        ),
        ("--foo", "sbatch: unrecognized option '--foo'\nTry \"sbatch --help\" for more information\n", 255),
        ("nosuch.sh", "sbatch: error: Unable to open file nosuch.sh\n", 1),
        ("--wrap ls x", "sbatch: error: Script arguments not permitted with --wrap option\n", 1),
        ("-a 3-1 --wrap ls", "sbatch: error: Batch job submission failed: Invalid job array specification\n", 1),
        ("-d afterok:1 --wrap ls", "sbatch: error: Batch job submission failed: Job dependency problem\n", 1),
    ],
)  # fmt: skip
def test_refusals(site: Simulation[World], run: Run, words: str, stderr: str, status: int) -> None:
    before = site.world.slurm[""].next_job
    result = run(f"sbatch {words}")
    assert (result.stdout, result.stderr, result.status) == ("", stderr, status)
    assert site.world.slurm[""].next_job == before


@pytest.mark.parametrize(
    ("script", "stderr", "status"),
    [
        (b"", "sbatch: error: Batch script is empty!\n", 1),
        (b" \n\n", "sbatch: error: Batch script contains only whitespace!\n", 1),
        (
            b"#!/bin/bash\r\nls\r\n",
            "sbatch: error: Batch script contains DOS line breaks (\\r\\n)\n"
            "sbatch: error: instead of expected UNIX line breaks (\\n).\n", 1,
        ),
        (
            b"#!/bin/bash\n#SBATCH --foo\nls\n",
            "sbatch: unrecognized option '--foo'\nTry \"sbatch --help\" for more information\n", 255,
        ),
        (b"#!/bin/bash\n#SBATCH -N2 what\nls\n", "sbatch: error: Invalid directive found in batch script: what\n", 255),
    ],
)  # fmt: skip
def test_scripts_that_are_none(site: Simulation[World], run: Run, script: bytes, stderr: str, status: int) -> None:
    put(site, script)
    result = run("sbatch job.sh")
    assert (result.stderr, result.status) == (stderr, status)


def test_a_script_needs_an_interpreter(run: Run) -> None:
    result = run("sbatch", stdin=b"sleep 1\n")
    assert result.status == 1
    assert result.stderr.startswith("sbatch: error: This does not look like a batch script.  The first\n")


def test_a_script_from_standard_input_and_a_number_alone(site: Simulation[World], run: Run) -> None:
    result = run("sbatch --parsable", stdin=b"#!/bin/sh\nsleep 1\n")
    assert result.stdout == f"{newest(site).id}\n"
    assert newest(site).name == "sbatch"


def test_waiting_for_the_end(site: Simulation[World], run: Run) -> None:
    assert run("sbatch -W --wrap 'sleep 60'").status == 0
    assert site.now >= 60 * SECOND
    assert run("sbatch -W -t 1 --wrap 'sleep 600'").status == 1


def test_only_testing(site: Simulation[World], run: Run) -> None:
    before = site.world.slurm[""].next_job
    result = run("sbatch --test-only -N1 --gpus-per-node=8 -t 10 --wrap ls")
    where = "using 224 processors on nodes dgx-04 in partition batch"
    assert result.stderr == f"sbatch: Job {before} to start at 2026-11-30T09:00:00 {where}\n"
    later = run("sbatch --test-only -N4 --gpus-per-node=8 -t 10 --wrap ls")
    assert "to start at 2026-12-02T03:48:00 using 896 processors on nodes dgx-[01-04]" in later.stderr
    assert site.world.slurm[""].next_job == before


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        (f"{SHORT}", f"scancel: error: Kill job error on job id {SHORT}: Access/permission denied\n", 210),
        ("99999", "", 0),
        (
            "-v 99999",
            "scancel: Terminating job 99999\n"
            "scancel: error: Kill job error on job id 99999: Invalid job id specified\n", 0,
        ),
        ("foo", "scancel: error: Invalid job id foo\n", 1),
        ("0", "scancel: error: Invalid job id 0\n", 1),
        ("", "scancel: error: No job identification provided\n", 1),
        ("-u nosuch", "scancel: error: Invalid user name: nosuch\n", 1),
        ("-t bogus", "Invalid job state specified: bogus\nValid job states are PENDING, RUNNING, and SUSPENDED\n", 1),
        (f"-s bogus {LONG}", "Unknown job signal: bogus\n", 1),
        (f"{LONG}.0", "breakfix: not modelled: scancel of a job step\n", 125),
        ("--foo", "scancel: unrecognized option '--foo'\nTry \"scancel --help\" for more information\n", 1),
    ],
)  # fmt: skip
def test_scancel_refuses(site: Simulation[World], run: Run, words: str, stderr: str, status: int) -> None:
    result = run(f"scancel {words}")
    assert (result.stdout, result.stderr, result.status) == ("", stderr, status)
    assert [job.state for job in jobs.active(site.world)] == ["RUNNING", "RUNNING"]


def test_scancel_of_ones_own_job(site: Simulation[World], run: Run) -> None:
    result = run(f"scancel -v {LONG}")
    assert (result.stderr, result.status) == (f"scancel: Terminating job {LONG}\n", 0)
    job = jobs.active_job(site.world, LONG)
    assert (job.state, job.cancelled_by) == ("CANCELLED", 2001)
    assert run(f"scancel {LONG}").status == 0


def test_scancel_by_filter(site: Simulation[World], run: Run) -> None:
    waiting = [int(run(f"sbatch --parsable -H -J {name} --wrap ls", user="wei").stdout) for name in ("a", "b", "c")]
    run("scancel -u wei -t pending -n b", user="wei")
    run("scancel --me -t PD", user="priya")
    states = [jobs.active_job(site.world, number).state for number in waiting]
    assert states == ["PENDING", "CANCELLED", "PENDING"]
    run("scancel -u wei", user="alex")
    assert [job.user for job in jobs.active(site.world) if job.state == "RUNNING"] == ["priya"]


def test_scancel_asks_for_each_job(site: Simulation[World], run: Run) -> None:
    first, second = (int(run("sbatch --parsable -H --wrap ls", user="wei").stdout) for _ in range(2))
    result = run("scancel -i -u wei -t PD", user="wei", stdin=b"n\ny\n")
    assert result.stdout.count("[y/n]? ") == 2
    assert [jobs.active_job(site.world, number).state for number in (first, second)] == ["PENDING", "CANCELLED"]


@pytest.mark.usefixtures("without_controller")
def test_without_slurmctld(run: Run) -> None:
    away = "Unable to contact slurm controller (connect failure)\n"
    assert (run("sbatch --wrap ls").stderr, run("sbatch --wrap ls").status) == (FAILED + away, 1)
    result = run(f"scancel {LONG}")
    assert (result.stderr, result.status) == (f"scancel: error: Kill job error on job id {LONG}: {away}", 8)
