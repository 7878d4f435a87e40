"""What administrators set on Ethernet ports, adapters and switches, and what breaks in ports: all of it by action.

Flows over a port that treats them otherwise are divided anew at once; a switch that chooses other ways has them routed
anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.physics.traffic import exchange
from engine.physics.traffic.routes import unseen
from engine.world.records import Watchdog
from engine.world.world import World

Changes = tuple[tuple[str, object], ...]
"""Fields of a record with their new values: plain ones, as a journal holds them."""


@dataclass(frozen=True, slots=True)
class SetPortQos(Action):
    """Change fields of the quality of service (PortQos) of some Ethernet ports."""

    ports: tuple[str, ...]
    changes: Changes

    def perform(self, simulation: Simulation[World]) -> None:
        with changing(simulation, self.ports):
            for port in self.ports:
                simulation.world.port_qos.update(port, **dict(self.changes))


@dataclass(frozen=True, slots=True)
class SetWatchdog(Action):
    """Switch the PFC watchdog of some Ethernet ports on or off, with its times and its action (see Watchdog)."""

    ports: tuple[str, ...]
    on: bool
    detection_ms: int = 200
    restoration_ms: int = 200
    poll_ms: int = 200
    action: str = "drop"

    def perform(self, simulation: Simulation[World]) -> None:
        dog = Watchdog(self.on, self.detection_ms, self.restoration_ms, self.poll_ms, self.action)
        with changing(simulation, self.ports):
            for port in self.ports:
                simulation.world.port_qos.update(port, watchdog=dog)


@dataclass(frozen=True, slots=True)
class SetRoce(Action):
    """Change fields of how an adapter's ports speak RoCE (RoceSettings)."""

    ports: tuple[str, ...]
    changes: Changes

    def perform(self, simulation: Simulation[World]) -> None:
        with changing(simulation, self.ports):
            for port in self.ports:
                simulation.world.roce.update(port, **dict(self.changes))


@dataclass(frozen=True, slots=True)
class SetSwitch(Action):
    """Change how an Ethernet switch spreads flows (fields of EthernetSwitch)."""

    switch: str
    changes: Changes

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.ethernet_switches.update(self.switch, **dict(self.changes))
        exchange.reroute(simulation, simulation.world.bundles.changed())


@dataclass(frozen=True, slots=True)
class SetPortMtu(Action):
    """Set the largest packet of Ethernet ports in bytes; None: as large as it can."""

    ports: tuple[str, ...]
    mtu: int | None

    def perform(self, simulation: Simulation[World]) -> None:
        with changing(simulation, self.ports):
            for port in self.ports:
                simulation.world.ports.update(port, mtu=self.mtu)


@dataclass(frozen=True, slots=True)
class SetPortFec(Action):
    """Set the error correction of an Ethernet port: rs, baser, off, or "" for what its speed asks for. A link whose
    ends differ is down.
    """

    port: str
    fec: str

    def perform(self, simulation: Simulation[World]) -> None:
        with links.telling(simulation, self.port):
            simulation.world.ethernet_ports.update(self.port, fec=self.fec)


def flood(simulation: Simulation[World], port: str, priorities: tuple[int, ...]) -> None:
    """A port sends pause for these priorities without end; () ends it."""
    with changing(simulation, (port,)):
        simulation.world.ethernet_ports.update(port, floods=priorities)


def take(simulation: Simulation[World], port: str, rate: int | None) -> None:
    """The receiver behind a host's port takes `rate` bit/s of payload; None: all that its bus moves."""
    with changing(simulation, (port,)):
        simulation.world.ethernet_ports.update(port, takes=rate)


def reset_port(simulation: Simulation[World], port: str) -> None:
    """An adapter's chip starts anew: what had gone wrong in its port is gone."""
    state = simulation.world.ethernet_ports[port]
    if state.floods or state.takes is not None:
        with changing(simulation, (port,)):
            simulation.world.ethernet_ports.update(port, floods=(), takes=None)


@contextmanager
def changing(simulation: Simulation[World], ports: Iterable[str]) -> Iterator[None]:
    """Whatever changes meanwhile in how these ports treat traffic."""
    inventory = simulation.world.inventory
    around = [link for port in ports for link in (port, links.peer(inventory, port) or unseen(port))]
    with exchange.rearranging(simulation, around):
        yield
