"""The temporary files of `sed -i`: bashkit writes `.bashkit-sed-<random>.tmp` beside the file and renames it into
place.

Their names are random, so they never become part of the world: they are kept here, and only the outcome is an
action. Like GNU sed, the new file gets the owner of the old one if the identity may give it away.
"""

from __future__ import annotations

import re

from engine.hostfs import changes
from engine.hostfs.acting import Acting
from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat
from engine.kernel.quick_dataclass import dataclass

_NAME = re.compile(r"/\.bashkit-sed-[^/]+\.tmp$")


@dataclass(frozen=True, slots=True)
class Draft:
    """The content that a file is about to get."""

    content: bytes
    mode: int = 0o600


class Drafts:
    """The drafts of one shell, by path."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting
        self._drafts: dict[str, Draft] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._drafts

    def read(self, path: str) -> bytes:
        """What a draft holds."""
        return self._drafts[path].content

    def take(self, path: str, content: bytes, added: bool = False) -> bool:
        """Keep a draft, if `path` is one's. Raises FileError where no file could be made."""
        if not _NAME.search(path):
            return False
        known = self._drafts.get(path)
        if known is None:
            self._acting.demand_creation(self._acting.lookup.place(path), path)
        before = known.content if known and added else b""
        self._drafts[path] = Draft(before + content, known.mode if known else 0o600)
        return True

    def stat(self, path: str) -> Stat:
        """A draft's metadata."""
        draft, identity, machine = self._drafts[path], self._acting.identity, self._acting.lookup.machine
        modified = machine.epoch(machine.now)
        return Stat(FileKind.FILE, draft.mode, identity.uid, identity.gid, len(draft.content), modified)

    def set_mode(self, path: str, mode: int) -> None:
        """Change a draft's mode."""
        self._drafts[path] = Draft(self._drafts[path].content, mode)

    def remove(self, path: str) -> None:
        """Drop a draft."""
        del self._drafts[path]

    def put(self, path: str, target: str) -> None:
        """Rename a draft into place."""
        acting = self._acting
        place = acting.lookup.place(target, follow=False)
        acting.demand_creation(place, target)
        there = place.found
        uid, gid = acting.owner(place.above)
        if there is not None:
            if there.is_directory:
                raise FileError(ErrorCode.IS_DIRECTORY, target)
            acting.demand_removal(place.above, there, target)
            if acting.identity.uid == 0:
                uid, gid = there.node.uid, there.node.gid
        draft = self._drafts.pop(path)
        acting.demand_room(place.path, len(draft.content), 0)
        acting.do(changes.WriteFile(acting.host, place.path, draft.content, draft.mode, uid, gid))
