"""No two commands contradict each other: with each fault alone, and with pairs of them and remedies in any order."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import boot, driver, processes, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.fault import catalogue, parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.census.agreements import contradictions
from tests.census.census import LATER, SITE, scene

NODE = "dgx-02"
REMEDIES = ("wait", "reboot", "cold start", "reset", "reseat", "replace", "fabric manager", "slurmd")
USUAL = tuple(name for name in catalogue() if scene(name).site == SITE and not scene(name).settings)


@cache
def _site() -> Simulation[World]:
    simulation = open_site(SITE)
    simulation.advance(MINUTE)
    return simulation


def remedy(simulation: Simulation[World], name: str) -> None:
    """Something that people try on the node, and the time that it takes."""
    if name == "reboot":
        simulation.apply(boot.Reboot(NODE, "root"))
    elif name == "cold start":
        simulation.apply(OrderHands("power_cycle", NODE, "alex"))
    elif name == "reset":
        _reset(simulation)
    elif name in ("reseat", "replace"):
        simulation.apply(OrderHands(name, f"{NODE}/gpu5", "alex"))
    elif name in ("fabric manager", "slurmd"):
        unit = FABRIC_MANAGER if name == "fabric manager" else "slurmd.service"
        simulation.apply(systemd.RestartUnit(NODE, unit, "root"))
    simulation.advance(2 * HOUR if name in ("reseat", "replace", "cold start") else 15 * MINUTE)


def _reset(simulation: Simulation[World]) -> None:
    for each in simulation.world.systems[NODE].processes:
        if each.gpus:
            simulation.apply(processes.Kill(NODE, each.pid, 9, "root"))
    for index in range(8):
        simulation.apply(driver.ResetGpu(NODE, index, "root"))


def test_a_healthy_site_contradicts_itself_nowhere() -> None:
    for node in _site().world.inventory.node_names:
        if node.startswith("dgx"):
            assert contradictions(_site(), node) == []


@pytest.mark.parametrize("fault", catalogue())
def test_each_alone(fault: str) -> None:
    where = scene(fault)
    simulation = open_site(where.site, overrides=dict(where.settings))
    simulation.apply(parse_fault(where.line))
    for wait in (MINUTE, LATER):
        simulation.advance(wait)
        assert contradictions(simulation, where.node) == []


@settings(max_examples=20)
@given(
    pair=st.lists(st.sampled_from(USUAL), min_size=2, max_size=2, unique=True),
    remedies=st.lists(st.sampled_from(REMEDIES), min_size=1, max_size=3),
)
def test_pairs_with_remedies_in_any_order(pair: list[str], remedies: list[str]) -> None:
    simulation = _site().fork()
    for fault in pair:
        simulation.apply(parse_fault(scene(fault).line))
    for name in ("wait", *remedies):
        remedy(simulation, name)
        assert contradictions(simulation, NODE) == [], (pair, name)
