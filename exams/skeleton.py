"""What `breakfix author new bank` and `new blueprint` write: small whole files, to be changed piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from exams.blueprint import Blueprint

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_BANK = """\
# docs/exams.md explains every key. Check it and look at it: `breakfix author check FILE`,
# `breakfix author preview FILE`.
format: 1
blueprint: {blueprint}
topic: {topic}
title: What the items are about
authors: [your name]
licence: Apache-2.0
items:
  - kind: single
    id: {topic}-question
    uuid: {uuid[0]}
    domain: {domain}
    objective: {objective}
    difficulty: 2
    stem: One clear question that can be answered before the options are read
    options:
      - {{id: right, text: The right one is about as long, right: true, because: Tell what makes it so.}}
      - {{id: usual-mistake, text: A mistake that people make, right: false, because: Tell why one would think so.}}
      - {{id: half-truth, text: Something true that answers another question, right: false, because: Tell which one.}}
    sources:
      - {{title: A document that says so, locator: section or page, checked: {today}}}

  - kind: numeric
    id: {topic}-number
    uuid: {uuid[1]}
    domain: {domain}
    objective: {objective}
    difficulty: 2
    stem: Eight GPUs may take 700 W each. How much power is that, in kW?
    value: 5.6
    tolerance: 0.05
    unit: kW
    because: Eight times 700 W are 5600 W, which is 5.6 kW.
    sources:
      - {{title: Arithmetic, locator: a product, checked: {today}}}

  # The lines are run on a seeded cluster, and the facts are asked of it: `breakfix list facts`.
  - kind: single
    id: {topic}-exhibit
    uuid: {uuid[2]}
    domain: {domain}
    objective: {objective}
    difficulty: 2
    stem: What does Slurm show of {{node}}?
    exhibit:
      site: dgx-h100-4
      vary:
        node: {{kind: node}}
      lines:
        - sinfo -N -n {{node}}
        - squeue -h -w {{node}}
    options:
      - id: works
        text: At least one job is running there
        fact: jobs.running(node) > 0
        because: The list of jobs has a line with the state R for each.
      - id: idle
        text: It has no job and would take one
        fact: jobs.running(node) == 0 and slurm.node.available(node)
        because: Its state would be idle, and the list of jobs empty.
      - id: drained
        text: It has no job and would take none
        fact: jobs.running(node) == 0 and not slurm.node.available(node)
        because: A drained node keeps new jobs away; its state would be drain.
    sources:
      - {{title: A document that explains what is shown, locator: section or page, checked: {today}}}
"""

_BLUEPRINT = """\
# docs/exams.md explains every key. The banks of this exam are files in the folder {id}/ beside this one:
# `breakfix author new bank TOPIC --blueprint {id}.yaml` begins one.
format: 1
id: {id}
code: {code}
title: What the exam is called
level: Associate
items: 20
minutes: 30
domains:
  - id: first-domain
    title: A part of the exam
    weight: 60
    objectives:
      - {{id: first-objective, text: What somebody is able to do}}
  - id: second-domain
    title: Another part
    weight: 40
    objectives:
      - {{id: second-objective, text: What else somebody is able to do}}
sources:
  - {{title: Where the weights and objectives are published, locator: section or page, checked: {today}}}
"""


def bank_skeleton(topic: str, blueprint: Blueprint, new_uuid: Callable[[], str], today: date) -> str:
    """The text of a new bank, for the first objective of a blueprint. Raises BreakfixError for an unfit id."""
    _require_id(topic)
    domain = blueprint.domains[0]
    return _BANK.format(
        blueprint=blueprint.id,
        topic=topic,
        uuid=[new_uuid() for _ in range(3)],
        domain=domain.id,
        objective=domain.objectives[0].id,
        today=today,
    )


def blueprint_skeleton(identifier: str, today: date) -> str:
    """The text of a new blueprint. Raises BreakfixError for an unfit id."""
    _require_id(identifier)
    return _BLUEPRINT.format(id=identifier, code=identifier.upper(), today=today)


def _require_id(identifier: str) -> None:
    if not _ID.fullmatch(identifier) or len(identifier) > 40:
        told = f"{quoted(identifier)} is no id; use small letters, digits and dashes, at most 40, such as slow-links"
        raise BreakfixError(told)
