"""squeue: which jobs run on which nodes. Only the whole queue is read; a part of it does not say what else runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading
from tui.seen.shell_words import Words

COMMANDS = ("squeue",)
SITE_WIDE = True

_HEAD = re.compile(r" *JOBID ")
_WHOLE_QUEUE = {"-l", "--long", "-a", "--all", "-al", "-la"}
_RUNNING = ("R", "RUNNING")
_THERE = (*_RUNNING, "CG", "S", "COMPLETI", "COMPLETING", "SUSPENDED")


def head(words: Words) -> re.Pattern[str] | None:
    """The heading."""
    return _HEAD


def read(reading: Reading) -> Iterator[Sighting]:
    """What runs on each node of a partition, nothing included."""
    if not reading.whole or set(reading.words[1:]) - _WHOLE_QUEUE:
        return
    columns: list[str] = []
    jobs: dict[str, list[str]] = {}
    for line in reading.lines:
        words = line.split()
        if words[:1] == ["JOBID"] and words[-1] == "NODELIST(REASON)":
            columns = words
        elif columns and len(words) == len(columns):
            row = dict(zip(columns, words, strict=True))
            state = row.get("ST") or row.get("STATE") or ""
            whose = row.get("USER", "?") + ("" if state in _RUNNING else f", {state}")
            for node in reading.site.nodes(words[-1]) if state in _THERE else ():
                jobs.setdefault(node, []).append(f"{row['JOBID']} ({whose})")
        elif columns and words:
            return  # a row that was not understood: nobody knows where that job runs
    if columns:
        nodes = dict.fromkeys(node for part in reading.site.inventory.partitions for node in part.nodes)
        yield from (reading.saw(node, "jobs", ", ".join(jobs.get(node, [])) or "none") for node in nodes)
