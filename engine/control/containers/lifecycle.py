"""Making, starting, ending and removing containers, with their restart policies.

A container is a process on its host, with the GPUs that it works on. Exit statuses are Docker's: 137 after SIGKILL, 143
after SIGTERM for a program that does not catch it. What `docker stop` cannot end in its ten seconds it kills; here
every program without a handler is process 1 of its container and ignores SIGTERM, as Linux has it.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

from engine.control import journald, processes, service_state
from engine.control.containers import CONTAINER, daemon, device_cgroup, images, shared_memory, toolkit
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.container_events import ContainerMemoryFills
from engine.world.events import NodeStopping, NodeUp, ProcessesEnded, ServiceChanged
from engine.world.records import Container
from engine.world.world import World

KILLED = 137
_NOT_STARTED = 128
_API = "v1.47"
_FIRST_WORKER, _WORKERS = 137, 61
"""The process ids inside that workers may have (guess)."""
_COMES_BACK = ("always", "unless-stopped", "on-failure")
_CONTEXT_MIB = 520
_TRAINING = ("python", "python3", "torchrun")
_ADJECTIVES = ("amazing", "bold", "clever", "eager", "focused", "gallant", "happy", "jolly", "keen", "loving", "nifty",
               "quirky", "relaxed", "stoic", "tender", "vibrant", "wizardly", "zealous")  # fmt: skip
_NAMES = ("bell", "curie", "darwin", "euler", "franklin", "gauss", "hopper", "jang", "kepler", "lovelace", "meitner",
          "noether", "pasteur", "ritchie", "shannon", "turing", "villani", "wozniak")  # fmt: skip


def containers(world: World, host: str, engine: str = "docker") -> tuple[Container, ...]:
    """The containers of one engine on a host, oldest first."""
    return tuple(each for each in world.container_hosts[host].containers if each.engine == engine)


def find(world: World, host: str, name: str, engine: str = "docker") -> Container | None:
    """The container with a name, or with an id that begins so; None if there is none, or several."""
    there = containers(world, host, engine)
    named = [each for each in there if each.name == name.removeprefix("/")]
    found = named or [each for each in there if name and each.id.startswith(name)]
    return found[0] if len(found) == 1 else None


def new_id(world: World, host: str) -> str:
    """The id of the next container, 64 hexadecimal digits."""
    return sha256(f"container {world.seed} {host} {world.container_hosts[host].made}".encode()).hexdigest()


def new_name(identifier: str) -> str:
    """The name of a container that nobody named."""
    first, second = int(identifier[:4], 16), int(identifier[4:8], 16)
    return f"{_ADJECTIVES[first % len(_ADJECTIVES)]}_{_NAMES[second % len(_NAMES)]}"


def _trains(words: tuple[str, ...]) -> bool:
    """Whether a command is a training program."""
    return bool(words) and words[0].rpartition("/")[2] in _TRAINING


def change(simulation: Simulation[World], host: str, identifier: str, **changes: object) -> None:
    """A container's record with other values."""
    state = simulation.world.container_hosts[host]
    changed = tuple(
        replace(each, **changes) if each.id == identifier else each  # type: ignore[arg-type]
        for each in state.containers
    )
    simulation.world.container_hosts.update(host, containers=changed)


@dataclass(frozen=True, slots=True)
class Create(Action):
    """A container comes to a host, not started. `fields` are its record's, by name. Gives its id."""

    host: str
    fields: tuple[tuple[str, Any], ...]

    def perform(self, simulation: Simulation[World]) -> str:
        world, given = simulation.world, dict(self.fields)
        state, identifier = world.container_hosts[self.host], new_id(world, self.host)
        given["name"] = given.get("name") or new_name(identifier)
        given["hostname"] = given.get("hostname") or (self.host if given.get("network") == "host" else identifier[:12])
        new = Container(id=identifier, created=simulation.now, **given)
        world.container_hosts.update(self.host, containers=(*state.containers, new), made=state.made + 1)
        return identifier


