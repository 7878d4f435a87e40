"""DCQCN at equilibrium: how much marking holds a flow at a rate, which queue that takes, and what it costs.

The table solves the fluid equations of Zhu et al., "Congestion Control for Large-Scale RDMA Deployments" (SIGCOMM
2015) for the defaults of ConnectX (time reset 300 us, byte reset 32767, one fast recovery stage, 5 Mb/s additive
increase, alpha 1 us, cuts and CNPs at most every 4 us) at MTU 4096; between its points it is read in a straight line,
which is within 1.1 %.
"""

from __future__ import annotations

from bisect import bisect_left

_MEGABIT = 1_000_000
_BILLION = 1_000_000_000

SLOWEST = 10 * _MEGABIT
"""Bit/s below which a sender cannot slow down any more: ten times RPG_MIN_RATE."""

# Mb/s of a flow -> packets of a billion that have to be marked.
_MARKS = (
    (1, 999999000), (5, 999999000), (7, 999989507), (10, 999791019), (12, 999294696), (14, 998276873),
    (16, 996576840), (20, 990777803), (24, 981688874), (28, 969626004), (32, 955114834), (40, 920928024),
    (48, 882868203), (56, 843507015), (64, 804442017), (80, 730499097), (96, 664284075), (112, 606155214),
    (128, 555469542), (160, 472765369), (192, 409314230), (224, 359835767), (256, 320588544), (320, 263074923),
    (384, 223630661), (448, 195291795), (512, 174126744), (640, 144842519), (768, 125618728), (896, 112017189),
    (1024, 101847681), (1280, 87538795), (1536, 77824783), (1792, 70702090), (2048, 65196339), (2560, 57122349),
    (3072, 51383443), (3584, 47027711), (4096, 43571829), (5120, 38365739), (6144, 34572662), (7168, 31649465),
    (8192, 29307669), (10240, 25751788), (12288, 23147664), (14336, 21137787), (16384, 19528139), (20480, 17088683),
    (24576, 15308564), (28672, 13939854), (32768, 12847639), (40960, 11200101), (49152, 10004460), (57344, 9089299),
    (65536, 8361761), (81920, 7269165), (98304, 6480063), (114688, 5878311), (131072, 5401342), (163840, 4687440),
    (196608, 4173649), (229376, 3782871), (262144, 3473760), (327680, 3012139), (393216, 2680681), (458752, 2429005),
    (524288, 2230180), (655360, 1933669), (786432, 1721058), (917504, 1559779), (1048576, 1432460),
)  # fmt: skip
_RATES = [rate for rate, _ in _MARKS]

_CNP_PERIOD_NS = 4_000
_FEEDBACK_NS = 15_000


def marked_share(rate: float) -> float:
    """Share of a flow's packets that has to be marked to hold it at `rate` bit/s."""
    megabits = rate / _MEGABIT
    after = bisect_left(_RATES, megabits)
    if after in (0, len(_MARKS)):
        return _MARKS[min(after, len(_MARKS) - 1)][1] / _BILLION
    (low, many), (high, few) = _MARKS[after - 1], _MARKS[after]
    return (many + (few - many) * (megabits - low) / (high - low)) / _BILLION


def queue_for(share: float, mark_from: int, mark_top: int, mark_most: int) -> float:
    """Bytes of queue at which a port marks `share` of the packets; `mark_most` in ppm."""
    steep = share * 1_000_000 / mark_most if mark_most else 1.0
    return mark_from + min(steep, 1.0) * (mark_top - mark_from)


def utilisation(queue: float, rate: float) -> float:
    """Share of a link of `rate` bit/s that senders keep busy with this standing queue.

    The ends are those of DCTCP (no loss with C x RTT / 7 in the queue, three quarters without one); the square law
    between them and 15 us of feedback are guesses.
    """
    need = rate / 8 * _FEEDBACK_NS / _BILLION / 7
    missing = max(1.0 - queue / need, 0.0) if need > 0 else 0.0
    return 1.0 - missing * missing / 4


def shallow(mark_from: int, rate: float) -> bool:
    """Whether marking begins so early on a link of `rate` bit/s that it may run dry."""
    return mark_from < rate / 8 * _FEEDBACK_NS / _BILLION / 7


def notifications(packets: float, share: float) -> float:
    """Congestion notifications per second that a receiver sends for one flow: one for each 4 us with a mark in it."""
    each = packets * _CNP_PERIOD_NS / _BILLION
    unmarked = 1.0
    for _ in range(int(each)):
        unmarked *= 1.0 - share
    unmarked *= 1.0 - share * (each - int(each))
    return (1.0 - unmarked) * _BILLION / _CNP_PERIOD_NS
