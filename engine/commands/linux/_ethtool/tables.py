"""ethtool -a, -c, -g, -k, -l and --show-fec of mlx5 interfaces. Formats: ethtool 6.7 (netlink/*.c), 6.1 on a real host.

What mlx5 begins with: rings of 1024 (8192 at most), a channel for each CPU up to 63, adaptive moderation with 8 us and
128 frames (Linux 6.8, mlx5/core/en). Features: en_main.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.control import interface_settings
from engine.control.interface_settings import MOST_CHANNELS, MOST_RING, RINGS, channels
from engine.world.inventory import Hca
from engine.world.records import InterfaceState

FEATURES = """
rx-checksumming on
tx-checksumming on
\ttx-checksum-ipv4 off fixed
\ttx-checksum-ip-generic on
\ttx-checksum-ipv6 off fixed
\ttx-checksum-fcoe-crc off fixed
\ttx-checksum-sctp off fixed
scatter-gather on
\ttx-scatter-gather on
\ttx-scatter-gather-fraglist off fixed
tcp-segmentation-offload on
\ttx-tcp-segmentation on
\ttx-tcp-ecn-segmentation off fixed
\ttx-tcp-mangleid-segmentation off
\ttx-tcp6-segmentation on
generic-segmentation-offload on
generic-receive-offload on
large-receive-offload off
rx-vlan-offload on
tx-vlan-offload on
ntuple-filters off
receive-hashing on
highdma on fixed
rx-vlan-filter on
vlan-challenged off fixed
tx-gso-robust off fixed
tx-fcoe-segmentation off fixed
tx-gre-segmentation on
tx-gre-csum-segmentation on
tx-ipxip4-segmentation on
tx-ipxip6-segmentation on
tx-udp_tnl-segmentation on
tx-udp_tnl-csum-segmentation on
tx-gso-partial on
tx-tunnel-remcsum-segmentation off fixed
tx-sctp-segmentation off fixed
tx-esp-segmentation off fixed
tx-udp-segmentation on
tx-gso-list off fixed
fcoe-mtu off fixed
tx-nocache-copy off
loopback off fixed
rx-fcs off
rx-all off
tx-vlan-stag-hw-insert on
rx-vlan-stag-hw-parse off fixed
rx-vlan-stag-filter on fixed
l2-fwd-offload off fixed
hw-tc-offload off
esp-hw-offload off fixed
esp-tx-csum-hw-offload off fixed
rx-udp_tunnel-port-offload on
tls-hw-tx-offload off fixed
tls-hw-rx-offload off fixed
rx-gro-hw off
tls-hw-record off fixed
rx-gro-list off
macsec-hw-offload off fixed
rx-udp-gro-forwarding off
hsr-tag-ins-offload off fixed
hsr-tag-rm-offload off fixed
hsr-fwd-offload off fixed
hsr-dup-offload off fixed
"""
"""Name (indented below its group), how it begins, and whether it is fixed."""

FEC_WORDS = {"rs": "RS", "baser": "BaseR", "off": "Off"}

SHORT_NAMES = {
    "rx": "rx-checksumming", "tx": "tx-checksumming", "sg": "scatter-gather", "tso": "tcp-segmentation-offload",
    "gso": "generic-segmentation-offload", "gro": "generic-receive-offload", "lro": "large-receive-offload",
    "rxvlan": "rx-vlan-offload", "txvlan": "tx-vlan-offload", "ntuple": "ntuple-filters", "rxhash": "receive-hashing",
}  # fmt: skip


def lines(ctx: Context, option: str, hca: Hca) -> Iterator[str]:
    """What an option prints."""
    state = interface_settings.state(ctx.world, ctx.host, hca.netdev)
    table = {"a": _pause, "c": _coalescing, "g": _rings, "k": _features, "l": _channels, "fec": _fec}[option]
    yield from table(ctx, hca, state)


def _word(on: bool) -> str:
    return "on" if on else "off"


def _pause(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    yield f"Pause parameters for {hca.netdev}:"
    yield "Autonegotiate:\toff"
    yield f"RX:\t\t{_word(state.pause[0])}"
    yield f"TX:\t\t{_word(state.pause[1])}"
    yield ""


def _rings(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    receive, send = state.rings or (RINGS, RINGS)
    yield f"Ring parameters for {hca.netdev}:"
    yield "Pre-set maximums:"
    for name, value in (("RX", MOST_RING), ("RX Mini", "n/a"), ("RX Jumbo", "n/a"), ("TX", MOST_RING)):
        yield _row(name, value)
    yield _row("TX push buff len", "n/a")
    yield "Current hardware settings:"
    for name, now in (("RX", receive), ("RX Mini", "n/a"), ("RX Jumbo", "n/a"), ("TX", send)):
        yield _row(name, now)
    rest = (("RX Buf Len", "n/a"), ("CQE Size", "n/a"), ("TX Push", "off"), ("RX Push", "off"))
    yield from (_row(name, value) for name, value in (*rest, ("TX push buff len", "n/a"), ("TCP data split", "off")))


def _row(name: str, value: object) -> str:
    """Values of rings begin in the fourth column of tabs."""
    return f"{name}:" + "\t" * (3 - (len(name) + 1) // 8) + str(value)


def _channels(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    most = min(MOST_CHANNELS, ctx.node.cpu.sockets * ctx.node.cpu.cores * ctx.node.cpu.threads)
    yield f"Channel parameters for {hca.netdev}:"
    now = channels(ctx.world, ctx.host, hca)
    for head, count in (("Pre-set maximums:", most), ("Current hardware settings:", now)):
        yield head
        yield from ("RX:\t\tn/a", "TX:\t\tn/a", "Other:\t\tn/a", f"Combined:\t{count}")


def _coalescing(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    now = state.coalescing
    yield f"Coalesce parameters for {hca.netdev}:"
    yield f"Adaptive RX: {_word(now.adaptive_rx)}  TX: {_word(now.adaptive_tx)}"
    yield from ("stats-block-usecs:\tn/a", "sample-interval:\tn/a", "pkt-rate-low:\t\tn/a", "pkt-rate-high:\t\tn/a", "")
    for way, usecs, frames in (("rx", now.rx_usecs, now.rx_frames), ("tx", now.tx_usecs, now.tx_frames)):
        yield from (f"{way}-usecs:\t{usecs}", f"{way}-frames:\t{frames}")
        yield from (f"{way}-usecs-irq:\tn/a", f"{way}-frames-irq:\tn/a", "")
    for level in ("low", "high"):
        yield from (f"{way}-{what}-{level}:\tn/a" for way in ("rx", "tx") for what in ("usecs", "frame"))
        yield ""
    yield from ("CQE mode RX: on  TX: off", "")
    yield from ("tx-aggr-max-bytes:\tn/a", "tx-aggr-max-frames:\tn/a", "tx-aggr-time-usecs:\tn/a", "")


def _features(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    yield f"Features for {hca.netdev}:"
    changed = dict(state.features)
    for line in FEATURES.strip("\n").splitlines():
        name, value, *fixed = line.split()
        now = _word(changed[name]) if name in changed else value
        yield f"{line[: line.index(name)]}{name}: {now}{' [fixed]' if fixed else ''}"


def _fec(ctx: Context, hca: Hca, state: InterfaceState) -> Iterator[str]:
    chosen = ctx.world.ethernet_ports[hca.port].fec
    yield f"FEC parameters for {hca.netdev}:"
    yield f"Supported/Configured FEC encodings: {FEC_WORDS.get(chosen, 'Auto')}"
    yield f"Active FEC encoding: {FEC_WORDS.get(chosen, 'RS')}"
