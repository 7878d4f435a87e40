"""Banks and blueprints for `breakfix author`: which file is one, check it, show its items, begin a new one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from uuid import uuid4

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from exams.catalogue import blueprint_ids, find
from exams.check.pool import Entry, Progress
from exams.check.reading import Reading, is_path, kind_of, read_file, read_packaged


def exam_reading(name: str) -> Reading | None:
    """The bank or the exam that a name or a path means; None for anything else, which may be a scenario."""
    if is_path(name):
        return read_file(Path(name)) if kind_of(Path(name)) else None
    return read_packaged(name.casefold()) if name.casefold() in blueprint_ids() else None


def check_exam(reading: Reading, seeds: int, today: date | None) -> bool:
    """Check what was read. Findings go to stderr, a line about all of them to stdout. Returns whether it is sound."""
    from exams.check.run import check

    checked = asyncio.run(check(reading, seeds, today, _progress(reading.name)))
    for finding in checked.findings:
        print(finding, file=sys.stderr)
    print(checked.summary)
    return not checked.failed


def _progress(name: str) -> Progress | None:
    """Tells on one line of a terminal how far it is; the line is gone in the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        line = f"{name}: item {done} of {total}" if done < total else ""
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    return show


def preview_exam(name: str, ids: Sequence[str], seed: int) -> bool:
    """Print items with their keys: all, or those of some ids. Returns whether all of them can be shown."""
    reading = exam_reading(name)
    if reading is None:
        what = f"{name} is neither a bank nor a blueprint nor the name of an exam"
        raise BreakfixError(what, "`breakfix list exams` shows the exams.")
    for finding in reading.findings:
        print(finding, file=sys.stderr)
    entries = {entry.item.id: entry for entry in (reading.pool.entries if reading.pool else ())}
    for id in ids:
        if id not in entries:
            raise BreakfixError(unknown("item", id, entries))
    shown = asyncio.run(_show([entries[id] for id in ids or entries], seed))
    return shown and not reading.findings


async def _show(entries: Sequence[Entry], seed: int) -> bool:
    from exams.check.preview import preview
    from exams.exhibits import Exhibits

    exhibits, sound = Exhibits(keep=1), True
    for number, entry in enumerate(entries, 1):
        try:
            print(await preview(entry, number, seed, exhibits) + "\n")
        except BreakfixError as error:
            print(error.message, file=sys.stderr)
            sound = False
    return sound


def new_bank(topic: str, exam: str) -> Path:
    """Write a bank to start from; for a blueprint of one's own into the folder of its banks. Returns its path."""
    from exams.skeleton import bank_skeleton

    blueprint = find(exam).blueprint
    text = bank_skeleton(topic, blueprint, lambda: str(uuid4()), date.today())
    folder = Path(exam).with_suffix("") if is_path(exam) else Path()
    return write_new(folder / f"{topic}.yaml", text)


def new_blueprint(name: str) -> Path:
    """Write a blueprint to start from. Returns its path."""
    from exams.skeleton import blueprint_skeleton

    return write_new(Path(f"{name}.yaml"), blueprint_skeleton(name, date.today()))


def write_new(target: Path, text: str) -> Path:
    """Write a file that is not there yet. Raises BreakfixError if it is."""
    if target.exists():
        raise BreakfixError(f"{target} is there already", "Choose another name.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return target
