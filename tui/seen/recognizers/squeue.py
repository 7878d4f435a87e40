"""squeue: the jobs that it lists, and which of them run on which nodes. A part of the queue does not say what else
runs, so only the whole of it tells of nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.knowledge import Sighting
from tui.seen.queue import JOB, QUEUE
from tui.seen.reading import Reading
from tui.seen.shell_words import Words

COMMANDS = ("squeue",)
SITE_WIDE = True

LAST = "NODELIST(REASON)"
_HEAD = re.compile(r" *JOBID ")
_NUMBER, _TIME = re.compile(r"\d+(?:[_+](?:\d+|\[\S+\]))?"), re.compile(r"(?:\d+-)?\d[\d:]*|INVALID")
_WHOLE_QUEUE = {"-l", "--long", "-a", "--all", "-al", "-la"}
_RUNNING = ("R", "RUNNING")
_THERE = (*_RUNNING, "CG", "S", "COMPLETI", "COMPLETING", "SUSPENDED")


def head(words: Words) -> re.Pattern[str] | None:
    """The heading."""
    return _HEAD


def read(reading: Reading) -> Iterator[Sighting]:
    """The jobs that are listed; of the whole queue also what runs on each node of a partition, nothing included."""
    rows, understood = _rows(reading)
    for row in rows:
        yield from _job(reading, row)
    if not understood or not reading.whole or set(reading.words[1:]) - _WHOLE_QUEUE:
        return
    yield reading.saw(QUEUE, "listed", "whole")
    yield from _nodes(reading, rows)


def _rows(reading: Reading) -> tuple[list[dict[str, str]], bool]:
    """The rows below a heading that has the usual columns, and whether each line was one."""
    columns: list[str] = []
    rows = []
    understood = True
    for line in reading.lines:
        words = line.split()
        if words[:1] == ["JOBID"] and words[-1] == LAST:
            columns = words
        elif columns and words:
            cells = line.split(maxsplit=len(columns) - 1)
            row = dict(zip(columns, cells, strict=False))
            whole = len(words) == len(columns) or (len(cells) == len(columns) and cells[-1].startswith("("))
            fits = whole and bool(_NUMBER.fullmatch(cells[0])) and bool(_TIME.fullmatch(row.get("TIME", "")))
            understood = understood and fits
            rows += [row] if fits else []
    return rows, understood and bool(columns)


def _job(reading: Reading, row: dict[str, str]) -> Iterator[Sighting]:
    """What is told of one job."""
    id = f"{JOB}{row['JOBID']}"
    told = {
        "partition": row.get("PARTITION"),
        "name": row.get("NAME"),
        "user": row.get("USER"),
        "state": row.get("ST") or row.get("STATE"),
        "time": row.get("TIME"),
        "nodes": row.get("NODES"),
        "where": row[LAST],
    }
    yield from (reading.saw(id, aspect, value) for aspect, value in told.items() if value)


def _nodes(reading: Reading, rows: list[dict[str, str]]) -> Iterator[Sighting]:
    """Which jobs each node of a partition has."""
    jobs: dict[str, list[str]] = {}
    for row in rows:
        state = row.get("ST") or row.get("STATE") or ""
        whose = row.get("USER", "?") + ("" if state in _RUNNING else f", {state}")
        for node in reading.site.nodes(row[LAST]) if state in _THERE else ():
            jobs.setdefault(node, []).append(f"{row['JOBID']} ({whose})")
    nodes = dict.fromkeys(node for part in reading.site.inventory.partitions for node in part.nodes)
    yield from (reading.saw(node, "jobs", ", ".join(jobs.get(node, [])) or "none") for node in nodes)
