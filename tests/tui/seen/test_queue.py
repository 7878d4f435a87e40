"""The queue as it was seen: jobs by state, and those that are no longer there."""

from __future__ import annotations

from engine.kernel.units import MINUTE
from tests.tui.seen.looking import look, sandbox
from tui.seen.queue import seen_jobs

SUBMIT = "sbatch -N 4 --gpus-per-node=8 --wrap 'sleep 100' >/dev/null"


def test_jobs_stand_by_state_with_where_or_why() -> None:
    known = look(sandbox(), SUBMIT, "squeue")
    jobs = seen_jobs(known)
    assert [job.state for job in jobs] == ["R", "R", "PD"]
    assert jobs[0].where == "dgx-[01-02]" and jobs[0].user == "priya" and not jobs[0].waits
    assert jobs[-1].name == "wrap" and jobs[-1].waits and jobs[-1].where.startswith("(") and not jobs[-1].gone


def test_a_job_that_the_whole_queue_no_longer_lists_is_gone() -> None:
    simulation = sandbox()
    known = look(simulation, "squeue")
    first = seen_jobs(known)[0].id
    simulation.advance(MINUTE)
    known.take("head-01", "squeue -u wei", look_text("squeue -u wei"), simulation.now)
    assert not any(job.gone for job in seen_jobs(known)), "a part of the queue says nothing of the others"
    known.take("head-01", "squeue", HEADING + "\n", simulation.now + MINUTE)
    assert [job.gone for job in seen_jobs(known)] == [True, True] and seen_jobs(known)[0].id == first


HEADING = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)"


def look_text(line: str) -> str:
    return HEADING + "\n             48287     batch eval-mml      wei  R    1:42:40      1 dgx-03\n"


def test_a_reason_may_have_several_words() -> None:
    known = look(sandbox())
    row = "             48300     batch  trainer      wei PD  0:00  2 (Nodes required for job are DOWN, DRAINED)"
    known.take("head-01", "squeue", f"{HEADING}\n{row}\n", MINUTE)
    assert seen_jobs(known)[0].where == "(Nodes required for job are DOWN, DRAINED)"
