"""What the author of a scenario has not written yet: texts that are still those of the template or of a draft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import BaseModel

from scenarios.model import Scenario
from scenarios.skeleton import skeleton

UNWRITTEN = "To be written"
_OWN = ("title", "authors", "sources", "objectives", "briefing", "diagnosis", "hints", "debrief", "wrong_fixes")
"""Parts whose texts are the author's own; others may well be as the template has them."""
_KEYS = {"title", "authors", "sources", "objectives", "text", "because", "says", "debrief"}


def leftovers(scenario: Scenario) -> list[str]:
    """Places in the file that still hold a text of the template."""
    template = set(_texts(yaml.safe_load(skeleton("x", "0")), _OWN))
    known = {text for _, text in template}
    data = dict(scenario)
    return [
        place
        for place, text in _texts(data, tuple(data))
        if text.startswith(UNWRITTEN) or (place.partition(".")[0].partition("[")[0] in _OWN and text in known)
    ]


def _texts(data: Mapping[str, Any], parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(place, text) of the texts that people read."""
    for part in parts:
        yield from _within(data.get(part), part, part in _KEYS)


def _within(value: Any, place: str, told: bool) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and told:
        yield place, " ".join(value.split())
    elif isinstance(value, (Mapping, BaseModel)):
        for key, one in dict(value).items():
            yield from _within(one, f"{place}.{key}", key in _KEYS)
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            yield from _within(one, f"{place}[{number}]", told)
