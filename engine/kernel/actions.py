"""Actions: the only way in which anybody changes a running world, and their form in a journal.

An action is a frozen dataclass of plain values (str, int, bool, bytes, None, tuples of these) with
`perform(simulation)`. It is written to a journal as
`{"action": "control.modules.LoadModule", "with": {"host": "dgx-01", ...}}`: the name is its class below the package
`engine`, so that there is no registry to keep.
"""

from __future__ import annotations

import base64
import dataclasses
import importlib
from typing import TYPE_CHECKING, Any

from engine.kernel.errors import BreakfixError

if TYPE_CHECKING:
    from engine.kernel.simulation import Simulation

_PACKAGE = "engine."


class Action:
    """Base of all actions."""

    __slots__ = ()

    def perform(self, simulation: Simulation[Any]) -> Any:
        """Change the world. What is returned goes to whoever applied the action; it is not recorded."""
        raise TypeError(f"{type(self).__name__} does not say what it does")


def encode(action: Action) -> dict[str, Any]:
    """The action as plain data for JSON."""
    kind = type(action)
    fields = {field.name: _plain(getattr(action, field.name)) for field in dataclasses.fields(action)}  # type: ignore[arg-type]
    return {"action": f"{kind.__module__.removeprefix(_PACKAGE)}.{kind.__qualname__}", "with": fields}


def decode(data: dict[str, Any]) -> Action:
    """The action that `encode` wrote. Raises BreakfixError if it names none of this version."""
    fields = data.get("with", {}) if isinstance(data, dict) else {}
    name = str(data.get("action", "")) if isinstance(data, dict) else ""
    module_name, _, class_name = name.rpartition(".")
    try:
        kind = getattr(importlib.import_module(_PACKAGE + module_name), class_name)
    except (ImportError, AttributeError, ValueError):
        kind = None
    if not (isinstance(kind, type) and issubclass(kind, Action) and dataclasses.is_dataclass(kind)):
        raise BreakfixError(f"the journal has an action '{name}' that this version does not know")
    try:
        action: Action = kind(**{key: _value(value) for key, value in fields.items()})
    except (TypeError, AttributeError) as error:
        raise BreakfixError(f"the journal has a broken action '{name}': {error}") from None
    return action


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value.get("base64", ""))
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    return value
