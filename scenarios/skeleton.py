"""The file that `breakfix author new drill` writes: a small drill that is whole, to be changed piece by piece."""

from __future__ import annotations

import re

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_TEXT = """\
# docs/scenarios.md explains every key. Check and prove it: `breakfix author check {id}.yaml`,
# `breakfix author prove {id}.yaml`.
format: 1
id: {id}
uuid: {uuid}
title: What the learner reads in the list
authors: [your name]
sources: [where the incident is described]
licence: Apache-2.0
kind: drill
site: dgx-h100-4
objectives: [What it practises]
difficulty: 2
minutes: 20
lead: 1h
settle: 10m
briefing:
  form: ticket
  sender: "{{user.full_name}} (research)"
  subject: "Something is wrong with {{node}}"
  text: |
    What a person would write who does not know the cause.
vary:
  user: {{kind: user, where: "user.is_in(user, research)"}}
  node: {{kind: node, where: jobs.running(node) > 0}}
  fan: {{kind: fan, in: node, where: fan.cools(fan) == system}}
  since: {{kind: time, low: 20m, high: 50m}}
faults:
  - {{fault: cooling.fan_failed, target: "{{fan}}", onset: "-{{since}}"}}
diagnosis:
  component: "{{fan}}"
  cause: cooling.fan_failed
  wrong:
    - cause: cooling.filter_clogged
      component: "{{node}}"
      instead: [{{fault: cooling.filter_clogged, target: "{{node}}", onset: "-{{since}}"}}]
      refuted_by: [fan-stopped]
      because: What tells the two apart.
evidence:
  - id: fan-stopped
    says: "{{fan.short}} of {{node}} does not turn"
    fact: fan.failed(fan)
    patterns: [{{regex: 'SPD_FAN_SYS{{fan.index}}_[FR]\\b.*\\bl?(cr|nr)\\b'}}]
goals:
  - {{id: turning, says: "{{fan.short}} of {{node}} turns", fact: not fan.failed(fan)}}
safety:
  - {{id: nobody-hurt, says: No running job was killed, fact: jobs.killed() == 0, critical: true}}
record:
  component: ["{{fan.short}}", "fan {{fan.index}}"]
  cause: [stopped, failed]
hints:
  - {{text: Vague., cost: 3}}
  - {{text: Plain., cost: 8}}
solution: |
  ssh {{node}} sudo ipmitool sdr
  :pin SPD_FAN_SYS{{fan.index}}_F
  :diagnose component={{fan}} cause=cooling.fan_failed
  :note {{node}}: {{fan.short}} stopped at {{since.clock}}
  :hands replace target={{fan}}
  :wait 30m
  :submit
wrong_fixes:
  - id: clean-the-filter
    says: What people do instead, and what it leaves undone
    lines: |
      :hands clean-filter target={{node}}
      :wait 30m
      :submit
    breaks: [turning]
debrief: |
  What happened, how to tell, what helps.
"""


def require_id(identifier: str) -> str:
    """The id of a new scenario. Raises BreakfixError for one that files cannot have."""
    if not _ID.fullmatch(identifier):
        raise BreakfixError(f"{quoted(identifier)} is no id; use small letters, digits and dashes, such as slow-link")
    return identifier


def skeleton(identifier: str, uuid: str) -> str:
    """The text of a new scenario file. Raises BreakfixError for an id that files cannot have."""
    return _TEXT.format(id=require_id(identifier), uuid=uuid)
