"""Fields of built-in kinds: what the server knows, and what it says of a text that has others or wrong types.

Unknown fields are dropped; a request with fieldValidation=Strict (kubectl's default) is refused for them, one with
Warn is told (apiserver pkg/endpoints/handlers, sigs.k8s.io/json). Values of a wrong type are refused in the words of
Go's JSON decoder. The fields stand in tables/kubernetes_fields.txt; custom resources have no schema here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import bad_request
from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass

LIST, MAP = "[]", "map:"
_WORDS = {bool: "bool", int: "number", float: "number", str: "string", dict: "object", list: "array"}
_TAKES: dict[str, tuple[type, ...]] = {
    "string": (str,), "time": (str,), "bool": (bool,), "int32": (int,), "int64": (int,), "float64": (int, float),
    "quantity": (str, int, float), "int-or-string": (str, int),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name, its type as the table writes it, and whether it must be there."""

    name: str
    kind: str
    required: bool

    @property
    def element(self) -> str:
        """The type without lists and maps around it."""
        return self.kind.removeprefix(LIST).removeprefix(MAP).removeprefix(LIST)


@cache
def types() -> Mapping[str, tuple[Field, ...]]:
    """The fields of all types, by the type's name."""
    return {name: tuple(_field(word) for word in fields.split()) for name, _, fields in rows("kubernetes_fields")}


@cache
def _kinds() -> Mapping[tuple[str, str], str]:
    """Types of kinds by API version and kind: `Event` has two, told apart by their names."""
    return {(version, _plain(name)): name for name, version, _ in rows("kubernetes_fields") if version}


def _plain(name: str) -> str:
    return name.removeprefix("CoreV1").removeprefix("EventsV1")


def _field(word: str) -> Field:
    name, _, kind = word.partition(":")
    return Field(name, kind.removesuffix("!"), kind.endswith("!"))


def type_of(resource: Resource) -> str:
    """The type of a built-in resource's kind, "" for a custom one."""
    return "" if resource.definition else _kinds().get((resource.api_version, resource.kind), "")


def fields_of(name: str) -> Mapping[str, Field]:
    """The fields of a type by name; none for a scalar."""
    return {each.name: each for each in types().get(name, ())}


def decode(resource: Resource, thing: KubeDict) -> list[str]:
    """Take unknown fields out of an object, and name them (`spec.foo`). Raises StatusError for a wrong type."""
    unknown: list[str] = []
    name = type_of(resource)
    if name:
        mistake = next(_wrong(thing, name, ""), None)
        if mistake:
            begin = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
            raise bad_request(begin + mistake)
        _prune(thing, name, "", unknown)
    return unknown


def strict_error(unknown: list[str]) -> str:
    """What a strict decoder says of unknown fields."""
    return "strict decoding error: " + ", ".join(f'unknown field "{path}"' for path in unknown)


def refuse(resource: Resource, unknown: list[str]) -> None:
    """Nothing, if no field is unknown. Raises StatusError."""
    if unknown:
        begin = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
        raise bad_request(begin + strict_error(unknown))


def _prune(thing: KubeDict, name: str, at: str, unknown: list[str]) -> None:
    known = fields_of(name)
    for key in sorted(thing):
        path = f"{at}.{key}" if at else key
        if key not in known:
            unknown.append(path)
            del thing[key]
        elif known[key].element in types():
            for place, each in _inside(thing[key], known[key].kind, path):
                _prune(each, known[key].element, place, unknown)


def _inside(value: Any, kind: str, path: str) -> Iterator[tuple[str, KubeDict]]:
    """The objects of a field: itself, those of a list, or those of a map."""
    if isinstance(value, list) and kind.startswith(LIST):
        yield from ((f"{path}[{place}]", each) for place, each in enumerate(value) if isinstance(each, dict))
    elif isinstance(value, dict) and kind.startswith(MAP):
        yield from ((f"{path}.{key}", each) for key, each in value.items() if isinstance(each, dict))
    elif isinstance(value, dict):
        yield path, value


def _wrong(thing: KubeDict, name: str, at: str) -> Iterator[str]:
    """What the decoder says of values of wrong types, in the order of the text."""
    known = fields_of(name)
    for key in sorted(thing):
        if key in known and thing[key] is not None:
            path = f"{at}.{key}" if at else key
            yield from _wrong_value(thing[key], known[key].kind, name, path)


def _wrong_value(value: Any, kind: str, owner: str, path: str) -> Iterator[str]:
    holds = kind.startswith(MAP) or kind in types()
    container: type | None = list if kind.startswith(LIST) else dict if holds else None
    if container and not isinstance(value, container):
        yield _said(value, owner, path, kind)
    elif kind.startswith(LIST) or kind.startswith(MAP):
        inner = kind.removeprefix(LIST) if kind.startswith(LIST) else kind.removeprefix(MAP)
        for each in value if isinstance(value, list) else [value[key] for key in sorted(value)]:
            if each is not None:
                yield from _wrong_value(each, inner, owner, path)
    elif kind in types():
        yield from _wrong(value, kind, path)
    elif kind in _TAKES and (
        not isinstance(value, _TAKES[kind]) or (isinstance(value, bool) and kind != "bool")
    ):
        yield _said(value, owner, path, kind)


def _said(value: Any, owner: str, path: str, kind: str) -> str:
    word = _WORDS.get(type(value), "object")
    if word == "number" and isinstance(value, float):
        word = f"number {value}"
    return f"json: cannot unmarshal {word} into Go struct field {struct(owner)}.{path} of type {_go(kind)}"


def struct(name: str) -> str:
    """A type's own name."""
    return re.sub(r"^V\d+", "", name)


def _go(kind: str) -> str:
    """A type as Go's decoder calls it."""
    if kind.startswith(LIST):
        return f"[]{_go(kind.removeprefix(LIST))}"
    if kind.startswith(MAP):
        return f"map[string]{_go(kind.removeprefix(MAP))}"
    return f"v1.{struct(kind)}" if kind in types() else {"time": "string", "quantity": "string"}.get(kind, kind)
