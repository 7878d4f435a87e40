"""Values of perftest's options, checked one by one with its words (CHECK_VALUE and others in perftest_parameters.c)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.commands.options import UsageError
from engine.commands.perftest._program.kinds import BANDWIDTH, READ, SEND, WRITE, Kind

Check = Callable[[Kind, str], Mapping[str, object]]

_LARGEST_SIZE = 2**31 - 1
_NUMBER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|\d+)")


def failed(text: str) -> UsageError:
    """A refusal, followed by the line with which the program ends."""
    return UsageError(f"{text}\n Parser function exited with Error\n")


def whole_number(text: str) -> tuple[int, bool]:
    """What strtol(text, base 0) makes of it, and whether it used all of it."""
    found = _NUMBER.match(text)
    if found is None:
        return 0, not text
    digits = found[0]
    octal = re.fullmatch(r"[+-]?0\d+", digits)
    return (int(digits, 8) if octal else int(digits, 0)), found.end() == len(text)


def _number(
    key: str, name: str, kind: str = "int", least: int | None = None, most: int | None = None, *, positive: bool = False
) -> Check:
    """An integer in a range."""

    def check(_: Kind, text: str) -> Mapping[str, object]:
        value, whole = whole_number(text)
        if not whole:
            raise failed(f" {name} argument {text} should be {kind}")
        if positive and value <= 0:
            raise failed(f" {name} must be positive")
        if most is None and least is not None and value < least:
            raise failed(f" {name} must be non-negative {kind}")
        if least is not None and most is not None and not least <= value <= most:
            raise failed(f" {name} should be between {least} and {most}")
        return {key: value}

    return check


def _size(_: Kind, text: str) -> Mapping[str, object]:
    factor = {"K": 1024, "M": 1024 * 1024}.get(text[-1:], 1)
    value = whole_number(text[:-1] if factor > 1 else text)[0] * factor
    if not 1 <= value <= _LARGEST_SIZE:
        raise failed(f" Message Size should be between 1 and {_LARGEST_SIZE}")
    return {"size": value}


def _ib_port(kind: Kind, text: str) -> Mapping[str, object]:
    changes = _number("ib_port", "IB Port", "uint8_t")(kind, text)
    if int(str(changes["ib_port"])) < 1:
        raise failed("IB Port can't be less than 1")
    return changes


def _service_level(kind: Kind, text: str) -> Mapping[str, object]:
    changes = _number("sl", "Service Level", "uint8_t")(kind, text)
    if int(str(changes["sl"])) > 15:
        raise failed(" Only 15 Service levels")
    return changes


def _connection(kind: Kind, text: str) -> Mapping[str, object]:
    if text == "UC" and kind.verb == READ:
        raise UsageError(" UC connection not possible in READ/ATOMIC verbs\n")
    if text == "UD" and kind.verb != SEND:
        raise UsageError(" UD connection only possible in SEND verb\n")
    if text not in ("RC", "UC", "UD", "XRC", "DC", "SRD", "RawEth"):
        raise UsageError(" Invalid Connection type. Please choose from {RC,UC,UD,XRC,DC,SRD}\n")
    return {"connection": text}


def _queue_pairs(kind: Kind, text: str) -> Mapping[str, object]:
    if kind.test != BANDWIDTH:
        raise failed(" Multiple QPs only available on bw tests")
    return _number("qp", "num of Qps", least=1, most=16384)(kind, text)


def _inline(kind: Kind, text: str) -> Mapping[str, object]:
    changes = _number("inline_size", "Max inline", least=0, most=1024)(kind, text)
    if kind.verb == READ:
        raise failed(" Inline feature not available on READ/Atomic verbs")
    return changes


def _outstanding(kind: Kind, text: str) -> Mapping[str, object]:
    changes = _number("outs", "Outstanding Reads")(kind, text)
    if kind.verb != READ:
        raise failed(" Setting Outstanding reads only available on READ verb")
    return changes


def _receives(kind: Kind, text: str) -> Mapping[str, object]:
    changes = _number("rx_depth", " Rx depth", least=1, most=16384)(kind, text)
    if kind.verb == READ and int(str(changes["rx_depth"])) > 1:
        raise failed(" On RDMA verbs rx depth can be only 1")
    return {} if kind.verb == WRITE else changes


def _only(key: str, allowed: Callable[[Kind], bool], text: str) -> Check:
    """A flag that some programs refuse."""

    def check(kind: Kind, _: str) -> Mapping[str, object]:
        if not allowed(kind):
            raise failed(text)
        return {key: True}

    return check


def _vector(kind: Kind, text: str) -> Mapping[str, object]:
    if kind.verb == WRITE:
        raise failed(" Events feature not available on WRITE verb")
    return _number("vector", "EQN", least=0, most=2048)(kind, text)


def _atomic_type(_: Kind, __: str) -> Mapping[str, object]:
    text = " You are not running the atomic_lat/bw test!\n To change the atomic action type, you must run one of the "
    raise failed(f"{text}atomic tests")


def _limit(key: str, name: str) -> Check:
    def check(_: Kind, text: str) -> Mapping[str, object]:
        found = re.match(r"\s*[+-]?\d*\.?\d+", text)
        value = float(found[0]) if found else 0.0
        if value < 0:
            raise failed(f" Invalid Minimum {name}")
        return {key: value}

    return check


def _output(_: Kind, text: str) -> Mapping[str, object]:
    if text not in ("bandwidth", "message_rate", "latency"):
        raise failed(" Invalid verbosity level output flag. Please use bandwidth, latency, message_rate")
    return {"output": text}


def _bandwidth_test(kind: Kind) -> bool:
    return kind.test == BANDWIDTH


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "port": _number("port", "Port"),
        "ib_port": _ib_port,
        "mtu": _number("mtu", "MTU"),
        "size": _size,
        "iters": _number("iters", "Iteration num", "uint64_t", 5, 2**32),
        "tx_depth": _number("tx_depth", "Tx depth", least=1, most=15000),
        "qp_timeout": _number("qp_timeout", "QP Timeout", "uint8_t"),
        "sl": _service_level,
        "gid_index": _number("gid_index", "Gid index", "uint8_t", 0, 64),
        "connection": _connection,
        "qp": _queue_pairs,
        "events": _only("events", lambda kind: kind.verb != WRITE, " Events feature not available on WRITE verb"),
        "vector": _vector,
        "inline_size": _inline,
        "outs": _outstanding,
        "tos": _number("tos", "TOS", least=0, most=255),
        "rx_depth": _receives,
        "bidirectional": _only("bidirectional", _bandwidth_test, " Bidirectional is only available in BW test"),
        "cq_mod": _number("cq_mod", "CQ moderation", least=1, most=1024),
        "noPeak": _only("noPeak", _bandwidth_test, " NoPeak only valid for BW tests"),
        "atomic_type": _atomic_type,
        "post_list": _number("post_list", "Send Post List size"),
        "duration": _number("duration", "Duration period", positive=True),
        "margin": _number("margin", "Margin", least=0),
        "limit_bw": _limit("limit_bw", "BW Limit"),
        "limit_msgrate": _limit("limit_msgrate", "msgRate Limit"),
        "pkey_index": _number("pkey_index", "Pkey index"),
        "tclass": _number("tclass", "traffic class", "uint8_t", 0, 255),
        "output": _output,
        "use_cuda": _number("use_cuda", "CUDA device", least=0),
        "retry_count": _number("retry_count", "Retry Count", least=0),
    }
)
