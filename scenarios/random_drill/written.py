"""A drill that nobody wrote, put into the form of a scenario file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from engine.faults.fault import Fault
from engine.kernel.random import hash64
from scenarios.components import node_of
from scenarios.draft import dump
from scenarios.load import load
from scenarios.model import Scenario
from scenarios.random_drill.findings import Finding
from scenarios.random_drill.words import Ticket

ONSET = "-40m"


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault at a place that somebody could think of, and which pieces of evidence it does not show."""

    fault: Fault
    target: str
    against: Sequence[int]


@dataclass(frozen=True)
class Found:
    """A fault at its place, and what was found out about it: how hard it is, a fact that only it makes true, what shows
    it, causes that are ruled out, and components and causes that nobody can tell from the true ones.
    """

    fault: Fault
    target: str
    level: int
    fact: str
    evidence: Sequence[Finding]
    wrong: Sequence[Wrong]
    accepted: Sequence[tuple[str, str]] = ()

    @property
    def node(self) -> str:
        """The node that it befell, or a part of which."""
        return node_of(self.target)

    def line(self, one: Finding) -> str:
        """A look as it is typed."""
        return one.line.replace("{node}", self.node)


def scenario(data: dict[str, Any]) -> Scenario:
    """The scenario of some data. Raises DocumentError for mistakes in it."""
    return load(dump(data), data["id"])


def bare_data(area: str, level: int, seed: int, site: str, fault: Fault, target: str, ticket: Ticket) -> dict[str, Any]:
    """What is known before anybody looked: enough to open its worlds."""
    node = node_of(target)
    number = hash64(seed, "random drill", area, level)
    return {
        "format": 1,
        "id": f"random-{area.replace('_', '-')}-{level}-{seed}",
        "uuid": str(UUID(int=number << 64 | hash64(number, "second half"))),
        "title": f"Nobody knows what is wrong with {node}",
        "authors": ["breakfix"],
        "licence": "Apache-2.0",
        "kind": "drill",
        "outcome": "escalate",
        "site": site,
        "objectives": ["Look a node over without being told what for, and hand it on with a reason"],
        "difficulty": max(level, 1),
        "minutes": 20,
        "lead": "1h",
        "settle": "5m",
        "briefing": {"form": ticket.form, "sender": ticket.sender, "subject": ticket.subject, "text": ticket.text},
        "vary": {
            "node": {"kind": "node", "where": f"node == {node}"},
            "since": {"kind": "time", "low": "40m", "high": "40m"},
        },
        "faults": [{"fault": fault.id, "target": target, "onset": ONSET}],
        "diagnosis": {"component": target, "cause": fault.id},
        "evidence": [{"id": "none", "says": "none", "fact": "true", "patterns": ["none"]}],
        "goals": [{"id": "out", "says": "out", "fact": f"not slurm.node.available({node})"}],
        "record": {"component": [node], "cause": _words(fault)},
        "solution": ":submit\n",
        "debrief": fault.doc or fault.title,
    }


def whole_data(bare: Mapping[str, Any], found: Found) -> dict[str, Any]:
    """The whole scenario."""
    node = found.node
    return {
        **bare,
        "difficulty": found.level,
        "diagnosis": {
            "component": found.target,
            "cause": found.fault.id,
            "accept": [{"component": component, "cause": cause} for component, cause in found.accepted],
            "wrong": [*_wrong(found)],
        },
        "evidence": [*_evidence(found)],
        "goals": [
            {"id": "out-of-service", "says": f"{node} takes no new work", "fact": f"not slurm.node.available({node})"}
        ],
        "safety": [
            {"id": "nobody-hurt", "says": "You killed no running job", "fact": "harm.total() == 0", "critical": True}
        ],
        "hints": [*_hints(found)],
        "solution": "\n".join(_solution(found)) + "\n",
        "debrief": _debrief(found),
    }


def _wrong(found: Found) -> Iterator[dict[str, Any]]:
    for one in found.wrong:
        look = found.line(found.evidence[one.against[0]])
        yield {
            "cause": one.fault.id,
            "component": one.target,
            "instead": [{"fault": one.fault.id, "target": one.target, "onset": ONSET}],
            "refuted_by": [f"look-{place}" for place in one.against],
            "because": _braced(f"With that, `{look}` would not show what it shows."),
        }


def _evidence(found: Found) -> Iterator[dict[str, Any]]:
    for place, one in enumerate(found.evidence):
        yield {
            "id": f"look-{place}",
            "says": _braced(f"What `{found.line(one)}` shows, and would not show if all was well"[:280]),
            "fact": found.fact,
            "patterns": [{"regex": one.regex}],
        }


def _hints(found: Found) -> Iterator[dict[str, Any]]:
    where = "Slurm, driver, GPUs, bus, links, adapters, BMC, logs"
    yield {"text": f"Compare {found.node} with a node that is well, look by look: {where}.", "cost": 4}
    first = found.line(found.evidence[0])
    yield {"text": _braced(f"`{first}` shows something that a healthy node does not."), "cost": 8}


def _solution(found: Found) -> Iterator[str]:
    for one in found.evidence:
        yield _braced(found.line(one))
        yield _braced(f":pin {one.text}")
    reason = f"{found.target}: {found.fault.title}, since {{since.clock}}"
    yield f":diagnose component={found.target} cause={found.fault.id}"
    yield f"sudo scontrol update nodename={found.node} state=drain reason=\"{reason.replace(chr(34), '')}\""
    yield f":note {reason}"
    yield f":escalate {reason}; {found.node} is drained."
    yield ":submit"


def _words(fault: Fault) -> list[str]:
    """Words of a fault's title of which a good reason has one."""
    words = [word.strip(",.;:()'\"").lower() for word in fault.title.split()]
    return [word for word in words if len(word) > 3] or [fault.id]


def _debrief(found: Found) -> str:
    shown = "\n\n".join(f"It showed in `{found.line(one)}`: {one.text}" for one in found.evidence)
    return _braced(f"{found.fault.title}: {found.target}. {found.fault.doc}\n\n{shown}\n")


def _braced(text: str) -> str:
    """A text in which a word in braces means the word, not a name of the scenario."""
    return text.replace("{", "{{").replace("}", "}}")
