"""State tables: what makes a world cheap to build, to copy and to name.

A table maps a component's id to a frozen record. A component that nothing has happened to has no entry: its record is
worked out from the inventory by the table's `default`. Building a site therefore costs what was asked about, a fork
copies only what changed (records are immutable and shared), and the digest of a state names exactly what differs from a
new site.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Generic, Self, TypeVar

R = TypeVar("R")


class Table(Generic[R]):
    """Records of one kind of component, by id."""

    def __init__(self, name: str, default: Callable[[str], R]) -> None:
        self.name = name
        self.generation = 0
        self._default = default
        self._defaults: dict[str, R] = {}
        self._changed: dict[str, R] = {}
        self._order: tuple[str, ...] | None = ()

    def __getitem__(self, identifier: str) -> R:
        record = self._changed.get(identifier)
        if record is None:
            record = self._defaults.get(identifier)
            if record is None:
                record = self._defaults[identifier] = self._default(identifier)
        return record

    def __contains__(self, identifier: str) -> bool:
        """Whether an id has an entry of its own."""
        return identifier in self._changed

    def __setitem__(self, identifier: str, record: R) -> None:
        if identifier not in self._changed:
            self._order = None
        self._changed[identifier] = record
        self.generation += 1

    def update(self, identifier: str, **changes: Any) -> R:
        """Replace fields of a record. Returns the new one; nothing is written when nothing changes."""
        before = self[identifier]
        after: R = dataclasses.replace(before, **changes)  # type: ignore[type-var]
        if after != before:
            self[identifier] = after
        return after

    def forget(self, identifier: str) -> None:
        """The component is again as the inventory has it (or, where tables come and go, is no more)."""
        if self._changed.pop(identifier, None) is not None:
            self.generation += 1
            self._order = None

    def changed(self) -> list[str]:
        """Ids that have an entry of their own, sorted."""
        return list(self._sorted())

    def beginning(self, start: str) -> tuple[str, ...]:
        """Of these, the ones that begin with a text."""
        order = self._sorted()
        first = bisect_left(order, start)
        return order[first : bisect_left(order, f"{start}\U0010ffff", first)]

    def _sorted(self) -> tuple[str, ...]:
        if self._order is None:
            self._order = tuple(sorted(self._changed))
        return self._order

    def copy(self) -> Table[R]:
        """An independent table. Default records are shared: they are functions of the inventory."""
        twin: Table[R] = Table(self.name, self._default)
        twin._defaults = self._defaults
        twin._changed = dict(self._changed)
        twin.generation, twin._order = self.generation, self._order
        return twin

    def lines(self) -> list[str]:
        """The changed records as text, in a fixed order; what the digest is made of."""
        return [f"{self.name}\t{identifier}\t{self._changed[identifier]!r}" for identifier in self.changed()]


class State:
    """A set of tables.

    Subclasses create them in `__init__` with `self.table(...)`, and may hold immutable things beside them.
    """

    def __init__(self) -> None:
        self._tables: dict[str, Table[Any]] = {}
        self._derived: dict[tuple[object, ...], Any] = {}
        self._derived_at = 0

    def table(self, name: str, default: Callable[[str], R]) -> Table[R]:
        """Create the table `name`; the attribute of the same name must be set to it."""
        created: Table[R] = Table(name, default)
        self._tables[name] = created
        return created

    @property
    def generation(self) -> int:
        """Grows with every change; equal numbers mean that nothing has changed (for caches of derived things)."""
        return sum(table.generation for table in self._tables.values())

    def derived(self, key: tuple[object, ...], make: Callable[[], R]) -> R:
        """What `make` gives, kept until something in the state changes. It must follow from the state and `key` alone,
        and what it gives must not be changed by who gets it.
        """
        now = self.generation
        if now != self._derived_at:
            self._derived, self._derived_at = {}, now
        if key not in self._derived:
            self._derived[key] = make()
        found: R = self._derived[key]
        return found

    def tables(self) -> dict[str, Table[Any]]:
        """All tables by name."""
        return self._tables

    def copy(self) -> Self:
        """An independent state: tables are copied, everything else is shared and must be immutable."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._tables, twin._derived = {}, {}
        for name, table in self._tables.items():
            twin._tables[name] = table.copy()
            setattr(twin, name, twin._tables[name])
        return twin

    def digest(self) -> str:
        """A name for this state: equal for equal states, on every platform."""
        hashed = blake2b(digest_size=16)
        for name in sorted(self._tables):
            for line in self._tables[name].lines():
                hashed.update(line.encode())
                hashed.update(b"\n")
        return hashed.hexdigest()
