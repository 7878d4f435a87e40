"""The connection to a host engine, and what its answers are called: return values with their texts and statuses.

Texts: dcgm_errors.c (errorString), Command.cpp; values of dcgmReturn_t: dcgm_structs.h of DCGM 4.4.2. dcgmi ends with
the value as its status. Host engines listen on the loopback interface, so that of another host refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from engine.commands.context import Context
from engine.commands.dcgm._dcgmi.arguments import Ended, Parsed, refusal
from engine.control.dcgm import host_engine, modules
from engine.control.dcgm.readings import Reading, read
from engine.kernel.units import MINUTE
from engine.world.records import EntityGroup, HostEngine
from engine.world.world import World

OK = 0
LOCAL = ("localhost", "127.0.0.1", "::1", "localhost:5555", "127.0.0.1:5555")
GROUP_NOT_FOUND = "The Group is not found"


class Return(Enum):
    """Return values of the host engine: number and text."""

    BAD_PARAMETER = (-1, "Bad parameter passed to function")
    GENERIC = (-3, "Generic unspecified error")
    NOT_CONFIGURED = (-5, "Setting not configured")
    NOT_SUPPORTED = (-6, "Feature not supported")
    NO_DATA = (-14, "No data is available")
    NOT_WATCHED = (-16, "Field is not being watched")
    TIMEOUT = (-11, "Timeout")
    GPU_IS_LOST = (-18, "GPU is lost")
    NOT_CONNECTED = (-21, "Host engine connection invalid/disconnected")
    MAX_LIMIT = (-24, "Max limit reached for the object")
    DUPLICATE_KEY = (-26, "Duplicate Key passed to function")
    NVVS_ERROR = (-30, "DCGM GPU Diagnostic returned an error")
    MODULE_NOT_LOADED = (-33, "This request is serviced by a module of DCGM that is not currently loaded")
    IN_USE = (-34, "The requested operation could not be completed because the affected resource is in use")
    PROFILING_LIBRARY = (-37, "The third-party Profiling module returned an unrecoverable error")
    GROUP_IS_EMPTY = (-35, "The specified group is empty, and this operation is incompatible with an empty group")
    DIAG_RUNNING = (
        -39,
        "A diag instance is already running, cannot run a new diag until the current one finishes",
    )
    ISOLATE = (-51, "The diagnostic returned an error that indicates the need to drain the GPU")
    KILLED = (-53, "The DCGM diagnostic was killed by a signal")
    NO_NVML = (-56, "Cannot perform the requested operation because NVML doesn't exist on this system.")
    NO_TEST = (-58, "Requested tests were not found among possible test choices.")

    @property
    def text(self) -> str:
        return self.value[1]

    @property
    def number(self) -> int:
        return self.value[0]

    @property
    def status(self) -> int:
        """What the shell sees of it."""
        return self.value[0] & 0xFF

    def ends(self, out: str) -> Ended:
        """dcgmi says `out` and ends with this value."""
        return Ended(self.status, out=out)


@dataclass(frozen=True, slots=True)
class Client:
    """A connected client."""

    ctx: Context

    @property
    def world(self) -> World:
        return self.ctx.world

    @property
    def host(self) -> str:
        return self.ctx.host

    @property
    def engine(self) -> HostEngine:
        """What the host engine keeps."""
        return self.world.host_engines[self.host]

    @property
    def version(self) -> str:
        """DCGM's version."""
        return self.ctx.inventory.software.get("dcgm", "4.4.2")

    @property
    def release(self) -> tuple[int, int]:
        """The first two numbers of the version."""
        major, minor, *_ = [*self.version.split("."), "0"]
        return int(major), int(minor)

    def gpus(self) -> list[Reading]:
        """Every GPU, as it is now."""
        return read(self.world, self.host, self.ctx.now)

    def gpu(self, number: int) -> Reading | None:
        """The GPU of that id."""
        found = self.gpus()
        return found[number] if 0 <= number < len(found) else None

    def group(self, number: int) -> EntityGroup | None:
        """The group of that number."""
        return host_engine.group(self.world, self.host, number)

    def gpus_of(self, group: EntityGroup) -> list[Reading]:
        """The GPUs of a group."""
        found = self.gpus()
        return [found[number] for kind, number in group.members if kind == host_engine.GPU and number < len(found)]

    def need(self, module: int) -> bool:
        """Load a module if need be. False where it cannot be."""
        if modules.state(self.world, self.host, module) in (modules.State.DENYLISTED, modules.State.FAILED):
            return False
        self.ctx.simulation.apply(host_engine.LoadModule(self.host, module))
        return True


