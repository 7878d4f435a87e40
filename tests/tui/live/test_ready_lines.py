"""Ready lines: for which host, filled in with what the session has, and what each changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tui.drills import scenario_named
from tui.live import drill, sandbox
from tui.live.command_examples import examples
from tui.live.live import Live
from tui.live.ready_lines import ReadyLines
from tui.opening import Opening


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def with_live(look: Callable[[Live], Awaitable[None]], host: str | None = None) -> None:
    """Do something with a sandbox."""

    async def run() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1, host=host))
        try:
            await look(live)
        finally:
            live.close()

    asyncio.run(run())


def test_lines_for_this_host_and_for_another() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        assert ready.lines("df")[0].line == "df -h"
        assert ready.lines("df")[-1].line == "man df"
        ready.target = "dgx-02"
        assert ready.lines("df")[0].line == "ssh dgx-02 df -h"
        assert ready.lines("df")[-1].line == "ssh -t dgx-02 man df"
        assert "scontrol show node dgx-02" in [one.line for one in ready.lines("scontrol")]
        assert "ping -c 3 dgx-02" in [one.line for one in ready.lines("ping")]

    with_live(look)


def test_what_this_host_does_not_have_is_meant_for_one_that_has_it() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        assert ready.target == "head-01" and ready.host_for("nvidia-smi") == "dgx-01"
        await live.run_line(1, "ssh dgx-03 uptime")
        again = ReadyLines(live, live.seat(1))
        assert again.lines("nvidia-smi")[0].line == "ssh dgx-03 nvidia-smi"
        assert again.host_for("scontrol") == "dgx-03" and again.host_for("ping") == "dgx-03"
        assert "nvidia" not in " ".join(one.line for one in again.lines("systemctl"))

    with_live(look)


def test_on_a_host_with_gpus_its_own_lines_are_offered() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        assert ready.lines("nvidia-smi")[0].line == "nvidia-smi"
        assert "systemctl status slurmd --no-pager" in [one.line for one in ready.lines("systemctl")]
        assert "scontrol show node dgx-04" in [one.line for one in ready.lines("scontrol")]
        assert ready.host_for("ssh") != "dgx-04"

    with_live(look, host="dgx-04")


def test_jobs_are_those_of_the_queue() -> None:
    async def look(live: Live) -> None:
        lines = [one for one in ReadyLines(live, live.seat(1)).lines("scancel") if one.changes]
        assert [one.line for one in lines] == ["scancel 48283", "scancel 48287"]

    with_live(look)


def test_pins_are_offered_as_reasons() -> None:
    async def run() -> list[str]:
        live = await drill.begin(scenario_named("gpu-off-the-bus"), "gpu-off-the-bus", 3)
        await live.run_line(1, "echo 'say \"$HOME\" is full'")
        await live.move(":pin is full")
        lines = [one.line for one in ReadyLines(live, live.seat(1)).lines("scontrol")]
        live.close()
        return [line for line in lines if "drain" in line]

    assert asyncio.run(run()) == [
        "scontrol update nodename=dgx-01 state=drain reason=\"say 'HOME' is full\"",
        'scontrol update nodename=dgx-01 state=drain reason="under investigation"',
    ]


def test_only_commands_of_the_site_are_listed() -> None:
    async def look(live: Live) -> None:
        found = ReadyLines(live, live.seat(1)).topics
        assert "nvidia-smi" in found["GPUs"] and "ibstat" in found["InfiniBand"] and "hands" in found["Machine room"]
        assert "htop" not in [name for names in found.values() for name in names]

    with_live(look)


def test_why_lines_are_for_another_host_is_said() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        assert ready.misfit("nvidia-smi") == "head-01 has no nvidia-smi: these lines are for dgx-01."
        assert ready.misfit("scontrol") == "head-01 is no Slurm node: these lines are for dgx-01."
        assert ready.misfit("ssh") == "You are on head-01: these lines are for dgx-01."
        assert [ready.misfit(name) for name in ("df", "sinfo", "man")] == ["", "", ""]
        ready.choose("dgx-02")
        assert [ready.misfit(name) for name in ("nvidia-smi", "scontrol", "ssh", "df", "ipmitool")] == [""] * 5

    with_live(look)


def test_the_host_of_the_last_line_is_the_next_ones() -> None:
    async def look(live: Live) -> None:
        ReadyLines(live, live.seat(1)).used("df")
        assert ReadyLines(live, live.seat(1)).target == "head-01"
        ReadyLines(live, live.seat(1)).used("nvidia-smi")
        assert ReadyLines(live, live.seat(1)).target == "dgx-01"
        ready = ReadyLines(live, live.seat(1))
        ready.choose("dgx-03")
        ready.used("man")
        assert ReadyLines(live, live.seat(1)).target == "dgx-03"
        await live.run_line(1, "ssh dgx-04")
        assert ReadyLines(live, live.seat(1)).target == "dgx-04"
        await live.run_line(1, "exit")
        assert ReadyLines(live, live.seat(1)).target == "dgx-03"

    with_live(look)


@pytest.mark.parametrize(("name", "named"), [("all-quiet", True), ("gpu-off-the-bus", False)])
def test_the_first_host_of_a_drill_is_the_one_of_its_briefing(name: str, named: bool) -> None:
    async def run() -> tuple[str, str]:
        live = await drill.begin(scenario_named(name), name, 3)
        target, told = ReadyLines(live, live.seat(1)).target, live.session.briefing
        live.close()
        return target, f"{told.subject}\n{told.text}"

    target, told = asyncio.run(run())
    assert (target in told, target == "head-01") == (named, not named)


def test_every_line_that_changes_something_says_where() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        ready.choose("dgx-02")
        said = {
            one.line: ready.change(name, one.line) for name in examples() for one in ready.lines(name) if one.changes
        }
        assert len(said) > 15
        for line, change in said.items():
            assert change.startswith("changes job " if "48" in line else "changes dgx-02: "), line
        assert not any(
            ready.change(name, one.line) for name in examples() for one in ready.lines(name) if not one.changes
        )

    with_live(look)


def test_a_line_that_was_changed_says_what_it_changes_now() -> None:
    async def look(live: Live) -> None:
        ready = ReadyLines(live, live.seat(1))
        resume, drain = "changes dgx-03: back to service", "changes dgx-03: no new jobs; those that run go on"
        assert ready.change("scontrol", "scontrol update nodename=dgx-03 state=resume") == resume
        line = 'scontrol update nodename=dgx-03 state=drain reason="as dgx-04"'
        assert ready.change("scontrol", line) == drain
        assert ready.change("scontrol", "scontrol update nodename=dgx-[01-02] state=resume").startswith("changes: ")
        assert ready.change("scontrol", "scontrol update nodename=dgx-03 state=down") == "changes dgx-03"
        assert ready.change("scontrol", "scontrol show node dgx-03") == ""
        assert ready.change("chmod", "chmod 600 notes.txt") == "changes head-01: permissions"

    with_live(look)
