"""Puts the floors together: from a site and a seed to a simulation whose standing work is under way."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from engine.kernel.events import Bus, Event, Handler
from engine.kernel.simulation import Simulation
from engine.sites.build import load_site
from engine.world.inventory import Inventory
from engine.world.world import World

# The order in which handlers of one event run: from the hardware up.
_HANDLER_MODULES = (
    "engine.physics.gpu_bus",
    "engine.physics.air",
    "engine.physics.thermal",
    "engine.control.boot",
    "engine.control.bmc",
    "engine.control.driver",
    "engine.control.systemd",
    "engine.control.subnet_manager.sweep",
    "engine.control.processes",
    "engine.control.logins",
    "engine.control.files",
    "engine.control.slurm.controller",
    "engine.faults.fault",
    "engine.hands.order",
)


def handlers() -> list[tuple[type[Event], Handler]]:
    """Every (event type, handler), in order."""
    return [pair for name in _HANDLER_MODULES for pair in importlib.import_module(name).HANDLERS]


def new_simulation(inventory: Inventory, seed: int) -> Simulation[World]:
    """A simulation at time 0 of the site's world, with its standing jobs running."""
    from engine.control.slurm.controller import start_standing_jobs

    simulation = Simulation(World(inventory, seed), seed, Bus(handlers()))
    start_standing_jobs(simulation)
    return simulation


def open_document(text: bytes, name: str, seed: int, overrides: Mapping[str, str]) -> Simulation[World]:
    """A simulation of the site that a file describes; `name` is what its author calls it. Raises DocumentError."""
    from engine.kernel.documents import read_document
    from engine.sites.build import build_inventory

    return new_simulation(build_inventory(read_document(text, name), overrides), seed)


def open_site(site: str, seed: int = 1, overrides: Mapping[str, str] | None = None) -> Simulation[World]:
    """A simulation of the packaged site `site`. Raises BreakfixError for unknown names and settings."""
    return new_simulation(load_site(site, overrides), seed)
