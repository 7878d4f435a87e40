"""Node sets as ClusterShell 1.9 folds and expands them: numbers sorted, names grouped by what surrounds the number.

Groups (@compute, @head, @batch) are the site's roles and Slurm partitions, as a group source for Slurm gives them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.inventory import Inventory

_STEPPED = re.compile(r"(\d+)-(\d+)/(\d+)")
_OPERATORS = re.compile(r"([!&^])")
_NUMBER = re.compile(r"\d+")


def groups(inventory: Inventory) -> dict[str, list[str]]:
    """The node groups of a site by name."""
    found: dict[str, list[str]] = {"all": list(inventory.node_names)}
    for name in inventory.node_names:
        found.setdefault(inventory.node(name).role, []).append(name)
    found |= {partition.name: list(partition.nodes) for partition in inventory.partitions}
    return found


def parse(inventory: Inventory, text: str) -> list[str]:
    """The nodes of a set such as `dgx-[01-04]!dgx-02`, `@compute`, `n[1-9/2]`, sorted. Raises BreakfixError."""
    result: set[str] = set()
    operator = ","
    for piece in _OPERATORS.split(text):
        if piece in ("!", "&", "^"):
            operator = piece
            continue
        members = set(_members(inventory, piece))
        result = _combined(result, operator, members)
        operator = ","
    return sorted(result, key=natural)


def _combined(left: set[str], operator: str, right: set[str]) -> set[str]:
    if operator == "!":
        return left - right
    if operator == "&":
        return left & right
    return left ^ right if operator == "^" else left | right


def _members(inventory: Inventory, text: str) -> list[str]:
    if text.count("[") > text.count("]"):
        raise BreakfixError(f'missing bracket: "{text}"')
    stepped = _STEPPED.sub(_steps, text)
    names: list[str] = []
    for name in expand(stepped):
        if name.startswith("@"):
            known = groups(inventory)
            group = name[1:].partition(":")[2] or name[1:]
            if group not in known:
                raise BreakfixError(f'Unknown group "{name}"')
            names += known[group]
        else:
            names.append(name)
    return names


def _steps(match: re.Match[str]) -> str:
    low, high, step = match.groups()
    return ",".join(f"{number:0{len(low)}d}" for number in range(int(low), int(high) + 1, max(int(step), 1)))


def natural(name: str) -> tuple[tuple[str, int, int], ...]:
    """The order of node names: text by text, number by number."""
    parts = re.split(r"(\d+)", name)
    texts, numbers = parts[::2], parts[1::2]
    padded = [*numbers, ""]
    return tuple((text, int(number or -1), len(number)) for text, number in zip(texts, padded, strict=True))


def fold(names: Iterable[str]) -> str:
    """The short form: `dgx-[01-04],head-01`."""
    by_pattern: dict[str, set[str]] = {}
    for name in names:
        by_pattern.setdefault(_NUMBER.sub("%s", name), set()).add(name)
    return ",".join(_folded(pattern, sorted(members, key=natural)) for pattern, members in sorted(by_pattern.items()))


def _folded(pattern: str, members: Sequence[str]) -> str:
    """Names alike but for their numbers. Only the last number that differs is folded, as rectangles are of several."""
    if len(members) == 1 or "%s" not in pattern:
        return ",".join(members)
    rows = [_NUMBER.findall(name) for name in members]
    axes = [list(dict.fromkeys(row[axis] for row in rows)) for axis in range(len(rows[0]))]
    product = 1
    for axis in axes:
        product *= len(axis)
    if product == len(rows):
        return pattern % tuple(_ranges(axis) for axis in axes)
    heads = list(dict.fromkeys(tuple(row[:-1]) for row in rows))
    parts = []
    for head in heads:
        last = [row[-1] for row in rows if tuple(row[:-1]) == head]
        parts.append(pattern % (*head, _ranges(last)))
    return ",".join(parts)


def _ranges(numbers: Sequence[str]) -> str:
    widths = {len(text) for text in numbers if _padded(text)}
    ordered = sorted(set(numbers), key=lambda text: (len(text) if len(text) in widths else 0, int(text)))
    if len(ordered) == 1:
        return ordered[0]
    runs: list[list[str]] = []
    for text in ordered:
        follows = runs and int(text) == int(runs[-1][-1]) + 1 and _same_width(runs[-1][-1], text)
        if follows:
            runs[-1].append(text)
        else:
            runs.append([text])
    return "[" + ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs) + "]"


def _same_width(one: str, other: str) -> bool:
    return len(one) == len(other) if _padded(one) or _padded(other) else True


def _padded(number: str) -> bool:
    return len(number) > 1 and number.startswith("0")
