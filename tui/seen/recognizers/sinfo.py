"""sinfo: the state of each node, and the reason for it where it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading
from tui.seen.shell_words import Words
from tui.seen.slurm_states import slurm_state

COMMANDS = ("sinfo",)
SITE_WIDE = True

_HEAD = re.compile(r"(?! *JOBID )(?=.*\b(NODELIST|HOSTNAMES)\b)[A-Z_ ]+(\([A-Z/]+\)[A-Z_ ]+)?$")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]{8}")
_BY_PARTITION = ("PARTITION", "AVAIL", "TIMELIMIT", "NODES", "STATE", "NODELIST")
_BY_NODE = ("NODELIST", "NODES", "PARTITION", "STATE")
_NODES = ("NODELIST", "HOSTNAMES")
_MAY_BE_EMPTY = "RESERVATION"


def head(words: Words) -> re.Pattern[str] | None:
    """The heading."""
    return _HEAD


def read(reading: Reading) -> Iterator[Sighting]:
    """Rows under their heading; rows without one are read where the line says how they are laid out."""
    columns = _layout(reading)
    for line in reading.lines:
        words = tuple(line.split())
        if _is_heading(words):
            columns = words
        elif columns:
            row = _row(line, columns)
            for node in reading.site.nodes(next((row[name] for name in _NODES if name in row), "")):
                yield from _sightings(reading, node, row)


def _layout(reading: Reading) -> tuple[str, ...]:
    """The columns that the options alone tell."""
    options = set(reading.words[1:])
    if not options - {"-h", "--noheader", "-a", "--all"}:
        return _BY_PARTITION
    return _BY_NODE if options <= {"-N", "--Node", "-h", "-Nh", "-hN", "--noheader"} else ()


def _is_heading(words: tuple[str, ...]) -> bool:
    return any(name in words for name in _NODES) and all(word.upper() == word for word in words)


def _row(line: str, columns: tuple[str, ...]) -> dict[str, str]:
    """A row's values by column; nothing for one that does not fit. Reasons have spaces in them."""
    last = len(columns) - 1
    if columns[0] == "REASON":
        values = line.rsplit(None, last)
    elif columns[-1] == "REASON":
        values = line.split(None, last)
    else:
        values = line.split()
        if len(values) == last and _MAY_BE_EMPTY in columns:
            columns = tuple(name for name in columns if name != _MAY_BE_EMPTY)
    return dict(zip(columns, values, strict=True)) if len(values) == len(columns) else {}


def _sightings(reading: Reading, node: str, row: dict[str, str]) -> Iterator[Sighting]:
    text = row.get("STATE", "")
    state = slurm_state(text)
    if state is not None:
        yield reading.saw(node, "Slurm", text, state)
    alone = reading.whole or _TIME.fullmatch(row.get("TIMESTAMP", ""))
    if "REASON" in row and (alone if "STATE" not in row else state is not None):
        yield reading.saw(node, "Slurm reason", row["REASON"])
