"""DCGM's host engine: whether it answers, which GPUs and NVSwitches it holds, and what clients have told it to keep.

It runs as the service nvidia-dcgm, or as a daemon that somebody started with `nv-hostengine`; both listen on port 5555
of the loopback interface. Its GPUs are those that the driver held when it started, under the driver's indices. Ids of
groups: 0 and 1 are made at the start (all GPUs, all NVSwitches), clients' groups count from 2; special group numbers
and the names of the default groups are those of dcgm_structs.h and DcgmGroupManager.cpp (DCGM 4.4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.control import driver, service_state, sockets
from engine.control.dcgm import links
from engine.control.dcgm.daemon import PORT, PROGRAM, UNIT, is_running, pid
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.physics.load import bound_gpus
from engine.world.events import BoardDefectStruck, NodeStopping, ProcessesEnded, ServiceChanged
from engine.world.inventory import Gpu
from engine.world.records import EntityGroup, FieldGroup, HostEngine
from engine.world.world import World

__all__ = ["PORT", "PROGRAM", "UNIT", "is_running", "pid"]

GPU, SWITCH = "GPU", "Switch"
ALL_GPUS, ALL_SWITCHES = 0x7FFFFFFF, 0x7FFFFFFE
ALL_INSTANCES, ALL_COMPUTE_INSTANCES, ALL_ENTITIES = 0x7FFFFFFD, 0x7FFFFFFC, 0x7FFFFFFB
DEFAULT_GPUS, DEFAULT_SWITCHES = 0, 1
_FIRST_GROUP, _FIRST_FIELD_GROUP = 2, 4
_MOST_GROUPS = 64
_LIBRARY = "libnvidia-compute-"


def started(world: World, host: str) -> int:
    """When the running host engine started (ns)."""
    service = service_state.service(world, host, UNIT)
    if service.active:
        return service.since
    number = pid(world, host)
    return next((each.started for each in world.systems[host].processes if each.pid == number), 0)


def answers_driver(world: World, host: str) -> bool:
    """Whether the driver's library works, without which the host engine knows no GPU. One that started before the
    library was exchanged still has the old one in memory, which fits the loaded module.
    """
    status = driver.nvml(world, host).status
    if status is not driver.NvmlStatus.MISMATCH:
        return status is driver.NvmlStatus.OK
    exchanged = [
        change.time
        for change in world.systems[host].package_history
        if any(name.startswith(_LIBRARY) for name, _, _ in change.upgrades)
    ]
    return bool(exchanged) and is_running(world, host) and started(world, host) < exchanged[0]


def gpus(world: World, host: str) -> list[Gpu]:
    """The GPUs by DCGM's GPU id."""
    return bound_gpus(world, host) if answers_driver(world, host) else []


def switches(world: World, host: str) -> list[int]:
    """Ids of the NVSwitches."""
    return list(range(len(world.node(host).nvswitches))) if answers_driver(world, host) else []


def groups(world: World, host: str) -> list[EntityGroup]:
    """Every group, those that the host engine makes for itself first."""
    own = [
        EntityGroup(DEFAULT_GPUS, "DCGM_ALL_SUPPORTED_GPUS", _all(GPU, range(len(gpus(world, host))))),
        EntityGroup(DEFAULT_SWITCHES, "DCGM_ALL_SUPPORTED_NVSWITCHES", _all(SWITCH, switches(world, host))),
    ]
    return [*own, *world.host_engines[host].groups]


def group(world: World, host: str, number: int) -> EntityGroup | None:
    """The group of that number, or None; the numbers for all GPUs, NVSwitches and entities name groups as well."""
    first, second, *_ = known = groups(world, host)
    special = {
        ALL_GPUS: first,
        ALL_SWITCHES: second,
        ALL_ENTITIES: replace(first, members=first.members + second.members),
        ALL_INSTANCES: replace(first, members=()),
        ALL_COMPUTE_INSTANCES: replace(first, members=()),
    }
    return special.get(number) or next((each for each in known if each.id == number), None)


def _all(kind: str, numbers: Sequence[int]) -> tuple[tuple[str, int], ...]:
    return tuple((kind, number) for number in numbers)


@dataclass(frozen=True, slots=True)
class CreateGroup(Action):
    """Make a group. `kinds` and `numbers` together name its members. Gives its id, or None when there are too many."""

    host: str
    name: str
    kinds: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()

    def perform(self, simulation: Simulation[World]) -> int | None:
        kept = simulation.world.host_engines[self.host]
        if len(kept.groups) >= _MOST_GROUPS - _FIRST_GROUP:
            return None
        number = _FIRST_GROUP + kept.groups_made
        made = EntityGroup(number, self.name, tuple(zip(self.kinds, self.numbers, strict=True)))
        simulation.world.host_engines.update(self.host, groups=(*kept.groups, made), groups_made=kept.groups_made + 1)
        return number


@dataclass(frozen=True, slots=True)
class ChangeGroup(Action):
    """Add an entity to a group or take it out. Gives whether that could be done."""

    host: str
    group: int
    kind: str
    number: int
    add: bool

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host]
        found = next((each for each in kept.groups if each.id == self.group), None)
        member = (self.kind, self.number)
        if found is None or (member in found.members) == self.add:
            return False
        members = (*found.members, member) if self.add else tuple(each for each in found.members if each != member)
        changed = replace(found, members=members)
        new = tuple(changed if each.id == self.group else each for each in kept.groups)
        simulation.world.host_engines.update(self.host, groups=new)
        return True


@dataclass(frozen=True, slots=True)
class DestroyGroup(Action):
    """Remove a group with its watches. Gives whether there was one."""

    host: str
    group: int

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host]
        left = tuple(each for each in kept.groups if each.id != self.group)
        watches = tuple(each for each in kept.watches if each.group != self.group)
        simulation.world.host_engines.update(self.host, groups=left, watches=watches)
        return len(left) < len(kept.groups)


