"""What the driver prints after a call to a GPU's firmware has waited in vain for the first time: the call in its
buffer, the calls before it, and what the firmware sent last.

Form: kgspLogRpcDebugInfo of kernel_gsp.c, compared with a log of an H100 under branch 550; later drivers (here: from
590 on, as in the Xid's own text) have a column more, the sequence number (NVIDIA/open-gpu-kernel-modules#1230). Times
are microseconds since 1970; how long calls took, and when the last events came, are guesses after that log. The stack
trace of the process that follows in logs is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import MICROSECOND, SECOND

_ALLOC, _CONTROL = (103, "GSP_RM_ALLOC"), (76, "GSP_RM_CONTROL")
_BEFORE = (
    (*_ALLOC, 0x2080, 0x4),
    (*_ALLOC, 0x80, 0x38),
    (*_ALLOC, 0x0, 0x6C),
    (*_CONTROL, 0x20802A02, 0x8),
    (*_CONTROL, 0x20803039, 0x20),
    (*_CONTROL, 0x2080302A, 0x4),
    (*_CONTROL, 0x20802A02, 0x8),
)
_EVENTS = (
    (4115, "NVLINK_INBAND_RECEIVE", 0),
    (4124, "GSP_LOCKDOWN_NOTICE", 0),
    (4124, "GSP_LOCKDOWN_NOTICE", 1),
    (4124, "GSP_LOCKDOWN_NOTICE", 0),
    (4124, "GSP_LOCKDOWN_NOTICE", 1),
    (4108, "UCODE_LIBOS_PRINT", 0),
    (4108, "UCODE_LIBOS_PRINT", 0),
    (4108, "UCODE_LIBOS_PRINT", 0),
)
_HEAD = (
    "    entry function                   data0              data1              ts_start           ts_end             "
)
_NUMBERED_HEAD = _HEAD.replace("data0", "  sequence data0")
NUMBERED_FROM = 590
_SHORTEST, _SPREAD = 370, 330
_BETWEEN_CALLS, _BETWEEN_EVENTS = 700, 200_000


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its function's number and name, the first two words of its data, and its number in sequence."""

    function: int
    name: str
    first: int
    second: int
    sequence: int = 0


def lines(release: int, index: int, call: Call, now: int, waited: int) -> Iterator[str]:
    """The lines of a driver release about GPU `index`, whose call has waited for `waited` ns until `now` (ns since
    1970).
    """
    gpu, began, numbered = f"NVRM: GPU{index}", (now - waited) // MICROSECOND, release >= NUMBERED_FROM
    head = f"NVRM: {_NUMBERED_HEAD if numbered else _HEAD}duration"
    data = f"data 0x{call.first:016x} 0x{call.second:016x}."
    yield f"{gpu} GSP RPC buffer contains function {call.function} ({call.name}) and {data}"
    yield f"{gpu} RPC history (CPU -> GSP):"
    yield f"{head} actively_polling"
    yield _entry(0, call, began, 0, numbered) + " " * 10 + "y"
    time = began - SECOND // MICROSECOND // 2
    for number, words in enumerate(_BEFORE, 1):
        took = _SHORTEST + hash64(began, "rpc", index, number) % _SPREAD
        before = Call(*words, sequence=max(0, call.sequence - number))
        yield _entry(-number, before, time - took, time, numbered) + _duration(took, numbered)
        time -= took + hash64(began, "rpc pause", index, number) % _BETWEEN_CALLS
    yield f"{gpu} RPC event history (CPU <- GSP):"
    yield f"{head} during_incomplete_rpc"
    for number, (function, name, first) in enumerate(_EVENTS):
        time -= hash64(began, "event", index, number) % _BETWEEN_EVENTS
        took = 0 if number else 4
        yield _entry(-number, Call(function, name, first, 0), time, time + took, numbered) + _duration(took, numbered)


def _duration(took: int, numbered: bool) -> str:
    """How long something took (us); nothing of what was over at once. Newer drivers fill the column with blanks."""
    text = f" {took:>6}us" if took else ""
    return f"{text:<11}" if numbered else text


def _entry(number: int, call: Call, start: int, end: int, numbered: bool) -> str:
    sequence = f"{call.sequence:>10} " if numbered else ""
    data = f"{sequence}0x{call.first:016x} 0x{call.second:016x} 0x{start:016x} 0x{end:016x}"
    return f"NVRM:     {number:>2}    {call.function:<4} {call.name:<21} {data}"
