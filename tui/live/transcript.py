"""What happened in a session, told from its journal: the lines that were typed with what they printed, and the moves.

It needs no simulation: a journal holds what its lines printed. No Textual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tui.store import Record

_MOVES = {
    "pin": "pinned", "note": "noted", "diagnose": "diagnosis", "escalate": "handed to the vendor",
    "hint": "took a hint", "answer": "answer", "hands": "remote hands", "wait": "waited",
    "submit": "handed in", "message": "message",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moment:
    """A line in a terminal with what it printed, or (`prompt` is empty) something else, told in `text`.

    `began` and `ended` are ns since the site's start.
    """

    began: int
    ended: int
    terminal: int
    prompt: str
    text: str
    output: str = ""

    @property
    def is_line(self) -> bool:
        """Whether it was typed in a terminal."""
        return bool(self.prompt)


def moments(records: Iterable[Record]) -> Iterator[Moment]:
    """The moments of a journal in the order in which they ended; a line that had not ended is left out."""
    begun: dict[int, Record] = {}
    for record in records:
        if "line" in record:
            begun[int(record["in"])] = record
        elif "end" in record and int(record["in"]) in begun:
            line = begun.pop(int(record["in"]))
            yield Moment(
                int(line["at"]),
                int(record["at"]),
                int(line["in"]),
                str(line["prompt"]),
                str(line["line"]),
                str(record.get("output", "")),
            )
        elif isinstance(entry := record.get("entry"), dict) and entry.get("kind") in _MOVES:
            yield _move(entry)


def _move(entry: dict[str, Any]) -> Moment:
    """A move or a message, in words."""
    text = " ".join(str(entry.get("text", "")).split())
    told = " ".join([_MOVES[entry["kind"]], *map(str, entry.get("words", ()))])
    words = f"{told}: {text}" if text else told
    return Moment(int(entry["started"]), int(entry["ended"]), int(entry.get("terminal", 1)), "", words)


def text(told: Iterable[Moment]) -> str:
    """A transcript to read: prompts, lines, what they printed; moves stand in brackets."""
    parts = []
    for one in told:
        parts.append(f"{one.prompt}{one.text}\n{ended(one.output)}" if one.is_line else f"[{one.text}]\n")
    return "".join(parts)


def ended(output: str) -> str:
    """What a line printed, with the end of its last line."""
    return output if not output or output.endswith("\n") else f"{output}\n"
