"""What traffic does when links come and go: flows take other ways, or stand still until there is one.

A link that goes concerns those who use it; one that comes back only those who go another way meanwhile. Over InfiniBand
flows whose way is broken stand still until the subnet manager has swept; where it wrote other tables, everybody follows
them.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.events import (
    LinkChanged,
    LinkRateChanged,
    ModuleChanged,
    NodeStopping,
    NodeUp,
    PcieLinkChanged,
    SignalChanged,
    SubnetSwept,
)
from engine.world.world import World

_DRIVER = "mlx5_core"


def _went(simulation: Simulation[World], ports: Iterable[str]) -> None:
    """These ports have no link any more, or will not have in a moment."""
    if not _busy(simulation.world):
        return
    from engine.physics.traffic.exchange import reroute
    from engine.physics.traffic.routes import unseen

    world, down = simulation.world, list(ports)
    around = [link for port in down for link in (port, links.peer(world.inventory, port) or unseen(port))]
    reroute(simulation, sorted({owner for link in around for owner in world.traffic[link].owners}), down)


def _came(simulation: Simulation[World]) -> None:
    """There are links again that were away."""
    if not _busy(simulation.world):
        return
    from engine.physics.traffic.exchange import reroute

    bundles = simulation.world.bundles
    reroute(simulation, [owner for owner in bundles.changed() if bundles[owner].detoured])


def _swept(simulation: Simulation[World], event: SubnetSwept) -> None:
    if not event.rerouted and not event.moved:
        _came(simulation)
    elif _busy(simulation.world):
        from engine.physics.traffic.exchange import break_off, reroute

        break_off(simulation, event.moved)
        reroute(simulation, simulation.world.bundles.changed())


def _busy(world: World) -> bool:
    """Whether anybody has ever sent anything; until then nobody waits for the import of what follows."""
    return bool(world.bundles.changed())


def _ports_of(world: World, node: str) -> list[str]:
    return [hca.port for hca in world.node(node).hcas]


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    if event.up:
        _came(simulation)
    else:
        _went(simulation, (event.port,))


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    _went(simulation, _ports_of(simulation.world, event.node))


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    _came(simulation)


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    if event.module != _DRIVER:
        return
    if event.loaded:
        _came(simulation)
    else:
        _went(simulation, _ports_of(simulation.world, event.host))


def _review(simulation: Simulation[World], ports: Iterable[str]) -> None:
    """Links at these ports carry another rate than before."""
    if not _busy(simulation.world):
        return
    from engine.physics.traffic.exchange import review
    from engine.physics.traffic.routes import unseen

    inventory = simulation.world.inventory
    review(simulation, [link for port in ports for link in (port, links.peer(inventory, port) or unseen(port))])


def _rate_changed(simulation: Simulation[World], event: LinkRateChanged) -> None:
    _review(simulation, (event.port,))


def _signal_changed(simulation: Simulation[World], event: SignalChanged) -> None:
    """Packets that a cable spoils are noticed by the ends of RoCE flows."""
    if links.place(simulation.world.inventory, event.port).ethernet:
        _review(simulation, (event.port,))


def _pcie_changed(simulation: Simulation[World], event: PcieLinkChanged) -> None:
    hcas = simulation.world.node(event.node).hcas
    _review(simulation, [hca.port for hca in hcas if hca.address == event.address])


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (LinkChanged, _link_changed),
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ModuleChanged, _module_changed),
    (LinkRateChanged, _rate_changed),
    (PcieLinkChanged, _pcie_changed),
    (SignalChanged, _signal_changed),
    (SubnetSwept, _swept),
)
