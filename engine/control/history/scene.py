"""What the messages of a boot depend on, and a writer of messages whose times move on by a few microseconds to
milliseconds each.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.control.tables import lines
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import Stream
from engine.kernel.units import MICROSECOND, MILLISECOND
from engine.world.adapters import with_cards
from engine.world.inventory import Inventory, Node
from engine.world.records import BootRecord, LogEntry, Priority

_PRIORITIES = {priority.value: priority for priority in Priority}


@dataclass(frozen=True, slots=True)
class BootScene:
    """A boot of `host`, as its messages tell it."""

    inventory: Inventory
    seed: int
    host: str
    boot: BootRecord

    @property
    def node(self) -> Node:
        """The host, with its network cards as they ran then."""
        return with_cards(self.inventory, self.inventory.node(self.host), self.boot.cards)

    def there(self, address: str) -> bool:
        """Whether a PCI function was found."""
        return address not in self.boot.absent


class MessageLog:
    """Log entries in the making: `say` adds one a little after the last, `reach` waits for a moment of the boot."""

    def __init__(self, scene: BootScene, part: str, source: str = "kernel") -> None:
        self.scene = scene
        self.entries: list[LogEntry] = []
        self._source = source
        self._offset = 0
        self._stream = Stream(scene.seed, f"boot/{scene.host}/{scene.boot.start}/{part}")

    def reach(self, milliseconds: int) -> None:
        """Go on at this time after the kernel's start, if that has not passed."""
        self._offset = max(self._offset, milliseconds * MILLISECOND)

    def say(self, text: str, priority: Priority = Priority.INFO) -> None:
        """Add a message."""
        if self._offset:
            self._offset += (1 + self._stream.bits() % 900) * MICROSECOND
        facility = "kern" if self._source == "kernel" else "daemon"
        time = self.scene.boot.start + self._offset
        self.entries.append(LogEntry(time, text, self._source, priority, None, None, facility))

    def table(self, name: str, words: dict[str, object]) -> None:
        """Say the messages of a table."""
        for line in lines(name):
            parts = line.split("|", 2)
            if len(parts) == 3:
                self.reach(int(parts[0]))
                self.say(
                    parts[2][1:].format_map(words) if "{" in parts[2] else parts[2][1:], _PRIORITIES[int(parts[1])]
                )

    def all(self, texts: Iterable[str]) -> None:
        """Say several things."""
        for text in texts:
            self.say(text)
