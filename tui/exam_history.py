"""What the learner did in exams and study sessions: the outcome of each item, one line of JSON each, and the journals
of what was handed in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.kernel.errors import BreakfixError
from exams.attempt import Attempt
from exams.progress import Outcome
from exams.rendered import from_data, to_data
from tui.paths import exam_history_file, exam_results_folder
from tui.store import FORMAT, Record, Saved, read_journal

KINDS = ("exam", "study")
"""Kinds of journals that hold an attempt."""


@dataclass(frozen=True)
class PastResult:
    """A result that was kept: its journal, and what its header says."""

    saved: Saved

    @property
    def title(self) -> str:
        """The exam's code and title."""
        return f"{self.saved.header.get('code', '')} {self.saved.header.get('title', '')}".strip()

    @property
    def mode(self) -> str:
        """`exam` or `study`."""
        return str(self.saved.header.get("kind"))

    def attempt(self) -> Attempt:
        """Everything that was done in it. Raises BreakfixError for a damaged file."""
        return attempt_of(read_journal(self.saved.path))


def attempt_of(records: Iterable[Record]) -> Attempt:
    """The attempt of a journal's records, the header first. Raises BreakfixError."""
    return Attempt.replay([record for record in records if "event" in record])


def load_history(blueprint: str | None = None) -> list[Outcome]:
    """All outcomes (of a blueprint), in order of time; each once. Lines that are damaged are left out."""
    found: dict[tuple[int, str], Outcome] = {}
    for one in _read():
        if blueprint in (None, one.blueprint):
            found.setdefault((one.at, one.uuid), one)
    return sorted(found.values(), key=lambda one: one.at)


def _read() -> Iterator[Outcome]:
    try:
        lines = exam_history_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            yield from_data(Outcome, json.loads(line))
        except (ValueError, RecursionError, BreakfixError):
            continue


def remember(outcomes: Iterable[Outcome]) -> str | None:
    """Add outcomes. Returns what went wrong, if something did."""
    text = "".join(json.dumps(to_data(one), ensure_ascii=False) + "\n" for one in outcomes)
    path = exam_history_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        return f"what came of it can't be kept: {error.strerror} ({path})"
    return None


def past_results() -> list[PastResult]:
    """Results that were kept, newest first; damaged files are left alone."""
    found = []
    for path in sorted(exam_results_folder().glob("*.jsonl"), key=lambda one: one.stat().st_mtime, reverse=True):
        try:
            header = next(iter(read_journal(path)), {})
        except BreakfixError:
            continue
        if header.get("breakfix") == FORMAT and header.get("kind") in KINDS:
            found.append(PastResult(Saved(path, header)))
    return found


def keep_result(journal: Path) -> Path:
    """Move the journal of something that was handed in to the results. Returns where it is now."""
    folder = exam_results_folder()
    path, number = folder / journal.name, 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        while path.exists():
            number += 1
            path = folder / f"{journal.stem}-{number}{journal.suffix}"
        os.replace(journal, path)
    except OSError:
        return journal
    return path


def new_seed(blueprint: str) -> int:
    """A seed that the learner has not had in this exam, from what is saved."""
    from tui.store import saved_sessions

    headers = [one.header for kind in KINDS for one in saved_sessions(kind)]
    headers += [one.saved.header for one in past_results()]
    used = [header.get("seed") for header in headers if header.get("blueprint") == blueprint]
    return max((seed for seed in used if isinstance(seed, int)), default=0) + 1
