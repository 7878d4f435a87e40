"""sacct: which jobs, which fields, and how it fails."""

from __future__ import annotations

import pytest

from engine.control import systemd
from engine.control.slurm import accounting
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, SECOND
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.engine.control.slurm.scene import LONG, SHORT

HEADING = [
    "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ",
    "------------ ---------- ---------- ---------- ---------- ---------- -------- ",
]


def ids(run: Run, words: str, user: str = "priya") -> list[str]:
    """The first column."""
    return [line.split("|")[0] for line in run(f"sacct -n -P {words}", user=user).lines]


def test_ones_own_jobs_since_midnight(run: Run) -> None:
    lines = run("sacct").lines
    assert lines[:2] == HEADING
    assert f"{LONG}         llama-sft      batch   research        448    RUNNING      0:0 " in lines
    assert f"{LONG}.batch       batch              research        224    RUNNING      0:0 " in lines
    assert str(SHORT) not in run("sacct").stdout


def test_whose_jobs(site: Simulation[World], run: Run) -> None:
    today = {
        str(each.job.id)
        for each in accounting.runs(site.world)
        if each.job.ended is None or each.job.ended >= -9 * HOUR
    }
    assert set(ids(run, "-a -X")) == today
    assert set(ids(run, "-X", user="root")) == today
    assert ids(run, "-X -u wei") == ids(run, "-X", user="wei")
    assert ids(run, f"-j {SHORT}", user="priya") == [str(SHORT), f"{SHORT}.batch", f"{SHORT}.0"]
    assert ids(run, f"-j {SHORT}.batch") == [f"{SHORT}.batch"]


def test_the_past_and_its_states(site: Simulation[World], run: Run) -> None:
    past = accounting.past(site.world)
    failed = [str(job.id) for job in past if job.state == "FAILED"]
    assert ids(run, "-a -X -S 2026-11-01 -E now -s F") == failed
    assert ids(run, "-a -X -s F,TO") == []
    everything = ids(run, "-a -X -S 2026-11-01")
    assert len(everything) == len(past) + 2
    assert ids(run, "-a -X -S 2026-11-01 -E now -s R") == everything


def test_long_values_are_cut_with_a_plus(run: Run) -> None:
    run(f"scancel {LONG}")
    lines = run("sacct -X -o jobid,state,state%20,alloctres%60").lines
    assert f"{LONG}        CANCELLED+    CANCELLED by 2001" in lines[-1]
    assert lines[-1].endswith(" billing=448,cpu=448,gres/gpu=16,mem=3984000M,node=2 ")


def test_parsable_forms(run: Run) -> None:
    words = f"-X -j {LONG} -o jobid,user,elapsed,nodelist,timelimit,reqmem"
    value = f"{LONG}|priya|05:12:00|dgx-[01-02]|2-00:00:00|3984000M"
    assert run(f"sacct -P {words}").lines == ["JobID|User|Elapsed|NodeList|Timelimit|ReqMem", value]
    assert run(f"sacct -n -p {words}").lines == [f"{value}|"]
    assert run(f"sacct -n -P --delimiter=; {words}").lines == [value.replace("|", ";")]


def test_brief(run: Run) -> None:
    assert run(f"sacct -b -X -j {LONG}").lines[2] == f"{LONG}           RUNNING      0:0 "


def test_pending_and_requeued_jobs(site: Simulation[World], run: Run) -> None:
    number = run("sbatch --parsable -N4 --gpus-per-node=8 --wrap ls").stdout.strip()
    line = run(f"sacct -n -P -X -j {number} -o state,alloccpus,alloctres,reqtres,start,end,nodelist,nnodes").stdout
    requested = "billing=896,cpu=896,gres/gpu=32,mem=7968000M,node=4"
    assert line.strip() == f"PENDING|0||{requested}|Unknown|Unknown|None assigned|4"
    run(f"scancel {number}")
    run(f"scontrol requeue {LONG}", user="root")
    site.advance(200 * SECOND)
    assert ids(run, f"-X -j {LONG} -o state") == ["RUNNING"]
    assert ids(run, f"-X -D -j {LONG} -o state") == ["REQUEUED", "RUNNING"]


def test_filters(run: Run) -> None:
    assert ids(run, "-a -X -N dgx-03 -s R") == [str(SHORT)]
    assert ids(run, "-a -X --name eval-mmlu -s R") == [str(SHORT)]
    assert ids(run, "-a -X -r nosuch") == []
    assert ids(run, "-j 99999") == []


def test_the_list_of_fields(run: Run) -> None:
    lines = run("sacct -e").lines
    assert lines[0].split() == ["Account", "AdminComment", "AllocCPUS", "AllocNodes"]
    assert all(len(line) == 79 for line in lines[:-1])
    assert sum(len(line.split()) for line in lines) == 118


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        ("-o bogus", 'sacct: error: Invalid field requested: "bogus"\n', 1),
        ("-S xyz", "Invalid time specification (pos=0): xyz\n", 1),
        ("-u nosuch", "sacct: error: Invalid user id: nosuch\n", 1),
        ("-s bogus", "sacct: fatal: unrecognized job state value 'bogus'\n", 1),
        ("foo", "sacct: error: Unknown arguments:\nsacct: error:  foo\n", 1),
        (
            "-S 2027-01-01",
            "sacct: error: Start time (2027-01-01T00:00:00) requested is after end time (2026-11-30T09:00:00).\n",
            1,
        ),
        ("-o maxrss", "breakfix: not modelled: sacct field MaxRSS\n", 125),
        ("--json", "breakfix: not modelled: sacct --json\n", 125),
        ("--foo", "sacct: unrecognized option '--foo'\nTry \"sacct --help\" for more information\n", 1),
    ],
)
def test_refusals(run: Run, words: str, stderr: str, status: int) -> None:
    result = run(f"sacct {words}")
    assert (result.stdout, result.stderr, result.status) == ("", stderr, status)


def test_it_needs_slurmdbd_and_not_slurmctld(site: Simulation[World], run: Run) -> None:
    site.apply(systemd.StopUnit("head-01", "slurmctld.service", "root"))
    assert run("sacct").status == 0
    site.apply(systemd.StopUnit("head-01", "slurmdbd.service", "root"))
    result = run("sacct")
    assert (result.stdout, result.status) == ("", 1)
    assert result.stderr.splitlines()[-1] == "sacct: error: Problem talking to the database: Connection refused"
