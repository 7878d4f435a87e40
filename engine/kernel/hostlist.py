"""Host lists: `dgx-[01-04,07],head-01` to names and back, as Slurm, ClusterShell and site files write them.

Folding follows Slurm's hostlist_ranged_string: neighbours with the same prefix and width share one bracket, in the
given order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.kernel.errors import BreakfixError

_LIMIT = 65_536
_PIECE = re.compile(r"\[([^\[\]]*)\]")
_NUMBERED = re.compile(r"^(.*?)(\d+)$", re.DOTALL)


def expand(text: str) -> list[str]:
    """All names of a host list, in order, without repeats. Raises BreakfixError for a malformed or huge list."""
    names: dict[str, None] = {}
    for part in _split(text):
        for name in _expand_part(part):
            names[name] = None
            if len(names) > _LIMIT:
                raise BreakfixError(f"the host list '{text[:60]}' has more than {_LIMIT} names")
    return list(names)


def fold(names: Iterable[str]) -> str:
    """The short form of `names`: `dgx-[01-03],head-01`."""
    groups: dict[tuple[str, int], list[int]] = {}
    order: list[tuple[str, int] | str] = []
    for name in names:
        match = _NUMBERED.match(name)
        if not match:
            order.append(name)
            continue
        key = (match[1], len(match[2]))
        if key not in groups:
            groups[key] = []
            order.append(key)
        groups[key].append(int(match[2]))
    return ",".join(entry if isinstance(entry, str) else _fold_group(entry, groups[entry]) for entry in order)


def _fold_group(key: tuple[str, int], numbers: list[int]) -> str:
    prefix, width = key
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}" for low, high in runs]
    if len(texts) == 1 and "-" not in texts[0]:
        return prefix + texts[0]
    return f"{prefix}[{','.join(texts)}]"


def _split(text: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "[") - (character == "]")
        if character in ", " and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    if depth or text.count("[") != text.count("]"):
        raise BreakfixError(f"the host list '{text[:60]}' has an unbalanced bracket")
    return [part for part in [*parts, current] if part]


def _expand_part(part: str) -> Iterator[str]:
    """Name by name, so that the limit stops a product of ranges in time."""
    match = _PIECE.search(part)
    if not match:
        yield part
        return
    prefix = part[: match.start()]
    for number in _numbers(match[1], part):
        for tail in _expand_part(part[match.end() :]):
            yield f"{prefix}{number}{tail}"


def _numbers(ranges: str, whole: str) -> list[str]:
    result: list[str] = []
    for piece in ranges.split(","):
        low, dash, high = piece.partition("-")
        high = high if dash else low
        if not (low.isdigit() and high.isdigit()) or int(high) < int(low) or int(high) - int(low) >= _LIMIT:
            raise BreakfixError(f"the host list '{whole[:60]}' has a bad range '{piece[:20]}'")
        result += [f"{number:0{len(low)}d}" for number in range(int(low), int(high) + 1)]
    return result
