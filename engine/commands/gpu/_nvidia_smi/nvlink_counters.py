"""`nvidia-smi nvlink -e` of boards with the fifth generation of NVLink (Blackwell), whose links count what a network
port counts. Names and order: a capture of a B300.

Words that could not be corrected are the link's effective errors, its retrainings the recovery events, all of which
succeed while it is up. Guesses: how many raw errors and code words a link has seen (they grow with time and differ from
link to link), and raw bit error rates, which the driver writes as a mantissa times 256 and a negative exponent of ten.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.kernel.random import hash64
from engine.kernel.units import HOUR, SECOND
from engine.world.records import NvLinkErrors

_ALWAYS_ZERO = (
    "Malformed packet Errors",
    "Buffer overrun Errors",
    "Rx Errors",
    "Rx remote Errors",
    "Rx General Errors",
    "Local link integrity Errors",
    "Tx discards",
)
_NO_ERRORS = "15e-255"
_BINS = 16
_LANES = 2
_WORDS_A_SECOND = 415_000


def lines(device: Device, errors: NvLinkErrors) -> Iterator[str]:
    """The counters of one link."""
    start, wrong = f"\t Link {errors.link}: ", sum(errors.crc)
    yield from (f"{start}{name}: 0" for name in _ALWAYS_ZERO)
    yield f"{start}Link recovery successful events: {errors.recovery}"
    yield f"{start}Link recovery failed events: 0"
    yield f"{start}Total link recovery events: {errors.recovery}"
    yield f"{start}Effective Errors: {wrong}"
    yield f"{start}Effective BER: {_rate(wrong, device)}"
    yield f"{start}Symbol Errors: {wrong}"
    yield f"{start}Symbol BER: {_rate(wrong, device)}"
    words = _up(device) // SECOND * (_WORDS_A_SECOND + _chance(device, errors.link, "words") % 5_000)
    yield f"{start}FEC Errors - 0: {words}"
    yield from (f"{start}FEC Errors - {number}: {wrong if number == _BINS - 1 else 0}" for number in range(1, _BINS))
    raw = [_raw(device, errors.link, lane) for lane in range(_LANES)]
    yield from (f"{start}Raw BER Lane {lane}: {_encoded(device, count)}" for lane, count in enumerate(raw))
    yield f"{start}Raw BER Total: {_encoded(device, sum(raw) // _LANES)}"
    yield from (f"{start}Raw Errors Lane {lane}: {count}" for lane, count in enumerate(raw))
    yield ""


def _up(device: Device) -> int:
    """ns since the node's boot."""
    return max(SECOND, device.now - device.world.nodes[device.gpu.node].booted_at)


def _chance(device: Device, link: int, what: str) -> int:
    return hash64(device.world.seed, "nvlink", what, device.state.serial, link)


def _raw(device: Device, link: int, lane: int) -> int:
    """Raw errors of a lane: from none to some each hour."""
    return _chance(device, link, f"lane {lane}") % 90 * _up(device) // (100 * HOUR)


def _bits(device: Device) -> int:
    """Bits that a lane has carried since the boot."""
    return device.product.nvlink_mbytes_per_second * 8_000_000 * (_up(device) // SECOND) // _LANES


def _parts(count: int, bits: int) -> tuple[int, int]:
    """Mantissa and exponent of count / bits, one digit each side of the point at most."""
    exponent = 0
    while count * 10**exponent < bits:
        exponent += 1
    return count * 10**exponent // bits, exponent


def _encoded(device: Device, count: int) -> int:
    """A raw bit error rate as the driver's number."""
    if not count:
        return 15 * 256 + 255
    mantissa, exponent = _parts(count, _bits(device))
    return mantissa * 256 + exponent


def _rate(count: int, device: Device) -> str:
    if not count:
        return _NO_ERRORS
    mantissa, exponent = _parts(count, _bits(device) * _LANES)
    return f"{mantissa}e-{exponent}"
