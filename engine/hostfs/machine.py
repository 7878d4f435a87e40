"""What a view of a host's file tree is given to work out its content: the simulation, the host, and times as Linux
has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from datetime import datetime
from typing import TypeVar, cast

from engine.control import host_clock
from engine.kernel.calendar import local
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, SECOND
from engine.world.inventory import Inventory, Node
from engine.world.records import NodeState, OsState
from engine.world.world import World

T = TypeVar("T")
Programs = Callable[[], Iterable[str]]


def no_programs() -> tuple[str, ...]:
    """For a host without commands of ours."""
    return ()


class Notes:
    """What was worked out about a host at one moment of one generation of its world."""

    __slots__ = ("generation", "time", "values", "world")

    def __init__(self) -> None:
        self.world: World | None = None
        self.generation = self.time = 0
        self.values: dict[tuple[object, ...], object] = {}


@dataclass(frozen=True, slots=True)
class Machine:
    """One host, seen by one process. `shell` is that process's pid (what /proc/self means) and `user` its account.

    `programs` gives the commands that the floors above install.
    """

    simulation: Simulation[World]
    host: str
    user: str = "root"
    shell: int | None = None
    programs: Programs = no_programs
    notes: Notes = field(default_factory=Notes, repr=False, compare=False)

    def remember(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What `make` gives, made once for this moment: files that are read one after the other often need the same."""
        world, time, notes = self.simulation.world, self.simulation.now, self.notes
        if notes.world is not world or notes.generation != world.generation or notes.time != time:
            notes.world, notes.generation, notes.time, notes.values = world, world.generation, time, {}
        if key not in notes.values:
            notes.values[key] = make()
        return cast(T, notes.values[key])

    def seen_by(self, user: str, shell: int | None) -> Machine:
        """The same host for another process."""
        return replace(self, user=user, shell=shell)

    @property
    def world(self) -> World:
        return self.simulation.world

    @property
    def inventory(self) -> Inventory:
        return self.simulation.world.inventory

    @property
    def node(self) -> Node:
        """The host and its parts."""
        return self.simulation.world.node(self.host)

    @property
    def state(self) -> NodeState:
        return self.simulation.world.nodes[self.host]

    @property
    def system(self) -> OsState:
        return self.simulation.world.systems[self.host]

    @property
    def now(self) -> int:
        """Simulated ns since the site's start."""
        return self.simulation.now

    @property
    def booted(self) -> int:
        """When the kernel started, in simulated ns."""
        return self.state.booted_at

    @property
    def installed(self) -> int:
        """When the operating system was installed (a site of its own age: 200 to 260 days before its start), in
        simulated ns.
        """
        return self.installed_on(self.host)

    def installed_on(self, host: str) -> int:
        """When the operating system of `host` was installed."""
        return -(200 * DAY + hash64(self.world.seed, "installed", host) % (60 * DAY // SECOND) * SECOND)

    @property
    def is_head(self) -> bool:
        return self.node.role == "head"

    @property
    def head(self) -> str:
        """The host that serves home directories, Slurm's controller and the subnet manager."""
        return self.inventory.once(("head",), self._find_head)

    def _find_head(self) -> str:
        inventory = self.inventory
        heads = (name for name in inventory.node_names if inventory.node(inventory.pattern(name)).role == "head")
        return next(heads, inventory.login_host)

    def software(self, name: str, default: str = "") -> str:
        """A version that the site states."""
        return self.inventory.software.get(name, default)

    def epoch(self, time: int) -> int:
        """A simulated time in ns since 1970, by the host's clock."""
        return host_clock.epoch(self.world, self.host, time)

    def calendar(self, time: int) -> datetime:
        """A simulated time on the site's calendar."""
        return local(self.inventory.timezone, self.epoch(time))
