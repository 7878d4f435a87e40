"""Sessions on disk: one journal file each, JSON lines, written record by record so that a killed process loses nothing
acknowledged.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.kernel.errors import BreakfixError
from tui.paths import sessions_folder

Record = dict[str, Any]
FORMAT = 1


@dataclass(frozen=True)
class Saved:
    """A saved session: its file and its header."""

    path: Path
    header: Record

    @property
    def name(self) -> str:
        return self.path.stem


class JournalFile:
    """A journal being written.

    `broken` holds what went wrong with the disk, once something did; the session goes on without.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken: str | None = None
        self._file: int | None = None

    def write(self, record: Record) -> None:
        """Append one record; what was returned from stays after the process is killed."""
        if self.broken or not self.open():
            return
        data = (json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        try:
            while data:
                data = data[os.write(self._file or 0, data) :]
        except OSError as error:
            self._fail(error)

    def open(self) -> bool:
        """Open the file, for this process alone. Raises BreakfixError if another breakfix has it open."""
        if self._file is not None or self.broken:
            return not self.broken
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise BreakfixError(f"the session {self.path} is open in another breakfix", "Go on there.") from None
        except OSError as error:
            self._fail(error)
        return not self.broken

    def _fail(self, error: OSError) -> None:
        self.broken = (
            f"this session can't be saved: {error.strerror} ({self.path.parent}); "
            "it goes on, but can't be taken up again later"
        )

    def close(self) -> None:
        """Done writing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def delete(self) -> None:
        """Forget the session."""
        self.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def delete_session(path: Path) -> None:
    """Forget a session that nobody plays. Raises BreakfixError if another breakfix has it open, OSError."""
    journal = JournalFile(path)
    if path.exists():
        journal.open()
    journal.close()
    path.unlink(missing_ok=True)


def new_journal(name: str, header: Record) -> JournalFile:
    """A new journal with its header written; names get a number where one is taken."""
    folder = sessions_folder()
    number = 1
    while (path := folder / f"{name}-{number}.jsonl").exists():
        number += 1
    journal = JournalFile(path)
    journal.write({"breakfix": FORMAT, **header})
    return journal


def open_journal(path: Path) -> JournalFile:
    """The journal at `path`, to go on in; a last record that a crash cut off is taken away."""
    journal = JournalFile(path)
    journal.open()
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole != len(data):
        os.truncate(path, whole)
    return journal


def saved_sessions(kind: str | None = None) -> list[Saved]:
    """Sessions that can be read, newest first; damaged files are left alone."""
    found = []
    for path in sorted(sessions_folder().glob("*.jsonl"), key=_modified, reverse=True):
        try:
            header = next(iter(read_journal(path)), {})
        except BreakfixError:
            continue
        if header.get("breakfix") == FORMAT and kind in (None, header.get("kind")):
            found.append(Saved(path, header))
    return found


def read_journal(path: Path) -> Iterator[Record]:
    """The records of a journal.

    A last line that was cut off by a crash is dropped; anything else damaged raises BreakfixError.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise BreakfixError(f"the session {path} can't be read: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                return
            raise BreakfixError(
                f"{path}:{number}: damaged, not a JSON record", "Delete the file to forget that session."
            ) from None
        if not isinstance(record, dict):
            raise BreakfixError(
                f"{path}:{number}: damaged, not a JSON record", "Delete the file to forget that session."
            )
        yield record


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
