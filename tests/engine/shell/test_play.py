"""A play taken up again: the same state, time, transcript, shells and files, from any cut of its journal."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from engine.shell.play import Play, Record
from engine.simulation import open_site

LINES = [
    "X=5; cd /tmp; f() { echo f$X; }",
    "echo one > notes; echo two >> notes",
    "sleep 90",
    "scontrol update nodename=dgx-04 state=drain reason='looking at it'",
    "ssh dgx-03",
    "Y=7; cd /var/log; echo x > /tmp/there",
    "sudo -i",
    "set -o pipefail; false | true",
]


def played(lines: list[str]) -> tuple[list[Record], str, dict[str, str]]:
    """The journal of some lines, the state's digest after them, and what a few more lines show."""
    records: list[Record] = []

    async def run() -> tuple[str, dict[str, str]]:
        play = Play(open_site("dgx-h100-4", 4), write=lambda record: records.append(json.loads(json.dumps(record))))
        terminal = play.open_terminal("head-01", "alex")
        for line in lines:
            await play.run_line(terminal, line)
        kept = list(records)
        digest = play.simulation.state_digest()
        shown = await probe(play)
        records[:] = kept
        play.close()
        return digest, shown

    digest, shown = asyncio.run(run())
    return records, digest, shown


PROBES = (
    "echo $?",
    "pwd; echo $X $Y",
    "hostname; whoami; date",
    "history",
    "cat /tmp/notes /tmp/there",
    "set -o | grep pipefail",
)


async def probe(play: Play) -> dict[str, str]:
    terminal = play.terminals[0]
    return {line: (await play.run_line(terminal, line)).output.decode() for line in PROBES}


def resumed(records: list[Record]) -> tuple[str, dict[str, str], list[tuple[str, str, str]]]:
    async def run() -> tuple[str, dict[str, str], list[tuple[str, str, str]]]:
        play = Play(open_site("dgx-h100-4", 4), write=lambda record: None)
        play.resume(records, lambda number: {})
        digest = play.simulation.state_digest()
        shown = await probe(play)
        play.close()
        return digest, shown, play.past[1].lines

    return asyncio.run(run())


@pytest.mark.parametrize("count", range(1, len(LINES) + 1))
def test_everything_is_as_it_was(count: int) -> None:
    records, digest, shown = played(LINES[:count])
    again, then, transcript = resumed(records)
    assert again == digest
    assert then == shown
    assert [line.text for line in transcript] == LINES[:count]


def test_a_journal_cut_anywhere_can_be_taken_up() -> None:
    records, _, _ = played(LINES)
    for cut in range(1, len(records)):
        done = sum("end" in record for record in records[:cut])
        _, _, transcript = resumed(records[:cut]) if any("terminal" in r for r in records[:cut]) else ("", {}, [])
        assert len(transcript) >= done


@pytest.mark.parametrize(
    "damage",
    [{"do": {"action": "nosuch.Thing"}, "at": 1}, {"line": "x"}, {"end": 0, "in": 9}, {"do": 5, "at": 1}, {"at": "x"}],
)
def test_a_damaged_journal_is_refused_in_a_sentence(damage: dict[str, Any]) -> None:
    records, _, _ = played(LINES[:1])

    async def run() -> None:
        play = Play(open_site("dgx-h100-4", 4))
        try:
            play.resume([*records, damage], lambda number: {})
        finally:
            play.close()

    with pytest.raises(BreakfixError, match="journal"):
        asyncio.run(run())
