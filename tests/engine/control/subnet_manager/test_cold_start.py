"""A fabric after its power was away: without a manager nothing passes, with one everything is as on the first day."""

from __future__ import annotations

from engine.control.subnet_manager import lids
from engine.control.subnet_manager.cold_start import lose_power
from engine.control.subnet_manager.tables import first_tables
from engine.control.systemd import RestartUnit, StopUnit
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import routes
from engine.simulation import open_site
from engine.world.records import LogicalState

HEAD, UNIT = "head-01", "opensm.service"
PORT, FAR = "dgx-01/mlx5_0/1", "dgx-02/mlx5_6/1"


def test_nothing_passes_until_a_manager_has_swept() -> None:
    simulation = open_site("dgx-h100-4", 1)
    world = simulation.world
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    lose_power(simulation)
    simulation.advance(60 * SECOND)
    assert links.logical_state(world, PORT) is LogicalState.INITIALIZING and links.link_up(world, PORT)
    assert (lids.lid(world, PORT), lids.manager_lid(world, PORT)) == (0, 0)
    assert routes.path(world, PORT, FAR) is None
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(3 * SECOND)
    fresh, tables = lids.fresh_lids(world.inventory), first_tables(world.inventory)
    assert {end: lids.lid(world, end) for end in fresh} == dict(fresh)
    assert {lids.manager_lid(world, end) for end in fresh} == {1}
    assert all(world.forwarding[name].entries == table for name, table in tables.items())
    assert routes.path(world, PORT, FAR) and links.logical_state(world, PORT) is LogicalState.ACTIVE
