"""Moved cables and dark switches: what every view says of them, and that they can be put right."""

from __future__ import annotations

import pytest

from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import cabling, links, port_counters
from engine.physics.traffic import exchange, forwarding
from engine.simulation import open_site
from engine.world.records import Flow
from engine.world.world import World
from tests.support.run import run_command

HOST = "head-01"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4", 3)


def on(simulation: Simulation[World], line: str) -> str:
    return run_command(simulation, HOST, "root", line).stdout


def break_it(simulation: Simulation[World], text: str) -> None:
    simulation.apply(parse_fault(text))
    simulation.advance(5 * SECOND)


def mend(simulation: Simulation[World], work: str, target: str) -> str:
    order = simulation.apply(OrderHands(work, target, "alex"))
    assert not isinstance(order, str), order
    simulation.advance(45 * MINUTE)
    return str(simulation.world.hands[""].orders[-1].report)


def test_crossed_rails_are_seen_and_mended(simulation: Simulation[World]) -> None:
    plan, before = simulation.world.inventory.cables, on(simulation, "ibnetdiscover")
    first, second = (plan[f"dgx-02/{name}/1"].other(f"dgx-02/{name}/1") for name in ("mlx5_0", "mlx5_3"))
    break_it(simulation, "fabric.rail_miscabled target=dgx-02/mlx5_0")
    world = simulation.world
    assert links.peer(world.inventory, "dgx-02/mlx5_0/1") == second
    assert links.peer(world.inventory, "dgx-02/mlx5_3/1") == first and world.plan.cables is plan
    assert on(simulation, "ibnetdiscover") != before
    assert all(forwarding.active(world, f"dgx-02/{name}/1") for name in ("mlx5_0", "mlx5_3"))
    assert "and that of" in mend(simulation, "move-cable", first)
    assert simulation.world.inventory.cables == plan and not simulation.world.cabling.changed()
    after = on(simulation, "ibnetdiscover")
    assert after.split("Initiated")[1] == before.split("Initiated")[1]


def test_swapped_fibres_change_neighbours(simulation: Simulation[World]) -> None:
    cables = simulation.world.inventory.cables
    third, fourth = cables["leaf-01/3"].other("leaf-01/3"), cables["leaf-01/4"].other("leaf-01/4")
    break_it(simulation, "fabric.pair_swapped target=leaf-01/3")
    assert links.peer(simulation.world.inventory, "leaf-01/3") == fourth
    assert links.peer(simulation.world.inventory, "leaf-01/4") == third
    assert "as its labels say" in mend(simulation, "move-cable", "leaf-01/5")
    mend(simulation, "move-cable", "leaf-01/4")
    assert links.peer(simulation.world.inventory, "leaf-01/3") == third


def test_a_swap_with_an_empty_port(simulation: Simulation[World]) -> None:
    far = simulation.world.inventory.cables["leaf-01/17"].other("leaf-01/17")
    cabling.exchange(simulation, "leaf-01/16", "leaf-01/30")
    assert "leaf-01/16" not in simulation.world.inventory.cables
    assert links.cable(simulation.world.inventory, "leaf-01/30") is not None and far
    simulation.advance(5 * SECOND)
    assert "leaf-01" in on(simulation, "iblinkinfo -D 0,1") and forwarding.active(simulation.world, "leaf-01/30")


def test_counters_do_not_fall_where_a_cable_goes(simulation: Simulation[World]) -> None:
    world = simulation.world
    ports = [port for port in world.inventory.cables if port.startswith("leaf-01/")]
    before = {port: port_counters.errors(world, port, simulation.now) for port in ports}
    for port, number in zip(ports[:16], range(48, 64), strict=False):
        cabling.exchange(simulation, port, f"leaf-02/{number + 1}")
    simulation.advance(MINUTE)
    for port in ports:
        after = port_counters.errors(world, port, simulation.now)
        assert all(after[name] >= count for name, count in before[port].items()), port


