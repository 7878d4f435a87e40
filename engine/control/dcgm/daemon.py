"""The process that is DCGM's host engine: the service nvidia-dcgm, or a daemon that somebody started with
`nv-hostengine`. Both listen on port 5555 of the loopback interface; while one runs it has every GPU open.
"""

from __future__ import annotations

from engine.control import service_state
from engine.world.world import World

UNIT = "nvidia-dcgm.service"
PORT = 5555
PROGRAM = "nv-hostengine"


def pid(world: World, host: str) -> int:
    """The host engine's process id; 0 where none runs."""
    service = service_state.service(world, host, UNIT)
    if service.active:
        return service.pid
    from engine.control import sockets

    listening = sockets.listener(world, host, PORT)
    return listening.pid if listening and listening.program == PROGRAM else 0


def is_running(world: World, host: str) -> bool:
    """Whether a client on the host itself can connect."""
    return pid(world, host) > 0


def runs_as_root(world: World, host: str) -> bool:
    """Whether the running host engine may do what only root may, such as reading profiling counters."""
    number = pid(world, host)
    process = next((each for each in world.systems[host].processes if each.pid == number), None)
    return process is None or process.user == "root"
