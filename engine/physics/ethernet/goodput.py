"""What loss costs RoCE: a receiver that misses a packet has everything after it sent again (go-back-N).

`(1 - l) / (1 + (W - 1) l)` of what is sent arrives in order, W packets being under way in a round trip of 10 us. How
many packets come out of order for one loss (7), and that one loss in ten ends in a timeout, are ratios of one public
report (NVIDIA/nccl#394: 6.1, 0.93 and 0.09 millions). A sender that gets no answer at all tries again 15 times a second
(local ACK timeout 14: 67 ms).
"""

from __future__ import annotations

from engine.physics.traffic import marking
from engine.world.records import RoceVolume, ServiceClass

_ROUND_TRIP_SECONDS = 1e-5
GAPS = 7
"""Packets that come out of order for one that was lost."""

_LOSSES_PER_TIMEOUT = 10
_RETRIES = 15


def in_order(sent: int, arrived: int, mtu: int) -> int:
    """Bit/s of `arrived` that are of use when `sent` were sent, in packets of `mtu` bytes."""
    if arrived >= sent or sent <= 0:
        return arrived
    loss = (sent - arrived) / sent
    window = max(sent * _ROUND_TRIP_SECONDS / 8 / mtu, 1.0)
    return int(arrived / (1.0 + (window - 1.0) * loss))


def noticed(sent: int, arrived: int, service: ServiceClass, marked: float) -> tuple[RoceVolume, RoceVolume]:
    """What sender and receiver of a flow notice per second, when a share `marked` of its packets is marked."""
    packets = arrived / 8 / service.mtu
    told = int(marking.notifications(packets, marked)) if marked and service.reacts else 0
    lost = max(sent - arrived, 0) // (8 * service.mtu)
    if sent and not arrived:
        return RoceVolume(timeouts=_RETRIES), RoceVolume()
    sender = RoceVolume(heard=told, resent=lost, timeouts=lost // _LOSSES_PER_TIMEOUT)
    return sender, RoceVolume(marked=int(packets * marked), told=told, gaps=lost * GAPS)
