"""Scenarios, sites and packs for `breakfix author`: what learners will see, and files to start from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from scenarios.evidence import Sighting, find_sightings
from scenarios.model import Scenario
from scenarios.patterns import plain_text
from scenarios.proof.run import play
from scenarios.session import DrillSession
from scenarios.skeleton import require_id
from scenarios.stage import Stage
from tui.live.moves import briefing_text

_RULE = "-" * 72
_SITE = "dgx-h100-4"

_PACK = """\
# docs/authoring.md. `breakfix pack build . -o {id}.zip` makes a zip of this folder, `breakfix pack add` adds it.
format: 1
id: {id}
title: What people read in the list
version: "1.0"
authors: [your name]
licence: Apache-2.0
about: One sentence about what it practises.
requires: "0.1"
"""


async def scenario_preview(scenario: Scenario, seed: int) -> Iterator[str]:
    """What a learner reads at a seed, what each line of the reference solution prints, and the evidence in it."""
    stage = Stage.build(scenario, seed)
    played = await play(stage, scenario.solution)
    sightings = await find_sightings(stage, played.session.journal.entries)
    return _told(stage, played.session, sightings, played.refused)


def _told(stage: Stage, session: DrillSession, sightings: list[Sighting], refused: list[str]) -> Iterator[str]:
    yield briefing_text(session)
    yield _RULE
    drawn = ", ".join(f"{name} = {stage.choices.texts[name]}" for name in stage.scenario.vary)
    yield f"seed {stage.seed} chose: {drawn or 'nothing'}"
    by_entry: dict[int, list[str]] = {}
    for one in sightings:
        by_entry.setdefault(one.entry, []).append(one.evidence)
    for number, entry in enumerate(session.journal.entries):
        if entry.kind == "line":
            yield f"{session.clock(entry.started)} $ {entry.text}"
            yield plain_text(entry.everything).rstrip()
            if seen := dict.fromkeys(by_entry.get(number, ())):
                yield f"  == evidence: {', '.join(seen)}"
        elif entry.kind not in ("other", "message"):
            yield f"{session.clock(entry.started)} :{entry.kind} {' '.join(entry.words) or entry.text}".rstrip()
    yield from (f"  == refused: {what}" for what in refused)
    missing = [one.id for one in stage.scenario.evidence if one.id not in {e for s in by_entry.values() for e in s}]
    yield f"evidence that no line showed: {', '.join(missing) or 'none'}"


def new_site(name: str, like: str | None) -> Path:
    """Write a site file to start from: a packaged site under another name. Raises BreakfixError."""
    from importlib.resources import files

    from engine.kernel.names import unknown
    from engine.sites.catalogue import site_names
    from tui.exam_author import write_new

    source = like or _SITE
    if source not in site_names():
        raise BreakfixError(unknown("site", source, site_names()), "`breakfix list sites` shows them.")
    text = files("engine.sites").joinpath(f"{source}.yaml").read_text(encoding="utf-8")
    lines = [f"name: {require_id(name)}" if line == f"name: {source}" else line for line in text.splitlines()]
    return write_new(Path(f"{name}.yaml"), "\n".join(lines) + "\n")


def new_pack(name: str) -> Path:
    """Write a pack.yaml into a new folder. Raises BreakfixError."""
    from scenarios.packs import HEAD
    from tui.exam_author import write_new

    folder = Path(require_id(name))
    try:
        folder.mkdir()
    except FileExistsError:
        raise BreakfixError(f"{quoted(str(folder))} is there already") from None
    except OSError as error:
        raise BreakfixError(f"{folder} can't be made: {error.strerror}") from None
    return write_new(folder / HEAD, _PACK.format(id=name))


def is_site(path: Path) -> bool:
    """Whether a file looks like a site."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return any(line.startswith("login_host:") for line in text.splitlines())


def check_site(path: Path) -> str:
    """Read a site file. Returns what it has; raises BreakfixError (DocumentError for mistakes in it)."""
    from scenarios.ground import Ground
    from tui.opening import file_bytes

    inventory = Ground(str(path), file_bytes(str(path))).inventory()
    return f"{inventory.name}: {len(inventory.node_names)} nodes, {len(inventory.switches)} switches, no mistakes found"
