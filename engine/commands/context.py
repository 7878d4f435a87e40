"""What a running command is given: its words, who and where it is, its streams, the world, and ways to wait and to run
others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.control import host_clock
from engine.control.accounts import Identity
from engine.control.containers import CONTAINER
from engine.hostfs.tree import FileTree
from engine.kernel.simulation import Simulation
from engine.world.inventory import Inventory, Node
from engine.world.world import World


class OutputClosed(Exception):
    """The reader of this output has gone (SIGPIPE); a command lets it pass, whoever runs the command ends it with
    status 141.
    """


class Interrupted(Exception):
    """The learner pressed Ctrl-C while the command waited; status 130."""


class Input(Protocol):
    """Standard input. `attached` is False where nothing was piped or redirected (the terminal, or nothing)."""

    attached: bool

    async def read(self) -> bytes:
        """Everything up to the end."""

    def lines(self) -> AsyncIterator[bytes]:
        """Line by line as they come, each with its newline."""


class Output(Protocol):
    """An output stream: `write` collects, `flush` hands on (and raises OutputClosed when nobody reads)."""

    def write(self, data: bytes) -> None: ...

    async def flush(self) -> None: ...


class Screen(Protocol):
    """A full-screen program: what it shows at a size, and what a key does (None: goes on, a number: ends with that
    status).
    """

    def render(self, columns: int, rows: int) -> list[str]: ...

    async def key(self, name: str) -> int | None: ...


class Terminal(Protocol):
    """The terminal that the command's output goes to, if it does."""

    columns: int
    rows: int

    async def ask(self, prompt: str, *, hidden: bool = False) -> str | None:
        """A line typed by the learner, or None at the end of input."""

    async def show(self, screen: Screen, refresh: int | None = None) -> int | None:
        """Run a full-screen program until it ends; None where the terminal cannot (line mode)."""

    async def login(self, place: Place) -> int:
        """A login shell at `place` on top of the running one, until it ends. Returns its status."""


class Logins(Protocol):
    """Where a login can be put on top of the one that typed the command."""

    async def login(self, place: Place) -> int:
        """A login at `place` until it ends. Returns its status."""


class Runner(Protocol):
    """Runs other commands. Streams that are not given are the calling command's."""

    async def run(
        self,
        words: Sequence[str],
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        """Run one simple command at `place`. Returns its exit status."""

    async def script(
        self,
        text: str,
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        """Run bash text in a shell of its own at `place`."""

    def has(self, name: str, host: str) -> bool:
        """Whether `name` is a command of ours on `host`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where and as whom a command runs. `login` asks for a login environment (ssh, su -, sudo -i).

    `cpus` is the list of CPUs that it may run on, `memory_nodes` that of NUMA nodes for its memory ("": all),
    `confined` the list of CPUs that its session cannot leave ("": it is free), `container` the id of the container
    that it is in ("": none).
    """

    host: str
    identity: Identity
    environment: Mapping[str, str]
    directory: str
    login: bool = False
    cpus: str = ""
    memory_nodes: str = ""
    confined: str = ""
    container: str = ""

    @property
    def allowed_cpus(self) -> str:
        """The list of CPUs that a program runs on, "" for all."""
        return self.cpus or self.confined


class Clock(Protocol):
    """Waiting in simulated time."""

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds; by itself this lets no time pass."""

    async def sleep(self, duration: int) -> None:
        """Let `duration` ns of simulated time pass. Raises Interrupted."""

    async def watch(self, duration: int) -> None:
        """Sleep beside other work of the same line, which is what the line is busy with (a time limit, a look now and
        then). Raises Interrupted.
        """


@dataclass(slots=True)
class Context:
    """One run of one command."""

    name: str
    arguments: tuple[str, ...]
    place: Place
    simulation: Simulation[World]
    files: FileTree
    stdin: Input
    stdout: Output
    stderr: Output
    clock: Clock
    runner: Runner
    terminal: Terminal | None = None
    gaps: list[str] = field(default_factory=list)
    logins: Logins | None = None
    began: Output | None = None
    """What was written to first since the last flush: on a terminal, lines show in the order in which they came."""

    @property
    def host(self) -> str:
        return self.place.host

    @property
    def identity(self) -> Identity:
        return self.place.identity

    @property
    def environment(self) -> Mapping[str, str]:
        """Its variables; in a container also which one it is (engine.control.containers.CONTAINER)."""
        if self.place.container:
            return {**self.place.environment, CONTAINER: self.place.container}
        return self.place.environment

    @property
    def directory(self) -> str:
        return self.place.directory

    @property
    def world(self) -> World:
        return self.simulation.world

    @property
    def inventory(self) -> Inventory:
        return self.simulation.world.inventory

    @property
    def node(self) -> Node:
        """This host and its parts."""
        return self.world.node(self.host)

    @property
    def now(self) -> int:
        """Simulated ns since the site's start."""
        return self.simulation.now

    @property
    def epoch(self) -> int:
        """Simulated ns since 1970, the host's wall clock."""
        return self.epoch_at(self.simulation.now)

    def epoch_at(self, time: int) -> int:
        """What the host's clock showed at a simulated time."""
        return host_clock.epoch(self.world, self.host, time)

    def moment_of(self, epoch: int) -> int:
        """The simulated time that a time on the host's clock means."""
        return host_clock.moment(self.world, self.host, epoch, self.simulation.now)

    @property
    def is_root(self) -> bool:
        return self.identity.uid == 0

    def write(self, text: str | bytes) -> None:
        """To standard output, as it is."""
        self.began = self.began or self.stdout
        self.stdout.write(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)

    def line(self, text: str = "") -> None:
        """A line to standard output."""
        self.write(text + "\n")

    def error(self, text: str) -> None:
        """A line to standard error."""
        self.began = self.began or self.stderr
        self.stderr.write((text + "\n").encode("utf-8", "surrogateescape"))

    def not_modelled(self, what: str) -> int:
        """Say that the simulator lacks `what`. Returns the exit status for it, 125."""
        self.error(f"breakfix: not modelled: {what}")
        self.gaps.append(f"{self.name}: {what}")
        return 125

    async def flush(self) -> None:
        """Hand on what was written so far, what was written to first before the other."""
        first, self.began = self.began, None
        if first is self.stderr:
            await self.stderr.flush()
        await self.stdout.flush()
        await self.stderr.flush()

    async def sleep(self, duration: int) -> None:
        """Hand on what was written and let simulated time pass."""
        await self.flush()
        await self.clock.sleep(duration)

    def elsewhere(self, **changes: object) -> Place:
        """This place with some fields changed, for `runner.run`."""
        from dataclasses import replace

        return replace(self.place, **changes)  # type: ignore[arg-type]
