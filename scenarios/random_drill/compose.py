"""From a seed to a proved drill: a fault and its place are drawn until one makes a fair drill.

`random/AREA/LEVEL/SEED` names such a drill (`random/any/0/7`): the same name is the same drill on every machine.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from engine.faults.fault import Fault, catalogue
from engine.faults.targets import target_kinds
from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.inventory import Inventory
from engine.world.world import World
from scenarios.components import node_of
from scenarios.draft import telling_facts
from scenarios.model import FaultUse, Scenario
from scenarios.proof.prove import prove_seed
from scenarios.random_drill.findings import Finding, Looker, Outputs, findings, shows
from scenarios.random_drill.words import TICKETS
from scenarios.random_drill.written import ONSET, Found, Wrong, bare_data, scenario, whole_data
from scenarios.stage import Stage
from scenarios.terminals import OpenWorld, ShellTerminals

PREFIX = "random/"
ANY, ANY_LEVEL = "any", 0
TRIES = 40
_LEAST_FINDINGS, _MOST_EVIDENCE, _WRONG_CAUSES, _MOST_ACCEPTED = 2, 4, 2, 4
_SITES = {"roce": "hgx-h200-roce"}
_SITE = "dgx-h100-4"
_ELSEWHERE = ("kubernetes", "slurm", "subnet_manager")
"""Areas whose faults are seen on other machines than the node."""
EXAMS = {
    "ncp-aii": (
        "bmc", "cooling", "driver", "fabric", "fabric_manager", "gpu", "hca", "nvlink", "nvswitch", "os", "pcie",
        "power",
    ),
    "ncp-ain": ("fabric", "hca", "partition", "roce"),
    "ncp-aio": ("container", "dcgm", "driver", "gpu", "job", "nccl", "os"),
}  # fmt: skip
"""The areas of the blueprints' domains about trouble."""
_NAME = re.compile(r"random/([a-z_-]+)/([0-5])/(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted: faults of an area (the first word of their ids), a level (0: any), and the seed."""

    area: str = ANY
    level: int = ANY_LEVEL
    seed: int = 1

    @property
    def name(self) -> str:
        """The name of the drill."""
        return f"{PREFIX}{self.area}/{self.level}/{self.seed}"


def wish_of(name: str) -> Wish:
    """The wish that a name stands for. Raises BreakfixError."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise BreakfixError(f"{name} is no random drill", f"Their names are such as {Wish().name}.")
    wish = Wish(match[1], int(match[2]), int(match[3]))
    if wish.area not in (known := [ANY, *EXAMS, *areas()]):
        raise BreakfixError(unknown("area", wish.area, known))
    return wish


def areas() -> list[str]:
    """The areas that faults of nodes belong to."""
    return sorted({fault.id.partition(".")[0] for fault in _eligible(ANY)})


@lru_cache(maxsize=4)
def random_drill(name: str) -> Scenario:
    """The drill of that name; it takes seconds. Raises BreakfixError where none came of some tries."""
    wish = wish_of(name)
    with ThreadPoolExecutor(1) as beside:  # whoever asks may have a loop of its own under way
        return beside.submit(lambda: asyncio.run(compose(wish))).result()


async def compose(wish: Wish, open_world: OpenWorld = ShellTerminals) -> Scenario:
    """The first fair drill that the seed draws. Raises BreakfixError where there is none."""
    chance = Stream(wish.seed, f"random drill/{wish.area}/{wish.level}")
    candidates = _eligible(wish.area)
    for number in range(TRIES):
        fault = chance.choice(candidates)
        made = await _Attempt(wish, number, fault, chance, open_world).make()
        if made is not None:
            return made
    raise BreakfixError(
        f"no fair drill of level {wish.level} came of {wish.name} in {TRIES} tries", "Take another seed, area or level."
    )


def _eligible(area: str) -> list[Fault]:
    """Faults of an area (or of what an exam asks) that befall a node or a part of one."""
    kinds = target_kinds()
    found = []
    for fault in catalogue().values():
        own = fault.id.partition(".")[0]
        here = (area in (ANY, own) or own in EXAMS.get(area, ())) and own not in _ELSEWHERE
        if here and any("/" in kinds[kind].example or kind in ("node", "host") for kind in fault.targets):
            found.append(fault)
    return found


@dataclass
class _Attempt:
    """One fault at one place, made into a drill if it makes a fair one."""

    wish: Wish
    number: int
    fault: Fault
    chance: Stream
    open_world: OpenWorld

    async def make(self) -> Scenario | None:
        site = _SITES.get(self.fault.id.partition(".")[0], _SITE)
        base = open_site(site, self.wish.seed)
        target = self._target(base)
        if target is None:
            return None
        try:
            return await self._drill(site, target)
        except BreakfixError:
            return None  # the fault does not strike there

    def _target(self, base: Simulation[World]) -> str | None:
        """A component of a node that takes jobs."""
        inventory = base.world.inventory
        nodes = list(dict.fromkeys(node for partition in inventory.partitions for node in partition.nodes))
        return self._on(inventory, self.fault, self.chance.choice(nodes))

    async def _drill(self, site: str, target: str) -> Scenario | None:
        ticket = self.chance.choice(TICKETS)
        bare = bare_data(self.wish.area, self.wish.level, self.wish.seed, site, self.fault, target, ticket)
        stage = Stage.build(scenario(bare), self.wish.seed, self.open_world)
        real, twin = await stage.real(), await stage.twin()
        facts = list(telling_facts(real, twin, target))
        if not facts or not _in_service(stage, real, node_of(target)):
            return None
        looker = Looker(self.open_world, node_of(target))
        here, there = await looker.outputs(real), await looker.outputs(twin)
        telling = list(findings(here, there))
        level = _level(len(telling))
        if len(telling) < _LEAST_FINDINGS or self.wish.level not in (ANY_LEVEL, level):
            return None
        chosen = telling[:_MOST_EVIDENCE]
        wrong = await self._wrong(stage, looker, target, chosen)
        found = Found(self.fault, target, level, facts[0], chosen, wrong)
        return await self._proved(bare, found) if wrong else None

    async def _proved(self, bare: dict[str, Any], found: Found) -> Scenario | None:
        """The drill, if it holds; faults that nobody can tell from the true one by this evidence are right as well."""
        made = scenario(whole_data(bare, found))
        failures = await prove_seed(made, self.wish.seed, self.open_world)
        if failures and all(one.check == "identifiable" for one in failures):
            same = [(target, cause) for cause, target in (one.subject.split(" ") for one in failures)]
            if len(same) <= _MOST_ACCEPTED:
                made = scenario(whole_data(bare, replace(found, accepted=same)))
                failures = await prove_seed(made, self.wish.seed, self.open_world)
        return None if failures else made

    async def _wrong(self, stage: Stage, looker: Looker, target: str, chosen: Sequence[Finding]) -> list[Wrong]:
        """Causes that people could think of: faults of the same part, and of others in the node, with which some of the
        evidence is not seen.
        """
        found: list[Wrong] = []
        for other, place in self._others(stage, target)[: 3 * _WRONG_CAUSES]:
            use = FaultUse(fault=other.id, target=place, onset=ONSET, parameters={})
            try:
                shown = await looker.outputs(await stage.world((use,)))
            except BreakfixError:
                continue
            if against := _not_shown(chosen, shown):
                found.append(Wrong(other, place, against))
            if len(found) == _WRONG_CAUSES:
                break
        return found

    def _others(self, stage: Stage, target: str) -> list[tuple[Fault, str]]:
        """Other faults with a place each: those of the same part first."""
        inventory, kinds = stage.base.world.inventory, target_kinds()
        others = [one for one in _eligible(ANY) if one.id != self.fault.id]
        others = self.chance.sample(others, len(others))
        same = [(one, target) for one in others if any(kinds[kind].has(inventory, target) for kind in one.targets)]
        node = node_of(target)
        near = [(one, self._on(inventory, one, node)) for one in others if one not in [each for each, _ in same]]
        return [*same[:2], *((one, place) for one, place in near if place is not None)]

    def _on(self, inventory: Inventory, fault: Fault, node: str) -> str | None:
        """A component of a node that a fault can befall."""
        fitting = {
            target
            for kind in map(target_kinds().__getitem__, fault.targets)
            for target in kind.near(inventory, node)
            if node_of(target) == node and kind.has(inventory, target)
        }
        return self.chance.choice(sorted(fitting)) if fitting else None


def _not_shown(chosen: Sequence[Finding], shown: Outputs) -> list[int]:
    """The places of the evidence that does not show there."""
    both = {one.line: [*shown[one.line][0], *shown[one.line][1]] for one in chosen}
    return [place for place, one in enumerate(chosen) if not shows(one.regex, both[one.line])]


def _in_service(stage: Stage, real: Simulation[World], node: str) -> bool:
    return stage.holds(f"slurm.node.available({node})", real)


def _level(findings_count: int) -> int:
    """The fewer looks show it, the harder it is."""
    return next((level for level, least in ((1, 12), (2, 8), (3, 5), (4, 3)) if findings_count >= least), 5)
