"""Login sessions of a host: who is on, who was (wtmp), and what sshd and logind write when somebody comes and goes."""

from __future__ import annotations

from dataclasses import replace

from engine.control import cpu_sets, journald, processes
from engine.control.history.logins import past_logins
from engine.control.history.routine import login_lines, login_port, logout_lines
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import NodeStopping
from engine.world.records import Login
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class WtmpBoot:
    """A `reboot` entry of wtmp: the time during which a kernel ran."""

    start: int
    end: int | None


def sessions(world: World, host: str) -> list[Login]:
    """Sessions that last, by start."""
    return [login for login in world.systems[host].logins if login.end is None]


def history(world: World, host: str) -> list[Login]:
    """All logins that wtmp knows, oldest first."""
    return [*past_logins(world, host), *world.systems[host].logins]


def reboots(world: World, host: str) -> list[WtmpBoot]:
    """The boots that wtmp knows, oldest first."""
    return [WtmpBoot(boot.start, boot.end) for boot in journald.boots(world, host)]


@dataclass(frozen=True, slots=True)
class OpenSession(Action):
    """Somebody logs in over ssh from `source` (an address); `terminal` False for a command without one. Gives the
    session's number.
    """

    host: str
    user: str
    source: str
    terminal: bool = True

    def perform(self, simulation: Simulation[World]) -> int:
        world, host = simulation.world, self.host
        known = history(world, host)
        number = max((login.number for login in known if login.start >= world.nodes[host].booted_at), default=0) + 1
        terminal = _free_terminal(world, host) if self.terminal else "notty"
        privileged = processes.start(
            simulation,
            host,
            user="root",
            command=f"sshd: {self.user} [priv]",
            resident_kib=11_008,
            unit=f"session-{number}.scope",
        )
        login = Login(number, self.user, terminal, self.source, simulation.now, None, privileged)
        world.systems.update(host, logins=(*world.systems[host].logins, login))
        _start_shell(simulation, host, login)
        journald.append(simulation, host, list(login_lines(world, host, login)))
        return number


@dataclass(frozen=True, slots=True)
class CloseSession(Action):
    """A session ends; its processes go with it."""

    host: str
    number: int

    def perform(self, simulation: Simulation[World]) -> None:
        world, host = simulation.world, self.host
        for login in sessions(world, host):
            if login.number == self.number:
                scope = f"session-{login.number}.scope"
                pids = [process.pid for process in world.systems[host].processes if process.unit == scope]
                processes.end(simulation, host, pids, "exit")
                ended = replace(login, end=simulation.now)
                _replace(world, host, login, ended)
                journald.append(simulation, host, list(logout_lines(ended, login_port(world, host, login))))


def _start_shell(simulation: Simulation[World], host: str, login: Login) -> None:
    """sshd's process for the user, and the shell on its terminal."""
    scope, cpus = f"session-{login.number}.scope", cpu_sets.of_sessions(simulation.world, host)
    child = processes.start(
        simulation,
        host,
        user=login.user,
        command=f"sshd: {login.user}@{login.terminal}",
        parent=login.pid,
        resident_kib=7_040,
        unit=scope,
        cpus=cpus,
    )
    if login.terminal != "notty":
        processes.start(
            simulation,
            host,
            user=login.user,
            command="-bash",
            parent=child,
            terminal=login.terminal,
            resident_kib=5_376,
            unit=scope,
            cpus=cpus,
            state="Ss",
        )


def _free_terminal(world: World, host: str) -> str:
    used = {login.terminal for login in sessions(world, host)}
    return next(name for number in range(len(used) + 1) if (name := f"pts/{number}") not in used)


def _replace(world: World, host: str, old: Login, new: Login) -> None:
    logins = tuple(new if login == old else login for login in world.systems[host].logins)
    world.systems.update(host, logins=logins)


def _node_stops(simulation: Simulation[World], event: NodeStopping) -> None:
    for login in sessions(simulation.world, event.node):
        _replace(simulation.world, event.node, login, replace(login, end=simulation.now))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _node_stops),)
