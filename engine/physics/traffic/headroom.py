"""What still arrives after a port has decided to send pause: the room that a lossless class needs beyond XOFF.

The rule of switch vendors: the cable both ways (5 ns a metre), a packet under way at each end, and 3840 bytes (60
quanta) until the sender reacts.
"""

from __future__ import annotations

_RESPONSE = 3840
_FRAME = 82
_PACKET = 4096
_METRE = 5e-9


def needed(rate: float, length_m: float) -> float:
    """Bytes for a link of `rate` bit/s over `length_m` metres of cable."""
    return 2 * length_m * _METRE * rate / 8 + 2 * (_PACKET + _FRAME) + _RESPONSE
