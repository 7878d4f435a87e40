"""Reservations: nodes set aside for some users or accounts, or for maintenance, from one time to another.

Source: scontrol(1), reservations.html of Slurm's documentation, SchedMD/slurm 24.11 src/slurmctld/reservation.c
(job_test_resv: a job that names no reservation gets no node that it could still hold when one begins; create_resv: jobs
that run are in the way unless IGNORE_JOBS is given; MAINT overlaps others). Core counts are whole nodes, repeating ones
(DAILY, WEEKLY) move on by a day or a week when they are over; licences, burst buffers and FLEX are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine.control.slurm import configuration, jobs, lifecycle, logs
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.ledger import ledger
from engine.control.slurm.nodes import named
from engine.control.slurm.times import timestamp
from engine.kernel.actions import Action
from engine.kernel.hostlist import fold
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.events import SchedulerDue
from engine.world.records import Job, SlurmReservation
from engine.world.world import World

FLAGS = (
    "MAINT", "OVERLAP", "IGNORE_JOBS", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY", "ANY_NODES", "STATIC", "PART_NODES",
    "FIRST_CORES", "NO_HOLD_JOBS_AFTER", "PURGE_COMP", "REPLACE", "REPLACE_DOWN", "SPEC_NODES", "FLEX", "MAGNETIC",
    "HOURLY",
)  # fmt: skip
"""The flags that slurmctld knows."""
_REPEATS = {"HOURLY": DAY // 24, "DAILY": DAY, "WEEKLY": 7 * DAY}
_LONGEST = 365 * DAY


def find(world: World, name: str) -> SlurmReservation | None:
    """The reservation of a name."""
    return next((each for each in world.slurm[""].reservations if each.name == name), None)


def is_active(reservation: SlurmReservation, now: int) -> bool:
    """Whether it has begun and is not over."""
    return reservation.start <= now < reservation.end


def may_use(reservation: SlurmReservation, job: Job) -> bool:
    """Whether the job's user or account has a share in it; `-name` excludes one."""
    denied = {name[1:] for name in (*reservation.users, *reservation.accounts) if name.startswith("-")}
    if job.user in denied or job.account in denied:
        return False
    return job.user in reservation.users or job.account in reservation.accounts or not _grants(reservation)


def _grants(reservation: SlurmReservation) -> bool:
    return any(not name.startswith("-") for name in (*reservation.users, *reservation.accounts))


def in_the_way(world: World, job: Job, now: int) -> Iterator[SlurmReservation]:
    """The reservations that keep a job that names none from their nodes, if it began now."""
    until = now + job.time_limit if job.time_limit else None
    for each in world.slurm[""].reservations:
        if each.end > now and (until is None or each.start < until):
            yield each


def check(world: World, job: Job) -> None:
    """Raises Refused if the job names a reservation that there is none of, or that is not for it."""
    if not job.reservation:
        return
    reservation = find(world, job.reservation)
    if reservation is None:
        raise Refused(SlurmError.RESERVATION)
    if not may_use(reservation, job) and job.user not in ("root", jobs.SLURM_USER):
        raise Refused(SlurmError.RESERVATION_ACCESS)


def refresh(simulation: Simulation[World]) -> None:
    """Reservations that are over go, or come again; slurmctld looks at its queue when the next begins or ends."""
    known = simulation.world.slurm[""].reservations
    if not known:
        return
    now = simulation.now
    coming = (_after(each, now) for each in known)
    kept = tuple(replace(each, active=is_active(each, now)) for each in coming if each is not None)
    if kept != known:
        simulation.world.slurm.update("", reservations=kept)


def _after(reservation: SlurmReservation, now: int) -> SlurmReservation | None:
    if reservation.end > now:
        return reservation
    period = next((_REPEATS[flag] for flag in reservation.flags if flag in _REPEATS), None)
    if period is None:
        return None
    rounds = (now - reservation.end) // period + 1
    return replace(reservation, start=reservation.start + rounds * period, end=reservation.end + rounds * period)


