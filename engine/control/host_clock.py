"""The clocks of hosts: by how much each is wrong, and what sets it right.

A clock that nothing happened to is right: chrony keeps it. One that was set wrong while chrony does not run stays
wrong. chronyd slews what is a second wrong or less, and steps the clock only at its start (`makestep 1 3`: within its
first three updates) or when it is told to (`chronyc makestep`); source: chrony.conf(5) of chrony 4.5. That a clock
which jumped under a running chronyd stays where it is until then is a simplification: in life it would be slewed back
by at most 83 ms each second.
"""

from __future__ import annotations

from engine.control import journald, service_state
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import HostClockStepped, ServiceChanged
from engine.world.records import HostClock
from engine.world.world import World

CHRONY = "chrony"


def offset(world: World, host: str, time: int) -> int:
    """By how many ns the clock of `host` was, or is, ahead at a moment in simulated ns."""
    steps = world.host_clocks[host].steps if world.host_clocks.generation else ()
    return next((ahead for since, ahead in reversed(steps) if since <= time), 0)


def epoch(world: World, host: str, time: int) -> int:
    """What the clock of a host showed at a moment: ns since 1970."""
    return world.inventory.start + time + offset(world, host, time)


def moment(world: World, host: str, shown: int, now: int) -> int:
    """The simulated time at which the clock of a host, as it goes now, shows `shown` (ns since 1970)."""
    return shown - world.inventory.start - offset(world, host, now)


def source(world: World, host: str) -> str:
    """Where chrony of a host has the time from: the first head node, or that node's own source outside."""
    from engine.control.slurm.files import controller_host  # the host that serves what all others use

    head = controller_host(world.inventory)
    return f"ntp.{world.inventory.domain}" if host == head else head


def step(simulation: Simulation[World], host: str, ahead: int) -> None:
    """Set the clock of a host, so that it is `ahead` ns ahead of the right time."""
    steps = simulation.world.host_clocks[host].steps
    kept = tuple(each for each in steps if each[0] < simulation.now)
    simulation.world.host_clocks[host] = HostClock((*kept, (simulation.now, ahead)))
    simulation.publish(HostClockStepped(host))


@dataclass(frozen=True, slots=True)
class SetClock(Action):
    """Somebody sets the clock of a host by `by` ns."""

    host: str
    by: int

    def perform(self, simulation: Simulation[World]) -> None:
        step(simulation, self.host, offset(simulation.world, self.host, simulation.now) + self.by)


@dataclass(frozen=True, slots=True)
class MakeStep(Action):
    """`chronyc makestep`: chronyd sets the clock right at once."""

    host: str

    def perform(self, simulation: Simulation[World]) -> None:
        correct(simulation, self.host)


def correct(simulation: Simulation[World], host: str) -> None:
    """chronyd steps a wrong clock, and says so (logs of chrony 4.5)."""
    wrong = offset(simulation.world, host, simulation.now)
    if not wrong:
        return
    amount = f"{'-' if wrong > 0 else ''}{abs(wrong) // SECOND}.{abs(wrong) % SECOND // 1000:06d} seconds"
    _say(simulation, host, f"System clock wrong by {amount}")
    step(simulation, host, 0)
    _say(simulation, host, f"System clock was stepped by {amount}")


def _say(simulation: Simulation[World], host: str, text: str) -> None:
    pid = service_state.service(simulation.world, host, CHRONY).pid
    journald.log(simulation, host, text, source="chronyd", pid=pid, unit="chrony.service")


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    """chronyd has started: its first update steps the clock."""
    if event.unit.removesuffix(".service") == CHRONY and event.active:
        correct(simulation, event.host)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ServiceChanged, _service_changed),)
