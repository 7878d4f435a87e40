"""Batch scripts are run by a shell on the job's node, beside the terminals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.control.slurm import jobs
from engine.kernel.units import SECOND
from engine.shell.play import Play
from engine.simulation import open_site
from tests.support.sessions import last, screen

FIRST = 48290
OUTPUT = f"slurm-{FIRST}.out"


def played(*lines: str) -> str:
    """What the last line prints, on a site with free nodes."""
    return last(open_site("dgx-h100-4"), lines)


def submitted(script: str, options: str = "") -> str:
    return f"cat > job.sh <<'END'\n{script}\nEND\nsbatch {options} job.sh one 'two words'"


def test_the_script_runs_on_its_node_with_its_arguments_and_jobs_variables() -> None:
    script = (
        '#!/bin/bash\n#SBATCH -w dgx-04 --gpus-per-node=2\necho "$(hostname) $1/$2 $SLURM_JOB_ID $SLURM_GPUS_ON_NODE"'
    )
    assert played(submitted(script), "sleep 10", f"cat {OUTPUT}") == f"dgx-04 one/two words {FIRST} 2\n"


def test_output_comes_as_the_script_goes_on() -> None:
    script = "#!/bin/sh\nfor i in 1 2 3; do echo step $i; sleep 10; done"
    lines = [submitted(script), "sleep 15", f"cat {OUTPUT}", "sleep 30", f"cat {OUTPUT}"]
    shown = screen(open_site("dgx-h100-4"), lines)
    assert shown.endswith("step 1\nstep 2\nstep 1\nstep 2\nstep 3\n")


def test_the_status_of_the_script_is_the_jobs() -> None:
    assert "FAILED|3:0" in played(submitted("#!/bin/bash\nexit 3"), "sleep 10", "sacct -X -P -o State,ExitCode")
    assert "COMPLETED|0:0" in played(submitted("#!/bin/bash\ntrue"), "sleep 10", "sacct -X -P -o State,ExitCode")


def test_errors_name_the_script_and_the_line() -> None:
    shown = played(submitted("#!/bin/bash\n\nnosuch"), "sleep 10", f"cat {OUTPUT}")
    assert shown == f"/var/spool/slurmd/job{FIRST}/slurm_script: line 3: nosuch: command not found\n"


def test_a_test_in_a_script_prints_its_table() -> None:
    script = "#!/bin/bash\n#SBATCH -N 2 --gpus-per-node=8 -w dgx-[03-04]\nsrun all_reduce_perf -b 1G -e 1G -g 8"
    shown = played("sudo scancel 48287", "sleep 5", submitted(script), "sleep 60", f"cat {OUTPUT}")
    assert "# Avg bus bandwidth" in shown
    assert "on     dgx-04 device  7" in shown


def test_two_streams_go_to_two_files() -> None:
    script = "#!/bin/bash\necho out; echo err >&2"
    lines = (submitted(script, "-o o-%j -e e-%j"), "sleep 10")
    assert played(*lines, f"cat o-{FIRST}") == "out\n"
    assert played(*lines, f"cat e-{FIRST}") == "err\n"


def test_a_cancelled_script_goes_no_further() -> None:
    script = "#!/bin/bash\necho before; sleep 100; echo after; touch trace"
    shown = played(submitted(script), "sleep 10", f"scancel {FIRST}", "sleep 200", f"cat {OUTPUT}; ls trace")
    assert shown.startswith(f"before\nslurmstepd: error: *** JOB {FIRST} ON dgx-03 CANCELLED AT ")
    assert "after" not in shown
    assert "No such file" in shown


def test_the_time_limit_ends_a_script() -> None:
    shown = played(submitted("#!/bin/bash\nsleep 1000; echo after", "-t 1"), "sleep 100", f"cat {OUTPUT}")
    assert shown.endswith("DUE TO TIME LIMIT ***\n")
    assert "after" not in shown


def test_a_killed_script_fails_its_job() -> None:
    kill = "ssh dgx-03 pkill -9 -u alex -f slurm_script"
    assert (
        played(submitted("#!/bin/bash\nsleep 900"), "sleep 10", kill, "sleep 5", "sacct -X -n -P -o State")
        == "FAILED\n"
    )


def test_no_output_file_no_job() -> None:
    lines = (submitted("#!/bin/bash\ntrue", "-o /nowhere/out"), "sleep 10")
    assert "FAILED|0:53" in played(*lines, "sacct -X -P -o State,ExitCode")
    assert "Reason=RaisedSignal:53(Real-time_signal_19)" in played(*lines, f"scontrol show job {FIRST}")
    log = played(*lines, "ssh dgx-03 sudo grep 'open stdout' /var/log/slurm/slurmd.log")
    assert "error: Could not open stdout file /nowhere/out: No such file or directory" in log


def test_a_script_in_another_language_is_not_run_as_shell() -> None:
    shown = played(submitted("#!/usr/bin/env python3\nprint('x')"), "sleep 5", f"cat {OUTPUT} 2>&1; squeue -h -o %t")
    assert "line 2" not in shown
    assert shown.endswith("R\n")


@pytest.mark.parametrize("when", [5, 40])
def test_a_session_taken_up_again_goes_on_without_the_script(when: int) -> None:
    """What it had said stays; the job ends by itself; a second taking up ends in the same world."""

    async def run() -> None:
        records: list[dict[str, Any]] = []
        play = Play(open_site("dgx-h100-4"), write=records.append)
        terminal = play.open_terminal("head-01", "alex")
        await play.run_line(terminal, "sbatch --wrap 'echo hi; sleep 20; echo ho'")
        await play.run_line(terminal, f"sleep {when}")
        play.close()
        taken: list[dict[str, Any]] = list(records)
        again = Play(open_site("dgx-h100-4"), write=taken.append)
        again.resume(records, lambda number: {})
        shown = await again.run_line(again.terminal(1), f"sleep 900; cat {OUTPUT}")
        job = jobs.job(again.simulation.world, FIRST)
        assert job is not None and job.state == "COMPLETED"
        assert shown.output.decode() == ("hi\n" if when < 20 else "hi\nho\n")
        again.close()
        third = Play(open_site("dgx-h100-4"))
        third.resume(taken, lambda number: {})
        assert third.simulation.state_digest() == again.simulation.state_digest()
        third.close()

    asyncio.run(run())


def test_without_a_shell_the_words_of_the_script_tell_its_end() -> None:
    simulation = open_site("dgx-h100-4")
    screen(simulation, ["sbatch --wrap 'sleep 30'"])
    simulation.advance(60 * SECOND)
    job = jobs.job(simulation.world, FIRST)
    assert job is not None and job.state == "COMPLETED"
