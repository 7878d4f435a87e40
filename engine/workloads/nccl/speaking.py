"""How a rank's NCCL writes a line: whether it says something at its level, and what stands in front.

Format of src/debug.cc (2.28.9): `host:pid:tid [device] NCCL INFO ...`; warnings begin with an empty line and carry the
time and the place in the source. Without NCCL_DEBUG nothing is printed, not even warnings. A word in NCCL_DEBUG that
is no level leaves NCCL mute as well. Thread numbers are a guess: those of the first threads of a process follow its
pid.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel import calendar
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.ranks import Rank
from engine.world.inventory import Inventory

NONE, VERSION, WARN, INFO = range(4)
_LEVELS = {"VERSION": VERSION, "WARN": WARN, "INFO": INFO, "ABORT": INFO + 1, "TRACE": INFO + 2}
_SUBSYSTEMS = (
    "INIT", "COLL", "P2P", "SHM", "NET", "GRAPH", "TUNING", "ENV", "ALLOC", "CALL", "PROXY", "NVLS", "BOOTSTRAP", "REG",
    "PROFILE", "RAS",
)  # fmt: skip
_USUAL = frozenset({"INIT", "BOOTSTRAP", "ENV"})
_ALL = frozenset(_SUBSYSTEMS)


@dataclass(frozen=True, slots=True)
class Speaker:
    """A rank's NCCL with its level and subsystems. `thread` and `helper` are numbers of its threads."""

    host: str
    pid: int
    device: int
    level: int
    subsystems: frozenset[str]
    clock: str

    @property
    def thread(self) -> int:
        """The thread that makes the communicator."""
        return self.pid + 14 + 2 * self.device + hash64("nccl threads", self.host, self.pid) % 12

    @property
    def helper(self) -> int:
        """The thread that moves data through the network."""
        return self.thread + 23

    def info(self, subsystems: str, text: str, thread: int | None = None) -> Iterator[str]:
        """A line for those who asked for one of the subsystems (`INIT|NET`; ALL: always)."""
        asked = subsystems == "ALL" or not self.subsystems.isdisjoint(subsystems.split("|"))
        if self.level >= INFO and asked:
            yield f"{self._who(thread)} NCCL INFO {text}"

    def warn(self, place: str, text: str, thread: int | None = None) -> Iterator[str]:
        """A warning, with the empty line before it."""
        if self.level >= WARN:
            yield ""
            yield f"[{self.clock}] {self._who(thread)} {place} NCCL WARN {text}"

    def trail(self, result: int, *places: str, thread: int | None = None, last: str = "") -> Iterator[str]:
        """The places that hand an error up, innermost first; `last` stands behind the last one."""
        for number, place in enumerate(places, 1):
            end = f" {last}" if last and number == len(places) else ""
            yield from self.info("ALL", f"{place} -> {result}{end}", thread)

    def _who(self, thread: int | None) -> str:
        return f"{self.host}:{self.pid}:{thread or self.thread} [{self.device}]"


def speaker(inventory: Inventory, rank: Rank, environment: Environment, device: int, time: int) -> Speaker:
    """The voice of a rank. `device` is CUDA's number of its GPU, `time` is now (ns)."""
    level = _LEVELS.get((environment.text("NCCL_DEBUG") or "").upper(), NONE)
    name = rank.host.partition(".")[0]
    return Speaker(name, rank.pid, device, level, _subsystems(environment), _wall_clock(inventory, time))


def _subsystems(environment: Environment) -> frozenset[str]:
    """NCCL_DEBUG_SUBSYS: a list, or `^` and a list of what is not wanted."""
    text = environment.text("NCCL_DEBUG_SUBSYS")
    if text is None:
        return _USUAL
    words = {word.upper() for word in text.removeprefix("^").split(",")}
    named = _ALL if "ALL" in words else _ALL & words
    return _ALL - named if text.startswith("^") else named


def _wall_clock(inventory: Inventory, time: int) -> str:
    return calendar.local(inventory.timezone, inventory.start + time).strftime("%Y-%m-%d %H:%M:%S")
