"""nvbandwidth's test cases: names, descriptions, headers, and what each copies (source of nvbandwidth 0.8: testcase.h,
testcases_ce.cpp, testcases_sm.cpp).

Shares are what is left of the plain copy of the same path; where they come from stands in engine.workloads.gpu_copies.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.workloads.gpu_copies import Manner

PLAIN = Manner(1.0)


class Kind(Enum):
    """What a test case copies, which decides the shape of its matrix."""

    HOST = "one GPU and the host"
    ALL_HOST = "all GPUs and the host at once"
    PEER = "pairs of GPUs"
    PEER_BOTH_WAYS = "pairs of GPUs in both directions"
    POOL = "one GPU and all others at once"
    LOCAL = "within a GPU"
    HOST_LATENCY = "a word of host memory"
    PEER_LATENCY = "a word of a peer's memory"


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test case. `inward`: the measured copy goes to the GPU of the column (of the row, for pairs that read);
    `read`: the GPU that copies fetches; `both`: a second copy in the other direction disturbs; `parts`: suffixes of the
    three matrices of copies in both directions.
    """

    __test__ = False

    name: str
    about: str
    header: str
    kind: Kind
    manner: Manner = PLAIN
    inward: bool = True
    read: bool = False
    both: bool = False
    parts: tuple[str, ...] = ()

    @property
    def needs_peers(self) -> bool:
        """Whether it is waived where no GPU can use another's memory."""
        return self.kind in (Kind.PEER, Kind.PEER_BOTH_WAYS, Kind.POOL, Kind.PEER_LATENCY)


_TO, _FROM, _WITH = "->", "<-", "<->"
_READS = "\tRead tests launch a copy from the peer device to the target using the target's context."
_WRITES = "\tWrite tests launch a copy from the target device to the peer using the target's context."
_READ1, _WRITE1 = ("Read1", "Read2", "Total"), ("Write1", "Write2", "Total")


def _host(name: str, engine: str, arrow: str, share: float, about: str, kind: Kind = Kind.HOST) -> TestCase:
    """A test case of one row: copies between the host and each GPU. Kernels that copy both ways do so within a copy."""
    kernels = engine == "SM"
    return TestCase(
        f"{name}_{engine.lower()}",
        about,
        f"memcpy {engine} CPU(row) {arrow} GPU(column) bandwidth (GB/s)",
        kind,
        Manner(share, kernels),
        inward=name.startswith("host_to"),
        both="bidirectional" in name and not kernels,
    )


def _peer(name: str, engine: str, share: float, about: str, parts: tuple[str, ...] = ()) -> TestCase:
    """A test case of pairs, one way or (with `parts`) both."""
    read = "_read" in name
    arrow = _WITH if parts else _TO if read else _FROM
    kind = Kind.PEER_BOTH_WAYS if parts else Kind.PEER
    manner = Manner(share, engine == "SM")
    header = f"memcpy {engine} GPU(row) {arrow} GPU(column)" + (" {}" if parts else "") + " bandwidth (GB/s)"
    return TestCase(f"{name}_{engine.lower()}", about, header, kind, manner, inward=read, read=read, parts=parts)


def _pool(name: str, engine: str, arrow: str, share: float) -> TestCase:
    """A test case of one row: one GPU with all its peers, either way."""
    to_one, read = name.startswith("all_to_one"), name.endswith("read")
    ends = "from all accessible peers to a single device" if to_one else "from a single device to all accessible peers"
    direction = "inbound" if to_one != read else "outbound"
    about = (
        f"\tMeasures the total bandwidth of copies {ends}, for each\n"
        f"\tdevice. Bandwidth is reported as the total {direction} bandwidth for each device.\n"
    ) + (_READS if read else _WRITES)
    header = f"memcpy {engine} GPU(row) {arrow} GPU(column) bandwidth (GB/s)"
    manner = Manner(share, engine == "SM")
    return TestCase(f"{name}_{engine.lower()}", about, header, Kind.POOL, manner, inward=to_one != read, read=read)


def _only(way: str, measured: str) -> str:
    """How tests in both directions between host and GPUs begin to describe themselves."""
    other = "device to host" if way == "host to device" else "host to device"
    return (
        f"\tA {measured} is measured while a {other} copy is run simultaneously.\n"
        f"\tOnly the {way} copy bandwidth is reported."
    )


_H2D, _D2H = "host to device", "device to host"
_BOTH_CE = "\n\tAll other devices generate simultaneous host to device and device to host interferring traffic."
_BOTH_SM = _BOTH_CE.removesuffix(".") + " using copy kernels."
_TO_HOST_CE = (
    "\tMeasures bandwidth of cuMemcpyAsync between a single device and the host while simultaneously\n"
    "\trunning copies from all other devices to the host."
)
_TO_ALL_CE = (
    "\tMeasures bandwidth of cuMemcpyAsync between the host to a single device while simultaneously\n"
    "\trunning copies from the host to all other devices."
)
_TO_HOST_SM, _TO_ALL_SM = (text.replace("cuMemcpyAsync", "a copy kernel") for text in (_TO_HOST_CE, _TO_ALL_CE))
_PAIRS_CE = "\tMeasures bandwidth of cuMemcpyAsync between each pair of accessible peers.\n"
_PAIRS_SM = "\tMeasures bandwidth of a copy kernel between each pair of accessible peers.\n"
_OPPOSITE = "\tA copy in the opposite direction of the measured copy is run simultaneously but not measured.\n"
_SUMMED = (
    "\tMeasures bandwidth of a copy kernel between each pair of accessible peers. Copies are run\n"
    "\tin both directions between each pair, and the sum is reported.\n"
)

