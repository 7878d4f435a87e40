"""Whether a bank covers its blueprint: items by domain against the weights, and by objective.

Gaps are warnings, since a bank may be published before it is whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exams.blueprint import Domain
from exams.check.finding import Finding, percent
from exams.check.pool import Pool
from exams.drawing import apportion
from exams.item import HandsOnItem

POINTS = 5
"""So many percentage points may the share of a domain be away from its weight."""

PER_OBJECTIVE = 2
"""Every objective has so many items."""


def check(pool: Pool) -> Iterator[Finding]:
    """Gaps between a whole bank and its blueprint."""
    if not pool.whole:
        return
    blueprint = pool.blueprint
    questions = [entry.item for entry in pool.entries if not isinstance(entry.item, HandsOnItem)]
    if not questions:
        yield from pool.on_blueprint(f"there are no items yet, an exam has {blueprint.items}", "items", warning=True)
        return
    domains = Counter(item.domain for item in questions)
    objectives = Counter(item.objective for item in questions)
    quota = apportion({domain.id: domain.weight for domain in blueprint.domains}, blueprint.items)
    for number, domain in enumerate(blueprint.domains):
        yield from _domain(pool, number, domain, domains, quota[domain.id])
        for place, objective in enumerate(domain.objectives):
            if (count := objectives[objective.id]) < PER_OBJECTIVE:
                text = f"{objective.id}: {_items(count)} for this objective; write at least {PER_OBJECTIVE}"
                yield from pool.on_blueprint(text, "domains", number, "objectives", place, warning=True)
    yield from _labs(pool, len(pool.entries) - len(questions))


def _domain(pool: Pool, number: int, domain: Domain, counts: Counter[str], wanted: int) -> Iterator[Finding]:
    count, total = counts[domain.id], counts.total()
    path = ("domains", number, "weight")
    if count < wanted:
        text = f"{domain.id}: {_items(count)}, an exam of {pool.blueprint.items} draws {wanted}; write more"
        yield from pool.on_blueprint(text, *path, warning=True)
    if abs(count * 100 - domain.weight * total) > POINTS * total:
        text = f"{domain.id}: {count} of {total} items are {percent(count / total)}, the weight is {domain.weight} %"
        text += f"; the two should be within {POINTS} points"
        yield from pool.on_blueprint(text, *path, warning=True)


def _labs(pool: Pool, count: int) -> Iterator[Finding]:
    labs = pool.blueprint.hands_on
    if labs and count < labs.count:
        text = f"{_items(count)} for hands-on labs, an exam draws {labs.count}; write more"
        yield from pool.on_blueprint(text, "hands_on", warning=True)


def _items(count: int) -> str:
    return f"{count or 'no'} item{'' if count == 1 else 's'}"
