"""Which keys a pydantic model takes at a place inside it, for suggestions to people who mistyped or left out one."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pydantic
from pydantic.fields import FieldInfo


def keys_at(model: type[pydantic.BaseModel], steps: Iterable[str | int]) -> list[str]:
    """The keys that may stand in the mapping to which pydantic's location `steps` leads."""
    return sorted({key for candidate in _models(model, steps) for key, _ in _fields(candidate)})


def purpose_of(model: type[pydantic.BaseModel], steps: Sequence[str | int]) -> str:
    """The description of the field to which `steps` leads, or nothing."""
    fields = (field for m in _models(model, steps[:-1]) for key, field in _fields(m) if key == steps[-1])
    return next((field.description for field in fields if field.description), "")


def _fields(model: type[pydantic.BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        yield (field.validation_alias if isinstance(field.validation_alias, str) else name), field


def _models(model: type[pydantic.BaseModel], steps: Iterable[str | int]) -> list[type[pydantic.BaseModel]]:
    """The models that may stand where the steps lead. Steps into lists, mappings and unions stay with what they hold;
    the name of a model, or its tag, picks it among others."""
    here = [model]
    for step in steps:
        inner = [m for outer in here for key, field in _fields(outer) if key == step for m in _held(field.annotation)]
        here = inner or [m for m in here if m.__name__ == step or step in _tags(m)] or here
    return here


def _held(annotation: Any) -> Iterator[type[pydantic.BaseModel]]:
    """The models in an annotation such as `tuple[Node, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _held(argument)


def _tags(model: type[pydantic.BaseModel]) -> list[Any]:
    """The words by which a union may tell this model from the others: its fields with one allowed value."""
    annotations = (field.annotation for field in model.model_fields.values())
    literals = (annotation for annotation in annotations if typing.get_origin(annotation) is typing.Literal)
    return [word for literal in literals for word in typing.get_args(literal)]