@dataclass(frozen=True, slots=True)
class CreateReservation(Action):
    """`scontrol create reservation`. Times in ns since the site's start. Returns the reservation's name, or the error;
    without `nodes` it gets `node_count` nodes of its partition that are free of others.
    """

    by: str
    name: str = ""
    start: int | None = None
    duration: int | None = None
    end: int | None = None
    nodes: str = ""
    node_count: int = 0
    partition: str = ""
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    features: str = ""
    comment: str = ""

    def perform(self, simulation: Simulation[World]) -> str | SlurmError:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.ACCESS_DENIED
        try:
            made = self._made(simulation)
        except Refused as refused:
            text = f"_slurm_rpc_resv_create reservation={self.name or '(null)'}: {refused.error.text}"
            logs.controller(simulation, text)
            return refused.error
        world.slurm.update("", reservations=(*world.slurm[""].reservations, made))
        _announce(simulation, made, "Created")
        return made.name

    def _made(self, simulation: Simulation[World]) -> SlurmReservation:
        world, now = simulation.world, simulation.now
        start = now if self.start is None else self.start
        if self.start is None or not (self.users or self.accounts or "MAINT" in self.flags):
            raise Refused(SlurmError.TIME if self.start is None else SlurmError.RESERVATION_EMPTY)
        name = self.name or self._new_name(world)
        if find(world, name):
            raise Refused(SlurmError.RESERVATION_NAME)
        flags = (*self.flags, *(("SPEC_NODES",) if self.nodes else ()))
        made = SlurmReservation(
            name, start, _end(start, self.duration, self.end), (), self.users, self.accounts,
            tuple(dict.fromkeys(flags)), self.partition, self.features, self.comment,
        )  # fmt: skip
        return replace(
            made, nodes=_nodes(world, made, self.nodes, self.node_count), active=is_active(made, simulation.now)
        )

    def _new_name(self, world: World) -> str:
        """`root_1`: after the first user or account, with a number that none has."""
        stem = next((name for name in (*self.users, *self.accounts)), "resv")
        number = 1
        while find(world, f"{stem}_{number}"):
            number += 1
        return f"{stem}_{number}"


@dataclass(frozen=True, slots=True)
class UpdateReservation(Action):
    """`scontrol update reservation`: None leaves a field as it is. Returns the error, or None."""

    by: str
    name: str
    start: int | None = None
    duration: int | None = None
    end: int | None = None
    nodes: str | None = None
    users: tuple[str, ...] | None = None
    accounts: tuple[str, ...] | None = None
    flags: tuple[str, ...] | None = None
    comment: str | None = None

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.ACCESS_DENIED
        before = find(world, self.name)
        if before is None:
            return SlurmError.RESERVATION
        changes: dict[str, Any] = {
            field: value
            for field in ("users", "accounts", "flags", "comment")
            if (value := getattr(self, field)) is not None
        }
        start = before.start if self.start is None else self.start
        try:
            if (self.start, self.duration, self.end) != (None, None, None):
                lasts = before.end - before.start if self.duration is None else self.duration
                changes |= {"start": start, "end": _end(start, lasts, self.end)}
            after = replace(before, **changes)
            if self.nodes is not None:
                after = replace(after, nodes=_nodes(world, after, self.nodes, 0))
        except Refused as refused:
            return refused.error
        after, known = replace(after, active=is_active(after, simulation.now)), world.slurm[""].reservations
        world.slurm.update("", reservations=tuple(after if each.name == self.name else each for each in known))
        _announce(simulation, after, "Updated")
        return None