TEST_CASES = (
    _host("host_to_device_memcpy", "CE", _TO, 1.0, "\tHost to device CE memcpy using cuMemcpyAsync"),
    _host("device_to_host_memcpy", "CE", _FROM, 0.997, "\tDevice to host CE memcpy using cuMemcpyAsync"),
    _host("host_to_device_bidirectional_memcpy", "CE", _WITH, 0.953, _only(_H2D, "host to device copy")),
    _host("device_to_host_bidirectional_memcpy", "CE", _WITH, 0.622, _only(_D2H, "device to host copy")),
    _peer("device_to_device_memcpy_read", "CE", 0.994, _PAIRS_CE + _READS),
    _peer("device_to_device_memcpy_write", "CE", 1.0, _PAIRS_CE + _WRITES),
    _peer("device_to_device_bidirectional_memcpy_read", "CE", 0.98, _PAIRS_CE + _OPPOSITE + _READS, _READ1),
    _peer("device_to_device_bidirectional_memcpy_write", "CE", 1.0, _PAIRS_CE + _OPPOSITE + _WRITES, _WRITE1),
    _host("all_to_host_memcpy", "CE", _FROM, 0.812, _TO_HOST_CE, Kind.ALL_HOST),
    _host(
        "all_to_host_bidirectional_memcpy", "CE", _WITH, 0.408, _only(_D2H, "device to host copy") + _BOTH_CE,
        Kind.ALL_HOST,
    ),
    _host("host_to_all_memcpy", "CE", _TO, 0.997, _TO_ALL_CE, Kind.ALL_HOST),
    _host(
        "host_to_all_bidirectional_memcpy", "CE", _WITH, 0.614, _only(_H2D, "host to device copy") + _BOTH_CE,
        Kind.ALL_HOST,
    ),
    _pool("all_to_one_write", "CE", _FROM, 1.0),
    _pool("all_to_one_read", "CE", _TO, 0.807),
    _pool("one_to_all_write", "CE", _TO, 0.996),
    _pool("one_to_all_read", "CE", _FROM, 1.0),
    _host("host_to_device_memcpy", "SM", _TO, 0.636, "\tHost to device SM memcpy using a copy kernel"),
    _host("device_to_host_memcpy", "SM", _FROM, 0.954, "\tDevice to host SM memcpy using a copy kernel"),
    _host("host_to_device_bidirectional_memcpy", "SM", _WITH, 0.6, _only(_H2D, "host to device copy")),
    _host("device_to_host_bidirectional_memcpy", "SM", _WITH, 0.6, _only(_D2H, "device to host copy")),
    _peer("device_to_device_memcpy_read", "SM", 0.952, _PAIRS_SM + _READS),
    _peer("device_to_device_memcpy_write", "SM", 0.94, _PAIRS_SM + _WRITES),
    _peer("device_to_device_bidirectional_memcpy_read", "SM", 0.865, _SUMMED + _READS, _READ1),
    _peer("device_to_device_bidirectional_memcpy_write", "SM", 0.94, _SUMMED + _WRITES, _WRITE1),
    _host("all_to_host_memcpy", "SM", _FROM, 0.79, _TO_HOST_SM, Kind.ALL_HOST),
    _host(
        "all_to_host_bidirectional_memcpy", "SM", _WITH, 0.4,
        _only(_D2H, "device to host bandwidth of a copy kernel") + _BOTH_SM, Kind.ALL_HOST,
    ),
    _host("host_to_all_memcpy", "SM", _TO, 0.634, _TO_ALL_SM, Kind.ALL_HOST),
    _host(
        "host_to_all_bidirectional_memcpy", "SM", _WITH, 0.38,
        _only(_H2D, "host to device bandwidth of a copy kernel") + _BOTH_SM, Kind.ALL_HOST,
    ),
    _pool("all_to_one_write", "SM", _FROM, 0.953),
    _pool("all_to_one_read", "SM", _TO, 0.952),
    _pool("one_to_all_write", "SM", _TO, 0.86),
    _pool("one_to_all_read", "SM", _FROM, 0.87),
    TestCase(
        "host_device_latency_sm",
        "\tHost - device access latency using a pointer chase kernel\n"
        "\tA 2MB buffer is allocated on the host and is accessed by the GPU",
        "memory latency SM CPU(row) <-> GPU(column) (ns)",
        Kind.HOST_LATENCY,
    ),
    TestCase(
        "device_to_device_latency_sm",
        "\tMeasures latency of a pointer derefernce operation between each pair of accessible peers.\n"
        "\tA 2MB buffer is allocated on a GPU and is accessed by the peer GPU to determine latency.\n"
        "\t--bufferSize flag is ignored",
        "Device to Device Latency SM GPU(row) <-> GPU(column) (ns)",
        Kind.PEER_LATENCY,
    ),
    TestCase(
        "device_local_copy",
        "\tMeasures bandwidth of cuMemcpyAsync between device buffers local to the GPU.\n",
        "memcpy local GPU(column) bandwidth (GB/s)",
        Kind.LOCAL,
    ),
)  # fmt: skip
"""In the program's order, which numbers them."""


def find(text: str) -> TestCase | str:
    """The test case of a name or number, or what the program says of one that it does not have."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if digits.isascii() and digits.isdecimal():
        index = int(sign + digits)
        known = 0 <= index < len(TEST_CASES)
        return TEST_CASES[index] if known else f"Testcase index {text} out of bound!"
    return next((case for case in TEST_CASES if case.name == text), f"Testcase {text} not found!")
