"""`--sort-by`: objects in the order of a field.

Source: kubectl pkg/cmd/get/sorter.go: quantities by their amount, other text by its parts (numbers in it count as
numbers before release 1.31, kubernetes/kubernetes#124514), objects without the field first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from engine.commands.kubernetes._kubectl import jsonpath, quantities, release
from engine.commands.kubernetes._kubectl.failures import Failed, error
from engine.commands.kubernetes._kubectl.selecting import Found


class NoField(Failed):
    """A field that none of the objects has."""


def ordered(found: list[Found], field: str, minor: int) -> list[Found]:
    """Objects by a field, as a client of that minor release does. Raises Failed for a field that none of them has."""
    try:
        path = jsonpath.relaxed(field)
        nodes = jsonpath.parse(path)
    except jsonpath.PathError as why:
        raise error(str(why)) from None
    keyed = [(jsonpath.found_values(nodes, each.thing), each) for each in found]
    if found and not any(values for values, _ in keyed):
        raise NoField(f'error: couldn\'t find any field with path "{path}" in the list of objects')
    words: Callable[[str], Any] = _parts if minor < release.PLAIN_ORDER else str

    def by_values(one: tuple[list[Any], Found], other: tuple[list[Any], Found]) -> int:
        return _compare(one[0], other[0], words)

    return [each for _, each in sorted(keyed, key=cmp_to_key(by_values))]


def _compare(one: list[Any], other: list[Any], words: Callable[[str], Any]) -> int:
    if not one or not other:
        return len(one[:1]) - len(other[:1])
    first, second = one[0], other[0]
    if isinstance(first, str) and isinstance(second, str):
        first, second = _comparable(first, second, words)
    try:
        return -1 if first < second else 1 if first > second else 0
    except TypeError:
        return 0


def _comparable(first: str, second: str, words: Callable[[str], Any]) -> tuple[Any, Any]:
    try:
        return quantities.parse(first).nano, quantities.parse(second).nano
    except ValueError:
        return words(first), words(second)


def _parts(text: str) -> list[tuple[int, int, str]]:
    """Numbers by their length and digits, other text as it is."""
    parts = [part for part in re.split(r"(\d+)", text) if part]
    return [(0, len(bare := part.lstrip("0")), bare) if part.isdecimal() else (1, 0, part) for part in parts]
