"""What programs send over the network while they run: one bundle of flows for each process, gone when it ends."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics.paths import receiving
from engine.physics.traffic import exchange
from engine.world.events import ProcessesEnded
from engine.world.records import WHOLE, Flow, ServiceClass
from engine.world.world import World


def owner(host: str, pid: int) -> str:
    """The name of what a process sends."""
    return f"process/{host}/{pid}"


@dataclass(frozen=True, slots=True)
class Send(Action):
    """Process `pid` of `host` sends from now on `rate` bit/s of payload on each way from a port to another, instead of
    what it sent before. Gives the share of that which it gets (ppm).
    """

    host: str
    pid: int
    ways: tuple[tuple[str, str], ...]
    rate: int
    mtu: int = 4096
    tcp: bool = False
    dscp: int = 0
    key_index: int = 0

    def perform(self, simulation: Simulation[World]) -> int:
        service = ServiceClass(dscp=self.dscp, tcp=self.tcp, reacts=self.tcp, mtu=self.mtu)
        flows = [
            Flow(
                source,
                target,
                self.rate,
                service=service,
                key_index=self.key_index,
                held=receiving.held(simulation.world, source, target, self.rate, steady=True),
            )
            for source, target in self.ways
            if source != target
        ]
        return exchange.open_bundle(simulation, owner(self.host, self.pid), flows) if flows and self.rate else WHOLE


@dataclass(frozen=True, slots=True)
class StopSending(Action):
    """A process sends no more. Gives the payload in bytes that it has moved."""

    host: str
    pid: int

    def perform(self, simulation: Simulation[World]) -> int:
        return _stop(simulation, self.host, self.pid)


def share(world: World, host: str, pid: int) -> int:
    """What a process gets now of what it would send, in ppm."""
    return exchange.share(world, owner(host, pid))


def _stop(simulation: Simulation[World], host: str, pid: int) -> int:
    name = owner(host, pid)
    return exchange.close_bundle(simulation, name) if simulation.world.bundles[name].flows else 0


def _processes_end(simulation: Simulation[World], event: ProcessesEnded) -> None:
    for pid in event.pids:
        _stop(simulation, event.host, pid)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ProcessesEnded, _processes_end),)
