"""Network interfaces of hosts: what people set on them since the boot, and the tables that the kernel keeps with them.

One `InterfaceState` for each interface, under `host/name`. A restart of the host forgets all of it: interfaces come up
again as the site's configuration says.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NeighbourEntry:
    """An entry of the neighbour table that somebody made by hand: address, MAC, and whether it stays (permanent)."""

    address: str
    mac: str
    permanent: bool = True


@dataclass(frozen=True, slots=True)
class Coalescing:
    """When an interface interrupts: adaptive or not, after how many microseconds or frames; by direction."""

    adaptive_rx: bool = True
    adaptive_tx: bool = True
    rx_usecs: int = 8
    rx_frames: int = 128
    tx_usecs: int = 8
    tx_frames: int = 128


@dataclass(frozen=True, slots=True)
class InterfaceState:
    """An interface. What is None is as the site configured it, or as the driver begins.

    `mtu` in bytes; `addresses` (IPv4 and IPv6 with their prefix) instead of the configured ones; `alias` of `ip link`;
    `gids`: addresses in the order of the RDMA device's table after the link-local ones, "" for a place that is free
    again; `connection_mode`: the RoCE version that the connection manager asks for. `pause` is global flow control
    (received, sent), `forced_speed` in Mb/s with negotiation off, `rings` (receive, send), `channels` combined ones,
    `features` those that were switched, `neighbours` and `flushed` (when the table was last emptied, ns) of ip neigh.
    A VLAN interface that somebody made has its `vlan` id and the interface below it, `parent`; in the `gids` of that
    one its addresses stand as ADDRESS%NAME.
    """

    mtu: int | None = None
    addresses: tuple[str, ...] | None = None
    vlan: int | None = None
    parent: str = ""
    alias: str = ""
    gids: tuple[str, ...] | None = None
    connection_mode: str = "RoCE v2"
    pause: tuple[bool, bool] = (False, False)
    forced_speed: int | None = None
    rings: tuple[int, int] | None = None
    channels: int | None = None
    coalescing: Coalescing = Coalescing()
    features: tuple[tuple[str, bool], ...] = ()
    neighbours: tuple[NeighbourEntry, ...] = ()
    flushed: int | None = None
