"""What a person can do in the full-screen program: one declaration per action, beside the method that does it.

    class Workspace(Screen, Acts):
        @action("workspace.map", "Map", "f2", "prefix m", footer=1)
        def show_map(self) -> None:
            \"""The nodes, as far as you have looked at them.\"""

Key bindings, footer, palette, help and the keymap file all follow from these declarations. `prefix` stands for the
prefix key (Ctrl-B unless the settings say otherwise). Keys are Textual's names (`tui/keys.py` shows them to people).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from typing import Any, ClassVar, TypeVar

from textual.dom import DOMNode

_MARK = "__breakfix_action__"
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do.

    `id` is `scope.name`; `title` is what footer and palette say, `doc` a sentence for help. `keys` are the default key
    sequences. `footer` ranks it among the footer's (0: not there). `when` names a property of the node that says
    whether it can be done now. `everywhere`: its keys also work while a dialog is open.
    """

    id: str
    title: str
    doc: str
    keys: tuple[str, ...]
    method: str
    footer: int = 0
    when: str | None = None
    everywhere: bool = False
    takes_key: bool = False


def action(
    id: str,
    title: str,
    *keys: str,
    footer: int = 0,
    when: str | None = None,
    everywhere: bool = False,
    takes_key: bool = False,
) -> Callable[[Method], Method]:
    """Declare a method of an `Acts` class as an action; its docstring is the action's help."""

    def declare(method: Method) -> Method:
        doc = cleandoc(method.__doc__ or "")
        setattr(method, _MARK, Action(id, title, doc, keys, method.__name__, footer, when, everywhere, takes_key))
        return method

    return declare


class Acts:
    """A screen, widget or program with actions.

    `ABOUT` is its title and help text (Markdown) for whoever asks for help while it has the focus.
    """

    ABOUT: ClassVar[tuple[str, str] | None] = None

    @classmethod
    def actions(cls) -> tuple[Action, ...]:
        """The actions that the class and its bases declare, in the order of their declaration."""
        return _actions_of(cls)


_known: dict[type, tuple[Action, ...]] = {}


def _actions_of(cls: type) -> tuple[Action, ...]:
    if cls not in _known:
        _known[cls] = tuple(_declared(cls))
    return _known[cls]


def _declared(cls: type) -> Iterator[Action]:
    found: dict[str, Action] = {}
    for base in cls.__mro__:
        for value in vars(base).values():
            declared = getattr(value, _MARK, None)
            if declared is not None:
                found.setdefault(declared.id, declared)
    yield from found.values()


@dataclass(frozen=True, slots=True)
class Offer:
    """An action that can be done now, and the node that does it."""

    action: Action
    node: DOMNode

    @property
    def enabled(self) -> bool:
        """Whether it can be done at this moment."""
        return self.action.when is None or bool(getattr(self.node, self.action.when))

    def do(self, key: str = "") -> Awaitable[None] | None:
        """Do it; `key` is the last one that was pressed."""
        method = getattr(self.node, self.action.method)
        result: Awaitable[None] | None = method(key) if self.action.takes_key else method()
        return result


def offers(chain: Iterator[DOMNode] | list[DOMNode]) -> list[Offer]:
    """The actions of the nodes of a focus chain, the innermost first; an id that comes again is the inner one's."""
    found: dict[str, Offer] = {}
    for node in chain:
        if isinstance(node, Acts):
            for one in type(node).actions():
                found.setdefault(one.id, Offer(one, node))
    return list(found.values())


@cache
def every_action() -> tuple[Action, ...]:
    """All actions of the program, for help, the keymap file and tests: imports every screen and widget."""
    import tui.app
    import tui.screens
    import tui.widgets
    import tui.workspace

    classes: list[type] = [tui.app.Breakfix]
    for package in (tui.screens, tui.widgets, tui.workspace):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            loaded = importlib.import_module(module.name)
            classes += [value for value in vars(loaded).values() if isinstance(value, type) and issubclass(value, Acts)]
    found = {one.id: one for cls in classes for one in _actions_of(cls)}
    return tuple(found[id] for id in sorted(found))
