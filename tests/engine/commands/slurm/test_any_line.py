"""Whatever is typed: every command answers, with an exit status, and says nothing of its insides."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.simulation import open_site
from tests.engine.control.slurm.scene import LONG
from tests.support.run import run_command

COMMANDS = ("sinfo", "squeue", "scontrol", "sbatch", "scancel", "sacct", "srun")
PIECES = (
    "", "-", "--", "-h", "-N", "-o", "-O", "%", "%.", "%5", "%all", "all", "-t", "-S", "-i", "-j", "-w", "-p", "-u",
    "-n", "-s", "-R", "-l", "-E", "-X", "-D", "--format=%N", "--format=", "-H", "-c", "-I", "--wrap", "--gres", "gpu:",
    "gpu:0", "--mem", "-1", "0", "1-", "[", "]", "a[1-", "dgx-[01-99]", "dgx-[01-04]", "dgx-01", "x=y", "=", "show",
    "node", "job", "step", "part", "config", "update", "nodename=dgx-01", "state=", "state=drain", "reason=",
    'reason="', "jobid=", f"jobid={LONG}", "jobid=[1-3", "timelimit=+", "timelimit=-5", "starttime=x", "starttime=now+",
    "hold", "release", "requeue", "reboot", "asap", "nextstate=", "write", "batch_script", "hostnames", "hostlist",
    "listpids", "pidinfo", "errnumstr", str(LONG), f"{LONG}.0", f"{LONG}_1", "99999999999999999999", "now", "now-1",
    "2026-13-45", "é", "\t", "a" * 300, "9" * 5000, "-t1:2:3:4", "--begin=now+x", "--test-only", "-W", "hostname",
    "--jobid", "--overlap", "-l", "%20%", "JobID%-5", "State%", "F,R,PD", ",", ",,", "1,2,,3", "1e9", "0x10", "٣", "-G",
    "1000000007", "now+99999999weeks", "99999999999", "-t", "--begin", "-n", "a[1-99999999]", "0-", "-N0", "1-1",
)  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from(COMMANDS), st.lists(st.sampled_from(PIECES), max_size=5), st.sampled_from(["priya", "root"]))
def test_every_line_gets_an_answer(command: str, words: list[str], user: str) -> None:
    simulation = _site.fork()
    result = run_command(
        simulation, "head-01", user, shlex.join([command, *words]), stdin=b"x\n", interrupt_after=3_000_000_000
    )
    assert 0 <= result.status <= 255
    assert "Traceback" not in result.stdout + result.stderr
    assert "engine/" not in result.stderr


_site = open_site("dgx-h100-4")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command: str) -> None:
    result = run_command(_site.fork(), "head-01", "priya", f"{command} --help")
    assert result.status == 0
    assert command in result.stdout
    assert len(result.lines) > 5
