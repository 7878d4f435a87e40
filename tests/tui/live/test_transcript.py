"""Transcripts, casts and pictures of a session, made from its journal alone."""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from engine.kernel.units import MINUTE
from tui.commands import export
from tui.commands import list as list_verb
from tui.drills import scenario_named
from tui.live import cast, drill, sandbox, transcript
from tui.live.transcript import Moment
from tui.opening import Opening
from tui.store import read_journal, saved_sessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


@pytest.fixture
def told() -> list[Moment]:
    """A sandbox in which three lines were typed."""

    async def play() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        await live.run_line(1, "ssh dgx-02")
        await live.pass_time(30 * MINUTE)
        await live.run_line(1, "hostname; echo -n over")
        await live.run_line(1, "exit")
        live.close()

    asyncio.run(play())
    return list(transcript.moments(read_journal(saved_sessions()[0].path)))


def test_lines_come_with_their_prompts_and_what_they_printed(told: list[Moment]) -> None:
    assert [one.text for one in told] == ["ssh dgx-02", "hostname; echo -n over", "exit"]
    assert told[1].prompt == "alex@dgx-02:~$ " and told[1].output == "dgx-02\nover"
    assert told[1].began - told[0].ended >= 30 * MINUTE
    page = transcript.text(told)
    assert "alex@dgx-02:~$ hostname; echo -n over\ndgx-02\nover\nalex@dgx-02:~$ exit\n" in page


def test_moves_are_told_in_brackets() -> None:
    async def play() -> None:
        live = await drill.begin(scenario_named("gpu-off-the-bus"), "gpu-off-the-bus", 1)
        await live.run_line(1, "sinfo")
        await live.run_line(1, ":pin PARTITION")
        await live.run_line(1, ":note nothing yet")
        live.close()

    asyncio.run(play())
    told = list(transcript.moments(read_journal(saved_sessions()[0].path)))
    assert [one.text.split(":")[0] for one in told if not one.is_line] == ["pinned", "noted"]
    assert "[noted: nothing yet]\n" in transcript.text(told)


def test_a_cast_is_what_asciinema_reads(told: list[Moment]) -> None:
    head, *rows = [json.loads(line) for line in cast.cast(told, 100, 30, "a title")]
    assert head == {"version": 2, "width": 100, "height": 30, "title": "a title"}
    times = [time for time, _, _ in rows]
    assert times == sorted(times) and {kind for _, kind, _ in rows} == {"o"}
    shown = "".join(text for _, _, text in rows)
    assert "alex@dgx-02:~$ hostname; echo -n over\r\ndgx-02\r\nover\r\n" in shown
    assert "\n" not in shown.replace("\r\n", "")
    keys = sum(len(one.text) for one in told)
    assert times[-1] < keys * 0.1 + 5 * len(told)  # half an hour passed, which nobody wants to watch


def test_a_picture_asks_no_other_machine(told: list[Moment]) -> None:
    drawn = cast.picture(told, 100, "a title")
    assert drawn.startswith("<svg") and "hostname" in drawn
    assert "http" not in drawn.replace("http://www.w3.org", "").replace("https://www.textualize.io", "").replace(
        "rich", ""
    )
    assert "@font-face" not in drawn


def verb(module: Any, *words: str) -> None:
    """A verb of the command line."""
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    assert module.run(parser.parse_args(words)) == 0


def test_the_verb(told: list[Moment], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = saved_sessions()[0].name
    verb(export, "text", name)
    assert capsys.readouterr().out == transcript.text(told)
    verb(export, "svg", "-o", str(tmp_path / "x.svg"))
    assert (tmp_path / "x.svg").read_text().startswith("<svg")
    verb(list_verb, "sessions")
    assert capsys.readouterr().out.startswith(f"{name}  sandbox  today ")
    with pytest.raises(BreakfixError, match=f'unknown session "nope"; choose from {name}'):
        verb(export, "cast", "nope")


def test_without_a_session_the_verb_says_so() -> None:
    with pytest.raises(BreakfixError, match="there is no session to write"):
        verb(export, "text")
