"""What was done in a sandbox, for a draft of a drill: from the last sandbox session, or from a file of lines."""

from __future__ import annotations

import argparse
import sys

from engine.faults.fault import parse_fault
from engine.kernel.errors import BreakfixError
from scenarios.draft import Recorded
from tui.opening import Opening, file_bytes, parse_seed
from tui.store import read_journal, saved_sessions


def last_sandbox() -> Recorded:
    """The sandbox session that was played last. Raises BreakfixError where there is none."""
    found = saved_sessions("sandbox")
    if not found:
        raise BreakfixError(
            "there is no sandbox session",
            "`breakfix shell --fault 'ID target=...'` opens one; find it, repair it, leave.",
        )
    lines = [str(record["line"]) for record in read_journal(found[0].path) if record.get("line")]
    return _recorded(Opening.of(found[0].header), lines)


def from_file(arguments: argparse.Namespace) -> Recorded:
    """Lines of a file, or of standard input, in a sandbox that the command line describes. Raises BreakfixError."""
    text = sys.stdin.read() if arguments.lines == "-" else file_bytes(arguments.lines).decode("utf-8", "replace")
    opening = Opening(arguments.site, parse_seed(arguments.seed), tuple(arguments.fault))
    return _recorded(opening, [line.rstrip() for line in text.splitlines() if line.strip()])


def _recorded(opening: Opening, lines: list[str]) -> Recorded:
    faults = [parse_fault(text) for text in opening.faults]
    return Recorded(
        opening.site,
        opening.seed,
        [(fault.fault, fault.target, dict(fault.parameters)) for fault in faults],
        lines,
        dict(opening.settings),
    )
