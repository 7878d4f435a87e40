"""A small drill for the tests, in the words of the fake shell, and ways to change and to play it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import yaml

from scenarios.evidence import find_sightings
from scenarios.load import load
from scenarios.model import Scenario
from scenarios.result import Result
from scenarios.scoring import score
from scenarios.session import DrillSession
from tests.scenarios.fake import FakeTerminals

TEXT = """
format: 1
id: lost-gpu
uuid: 00000000-0000-4000-8000-000000000001
title: A lost GPU
authors: [tests]
licence: Apache-2.0
kind: drill
site: dgx-h100-4
objectives: [find it]
difficulty: 1
minutes: 5
lead: 30m
settle: 2h
briefing: {sender: a user, subject: "{job.name} stopped", text: Please look. It was my run.}
vary:
  node: {kind: node, where: jobs.running(node) > 0 and node != dgx-03}
  gpu: {kind: gpu, in: node}
  job: {kind: job, in: node}
  since: {kind: time, low: 5m, high: 20m}
faults: [{fault: gpu.fell_off_bus, target: "{gpu}", onset: "-{since}", parameters: {cause: board, holds: 40m}}]
moves:
  - {at: -10m, who: mara, line: "drain dgx-04 maintenance"}
  - {at: 15m, who: mara, line: "resume dgx-04"}
  - {at: 20m, who: a user, message: "Is it {node}?"}
causes: {network.broken: Something in the network}
diagnosis:
  component: "{gpu}"
  cause: gpu.fell_off_bus
  near: {network.broken: 5}
  wrong:
    - cause: driver.library_mismatch
      component: "{node}"
      instead: [{fault: driver.library_mismatch, target: "{node}", onset: "-{since}"}]
      refuted_by: [xid]
      because: No Xid comes of that.
evidence:
  - {id: xid, says: The kernel says so, fact: "gpu.xid(gpu, 79)", patterns: ["Xid (PCI:{gpu.pci}): 79"], weight: 3}
  - {id: count, says: One is lost, fact: gpu.lost(gpu), patterns: [{regex: 'GPU {gpu.index} LOST'}]}
goals:
  - {id: back, says: All are back, fact: all gpu as one in node where gpu.visible(one), weight: 2}
  - {id: in-service, says: It takes jobs, fact: slurm.node.available(node)}
safety:
  - {id: unhurt, says: Nobody is hurt, fact: harm.total() == 0, critical: true}
record: {component: ["{gpu.short}", "{gpu.pci}"], cause: [xid 79]}
hints: [{text: Look at the kernel's log, cost: 4}, {text: "It is {gpu}", cost: 10}]
solution: |
  gpus {node}
  :pin GPU {gpu.index} LOST
  log {node}
  :pin 79, GPU has
  :diagnose component={gpu} cause=gpu.fell_off_bus
  drain {node} {gpu.short} Xid 79 at {since.clock}
  :hands replace target={gpu}
  :wait 2h
  resume {node}
  :submit
wrong_fixes:
  - id: hope
    says: A cold start helps for a while
    lines: |
      drain {node} x
      :hands power-cycle target={node}
      :wait 30m
      resume {node}
    breaks: [back]
debrief: It was {gpu}.
"""


def scenario(**changes: Any) -> Scenario:
    """The drill, with some top-level keys changed (None: removed)."""
    data = {**yaml.safe_load(TEXT), **changes}
    return load(_dump({key: value for key, value in data.items() if value is not None}), "drill.yaml")


class _Plain(yaml.SafeDumper):
    """Writes what stands twice twice: scenario files have no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dump(data: dict[str, Any]) -> str:
    return str(yaml.dump(data, Dumper=_Plain, sort_keys=False))


async def start(drill: Scenario, seed: int = 1) -> DrillSession:
    """A session with the fake shell."""
    return await DrillSession.start(drill, seed, open_world=FakeTerminals)


async def _play(drill: Scenario, lines: Sequence[str], seed: int) -> DrillSession:
    session = await start(drill, seed)
    for line in lines:
        await session.perform(session.stage.fill(line))
    return session


def played(lines: str | Sequence[str], drill: Scenario | None = None, seed: int = 1) -> DrillSession:
    """A session after some lines."""
    texts = lines.splitlines() if isinstance(lines, str) else lines
    return asyncio.run(_play(drill or scenario(), texts, seed))


def result(lines: str | Sequence[str], drill: Scenario | None = None, seed: int = 1) -> Result:
    """The result of some lines; they are handed in if they do not say so themselves."""
    session = played(lines, drill, seed)
    if not session.submitted:
        session.submit()
    return asyncio.run(score(session))


def seen(lines: str | Sequence[str], drill: Scenario | None = None, seed: int = 1) -> set[str]:
    """The evidence that some lines saw."""
    session = played(lines, drill, seed)
    found = asyncio.run(find_sightings(session.stage, session.journal.entries))
    return {sighting.evidence for sighting in found}
