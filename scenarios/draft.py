"""A draft of a drill from what somebody did in a sandbox: its faults, its lines, and what tells it from the twin.

The lines are run again in the sandbox's world and in one without the faults. A line of output that only the first shows
is proposed as evidence; a fact about the target that holds only in the first as the fact behind it, and its contrary as
the goal. What nobody but the author can know (ticket, wrong causes, hints, debrief) is left open and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from engine.facts.fact import Fact, View, catalogue
from engine.facts.kinds import Kind
from engine.facts.values import TRUTH
from engine.kernel.documents import read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.validation import validate
from engine.world.world import World
from scenarios.evidence import replay_in
from scenarios.journal import Entry
from scenarios.model import Scenario
from scenarios.patterns import plain_text
from scenarios.script import parse_move
from scenarios.session import DrillSession
from scenarios.stage import Stage
from scenarios.unwritten import UNWRITTEN

_MOST_EVIDENCE = 6
_TELLING = re.compile(r"(?i)\b(err|fail|lost|down|xid|critical|warn|disabled|mismatch|unable|not|no|n/a|0)\w*")
_STAMP = re.compile(r"^(\[ *\d+\.\d+\] |\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ (?=\S+: ))")
_CLOCK = re.compile(r"\d\d:\d\d:\d\d|\[ *\d+\.\d{6}\]|\bago\b")


@dataclass(frozen=True)
class Recorded:
    """What was done in a sandbox: faults as (id, target, parameters), and the lines in their order."""

    site: str
    seed: int
    faults: Sequence[tuple[str, str, Mapping[str, str]]]
    lines: Sequence[str]
    settings: Mapping[str, str] = field(default_factory=dict)


async def draft(recorded: Recorded, identifier: str, uuid: str) -> str:
    """The text of a scenario file. Raises BreakfixError where there is nothing to make one of."""
    if not recorded.faults:
        raise BreakfixError("the sandbox had no faults", "Open it with --fault, and look for it there.")
    if not recorded.lines:
        raise BreakfixError(
            "nothing was typed in the sandbox", "Find the fault there as a learner should, and repair it."
        )
    bare = validate(read_document(dump(_bare(recorded, identifier, uuid)), f"{identifier}.yaml"), Scenario)
    stage = Stage.build(bare, recorded.seed)
    session = await DrillSession.on(stage)
    real, twin = await stage.real(), await stage.twin()
    try:
        for line in recorded.lines:
            await session.perform(line, limit=_LONGEST)
        shown = await replay_in(stage, None, session.journal.entries)
        found = list(_differences(session.journal.entries, {number: one.text for number, one in shown.items()}))
    finally:
        session.close()
    fault, target, _ = recorded.faults[0]
    facts = list(telling_facts(real, twin, target))
    return _text(_whole(recorded, identifier, uuid, fault, target, found, facts), bool(facts))


_LONGEST = 3600 * 10**9


def _bare(recorded: Recorded, identifier: str, uuid: str) -> dict[str, Any]:
    """What a scenario needs to be played: no evidence, no goals."""
    faults = [
        {"fault": fault, "target": target, "onset": "-30m", "parameters": dict(parameters)}
        for fault, target, parameters in recorded.faults
    ]
    return {
        "format": 1, "id": identifier, "uuid": uuid, "title": UNWRITTEN, "authors": ["your name"],
        "licence": "Apache-2.0", "kind": "drill", "site": recorded.site, "settings": dict(recorded.settings),
        "objectives": [UNWRITTEN], "difficulty": 2, "minutes": 20, "lead": "1h", "settle": "10m",
        "briefing": {"form": "ticket", "sender": "a user", "subject": UNWRITTEN, "text": UNWRITTEN},
        "faults": faults, "solution": "\n".join(recorded.lines) + "\n", "debrief": UNWRITTEN,
    }  # fmt: skip


def _differences(entries: Sequence[Entry], elsewhere: Mapping[int, str]) -> Iterator[tuple[str, str]]:
    """(line that was typed, line of its output) for what shows only where the faults are; the most telling line of each
    output.
    """
    said: set[str] = set()
    for number, entry in enumerate(entries):
        if entry.kind != "line":
            continue
        there = set(map(str.strip, plain_text(elsewhere.get(number, "")).splitlines()))
        here = [line.strip() for line in plain_text(entry.everything).splitlines()]
        new = [line for line in here if len(line) > 3 and line not in there and line not in said]
        if new:
            best = max(new, key=lambda line: (bool(_TELLING.search(line)), not _CLOCK.search(line), -len(line)))
            said.add(best)
            yield entry.text, _STAMP.sub("", best)


def telling_facts(real: Simulation[World], twin: Simulation[World], target: str) -> Iterator[str]:
    """Facts about the target, or about the machine that it is part of, that hold here and not in the twin."""
    for name in dict.fromkeys([target, target.partition("/")[0]]):
        for fact in catalogue().values():
            kind = _of_one(fact)
            if kind is None or not _is_one(kind, real.world, name):
                continue
            values = [_asked(fact, view, name) for view in (_view(real), _view(twin))]
            if values == [True, False]:
                yield f"{fact.name}({name})"
            elif values == [False, True]:
                yield f"not {fact.name}({name})"


def _of_one(fact: Fact) -> Kind | None:
    """The kind of component that a true-or-false fact is about, if it is about one and nothing else."""
    return fact.parameters[0].kind if len(fact.parameters) == 1 and fact.type is TRUTH else None


def _is_one(kind: Kind, world: World, name: str) -> bool:
    place = name.partition("/")[0] if "/" in name else None
    try:
        return name in set(kind.ids(world, place))
    except BreakfixError:
        return False


def _asked(fact: Fact, view: View, name: str) -> object:
    try:
        return fact.ask(view, name)
    except BreakfixError:
        return None


def _view(simulation: Simulation[World]) -> View:
    return View(simulation.world, simulation.now)


def _whole(
    recorded: Recorded, identifier: str, uuid: str, fault: str, target: str, found: Iterable[tuple[str, str]],
    facts: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    data = _bare(recorded, identifier, uuid)
    fact = facts[0] if facts else "TO_BE_WRITTEN"
    evidence = [
        {"id": f"seen-{number}", "says": f"{UNWRITTEN}: what `{typed[:60]}` showed", "fact": fact,
         "patterns": [line[:200].replace("{", "{{").replace("}", "}}")]}
        for number, (typed, line) in enumerate(list(found)[:_MOST_EVIDENCE], 1)
    ]  # fmt: skip
    healed = fact.removeprefix("not ") if fact.startswith("not ") else f"not {fact}"
    solution = [line for line in recorded.lines if line.strip()]
    words = fault.partition(".")[2].replace("_", " ")
    if not any(_is_move(line) for line in solution):
        solution += [
            f":diagnose component={target} cause={fault}",
            f":note {target}: {words}, since about 09:30",
            ":submit",
        ]
    data |= {
        "diagnosis": {"component": target, "cause": fault, "wrong": []},
        "evidence": evidence,
        "goals": [{"id": "mended", "says": UNWRITTEN, "fact": healed}],
        "safety": [
            {"id": "nobody-hurt", "says": "No running job was killed", "fact": "jobs.killed() == 0", "critical": True}
        ],
        "record": {"component": [target], "cause": [words]},
        "hints": [{"text": UNWRITTEN, "cost": 4}],
        "solution": "\n".join(solution) + "\n",
    }
    order = [
        *list(data)[:15],
        "faults",
        "diagnosis",
        "evidence",
        "goals",
        "safety",
        "record",
        "hints",
        "solution",
        "debrief",
    ]
    return {key: data[key] for key in dict.fromkeys(order) if data.get(key) not in ({}, [])}


def _is_move(line: str) -> bool:
    try:
        return type(parse_move(line)).__name__ != "Line"
    except BreakfixError:
        return False


class _Readable(yaml.SafeDumper):
    """Several lines as a block, and what stands twice twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Readable.add_representer(str, _block)

_HEAD = """\
# A draft from a sandbox session. What it lacks: `breakfix author check {id}.yaml`, `breakfix author prove {id}.yaml`.
# To do: let the seed choose the target (`vary`, docs/scenarios.md) and put {{names}} in place of what it chose; write
# the ticket, wrong causes with what refutes them, hints, wrong fixes and the debrief; make patterns take in what
# other commands show of the same.{facts}
"""
_NO_FACT = """
# No fact about the target tells this world from one without the fault: write one (`breakfix list facts`)."""


def dump(data: Mapping[str, Any]) -> str:
    """Data as YAML that people can read."""
    return str(yaml.dump(dict(data), Dumper=_Readable, sort_keys=False, allow_unicode=True, width=120))


def _text(data: Mapping[str, Any], has_facts: bool) -> str:
    return _HEAD.format(id=data["id"], facts="" if has_facts else _NO_FACT) + dump(data)