async def connect(ctx: Context, parsed: Parsed, *, silent: bool = False) -> Client:
    """A connection to the host engine that `--host` names. Raises Ended where there is none; one that no longer
    answers is waited for, and lost when it ends (looked at every minute).
    """
    name = parsed.text("host", "localhost")
    if name not in LOCAL or not host_engine.is_running(ctx.world, ctx.host):
        failed = Return.NOT_CONNECTED
        text = f"Error: unable to establish a connection to the specified host: {name}\n"
        raise failed.ends("" if silent else f"{text}Error: Unable to connect to host engine. {failed.text}.\n")
    asked = host_engine.pid(ctx.world, ctx.host)
    while not ctx.world.host_engines[ctx.host].responsive:
        await ctx.sleep(MINUTE)
    if host_engine.pid(ctx.world, ctx.host) != asked:
        gone = Return.NOT_CONNECTED
        raise gone.ends("" if silent else f"Error: Unable to connect to host engine. {gone.text}.\n")
    return Client(ctx)


_TYPES = {"g": host_engine.GPU, "n": host_engine.SWITCH, "v": "vGPU", "i": "GPU_I", "l": "Link"}
_C_TYPES = {"cpu": "CPU", "core": "CPU Core", "cx": "ConnectX"}


def entities(client: Client, text: str) -> list[tuple[str, int]]:
    """The entities that a list names: `0,1`, `gpu:0,nvswitch:1`, `{0-3}`, `*`, a GPU's UUID. Raises BadEntities."""
    found: list[tuple[str, int]] = []
    for number, word in enumerate(text.split(","), start=1):
        if not word:
            raise BadEntities(f"Error: Comma without a value detected at token {number} of input {text}")
        found += _entity(client, word)
    return found


class BadEntities(Exception):
    """The list of entities cannot be read."""


def _entity(client: Client, word: str) -> list[tuple[str, int]]:
    uuids = {gpu.state.uuid: gpu.index for gpu in client.gpus()}
    if word in uuids:
        return [(host_engine.GPU, uuids[word])]
    name, colon, rest = word.partition(":")
    kind = _kind(name.lower(), word) if colon else host_engine.GPU
    rest = rest if colon else word
    if not rest:
        raise BadEntities("Error: empty entityId detected in ")
    if rest.startswith("*") or "/" in rest:
        known = {host_engine.GPU: len(client.gpus()), host_engine.SWITCH: len(client.ctx.node.nvswitches)}
        return [(kind, number) for number in range(known.get(kind, 0) if "/" not in rest else 0)]
    span = re.fullmatch(r"\{(\d+)-(\d+)\}", rest)
    if span:
        return [(kind, number) for number in range(int(span[1]), int(span[2]) + 1)]
    if rest.startswith("{"):
        raise BadEntities(f"A malformed range was specified: {rest}")
    if not rest.isdecimal():
        raise BadEntities(f"Error: invalid character detected in {rest}")
    return [(kind, int(rest))]


def _kind(name: str, word: str) -> str:
    if name[:1] == "c":
        return _C_TYPES.get(name, "GPU_CI")
    if name[:1] not in _TYPES:
        raise BadEntities(f"Error: invalid entity type: {word}")
    return _TYPES[name[:1]]


def group_number(text: str) -> int:
    """The number of a group that may be given by a letter. Raises Ended."""
    letters = {
        "g": host_engine.ALL_GPUS,
        "s": host_engine.ALL_SWITCHES,
        "i": host_engine.ALL_INSTANCES,
        "c": host_engine.ALL_COMPUTE_INSTANCES,
        "a": host_engine.ALL_ENTITIES,
    }
    if text in letters:
        return letters[text]
    if not text[:1].isdigit():
        raise refusal(
            "The only allowed non-digit strings are g (gpus), s (switches), i (instances), c (compute instances), or a "
            "(all entities)"
        )
    return int(re.match(r"\d+", text)[0])  # type: ignore[index]
