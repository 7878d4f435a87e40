"""Pydantic's errors said in the words of somebody who edits a YAML file (error types: pydantic 2's usage errors)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pydantic

from engine.kernel.documents import Document, Path, Problem
from engine.kernel.model_keys import keys_at, purpose_of
from engine.kernel.names import alternatives, nearest, quoted, unknown

_MAPPING = "a mapping of keys to values"

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "none_required": "left empty",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "dataclass_type": _MAPPING,
}
"""What should stand there, by the types of error that mean something else does."""

_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "at least {min_length} characters long",
    "string_too_long": "at most {max_length} characters long",
    "too_short": "at least {min_length} entries long",
    "too_long": "at most {max_length} entries long",
    "string_pattern_mismatch": "of the form {pattern}",
}

_CHOICES = {"literal_error": "expected", "enum": "expected", "union_tag_invalid": "expected_tags"}
"""Where the context of an error holds the words that may stand there."""

_KEYS = frozenset({"missing", "extra_forbidden", "union_tag_not_found"})
_SIMPLE_KEY = re.compile(r"[\w-]{1,80}")
_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'")


@dataclass(frozen=True)
class _Complaint:
    """One of pydantic's errors, with its place in the document in place of its place in the model."""

    path: Path
    kind: str
    steps: tuple[str | int, ...]
    context: dict[str, Any]
    message: str


def complaints(document: Document, model: type[pydantic.BaseModel], error: pydantic.ValidationError) -> list[Problem]:
    """A problem for each mistake in the document."""
    found = [_complaint(document, details) for details in error.errors(include_url=False, include_input=False)]
    found = [one for one in found if not (one.kind == "too_short" and _long_enough(document, one))]
    told = [*_wrong_values(document, found), *_others(document, model, found)]
    return list(dict.fromkeys(told))


def _long_enough(document: Document, complaint: _Complaint) -> bool:
    """Whether a list that is called too short only has entries that are wrong themselves: pydantic leaves those out
    before it counts."""
    listed = document.value(complaint.path)
    return isinstance(listed, list) and len(listed) >= complaint.context["min_length"]


def _complaint(document: Document, details: Any) -> _Complaint:
    steps = tuple(details["loc"])
    kind, context = details["type"], details.get("ctx", {})
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        steps = (*steps, context["discriminator"].strip("'"))
    last = steps[-1:] if kind in _KEYS else ()
    path = _path(document.data, steps[: len(steps) - len(last)])
    return _Complaint((*path, *last), kind, steps, context, details["msg"])


def _path(data: Any, steps: Iterable[str | int]) -> Path:
    """The steps that exist in the data; pydantic also names the branches of unions, which are nowhere in the file."""
    path: list[str | int] = []
    for step in steps:
        if _has(data, step):
            data = data[step]
            path.append(step)
    return tuple(path)


def _has(data: Any, step: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(step, int) and step < len(data)
    return isinstance(data, dict) and step in data


def _wrong_values(document: Document, found: list[_Complaint]) -> Iterator[Problem]:
    """One problem per value of a wrong type or choice. A union complains once for each form it could have taken; where
    one of them got further, its own complaints say more."""
    expected: dict[Path, list[str]] = {}
    for complaint in found:
        expected.setdefault(complaint.path, []).extend(_expected(complaint))
    better = {c.path[:depth] for c in found for depth in range(len(c.path))}
    better |= {c.path for c in found if not _expected(c)}
    for path, phrases in expected.items():
        if path not in better:
            must = f"{_called(path)} must be {alternatives(dict.fromkeys(phrases))}"
            yield document.problem(path, f"{must}, found {_found(document, path)}{_remedy(document, path, phrases)}")


def _expected(complaint: _Complaint) -> list[str]:
    """What should stand there, for complaints that mean something else does."""
    if complaint.kind in _CHOICES:
        words = complaint.context[_CHOICES[complaint.kind]]
        return _QUOTED.findall(words) or [words]
    return [_EXPECTED[complaint.kind]] if complaint.kind in _EXPECTED else []


def _others(document: Document, model: type[pydantic.BaseModel], found: list[_Complaint]) -> Iterator[Problem]:
    for complaint in found:
        if not _expected(complaint):
            yield document.problem(complaint.path, _sentence(document, model, complaint))


def _sentence(document: Document, model: type[pydantic.BaseModel], complaint: _Complaint) -> str:
    path, kind, context = complaint.path, complaint.kind, complaint.context
    if kind in ("missing", "union_tag_not_found"):
        key, purpose = str(path[-1]), purpose_of(model, complaint.steps)
        return f"{_within(path[:-1])}the key {quoted(key)} is missing; add `{key}: ...`{purpose and f' ({purpose})'}"
    if kind == "extra_forbidden":
        return f"{_within(path[:-1])}{unknown('key', str(path[-1]), keys_at(model, complaint.steps[:-1]))}"
    if kind in _BOUNDS:
        return f"{_called(path)} must be {_BOUNDS[kind].format(**context)}, found {_found(document, path)}"
    if "error" in context:
        return _within(path) + "; ".join(str(context["error"]).splitlines())
    return f"{_called(path)}: {complaint.message[:1].lower()}{complaint.message[1:]}, found {_found(document, path)}"


def _called(path: Path) -> str:
    """How people speak of a value: `nodes[3].gpus`."""
    return "".join(map(_step, path)).removeprefix(".") or "the file"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _SIMPLE_KEY.fullmatch(step) else f"[{quoted(step)}]"


def _within(path: Path) -> str:
    return f"{_called(path)}: " if path else ""


def _found(document: Document, path: Path) -> str:
    value = document.value(path)
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "a mapping"
    written = document.written(path) or "nothing"
    return f"the number {written}" if type(value) in (int, float) else written


def _remedy(document: Document, path: Path, phrases: list[str]) -> str:
    """What to write where a word was misspelt, or taken for something else than text."""
    value, written = document.value(path), document.written(path)
    close = nearest(value, phrases) if isinstance(value, str) else []
    if close:
        return f"; did you mean {alternatives(close)}?"
    return f'; write it in quotes: "{written}"' if written and "text" in phrases else ""