@dataclass(frozen=True, slots=True)
class Start(Action):
    """A container starts: its first process on the host, its device cgroup by the rules of now."""

    host: str
    identifier: str
    gpus: tuple[str, ...]
    terminal: str | None = None

    def perform(self, simulation: Simulation[World]) -> None:
        world, host = simulation.world, self.host
        each = next(one for one in world.container_hosts[host].containers if one.id == self.identifier)
        pid = self._process(simulation, each)
        change(
            simulation, host, each.id, status="running", started=simulation.now, pid=pid, gpus=self.gpus, access=True,
            exit_code=0, stopped=False, error="", linked=device_cgroup.linked(world, host),
            cgroup_driver=daemon.settings(world, host).cgroup_driver,
        )  # fmt: skip
        if _trains(each.command) and self.gpus and shared_memory.is_too_small(replace(each, gpus=self.gpus)):
            simulation.schedule(ContainerMemoryFills(host, each.id, pid), shared_memory.FILLED_AFTER)

    def _process(self, simulation: Simulation[World], each: Container) -> int:
        words = each.command
        work = "training" if self.gpus and _trains(words) else None
        bound = bound_gpus(simulation.world, self.host)
        gpus = tuple(index for index, gpu in enumerate(bound) if gpu.id in self.gpus) if work else ()
        variables = {name: value for name, value in each.environment if name.startswith(("NCCL_", "CUDA_"))}
        return processes.start(
            simulation, self.host, user=each.owner, command=" ".join(words), gpus=gpus, workload=work,
            gpu_memory=_CONTEXT_MIB * 100 if work else 0, environment=(*variables.items(), (CONTAINER, each.id)),
            memory_lock=each.memory_lock, terminal=self.terminal, job=each.job,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FailStart(Action):
    """A start that somebody asked for has failed: dockerd logs why, and the container keeps it."""

    host: str
    identifier: str
    error: str
    exit_code: int = _NOT_STARTED

    def perform(self, simulation: Simulation[World]) -> None:
        path = f"POST /{_API}/containers/{self.identifier}/start"
        text = f'level=error msg="Handler for {path} returned error: {_one_line(self.error)}"'
        _log(simulation, self.host, text)
        change(simulation, self.host, self.identifier, exit_code=self.exit_code, error=self.error, pid=0)


@dataclass(frozen=True, slots=True)
class End(Action):
    """A container's first process ends with a status: by itself, or because somebody stops it (`by_hand`)."""

    host: str
    identifier: str
    status: int
    output: str | None = None
    by_hand: bool = False

    def perform(self, simulation: Simulation[World]) -> None:
        each = next(one for one in simulation.world.container_hosts[self.host].containers if one.id == self.identifier)
        more = {} if self.output is None else {"output": each.output + self.output}
        change(
            simulation,
            self.host,
            each.id,
            status="exited",
            finished=simulation.now,
            pid=0,
            exit_code=self.status,
            stopped=self.by_hand,
            **more,
        )
        processes.end(simulation, self.host, [each.pid], "exit" if self.status < KILLED else "killed")
        if each.remove:
            simulation.apply(Remove(self.host, each.id))


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """A container goes, with what was written in it."""

    host: str
    identifier: str

    def perform(self, simulation: Simulation[World]) -> None:
        state = simulation.world.container_hosts[self.host]
        kept = tuple(each for each in state.containers if each.id != self.identifier)
        simulation.world.container_hosts.update(self.host, containers=kept)


def _processes_ended(simulation: Simulation[World], event: ProcessesEnded) -> None:
    """A container whose first process was killed from outside has ended, and comes back where its policy says so."""
    if event.why == "node_down":
        return
    for each in simulation.world.container_hosts[event.host].containers:
        if each.status == "running" and each.pid in event.pids:
            status = 128 + event.signal if event.why == "killed" else 1
            change(simulation, event.host, each.id, status="exited", finished=simulation.now, pid=0, exit_code=status)
            if each.restart in _COMES_BACK:
                _start_again(simulation, event.host, each)


def _memory_fills(simulation: Simulation[World], event: ContainerMemoryFills) -> None:
    """The workers of a training have filled its /dev/shm."""
    for each in simulation.world.container_hosts[event.host].containers:
        if each.id == event.identifier and each.pid == event.pid and each.status == "running":
            worker = _FIRST_WORKER + event.pid % _WORKERS
            simulation.apply(End(event.host, each.id, 1, shared_memory.last_words(worker)))
            if each.restart in _COMES_BACK and not each.remove:
                _start_again(simulation, event.host, each)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    """Without dockerd no container of it runs; when it comes up it starts those whose policy says so."""
    if event.unit == daemon.SERVICE:
        (_come_back if event.active else _all_end)(simulation, event.host)


def _all_end(simulation: Simulation[World], host: str) -> None:
    for each in containers(simulation.world, host):
        if each.status == "running":
            change(simulation, host, each.id, status="exited", finished=simulation.now, pid=0, exit_code=KILLED)
            processes.end(simulation, host, [each.pid], "exit")


def _come_back(simulation: Simulation[World], host: str) -> None:
    for each in containers(simulation.world, host):
        stays_down = each.stopped and each.restart == "unless-stopped"
        if each.status != "running" and each.restart in ("always", "unless-stopped") and not stays_down:
            _start_again(simulation, host, each)


class _NoDriver(Exception):
    """dockerd knows no hook that gives GPUs."""


def _start_again(simulation: Simulation[World], host: str, each: Container) -> None:
    """dockerd starts a container by itself: it asks the toolkit as for a first start, and logs why it cannot."""
    try:
        gpus = _gpus_again(simulation.world, host, each) if each.gpus else ()
    except (toolkit.Refused, _NoDriver) as why:
        error = toolkit.hook_refusal(why) if isinstance(why, toolkit.Refused) else str(why)
        text = f'level=error msg="failed to start container" container={each.id} error="{_one_line(error)}"'
        _log(simulation, host, text)
        change(simulation, host, each.id, status="exited", exit_code=_NOT_STARTED, error=error, pid=0)
        return
    simulation.apply(Start(host, each.id, gpus))


def _log(simulation: Simulation[World], host: str, text: str) -> None:
    """dockerd writes to the journal."""
    pid = service_state.service(simulation.world, host, daemon.SERVICE).pid
    journald.log(simulation, host, text, source="dockerd", pid=pid, unit=daemon.SERVICE)


def _one_line(text: str) -> str:
    """A text as logrus puts it between quotes."""
    return text.replace("\n", "\\n")


def _gpus_again(world: World, host: str, each: Container) -> tuple[str, ...]:
    """The GPUs of a container that had some. Raises Refused, _NoDriver."""
    if not world.container_hosts[host].hook or not daemon.has_toolkit(world, host):
        raise _NoDriver('could not select device driver \\"\\" with capabilities: [[gpu]]')
    toolkit.initialise(world, host)
    image = images.registry()[each.image]
    toolkit.requirement(world, host, image, {**image.environment, **dict(each.environment)})
    if "all" in (each.gpu_request, dict(each.environment).get("NVIDIA_VISIBLE_DEVICES")):
        return tuple(gpu.id for gpu in toolkit.chosen(world, host, toolkit.Request(everything=True)))
    names = tuple(world.gpus[gpu].uuid for gpu in each.gpus)
    return tuple(gpu.id for gpu in toolkit.chosen(world, host, toolkit.Request(names=names)))


def _node_stops(simulation: Simulation[World], event: NodeStopping) -> None:
    """No container outlives the system; those of enroot are gone for good."""
    state = simulation.world.container_hosts[event.node]
    if not state.containers:
        return
    kept = tuple(
        replace(each, status="exited", finished=simulation.now, pid=0, exit_code=KILLED)
        if each.status == "running"
        else each
        for each in state.containers
        if each.job is None
    )
    simulation.world.container_hosts.update(event.node, containers=kept)


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    if simulation.world.container_hosts[event.node].containers and daemon.runs(simulation.world, event.node):
        _come_back(simulation, event.node)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (ProcessesEnded, _processes_ended),
    (ServiceChanged, _service_changed),
    (NodeStopping, _node_stops),
    (NodeUp, _node_up),
    (ContainerMemoryFills, _memory_fills),
)
