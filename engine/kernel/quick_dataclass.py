"""`dataclass(frozen=True, slots=True)` of the standard library, quicker to define: methods that most processes never
call are made when they are first called.

A one-shot command imports some three hundred records, events and actions; the standard library compiles six methods for
each, which costs more than the command itself (measured: half a millisecond a class). Here `__init__` alone is compiled
at once; `__eq__`, `__hash__` and `__repr__` come with their first use, and the two that refuse assignment are shared.
To a type checker this is the standard library's decorator, and so is everything that can be seen of a class:
`fields`, `replace`, equality, text, copies. Other options than these two are not for this module.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, slots: bool, repr: bool = True) -> Callable[[type], type]:
        """The decorator. Raises TypeError for a class that inherits fields: use the standard library's there."""
        if not (frozen and slots):
            raise TypeError("only frozen dataclasses with slots are made here")
        return partial(_made, with_repr=repr)


__all__ = ["dataclass"]

_UNSET = object()


def _made(plain: type, *, with_repr: bool) -> Any:
    if any(dataclasses.is_dataclass(base) for base in plain.__mro__[1:]):
        raise TypeError(f"{plain.__name__} inherits fields; use dataclasses.dataclass")
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(plain)
    made.__init__ = _compiled(made, "__init__", *_init(made))
    for name, text in (("__eq__", _eq), ("__hash__", _hash), ("__repr__", _repr)):
        if plain.__dict__.get(name) is None and (with_repr or text is not _repr):
            setattr(made, name, _later(made, name, text))
    made.__setattr__, made.__delattr__ = _refuse_assignment, _refuse_deletion
    made.__getstate__, made.__setstate__ = _state, _set_state
    return made


def _init(made: Any) -> tuple[str, dict[str, Any]]:
    """The text of `__init__`, and the names that it uses."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_unset": _UNSET}
    arguments, body = ["self"], []
    for field in dataclasses.fields(made):
        value = field.name
        if field.default is not dataclasses.MISSING:
            names[f"_default_{field.name}"] = field.default
            arguments.append(f"{field.name}=_default_{field.name}")
        elif field.default_factory is not dataclasses.MISSING:
            names[f"_make_{field.name}"] = field.default_factory
            arguments.append(f"{field.name}=_unset")
            value = f"_make_{field.name}() if {field.name} is _unset else {field.name}"
        else:
            arguments.append(field.name)
        body.append(f"_set(self, {field.name!r}, {value})")
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    return f"def __init__({', '.join(arguments)}):\n " + "\n ".join(body or ["pass"]), names


def _later(made: Any, name: str, text: Callable[[Any], str]) -> Callable[..., Any]:
    """A method that compiles itself when it is first called."""

    def first(self: Any, *arguments: Any) -> Any:
        method = _compiled(made, name, text(made), {})
        setattr(made, name, method)
        return method(self, *arguments)

    first.__name__, first.__qualname__ = name, f"{made.__qualname__}.{name}"
    return first


def _compiled(made: Any, name: str, text: str, names: dict[str, Any]) -> Any:
    exec(text, names)
    method = names[name]
    method.__qualname__, method.__module__ = f"{made.__qualname__}.{name}", made.__module__
    return method


def _eq(made: Any) -> str:
    own, others = (_values(made, who) for who in ("self", "other"))
    return (
        f"def __eq__(self, other):\n if other.__class__ is self.__class__:\n  return {own} == {others}\n"
        " return NotImplemented"
    )


def _hash(made: Any) -> str:
    return f"def __hash__(self):\n return hash({_values(made, 'self')})"


def _repr(made: Any) -> str:
    parts = ", ".join(f"{field.name}={{self.{field.name}!r}}" for field in dataclasses.fields(made) if field.repr)
    return f"def __repr__(self):\n return self.__class__.__qualname__ + f'({parts})'"


def _values(made: Any, who: str) -> str:
    """The compared fields of an object, as the text of a tuple."""
    return "(" + "".join(f"{who}.{field.name}, " for field in dataclasses.fields(made) if field.compare) + ")"


def _refuse_assignment(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