@dataclass(frozen=True, slots=True)
class DeleteReservation(Action):
    """`scontrol delete reservation`. Jobs that name it and wait are held by slurmctld; one that runs is in the way."""

    by: str
    name: str

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.ACCESS_DENIED
        if find(world, self.name) is None:
            return SlurmError.RESERVATION
        naming = [job for job in jobs.active(world) if job.reservation == self.name]
        if any(job.state == "RUNNING" for job in naming):
            return SlurmError.RESERVATION_BUSY
        for job in naming:
            lifecycle.put(simulation, job.id, held_by_admin=True, reason="ReservationDeleted")
        world.slurm.update(
            "", reservations=tuple(each for each in world.slurm[""].reservations if each.name != self.name)
        )
        logs.controller(simulation, f"_slurm_rpc_resv_delete complete for {self.name}")
        lifecycle.look_soon(simulation)
        return None


def _announce(simulation: Simulation[World], reservation: SlurmReservation, what: str) -> None:
    inventory = simulation.world.inventory
    people = "".join(
        f" {word}={','.join(names)}"
        for word, names in (("users", reservation.users), ("accounts", reservation.accounts))
        if names
    )
    logs.controller(
        simulation,
        f"sched: {what} reservation={reservation.name}{people} nodes={fold(reservation.nodes)} "
        f"start={timestamp(inventory, reservation.start)} end={timestamp(inventory, reservation.end)}",
    )
    for moment in (reservation.start, reservation.end):
        if moment > simulation.now:
            simulation.schedule_at(SchedulerDue(), moment)
    lifecycle.look_soon(simulation)


def _end(start: int, duration: int | None, end: int | None) -> int:
    if end is None:
        end = start + (_LONGEST if duration is None else duration)
    if end <= start:
        raise Refused(SlurmError.TIME)
    return end


def _nodes(world: World, made: SlurmReservation, text: str, count: int) -> tuple[str, ...]:
    """The nodes of a reservation. Raises Refused where there are none, or jobs or other reservations are in the way."""
    known = configuration.in_force(world)
    if not text:
        return _free_nodes(world, made, count)
    try:
        names = tuple(dict.fromkeys(named(known, text)))
    except KeyError:
        raise Refused(SlurmError.INVALID_NODE) from None
    if any(_is_taken(world, made, name) for name in names):
        raise Refused(SlurmError.RESERVATION_OVERLAP)
    if any(_is_busy(world, made, name) for name in names):
        raise Refused(SlurmError.NODES_BUSY)
    return tuple(name for name in known.nodes if name in set(names))


def _free_nodes(world: World, made: SlurmReservation, count: int) -> tuple[str, ...]:
    known = configuration.in_force(world)
    partition = known.partition(made.partition) if made.partition else known.default_partition
    if partition is None:
        raise Refused(SlurmError.INVALID_PARTITION)
    if not count:
        raise Refused(SlurmError.NODE_COUNT)
    fit = [name for name in partition.nodes if not _is_taken(world, made, name) and not _is_busy(world, made, name)]
    if made.features:
        fit = [name for name in fit if made.features in known.nodes[name].features.split(",")]
    if len(fit) < count:
        raise Refused(SlurmError.NODES_BUSY)
    return tuple(fit[:count])


def _is_taken(world: World, made: SlurmReservation, name: str) -> bool:
    """Whether another reservation has the node at that time."""
    if {"MAINT", "OVERLAP"} & set(made.flags):
        return False
    return any(
        name in each.nodes and each.name != made.name and each.start < made.end and made.start < each.end
        for each in world.slurm[""].reservations
        if not {"MAINT", "OVERLAP"} & set(each.flags)
    )


def _is_busy(world: World, made: SlurmReservation, name: str) -> bool:
    """Whether a job may still run on the node when the reservation begins."""
    if "IGNORE_JOBS" in made.flags:
        return False
    known = ledger(world)
    held = known.usage.get(name)
    for number in held.running if held else ():
        job = known.active[number]
        ends = None if not job.time_limit or job.started is None else job.started + job.time_limit
        if job.reservation != made.name and (ends is None or ends > made.start):
            return True
    return False
