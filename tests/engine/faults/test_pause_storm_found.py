"""A storm of pause frames is found four ways, and the graph of pauses explains its victims."""

from __future__ import annotations

import re

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.ethernet import settings
from engine.physics.traffic import counters, settlement
from engine.simulation import open_site
from engine.world.records import TrainingRun
from engine.world.world import World
from tests.support.roce_fabric import PRIORITY, SITE, leaf_port, nic, send
from tests.support.run import run_command

ROOT = nic(9)
OPTICS = "mlxlink -d mlx5_0 -m"


def shown(simulation: Simulation[World], host: str, line: str) -> str:
    return run_command(simulation, host, "root", line).stdout


def pauses_told(simulation: Simulation[World], host: str) -> int:
    """rx_prio3_pause of the first rail, as ethtool has it."""
    found = re.search(r" rx_prio3_pause: (\d+)", shown(simulation, host, "ethtool -S enp24s0np0"))
    assert found
    return int(found[1])


def test_a_storm_is_found_four_ways_and_explains_its_victims() -> None:
    sim = open_site(SITE)
    world = sim.world
    leaf = leaf_port(world, ROOT)
    send(sim, "innocent", [(nic(8), nic(16))], 50)
    healthy = {host: shown(sim, host, OPTICS) for host in ("hgx-08", "hgx-09")}
    before = {host: pauses_told(sim, host) for host in ("hgx-08", "hgx-03")}
    sim.apply(settings.SetWatchdog((leaf,), True, action="alert"))
    sim.apply(parse_fault("roce.pause_storm target=hgx-09/mlx5_0"))
    sim.advance(20 * SECOND)

    # Hosts are told to stop: those that send to it, and no others.
    assert pauses_told(sim, "hgx-08") - before["hgx-08"] > 20 * 20_000
    assert pauses_told(sim, "hgx-03") == before["hgx-03"]
    # The switch counts pause from the host, and its watchdog a storm.
    heard = counters.pauses_received(world, leaf, sim.now, PRIORITY)
    assert heard == counters.pauses_sent(world, ROOT, sim.now, PRIORITY) > 20 * 20_000
    assert world.ethernet_ports[leaf].storms[PRIORITY] == 1
    # The job over that adapter stands still, and Slurm thinks that it runs.
    assert [str(run.regimes[-1].stall) for run in _runs(world) if ROOT in run.ports and run.regimes[-1].stall]
    assert "llama-sf" in run_command(sim, "head-01", "alex", "squeue").stdout
    # Light and errors of the cables are those of a healthy day.
    assert {host: shown(sim, host, OPTICS) for host in healthy} == healthy

    # From whoever stands still, pauses lead to the port where they begin.
    owners = settlement.connected(world, ["innocent"])
    solution = settlement.settled(world, {owner: world.bundles[owner] for owner in owners}).solution
    onward: dict[int, set[int]] = {}
    for waiting, full in solution.filling.edges:
        onward.setdefault(waiting, set()).add(full)
    reached, todo = set[int](), [solution.layout.index[nic(8), PRIORITY]]
    while todo:
        queue = todo.pop()
        reached.add(queue)
        todo += onward.get(queue, set()) - reached
    ends = {solution.layout.channels[queue].link for queue in reached if queue not in onward}
    assert ends == {leaf}
    assert world.bundles["innocent"].shares == (0,)


def _runs(world: World) -> list[TrainingRun]:
    return [world.training[job] for job in world.training.changed()]
