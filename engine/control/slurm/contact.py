"""Whether Slurm's daemons understand each other: who listens where, and whether the one's credentials are good for the
other.

A node answers slurmctld where its slurmd runs and MUNGE carries messages both ways (engine.control.munge). What is
written when it does not: SchedMD/slurm src/plugins/auth/munge/auth_munge.c and src/common/slurm_protocol_api.c
(slurm_unpack_received_msg), 24.11; reports in stackhpc/ansible-slurm-appliance#114 and clustervision/trinity#424.
"""

from __future__ import annotations

from engine.control import files as host_files
from engine.control import host_clock, host_names, munge, service_state
from engine.control.slurm import charge, configuration, logs
from engine.control.slurm.config_file import ConfigurationError
from engine.kernel.calendar import local
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World

_NO_SOCKET = 'Failed to access "/run/munge/munge.socket.2": No such file or directory'
SOCKET_LINES = (
    "error: If munged is up, restart with --num-threads=10",
    f"error: Munge encode failed: {_NO_SOCKET}",
)
"""What a program of Slurm says that finds no munged on its host."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a message does not arrive: `kind` is munge_down (at the sender's), credential, elsewhere (the sender asks
    another host, address or port) or no_service; `status` is what munged says of the credential.
    """

    kind: str
    status: munge.Status = munge.SUCCESS


def to_controller(world: World, host: str, now: int) -> Obstacle | None:
    """Why a daemon or a client of `host` does not get through to slurmctld; None if it does."""
    if not munge.runs(world, host):
        return Obstacle("munge_down")
    head = charge.in_charge(world)
    if not listens_there(world, host) or not host_names.is_found(world, host, head):
        return Obstacle("elsewhere")
    if not service_state.is_active(world, head, logs.SLURMCTLD):
        return Obstacle("no_service")
    return _credential(world, host, head, now)


def from_controller(world: World, node: str, now: int) -> Obstacle | None:
    """Why slurmctld does not get through to the slurmd of a node."""
    head = charge.in_charge(world)
    if not munge.runs(world, head):
        return Obstacle("munge_down")
    if not service_state.is_active(world, node, logs.SLURMD):
        return Obstacle("no_service")
    configured = configuration.in_force(world)
    listening = _parsed(configuration.read_by_slurmd(world, node)[0])
    mine, theirs = configured.nodes.get(node), listening.nodes.get(node) if listening else None
    if not host_names.is_found(world, head, node):
        return Obstacle("elsewhere")
    if mine is None or (theirs is not None and _port(configured, mine) != _port(listening, theirs)):
        return Obstacle("elsewhere")
    return _credential(world, head, node, now)


def answers(world: World, node: str, now: int) -> bool:
    """Whether slurmctld hears from the slurmd of a node when it asks."""
    if _is_as_opened(world, node, now):
        return True
    if from_controller(world, node, now) is not None:
        return False
    obstacle = to_controller(world, node, now)
    return obstacle is None or obstacle.kind in (
        "elsewhere",
        "no_service",
    )  # an answer goes back on the same connection


def _is_as_opened(world: World, node: str, now: int) -> bool:
    """Whether nothing has happened to a node, nor to what others need to reach it: then it answers, and of a large site
    nothing has to be built to know that.
    """
    head = charge.in_charge(world)
    tables = (world.systems, world.nodes, world.munge, world.host_clocks, world.slurm_nodes, world.files)
    return (
        not any(node in table for table in tables)
        and configuration.is_the_sites(world)
        and munge.runs(world, head)
        and munge.loaded_key(world, head) == munge.fingerprint(munge.site_key(world.inventory))
        and abs(host_clock.offset(world, head, now)) <= munge.LIFETIME * SECOND
        and not host_files.changed(world, head, host_names.HOSTS_FILE)
    )


def listens_there(world: World, host: str) -> bool:
    """Whether slurmctld's host and port are those that slurm.conf of `host` names."""
    known = _parsed(_text_of(world, host))
    if known is None:
        return False
    port = configuration.in_force(world).text("SlurmctldPort", str(configuration.CONTROLLER_PORT))
    theirs = known.text("SlurmctldPort", str(configuration.CONTROLLER_PORT))
    return port == theirs and charge.in_charge(world) in known.controllers


def log_refused(simulation: Simulation[World], sender: str, receiver: str, message: str, status: munge.Status) -> None:
    """A daemon writes that a message of another host bears no good credential."""
    world, now = simulation.world, simulation.now
    daemon = logs.SLURMCTLD if receiver == charge.in_charge(world) else logs.SLURMD
    port = 30_000 + hash64(world.seed, sender, receiver, message, now) % 30_000
    known = status in (munge.EXPIRED, munge.REWOUND)
    encoded = _date(world, sender, now) if known else _date(world, None, 0)
    decoded = _date(world, receiver, now) if known else _date(world, None, 0)
    lines = [
        f"error: Munge decode failed: {status[1]}",
        f"auth/munge: _print_cred: ENCODED: {encoded}",
        f"auth/munge: _print_cred: DECODED: {decoded}",
        *(["error: Check for out of sync clocks"] if status == munge.REWOUND else []),
        f"error: slurm_unpack_received_msg: [[{sender}]:{port}] auth_g_verify: {message} has authentication error: "
        "Unspecified error",
        f"error: slurm_unpack_received_msg: [[{sender}]:{port}] Protocol authentication error",
    ]
    for line in lines:
        logs.write(simulation, receiver, daemon, line)
    munge.write(simulation, receiver, f"Info:      {status[1]}")


def _credential(world: World, sender: str, receiver: str, now: int) -> Obstacle | None:
    if not munge.runs(world, receiver):
        return Obstacle("no_service")
    status = munge.between(world, sender, receiver, now)
    return None if status == munge.SUCCESS else Obstacle("credential", status)


def _text_of(world: World, host: str) -> str:
    return configuration.text_on(world, host, configuration.SLURM_CONF)


def _parsed(text: str) -> configuration.SlurmConfiguration | None:
    try:
        return configuration.parse_for_node(text)
    except ConfigurationError:
        return None


def _port(known: configuration.SlurmConfiguration | None, node: configuration.NodeConfiguration) -> int:
    """The port of a node's slurmd: its own, or the one of all."""
    if known is None or node.port != configuration.DEFAULT_PORT:
        return node.port
    return known.number("SlurmdPort", configuration.DEFAULT_PORT)


def _date(world: World, host: str | None, now: int) -> str:
    """`Mon Nov 30 09:01:40 2026` by a host's clock; where the credential could not be read, the beginning of 1970."""
    epoch = 0 if host is None else host_clock.epoch(world, host, now)
    return local(world.inventory.timezone, epoch // SECOND * SECOND).strftime("%a %b %d %H:%M:%S %Y")
