"""What every change of a host's tree needs: who acts, where things lie, what is refused, and how an action is
performed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.control.accounts import Identity
from engine.hostfs import limits
from engine.hostfs.lookup import Found, Lookup, Place
from engine.hostfs.permissions import SEARCH, SET_GROUP, WRITE, sticky_forbids
from engine.hostfs.tree import ErrorCode, FileError
from engine.hostfs.written import Layer
from engine.kernel.actions import Action

Apply = Callable[[Action], Any]
UMASK = 0o022


@dataclass(slots=True)
class Acting:
    """One identity at work on one host."""

    host: str
    lookup: Lookup
    layer: Layer
    apply: Apply
    umask: int = UMASK

    @property
    def identity(self) -> Identity:
        return self.lookup.identity

    def do(self, action: Action) -> None:
        """Perform the action. Raises FileError if it answers with a refusal."""
        result = self.apply(action)
        if isinstance(result, ErrorCode):
            raise FileError(result)

    def demand(self, found: Found, wanted: int, path: str) -> None:
        """Raises PERMISSION unless the identity has the rights `wanted`."""
        if not self.lookup.may(found, wanted):
            raise FileError(ErrorCode.PERMISSION, path)

    def demand_creation(self, place: Place, path: str) -> None:
        """Raises what keeps the identity from making a new entry at `place`."""
        if place.above.realm.create:
            raise FileError(place.above.realm.create, path)
        self.demand(place.above, WRITE | SEARCH, path)

    def demand_removal(self, above: Found, found: Found, path: str) -> None:
        """Raises what keeps the identity from taking an entry out of its directory."""
        if above.realm.remove:
            raise FileError(above.realm.remove, path)
        self.demand(above, WRITE | SEARCH, path)
        if sticky_forbids(self.identity, above.node.mode, above.node.uid, found.node.uid):
            raise FileError(ErrorCode.NOT_PERMITTED, path)

    def demand_room(self, path: str, size: int, before: int = 0, files: int = 1) -> None:
        """Raises NO_SPACE if what is to be written has no room."""
        limits.check_room(self.layer, self.lookup.machine.world, path, size, before, files)

    def owner(self, above: Found) -> tuple[int, int]:
        """Uid and gid of what the identity makes in a directory."""
        return self.identity.uid, above.node.gid if above.node.mode & SET_GROUP else self.identity.gid
