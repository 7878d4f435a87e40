"""How the processes of a parallel program find each other, and what becomes of them.

A launcher (Slurm's step, mpirun) gives a name to what it starts; every process joins under that name, and the first of
them conducts. Each is a process of its host: ps and nvidia-smi show it, and it can be killed, stopped or lose its GPU,
which the others see here. While they work, the flows of the collective are open in the traffic model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.control import processes
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import connections
from engine.physics.paths import receiving
from engine.physics.traffic import exchange
from engine.world.events import GpuLoadChanged, ProcessesEnded
from engine.world.records import Flow, Meeting, Member, ServiceClass
from engine.world.world import World

GATHERING, CONNECTING, WORKING, FAILED = "gathering", "connecting", "working", "failed"


def meeting(world: World, name: str) -> Meeting | None:
    """The processes that met under `name`, or None when nobody has come or all have gone."""
    found = world.communicators[name]
    return found if found.members else None


def member(world: World, name: str, rank: int) -> Member | None:
    """The process of that rank, or None."""
    return next((each for each in world.communicators[name].members if each.rank == rank), None)


def owner(name: str) -> str:
    """The owner of a program's traffic in the traffic model."""
    return f"nccl/{name}"


def share(world: World, name: str) -> int:
    """What the program gets of the network that it asks for, in ppm."""
    return exchange.share(world, owner(name))


def is_stopped(world: World, each: Member) -> bool:
    """Whether somebody stopped the process (SIGSTOP)."""
    return any(process.pid == each.pid and process.state == "T" for process in world.systems[each.host].processes)


@dataclass(frozen=True, slots=True)
class Join(Action):
    """A process starts and joins `name`, where `size` are expected. Gives its process id.

    `memory` is MiB on each of `gpus`; the rest as in `Process`.
    """

    name: str
    size: int
    rank: int
    host: str
    user: str
    command: str
    gpus: tuple[int, ...]
    memory: int
    job: int | None = None
    terminal: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    cpus: str = ""
    memory_lock: int | None = None

    def perform(self, simulation: Simulation[World]) -> int:
        pid = processes.start(
            simulation,
            self.host,
            user=self.user,
            command=self.command,
            gpus=self.gpus,
            gpu_memory=self.memory,
            workload="nccl",
            job=self.job,
            terminal=self.terminal,
            state="R",
            alone=False,
        )
        self._complete(simulation, pid)
        before = simulation.world.communicators[self.name]
        own = Member(self.rank, self.host, pid, self.gpus)
        members = tuple(sorted((*before.members, own), key=lambda each: each.rank))
        simulation.world.communicators.update(self.name, size=self.size, members=members)
        return pid

    def _complete(self, simulation: Simulation[World], pid: int) -> None:
        known = simulation.world.systems[self.host].processes
        own = {"environment": self.environment, "cpus": self.cpus, "memory_lock": self.memory_lock}
        changed = tuple(replace(each, **own) if each.pid == pid else each for each in known)  # type: ignore[arg-type]
        simulation.world.systems.update(self.host, processes=changed)


@dataclass(frozen=True, slots=True)
class Proceed(Action):
    """The conductor goes on to `stage`; the GPUs begin to work when they connect.

    From now on `flows` (source port, destination port, bit/s, index of the partition key, DSCP) go through the network,
    all at the pace of the slowest.
    """

    name: str
    stage: str
    flows: tuple[tuple[str, str, int, int, int], ...] = ()

    def perform(self, simulation: Simulation[World]) -> None:
        found = simulation.world.communicators.update(self.name, stage=self.stage)
        if self.flows:
            flows = [
                Flow(
                    source,
                    to,
                    rate,
                    service=ServiceClass(dscp=dscp),
                    key_index=key,
                    held=receiving.held(simulation.world, source, to, rate),
                )
                for source, to, rate, key, dscp in self.flows
            ]
            parts = [part for flow in flows for part in connections.queue_pairs(simulation.world, flow)]
            exchange.open_bundle(simulation, owner(self.name), parts, coupled=True)
        if self.stage == CONNECTING:
            for host in dict.fromkeys(each.host for each in found.members if each.gpus):
                simulation.publish(GpuLoadChanged(host))


@dataclass(frozen=True, slots=True)
class Fail(Action):
    """The program's processes get an error: where in the source (innermost first), why, and their exit code; `errors`
    as in `Meeting`.
    """

    name: str
    places: tuple[str, ...]
    reason: str
    status: int
    errors: tuple[tuple[int, str, str, tuple[str, ...]], ...] = ()

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.communicators.update(
            self.name,
            stage=FAILED,
            places=self.places,
            reason=self.reason,
            status=self.status,
            errors=self.errors,
        )


@dataclass(frozen=True, slots=True)
class Leave(Action):
    """A process ends by itself."""

    name: str
    rank: int

    def perform(self, simulation: Simulation[World]) -> None:
        _leave(simulation, self.name, [self.rank])


@dataclass(frozen=True, slots=True)
class Finish(Action):
    """All processes end: the program has done its work."""

    name: str

    def perform(self, simulation: Simulation[World]) -> None:
        _leave(simulation, self.name, [each.rank for each in simulation.world.communicators[self.name].members])


def _leave(simulation: Simulation[World], name: str, ranks: Iterable[int]) -> None:
    world, gone = simulation.world, set(ranks)
    before = world.communicators[name].members
    kept = tuple(each for each in before if each.rank not in gone)
    if kept:
        world.communicators.update(name, members=kept)
    else:
        world.communicators.forget(name)
        if world.bundles[owner(name)].flows:
            exchange.close_bundle(simulation, owner(name))
    leaving = [each for each in before if each.rank in gone and not each.lost]
    for host in dict.fromkeys(each.host for each in leaving):
        processes.end(simulation, host, [each.pid for each in leaving if each.host == host], "exit")


def _processes_ended(simulation: Simulation[World], event: ProcessesEnded) -> None:
    """Members that were killed, or went with their GPU or their host, are marked for the others to see."""
    table = simulation.world.communicators
    for name in table.changed() if event.why != "exit" else ():
        members = table[name].members
        if any(each.host == event.host and each.pid in event.pids for each in members):
            table.update(name, members=tuple(_marked(each, event) for each in members))


def _marked(each: Member, event: ProcessesEnded) -> Member:
    hit = each.host == event.host and each.pid in event.pids and not each.lost
    return replace(each, lost=event.why, signal=event.signal) if hit else each


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ProcessesEnded, _processes_ended),)
