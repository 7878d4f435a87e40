"""A sound small bank in a folder, what a change of it makes the checks say, and the blueprint that it is for."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from exams.check.finding import Finding
from exams.check.reading import read_file
from exams.check.run import check

Items = dict[str, dict[str, Any]]
Change = Callable[[Items], Any]

BLUEPRINT = {
    "format": 1,
    "id": "own",
    "code": "OWN",
    "title": "An exam of the tests",
    "level": "tests",
    "items": 4,
    "minutes": 8,
    "domains": [
        {
            "id": "seeing",
            "title": "Seeing",
            "weight": 100,
            "objectives": [{"id": "outputs", "text": "Read"}],
        }
    ],
    "sources": [{"title": "The tests", "locator": "here", "checked": "2026-11-30"}],
}

ITEMS = """
- kind: single
  id: colour
  stem: What colour has the sky on a clear day?
  options:
    - {id: blue, text: A light blue, right: true, because: Air scatters short waves most.}
    - {id: red, text: A deep crimson, right: false, because: It looks so when the sun is low.}
    - {id: grey, text: A dull grey, right: false, because: Clouds make it look so.}
- kind: multiple
  id: primes
  stem: Which of these numbers are prime?
  options:
    - {id: two, text: Two, right: true, because: It has no divisors but one and itself.}
    - {id: five, text: Five, right: true, because: Neither two nor three nor four divide it.}
    - {id: six, text: Six, right: false, because: Twice three makes it.}
    - {id: nine, text: Nine, right: false, because: Three times three makes it.}
- kind: ordering
  id: meals
  stem: Put the meals in the order of the day.
  steps:
    - {id: first, text: Breakfast, because: It ends the night.}
    - {id: second, text: Lunch, because: Noon is its time.}
    - {id: third, text: Supper, because: Evening brings it.}
- kind: matching
  id: capitals
  stem: Match each country with its capital.
  pairs:
    - {id: france, left: France, right: Paris, because: The seat of its government.}
    - {id: spain, left: Spain, right: Madrid, because: Philip moved the court there.}
    - {id: italy, left: Italy, right: Rome, because: Since unification.}
- kind: numeric
  id: power
  stem: Eight parts take 700 W each. How much is that, in kW?
  value: 5.604
  tolerance: 0.1
  unit: kW
  because: Eight times 700 W.
- kind: point
  id: idle-node
  stem: Point at the line of an idle node.
  exhibit:
    text: |
      node-1 idle
      node-2 alloc
      node-3 alloc
      node-4 down
  right: {pattern: idle, because: The state says so.}
  wrong: [{pattern: alloc, because: This one works.}]
  otherwise: It takes no work.
- kind: single
  id: state-of-a-node
  stem: What does Slurm show of {node}?
  exhibit:
    site: dgx-h100-4
    vary: {node: {kind: node}}
    lines: ["sinfo -N -n {node}"]
  options:
    - {id: works, text: A job runs there, fact: jobs.running(node) > 0, because: Its state tells of work.}
    - {id: idle, text: No job runs there, fact: jobs.running(node) == 0, because: It would be called idle.}
    - {id: gone, text: It has left the site, right: false, because: Slurm would not list it.}
"""


def items() -> Items:
    """The items of the sound bank by id, to be changed."""
    found: Items = {}
    for number, item in enumerate(yaml.safe_load(ITEMS)):
        about = {"uuid": f"00000000-0000-4000-8000-{number:012}", "domain": "seeing", "objective": "outputs"}
        sources = [{"title": "Common knowledge", "locator": "page 1", "checked": "2026-11-30"}]
        found[item["id"]] = item | about | {"difficulty": 1, "sources": sources}
    return found


def write(path: Path, items: list[dict[str, Any]], **changes: Any) -> Path:
    """A bank file with these items."""
    head = {"format": 1, "blueprint": "own", "topic": path.stem, "title": "Tests", "authors": ["tests"]}
    path.parent.mkdir(exist_ok=True)
    data = head | {"licence": "Apache-2.0"} | changes | {"items": items}
    path.write_text(yaml.safe_dump(data, sort_keys=False, width=1000))
    return path


def write_blueprint(folder: Path, **changes: Any) -> Path:
    """The blueprint file of the tests."""
    path = folder / "own.yaml"
    data = copy.deepcopy(BLUEPRINT) | changes
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    return path


def findings(path: Path, seeds: int = 2, today: date | None = None) -> list[Finding]:
    """What is found in a file."""
    return list(asyncio.run(check(read_file(path), seeds, today)).findings)


def found(folder: Path, change: Change, only: str = "", **options: Any) -> list[Finding]:
    """What is found in the bank after a change; `only` leaves the item of that id alone in it."""
    write_blueprint(folder)
    changed = items()
    change(changed)
    chosen = [item for id, item in changed.items() if not only or id == only]
    return findings(write(folder / "own" / "bank.yaml", chosen), **options)


def put(id: str, *path: Any) -> Change:
    """A change of one value in an item."""
    *steps, key, value = path

    def change(items: Items) -> None:
        place: Any = items[id]
        for step in steps:
            place = place[step]
        place[key] = value

    return change
