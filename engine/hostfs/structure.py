"""The tree as the site gives it: directory tables of the views, looked up lazily and kept until the world or the
date changes.
"""

from __future__ import annotations

from dataclasses import field

from engine.hostfs import areas
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, nested
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import DAY
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class _Tables:
    """Directory tables by path, as they are in one generation of a world."""

    world: World | None
    generation: int
    day: int
    by_path: dict[str, Children] = field(default_factory=dict)


class Structure:
    """What views hold, by directory. Shared by all who look at a host; bears several threads: a table worked out
    twice does no harm.
    """

    def __init__(self) -> None:
        self._tables = _Tables(None, -1, 0)
        self._fixed: dict[str, Children] = {}

    def child(self, machine: Machine, path: str, node: Node, name: str) -> Node | None:
        """The entry `name` of the directory `node` at `path` ("" is the root directory)."""
        if name not in areas.names_below().get(path, ()):
            return self._own(machine, path, node).get(name)
        below = f"{path}/{name}"
        return areas.area(machine, below) or self._own(machine, path, node).get(name) or areas.between(below)

    def children(self, machine: Machine, path: str, node: Node) -> Children:
        """All entries of a directory."""
        names = sorted(areas.names_below().get(path, ()))
        found = {name: self.child(machine, path, node, name) for name in names}
        return {**self._own(machine, path, node), **{name: below for name, below in found.items() if below is not None}}

    def _own(self, machine: Machine, path: str, node: Node) -> Children:
        """The directory's own table."""
        table = node.children
        if not callable(table):
            return table or {}
        known = self._fixed if node.fixed else self._current(machine).by_path
        key = f"{path}\0{machine.user}\0{machine.shell}" if node.personal else path
        if key not in known:
            known[key] = nested(table(machine))
        return known[key]

    def _current(self, machine: Machine) -> _Tables:
        world, day, tables = machine.world, machine.now // DAY, self._tables
        if tables.generation != world.generation or tables.world is not world or tables.day != day:
            tables = self._tables = _Tables(world, world.generation, day)
        return tables
