"""mlxlink's error corrections: what a port can do, and how many symbols were corrected at once.

Bins and rows: mlxlink_port_info.cpp of mstflint; sixteen bins are those of RS(544,514), which mends 15 symbols. How
errors fall into bins: each one ten to a hundred times rarer than the one before, by the raw error rate (independent
errors; a guess at the constants).
"""

from __future__ import annotations

from engine.commands.mellanox._mft.link_report import Rows, up_or_nothing
from engine.physics import link_quality, links, port_counters
from engine.world.world import World

_BINS = 16
_CODEWORD = 5440
_CAPABILITIES = (
    ("NDR", "400G_4X", "Standard_RS-FEC - (544,514), Ethernet_Consortium_LL_50G_RS_FEC_PLR -(272,257+1)"),
    ("HDR", "200G_4X", "Standard_RS-FEC - (544,514), Ethernet_Consortium_LL_50G_RS_FEC- (272,257+1)"),
    ("EDR", "100G_4X", "No FEC, Standard RS-FEC - RS(528,514)"),
)


def capabilities(world: World, port: str) -> Rows:
    """FEC Capability Info, by speed."""
    ethernet = links.ethernet(world, port)
    for name, gigabits, text in _CAPABILITIES:
        yield f"FEC Capability {gigabits if ethernet else name}", up_or_nothing(world, port, text)


def histogram(world: World, port: str, now: int) -> Rows:
    """How many codewords had so many symbols corrected since the counters were cleared."""
    since = max(0, now - port_counters.last_cleared(world, port))
    yield "Header", f"{'Range':<12}Occurrences"
    for number, count in enumerate(_counts(world, port, since)):
        yield f"Bin {number}", f"{f'[{number}]':<12}{count}"


def _counts(world: World, port: str, since: int) -> list[int]:
    if not links.link_up(world, port):
        return [0] * _BINS
    raw = link_quality.before_correction(world, port)
    found = [links.rate(world, port) * since // _CODEWORD]
    for number in range(1, _BINS):
        found.append(found[-1] * raw.hundredths * _CODEWORD // (100 * 10**raw.exponent * number))
    return found
