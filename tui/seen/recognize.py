"""From a line and what it printed to sightings: finds what ran where, and asks the recognizers of those commands.

A recognizer is a module of `tui/seen/recognizers/` with `COMMANDS`, the commands that print what it reads, and
`read(reading)`, which gives sightings. `SITE_WIDE = True` says that what it reads names the machines itself, so that it
does not matter where it was printed. `head(words)` is for `tui/seen/portions.py`. When in doubt, nothing is learnt: a
wrong map teaches lies.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from engine.world.inventory import Inventory
from tui.look.glyphs import State
from tui.seen.fan_out import by_host
from tui.seen.knowledge import Sighting
from tui.seen.portions import Head, Portion, echoed, portions
from tui.seen.reading import Reading, Shape, plain
from tui.seen.shell_words import TooMuch, Words
from tui.seen.site import Site
from tui.seen.typed import CARRIERS, EACH, HARMLESS, Run, runs

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b.")
_MOST_TEXT = 4_000_000


def recognize(inventory: Inventory, host: str, line: str, output: str, at: int) -> Iterator[Sighting]:
    """What a line typed on `host` showed."""
    if not output.strip():
        return
    site = Site(inventory)
    try:
        found = runs(site, line, host)
    except TooMuch:
        return
    if any(run.words[0] not in _by_command() and run.words[0] not in HARMLESS for run in found):
        return
    text = _ESCAPES.sub("", output[-_MOST_TEXT:]).replace("\r", "")
    for module, where, portion in _told(site, found, text):
        words, own, shape, only = portion.run.words, portion.text, portion.shape, portion.only
        yield from _read(module, Reading(site, where, words, own, shape, at, plain(line), only))


def _told(site: Site, found: list[Run], text: str) -> Iterator[tuple[ModuleType, str, Portion]]:
    """The portions of the text, each with its host, once for each recognizer that reads it."""
    places = {_place(run) for run in found if any(not _site_wide(module) for module in _modules(run))}
    printing = [run for run in found if run.words[0] not in CARRIERS]
    carried = [Portion(run, text, run.shape) for run in found if run.words[0] in CARRIERS]
    for portion in [*carried, *_cut(printing, text)]:
        for module in _modules(portion.run):
            if _site_wide(module) or (len(places) == 1 and portion.run.host in site.inventory.node_index):
                yield module, portion.run.host or "", portion
    if places == {(EACH, "")}:
        yield from _told_by_each(site, printing, text)


def _told_by_each(site: Site, printing: list[Run], text: str) -> Iterator[tuple[ModuleType, str, Portion]]:
    """The same of commands that ran on several hosts, the text of each host by itself."""
    for in_blocks in {run.in_blocks for run in printing if run.host == EACH}:
        for host, own in by_host(site, text, in_blocks).items():
            for portion in _cut(printing, own):
                run = portion.run
                torn = in_blocks and run.shape < Shape.PIECE
                if run.host == EACH and run.in_blocks == in_blocks and not torn:
                    yield from ((module, host, portion) for module in _modules(run) if not _site_wide(module))


def _cut(printing: list[Run], text: str) -> list[Portion]:
    return portions(printing, [_head(run.words) for run in printing], text)


def _head(words: Words) -> Head | None:
    """The line with which the output of a command begins, where one of its recognizers knows that."""
    known = (module.head(words) for module in _by_command().get(words[0], ()) if hasattr(module, "head"))
    return next((head for head in known if head is not None), None) or echoed(words)


def _place(run: Run) -> tuple[str | None, str]:
    """Where a command ran whose output does not name the machines itself, and the BMC that it asked from there."""
    asked = run.words[0] == "ipmitool" and "-H" in run.words[:-1]
    return run.host, run.words[run.words.index("-H") + 1] if asked else ""


def _modules(run: Run) -> list[ModuleType]:
    return _by_command().get(run.words[0], [])


def _read(module: ModuleType, reading: Reading) -> Iterator[Sighting]:
    """The sightings of one recognizer; where a host's own output was read, the host answers."""
    found: list[Sighting] = list(module.read(reading))
    yield from found
    if found and not _site_wide(module):
        yield reading.saw(reading.host, "login", "answers", State.OK)


def _site_wide(module: ModuleType) -> bool:
    return bool(getattr(module, "SITE_WIDE", False))


@cache
def _by_command() -> dict[str, list[ModuleType]]:
    from tui.seen import recognizers

    found: dict[str, list[ModuleType]] = {}
    for entry in pkgutil.iter_modules(recognizers.__path__, f"{recognizers.__name__}."):
        module = importlib.import_module(entry.name)
        for command in module.COMMANDS:
            found.setdefault(command, []).append(module)
    return found
