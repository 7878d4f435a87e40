"""What happens to the plugs of network ports: transceivers die, get too hot, are replaced; connectors get dirty and are
cleaned; chips hang. The laws are in engine.physics.optics; here both ends of every link hear of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics import links, optics
from engine.world.events import ModuleHeats, PlugChanged, SignalChanged
from engine.world.world import World

_ALARM = "alarm"


@contextmanager
def changing(simulation: Simulation[World], port: str) -> Iterator[None]:
    """Whatever becomes of the plug in a port meanwhile: all of its links' ends hear of it."""
    ports = [each for each in optics.ports_of(simulation.world.inventory, port) if _cabled(simulation, each)]
    ends = [end for each in ports for end in simulation.world.inventory.cables[each].ends]
    before = {end: optics.error_exponent(simulation.world, end) for end in ends}
    with ExitStack() as stack:
        for each in ports:
            stack.enter_context(links.telling(simulation, each))
        yield
    for end, exponent in before.items():
        if optics.error_exponent(simulation.world, end) != exponent:
            simulation.publish(SignalChanged(end))


def stop_light(simulation: Simulation[World], port: str) -> None:
    """The transceiver in a port does not send any more."""
    with changing(simulation, port):
        simulation.world.optics.update(optics.cage(simulation.world.inventory, port), dead=True)


def soil(simulation: Simulation[World], port: str, loss: tuple[int, ...]) -> None:
    """Dirt on the connector of a port takes so much of the light that comes in; () cleans it."""
    with changing(simulation, port):
        optics.set_dirt(simulation, port, loss)


def replace_module(simulation: Simulation[World], port: str) -> None:
    """Another transceiver of the same kind in the cage of a port."""
    place = optics.cage(simulation.world.inventory, port)
    with changing(simulation, port):
        simulation.world.optics[place] = optics.fitting(simulation.world.optics[place])


def restart_module(simulation: Simulation[World], port: str) -> bool:
    """Take a transceiver's power for a moment: one that was too hot starts again, and heats up again if that is its
    nature. Gives whether it had switched itself off.
    """
    world, place = simulation.world, optics.cage(simulation.world.inventory, port)
    state = world.optics[place]
    if not state.shut_down:
        return False
    with changing(simulation, port):
        world.optics.update(place, shut_down=False, alarm=False)
    optics.heat(simulation, port, state.heat)
    return True


def hang(simulation: Simulation[World], port: str, hung: bool) -> None:
    """The link logic of a port stops, or is reset."""
    with links.telling(simulation, port):
        simulation.world.ports.update(port, hung=hung)


def _cabled(simulation: Simulation[World], port: str) -> bool:
    return port in simulation.world.inventory.cables


def _heats(simulation: Simulation[World], event: ModuleHeats) -> None:
    state = simulation.world.optics[event.cage]
    if state.heating != event.since or state.shut_down:
        return
    with changing(simulation, event.port):
        if event.stage == _ALARM:
            simulation.world.optics.update(event.cage, alarm=True)
        else:
            simulation.world.optics.update(event.cage, shut_down=True)
    for port in optics.ports_of(simulation.world.inventory, event.port):
        simulation.publish(PlugChanged(port, "hot" if event.stage == _ALARM else "unplugged"))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ModuleHeats, _heats),)
