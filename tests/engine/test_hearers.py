"""Who hears which event: the table that lets modules be imported late says what their HANDLERS say."""

from __future__ import annotations

import importlib
from importlib.resources import files

import pytest

from engine import simulation
from engine.kernel.events import Event
from engine.world import events

HEARERS = simulation._HEARERS


def modules_with_handlers() -> set[str]:
    """Modules of the engine whose text has HANDLERS."""
    root, found = files("engine"), set()
    pending = [(entry, entry.name) for entry in root.iterdir()]
    while pending:
        entry, name = pending.pop()
        if entry.is_dir():
            pending += [(below, f"{name}.{below.name}") for below in entry.iterdir()]
        elif name.endswith(".py") and "\nHANDLERS: tuple" in entry.read_text(encoding="utf-8"):
            found.add(name.removesuffix(".py"))
    return found


@pytest.mark.parametrize(("module", "heard"), HEARERS)
def test_the_table_says_what_a_module_hears(module: str, heard: str) -> None:
    named = dict.fromkeys(event.__name__ for event, _ in importlib.import_module(f"engine.{module}").HANDLERS)
    assert sorted(named) == sorted(heard.split())


def test_no_module_with_handlers_is_left_out() -> None:
    assert modules_with_handlers() == {module for module, _ in HEARERS}


def test_the_handlers_of_an_event_run_in_the_order_of_the_table() -> None:
    everything = simulation.handlers()
    for kind in {kind for kind, _ in everything}:
        assert simulation.handlers_of(kind) == [handler for event, handler in everything if event is kind]
    assert simulation.handlers_of(Event) == []


def test_events_have_names_of_their_own() -> None:
    kinds = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, Event)]
    assert len({kind.__name__ for kind in kinds}) == len(kinds) > 40