@dataclass(frozen=True, slots=True)
class CreateFieldGroup(Action):
    """Make a field group. Gives its id; None where the name is taken."""

    host: str
    name: str
    fields: tuple[int, ...]

    def perform(self, simulation: Simulation[World]) -> int | None:
        kept = simulation.world.host_engines[self.host]
        if any(each.name == self.name for each in field_groups(simulation.world, self.host)):
            return None
        number = _FIRST_FIELD_GROUP + kept.field_groups_made
        simulation.world.host_engines.update(
            self.host,
            field_groups=(*kept.field_groups, FieldGroup(number, self.name, self.fields)),
            field_groups_made=kept.field_groups_made + 1,
        )
        return number


@dataclass(frozen=True, slots=True)
class DestroyFieldGroup(Action):
    """Remove a field group that a client made. Gives whether there was one."""

    host: str
    number: int

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host].field_groups
        left = tuple(each for each in kept if each.id != self.number)
        simulation.world.host_engines.update(self.host, field_groups=left)
        return len(left) < len(kept)


_OWN_FIELD_GROUPS = (
    FieldGroup(1, "DCGM_INTERNAL_30SEC", (160, 155, 80, 82, 83, 84, 66, 67, 65, 170, 171, 172, 173)),
    FieldGroup(2, "DCGM_INTERNAL_HOURLY", (50, 51, 53, 54, 55, 57, 85, 113, 114, 158, 159)),
    FieldGroup(3, "DCGM_INTERNAL_JOB", (111, 110, 202, 230, 240, 241, 242, 243, 244, 245, 250, 252)),
)
"""The field groups that the host engine makes for itself. Their names are DCGM's; which fields they hold is a guess."""


def field_groups(world: World, host: str) -> list[FieldGroup]:
    """Every field group, the host engine's own first."""
    return [*_OWN_FIELD_GROUPS, *world.host_engines[host].field_groups]


@dataclass(frozen=True, slots=True)
class StartDaemon(Action):
    """`nv-hostengine` starts by hand. Gives its process id, or a refusal of the port."""

    host: str
    command: str
    user: str = "root"
    terminal: str | None = None

    def perform(self, simulation: Simulation[World]) -> int | str:
        from engine.control import processes

        if sockets.service_listens(simulation.world, self.host, PORT, local=True):
            return sockets.IN_USE
        number = processes.start(
            simulation,
            self.host,
            user=self.user,
            command=self.command,
            terminal=self.terminal,
            cpu_permille=30,
            resident_kib=62_000,
        )
        refusal: str | None = sockets.Listen(self.host, PORT, number, self.user, PROGRAM).perform(simulation)
        return refusal or number


@dataclass(frozen=True, slots=True)
class LoadModule(Action):
    """A request needs a module, which is loaded and stays so."""

    host: str
    module: int

    def perform(self, simulation: Simulation[World]) -> None:
        loaded = simulation.world.host_engines[self.host].loaded
        if self.module not in loaded:
            simulation.world.host_engines.update(self.host, loaded=tuple(sorted((*loaded, self.module))))


@dataclass(frozen=True, slots=True)
class DenyModule(Action):
    """Put a module on the denylist. Gives whether that was in time: a loaded module stays."""

    host: str
    module: int

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host]
        if self.module in kept.loaded:
            return False
        denied = tuple(sorted({*kept.denied, self.module}))
        simulation.world.host_engines.update(self.host, denied=denied)
        return True


@dataclass(frozen=True, slots=True)
class PauseProfiling(Action):
    """Profiling counters are given up to other tools, or taken again."""

    host: str
    paused: bool

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.host_engines.update(self.host, profiling_paused=self.paused)


def break_profiling(simulation: Simulation[World], gpu_id: str) -> None:
    """The profiling session of a GPU gives 0 until the host engine starts anew."""
    world, host = simulation.world, gpu_id.partition("/")[0]
    known = [gpu.id for gpu in gpus(world, host)]
    if gpu_id in known:
        broken = {*world.host_engines[host].profiling_broken, known.index(gpu_id)}
        world.host_engines.update(host, profiling_broken=tuple(sorted(broken)))


@dataclass(frozen=True, slots=True)
class DiagnosticRuns(Action):
    """A diagnostic begins with process `pid`, or has ended (0)."""

    host: str
    pid: int

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.host_engines.update(self.host, diagnostic=self.pid)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit == UNIT:
        simulation.world.host_engines.forget(event.host)


def _node_stops(simulation: Simulation[World], event: NodeStopping) -> None:
    simulation.world.host_engines.forget(event.node)


def _processes_end(simulation: Simulation[World], event: ProcessesEnded) -> None:
    """A daemon that was killed forgets what it kept (its port is closed by then)."""
    world = simulation.world
    if world.host_engines[event.host] != HostEngine() and not is_running(world, event.host):
        world.host_engines.forget(event.host)


def _links_erred(simulation: Simulation[World], event: BoardDefectStruck) -> None:
    """Counts of a GPU's NVLinks are sampled when they grow, where a watch compares them."""
    world, host = simulation.world, event.gpu.partition("/")[0]
    kept = world.host_engines[host].link_samples
    if event.kind == board_defects.LINK_ERRORS and kept:
        new = links.sample(world, event.gpu, simulation.now)
        world.host_engines.update(host, link_samples=links.with_sample(kept, new))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (ServiceChanged, _service_changed),
    (NodeStopping, _node_stops),
    (ProcessesEnded, _processes_end),
    (BoardDefectStruck, _links_erred),
)
