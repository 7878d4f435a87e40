"""What the bench measures of collectives, traffic and training: on the 32-node site, without a process around it."""

from __future__ import annotations

from collections.abc import Callable

from engine.kernel.random import Stream
from engine.physics.traffic.solving import solve
from engine.simulation import open_site
from engine.workloads.nccl import Rank, communicator
from engine.workloads.training import runs
from tests.engine.physics.traffic.fabric import Fabric

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


def random_flows() -> Action:
    """4,000 flows between random adapters of a pod of 32 nodes with eight rails, divided anew."""
    adapters = _NODES * _RAILS
    fabric, chance = Fabric(adapters, _NODES, 4, uplinks=8), Stream(1, "bench/flows")
    pairs = [(chance.integer(0, adapters - 1), chance.integer(0, adapters - 1)) for _ in range(_FLOWS)]
    flows = [
        fabric.flow(source, target if target != source else (target + 1) % adapters, choice=number)
        for number, (source, target) in enumerate(pairs)
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
