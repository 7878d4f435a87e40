"""What the bench measures of collectives, traffic and training on the 32-node site, and of the fabric of 16,384
adapters: without a process around it. Goals for the fabric come from opensm and the diagnostics on ibsim (34 s for a
sweep of 16,384 adapters, 10.5 s of 7,680).
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control.subnet_manager.lids import host_of_manager
from engine.control.subnet_manager.routing.engines import engine_order, route
from engine.control.subnet_manager.routing.fabric import Fabric as RoutedFabric
from engine.control.subnet_manager.routing.fabric import without
from engine.control.subnet_manager.routing.sources import whole_fabric
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.physics.traffic.solving import solve
from engine.simulation import open_site
from engine.sites.build import load_site
from engine.workloads.nccl import Rank, communicator
from engine.workloads.training import runs
from engine.world.world import World
from tests.engine.physics.traffic.fabric import TCP, Fabric
from tests.support.run import run_command

Action = Callable[[], object]

_SITE = "dgx-h100-su"
_SIZES = [1 << power for power in range(3, 35)]
_NODES, _RAILS, _FLOWS = 32, 8, 4_000


def all_reduce_table() -> Action:
    """A communicator of 256 ranks on 32 nodes, and its time for each of 32 sizes."""
    world = open_site(_SITE).world
    gpus = [gpu for number in range(1, _NODES + 1) for gpu in world.node(f"dgx-{number:02}").gpus]
    ranks = [Rank(gpu.node, gpu.id, pid=number + 1) for number, gpu in enumerate(gpus)]

    def action() -> None:
        made = communicator(world, ranks, time=0)
        for size in _SIZES:
            made.timing("all_reduce", size)

    return action


def random_flows(classes: int = 1) -> Action:
    """4,000 flows between random adapters of a pod of 32 nodes with eight rails, divided anew; of two classes every
    other flow is TCP, and both want all of every link.
    """
    adapters = _NODES * _RAILS
    fabric, chance = Fabric(adapters, _NODES, 4, uplinks=8), Stream(1, "bench/flows")
    pairs = [(chance.integer(0, adapters - 1), chance.integer(0, adapters - 1)) for _ in range(_FLOWS)]
    flows = [
        fabric.flow(source, target if target != source else (target + 1) % adapters, choice=number, **kind)
        for number, (source, target) in enumerate(pairs)
        for kind in (({}, {"dscp": TCP, "tcp": True, "reacts": False})[number % classes],)
    ]
    problem = fabric.problem(flows)
    return lambda: solve(problem)


def training_looked_at() -> Action:
    """The largest training job of the site is looked at again because something changed on one of its nodes."""
    simulation = open_site(_SITE)
    known = [job for job in simulation.world.training.changed() if runs.run_of(simulation.world, int(job))]
    largest = max(known, key=lambda job: len(simulation.world.training[job].nodes))
    host = simulation.world.training[largest].nodes[-1]
    return lambda: runs.refresh(simulation, int(largest), host, network=True)


LARGE_SITE = "dgx-h100-2k"


def fabric_site() -> Action:
    """The site of 16,384 adapters on three tiers, from its file to what a first command shows of its fabric."""

    def action() -> None:
        _shown(open_site(LARGE_SITE), "sminfo")

    return action


def fabric_command(line: str, count: int = 1) -> Action:
    """A diagnostic command on that site; `SWITCH` in it is the GUID of one of its switches."""
    simulation = open_site(LARGE_SITE)
    guid = simulation.world.inventory.switches["leaf-300"].guid
    return lambda: _shown(simulation, line.replace("SWITCH", f"0x{guid:016x}"), count)


def sweep(units: int, engine: str) -> Action:
    """What a manager does in a sweep of so many scalable units of the site: the fabric as it is, and its tables."""
    fabric = _fabric_of_units(units)
    return lambda: route(fabric, engine_order(engine))


def reroute(engine: str) -> Action:
    """The same after one spine of the whole site is gone, with the tables of before."""
    whole = _fabric_of_units(_UNITS)
    tables = route(whole, engine_order(engine)).tables
    lids = dict(zip(whole.switch_guids, whole.switch_lids, strict=True))
    lids |= dict(zip(whole.end_guids, whole.end_lids, strict=True))
    inventory = load_site(LARGE_SITE).switches
    dead = [(inventory["spine-100"].guid, port) for port in range(1, 65)]
    dead += [
        (whole.switch_guids[place], port)
        for place, peers in enumerate(whole.peers)
        for port, far in enumerate(peers)
        if far >= 0 and whole.switch_guids[far] == inventory["spine-100"].guid
    ]

    def action() -> None:
        route(without(whole, dead, whole.end_guids[0], lids), engine_order(engine), previous=tables)

    return action


_UNITS = 64


def _fabric_of_units(units: int) -> RoutedFabric:
    inventory = load_site(LARGE_SITE)
    manager = host_of_manager(inventory)
    assert manager is not None
    whole = whole_fabric(inventory, manager.port_guid)
    if units == _UNITS:
        return whole
    gone = {inventory.port_guid(f"dgx-{number:04}/{hca}/1") for number in range(units * 32 + 1, 2049) for hca in _HCAS}
    places = zip(whole.end_guids, whole.end_switches, whole.end_switch_ports, strict=True)
    dead = [(whole.switch_guids[switch], port) for guid, switch, port in places if guid in gone]
    return without(whole, dead, manager.port_guid, {})


_HCAS = [f"mlx5_{number}" for number in (0, 3, 4, 5, 6, 9, 10, 11)]


def _shown(simulation: Simulation[World], line: str, least: int = 1) -> None:
    """Run a command; one that shows less than so many lines is an error and no figure."""
    result = run_command(simulation, "head-01", "root", line)
    if result.status or len(result.lines) < least:
        raise RuntimeError(f"{line}: exit {result.status}, {len(result.lines)} lines, {result.stderr[:60]}")