def test_a_fork_keeps_its_own_cabling(simulation: Simulation[World]) -> None:
    twin = simulation.fork()
    break_it(simulation, "fabric.pair_swapped target=leaf-02/1")
    assert twin.world.inventory.cables != simulation.world.inventory.cables
    assert twin.world.digest() != simulation.world.digest()


def test_unplugged_uplinks_leave_ways(simulation: Simulation[World]) -> None:
    break_it(simulation, "fabric.uplink_unplugged target=leaf-01/33 count=4")
    down = [number for number in range(33, 49) if not links.link_up(simulation.world, f"leaf-01/{number}")]
    assert down == [33, 34, 35, 36]
    assert (
        "dgx-04" in on(simulation, "ibnetdiscover")
        and run_command(simulation, HOST, "root", "ibtracert 1 30").status == 0
    )
    for number in down:
        mend(simulation, "reseat", f"leaf-01/{number}")
    assert all(links.link_up(simulation.world, f"leaf-01/{number}") for number in range(33, 49))


def test_a_dark_switch(simulation: Simulation[World]) -> None:
    before = on(simulation, "ibswitches")
    break_it(simulation, "fabric.switch_failed target=spine-01")
    assert "spine-01" in before and "spine-01" not in on(simulation, "ibswitches")
    assert run_command(simulation, HOST, "root", "ibtracert 1 30").status == 0
    assert not links.link_up(simulation.world, "leaf-02/33") and not links.link_up(simulation.world, "spine-01/1")
    assert "switched off" in mend(simulation, "power-cycle", "spine-01")
    assert on(simulation, "ibswitches") == before


def test_a_switch_without_power_answers_nobody_and_its_manager_ends(simulation: Simulation[World]) -> None:
    break_it(simulation, "subnet_manager.second target=leaf-02 priority=15")
    simulation.advance(30 * SECOND)
    guid = simulation.world.inventory.switches["leaf-02"].guid
    assert f"sm guid {guid:#018x}" in on(simulation, "sminfo")
    break_it(simulation, "fabric.switch_failed target=leaf-02")
    simulation.advance(2 * MINUTE)
    assert f"sm guid {guid:#018x}" not in on(simulation, "sminfo") and "SMINFO_MASTER" in on(simulation, "sminfo")
    assert "Destination Host Unreachable" in on(simulation, "ping -c 1 leaf-02")
    refused = run_command(simulation, HOST, "alex", "ssh admin@leaf-02 show version")
    assert (refused.status, refused.stdout) == (255, "") and "No route to host" in refused.stderr
    mend(simulation, "power-cycle", "leaf-02")
    assert "1 received" in on(simulation, "ping -c 1 leaf-02")


def test_a_running_job_goes_by_the_other_spine(simulation: Simulation[World]) -> None:
    world = simulation.world
    flow = Flow("dgx-02/mlx5_0/1", "dgx-03/mlx5_6/1", 100 * 10**9)
    exchange.open_bundle(simulation, "job", [flow])
    running = [job for job in world.jobs.changed() if world.jobs[job].state == "RUNNING"]
    simulation.advance(SECOND)
    way = forwarding.way(world, flow.source, flow.destination, lambda port: links.link_up(world, port))
    assert way is not None
    spine = next(port.partition("/")[0] for port in way if port.startswith("spine"))
    break_it(simulation, f"fabric.switch_failed target={spine}")
    simulation.advance(MINUTE)
    way = forwarding.way(world, flow.source, flow.destination, lambda port: links.link_up(world, port))
    assert way is not None and not any(port.startswith(f"{spine}/") for port in way)
    assert [job for job in world.jobs.changed() if world.jobs[job].state == "RUNNING"] == running and running
    sent = port_counters.traffic(world, flow.source, simulation.now)["port_xmit_data"]
    simulation.advance(10 * SECOND)
    assert port_counters.traffic(world, flow.source, simulation.now)["port_xmit_data"] > sent
