"""ethtool -S of an mlx5 interface: names and order of the driver's groups (Linux 6.8, en_stats.c), values of the port.

Rings: what the kernel moved is divided evenly among the channels. Counters of priorities with pause are there for those
on which PFC is; with PFC off those of global pause, where that is on. Other drivers' statistics are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.control import ethernet_counters, interface_settings
from engine.control.ethernet_counters import Reading
from engine.control.interface_settings import channels
from engine.physics import host_interfaces
from engine.world.inventory import Hca
from engine.world.records.ethernet import PRIORITIES

Pair = tuple[str, int]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SOFTWARE = _words(
    """
    rx_packets rx_bytes tx_packets tx_bytes tx_tso_packets tx_tso_bytes tx_tso_inner_packets tx_tso_inner_bytes
    tx_added_vlan_packets tx_nop tx_mpwqe_blks tx_mpwqe_pkts rx_lro_packets rx_lro_bytes rx_gro_packets
    rx_gro_bytes rx_gro_skbs rx_gro_large_hds rx_ecn_mark rx_removed_vlan_packets rx_csum_unnecessary rx_csum_none
    rx_csum_complete rx_csum_complete_tail rx_csum_complete_tail_slow rx_csum_unnecessary_inner rx_xdp_drop
    rx_xdp_redirect rx_xdp_tx_xmit rx_xdp_tx_mpwqe rx_xdp_tx_inlnw rx_xdp_tx_nops rx_xdp_tx_full rx_xdp_tx_err
    rx_xdp_tx_cqe tx_csum_none tx_csum_partial tx_csum_partial_inner tx_queue_stopped tx_queue_dropped
    tx_xmit_more tx_recover tx_cqes tx_queue_wake tx_cqe_err tx_xdp_xmit tx_xdp_mpwqe tx_xdp_inlnw tx_xdp_nops
    tx_xdp_full tx_xdp_err tx_xdp_cqes rx_wqe_err rx_mpwqe_filler_cqes rx_mpwqe_filler_strides
    rx_oversize_pkts_sw_drop rx_buff_alloc_err rx_cqe_compress_blks rx_cqe_compress_pkts rx_congst_umr rx_arfs_err
    rx_recover rx_pp_alloc_fast rx_pp_alloc_slow rx_pp_alloc_slow_high_order rx_pp_alloc_empty rx_pp_alloc_refill
    rx_pp_alloc_waive rx_pp_recycle_cached rx_pp_recycle_cache_full rx_pp_recycle_ring rx_pp_recycle_ring_full
    rx_pp_recycle_released_ref ch_events ch_poll ch_arm ch_aff_change ch_force_irq ch_eq_rearm
    """
)
_SIZES = _words(
    """
    rx_64_bytes_phy rx_65_to_127_bytes_phy rx_128_to_255_bytes_phy rx_256_to_511_bytes_phy
    rx_512_to_1023_bytes_phy rx_1024_to_1518_bytes_phy rx_1519_to_2047_bytes_phy rx_2048_to_4095_bytes_phy
    rx_4096_to_8191_bytes_phy rx_8192_to_10239_bytes_phy
    """
)
_SIZE_ENDS = (64, 127, 255, 511, 1023, 1518, 2047, 4095, 8191, 10239)
_CHANNEL = _words(
    """
    events poll arm aff_change force_irq eq_rearm
    """
)
_RECEIVE = _words(
    """
    packets bytes csum_complete csum_complete_tail csum_complete_tail_slow csum_unnecessary csum_unnecessary_inner
    csum_none xdp_drop xdp_redirect lro_packets lro_bytes gro_packets gro_bytes gro_skbs gro_large_hds ecn_mark
    removed_vlan_packets wqe_err mpwqe_filler_cqes mpwqe_filler_strides oversize_pkts_sw_drop buff_alloc_err
    cqe_compress_blks cqe_compress_pkts congst_umr arfs_err recover
    """
)
_TRANSMIT = _words(
    """
    packets bytes tso_packets tso_bytes tso_inner_packets tso_inner_bytes csum_partial csum_partial_inner
    added_vlan_packets nop mpwqe_blks mpwqe_pkts csum_none stopped dropped xmit_more recover cqes wake cqe_err
    """
)
_SMALL, _HEADERS = 110, 62
_POLLS_A_PACKET = 2


def lines(ctx: Context, hca: Hca) -> Iterator[str]:
    """What -S prints."""
    yield "NIC statistics:"
    yield from (f"     {name}: {value}" for name, value in values(ctx, hca))


def values(ctx: Context, hca: Hca) -> Iterator[Pair]:
    """Every counter, in order."""
    reading = Reading(ctx.world, hca, ctx.now)
    yield from _kernel(reading)
    yield from (("rx_out_of_buffer", 0), ("rx_steer_missed_packets", 0), ("rx_oversize_pkts_buffer", 0))
    yield from _vport(reading)
    yield from _frames(reading)
    yield from _sizes(reading)
    yield from _physical(reading)
    yield from _priorities(reading, interface_settings.state(ctx.world, ctx.host, hca.netdev).pause)
    modules = ("module_unplug", "module_bus_stuck", "module_high_temp", "module_bad_shorted")
    yield from ((name, 0) for name in modules)
    yield from _rings(reading, channels(ctx.world, ctx.host, hca))
    names = ("buf_discard", "cong_discard", "marked")
    yield from ((f"rx_prio{number}_{name}", 0) for number in range(PRIORITIES) for name in names)


def _kernel(reading: Reading) -> Iterator[Pair]:
    """What passed the kernel: RDMA does not."""
    moved = reading.kernel
    polls = (moved.rx_packets + moved.tx_packets) // _POLLS_A_PACKET
    known = {
        "rx_packets": moved.rx_packets, "rx_bytes": moved.rx_bytes, "tx_packets": moved.tx_packets,
        "tx_bytes": moved.tx_bytes, "rx_csum_complete": moved.rx_packets, "tx_csum_partial": moved.tx_packets,
        "tx_cqes": moved.tx_packets, "ch_events": polls, "ch_poll": polls, "ch_arm": polls,
    }  # fmt: skip
    yield from ((name, known.get(name, 0)) for name in _SOFTWARE)


def _vport(reading: Reading) -> Iterator[Pair]:
    moved = reading.kernel
    yield from (("rx_vport_unicast_packets", moved.rx_packets), ("rx_vport_unicast_bytes", moved.rx_bytes))
    yield from (("tx_vport_unicast_packets", moved.tx_packets), ("tx_vport_unicast_bytes", moved.tx_bytes))
    for kind in ("multicast", "broadcast"):
        yield from ((f"{way}_vport_{kind}_{unit}", 0) for way in ("rx", "tx") for unit in ("packets", "bytes"))
    for way, sent in (("rx", False), ("tx", True)):
        yield f"{way}_vport_rdma_unicast_packets", reading.rdma_packets(sent=sent)
        yield f"{way}_vport_rdma_unicast_bytes", reading.rdma_bytes(sent=sent)
    yield from ((f"{way}_vport_rdma_multicast_{unit}", 0) for way in ("rx", "tx") for unit in ("packets", "bytes"))
    yield from (("vport_loopback_packets", 0), ("vport_loopback_bytes", 0))


def _frames(reading: Reading) -> Iterator[Pair]:
    errors, moved = reading.errors(), reading.kernel
    stopped, stopping = (reading.total("pauses", sent=sent) for sent in (False, True))
    yield "tx_packets_phy", reading.rdma_packets(sent=True) + moved.tx_packets + stopping
    yield "rx_packets_phy", reading.rdma_packets(sent=False) + moved.rx_packets + stopped
    yield "rx_crc_errors_phy", errors["port_rcv_errors"]
    yield "tx_bytes_phy", reading.rdma_bytes(sent=True) + moved.tx_bytes + 64 * stopping
    yield "rx_bytes_phy", reading.rdma_bytes(sent=False) + moved.rx_bytes + 64 * stopped
    names = "tx_multicast_phy tx_broadcast_phy rx_multicast_phy rx_broadcast_phy rx_in_range_len_errors_phy"
    yield from ((name, 0) for name in names.split())
    yield from (("rx_out_of_range_len_phy", 0), ("rx_oversize_pkts_phy", 0))
    yield "rx_symbol_err_phy", errors["symbol_error"]
    yield "tx_mac_control_phy", stopping
    yield "rx_mac_control_phy", stopped
    yield from (("rx_unsupported_op_phy", 0), ("rx_pause_ctrl_phy", stopped), ("tx_pause_ctrl_phy", stopping))
    yield from (("rx_discards_phy", reading.dropped()), ("tx_discards_phy", errors["port_xmit_discards"]))
    yield "tx_errors_phy", 0
    yield from ((name, 0) for name in ("rx_undersize_pkts_phy", "rx_fragments_phy", "rx_jabbers_phy"))


def _sizes(reading: Reading) -> Iterator[Pair]:
    """Frames that came in by their size: those of RDMA are full, those of the kernel small."""
    payload = host_interfaces.roce_payload(host_interfaces.port_mtu(reading.world, reading.hca))
    for name, least, most in zip(_SIZES, (0, *_SIZE_ENDS), _SIZE_ENDS, strict=False):
        full = reading.rdma_packets(sent=False) if least < payload + _HEADERS <= most else 0
        small = reading.kernel.rx_packets if least < _SMALL <= most else 0
        yield name, full + small + (reading.total("pauses", sent=False) if most == _SIZE_ENDS[0] else 0)


def _physical(reading: Reading) -> Iterator[Pair]:
    errors = reading.errors()
    yield "link_down_events_phy", errors["link_downed"]
    yield "rx_bits_phy", 8 * (reading.rdma_bytes(sent=False) + reading.kernel.rx_bytes)
    yield "rx_pcs_symbol_err_phy", errors["symbol_error"]
    yield "rx_corrected_bits_phy", reading.corrected_bits()
    yield from ((f"rx_err_lane_{lane}_phy", reading.corrected_of(lane)) for lane in range(reading.hca.lanes))
    yield "rx_buffer_passed_thres_phy", reading.total("pauses", sent=True) // 2
    yield from (("rx_pci_signal_integrity", 0), ("tx_pci_signal_integrity", 0), ("outbound_pci_buffer_overflow", 0))
    yield from (("outbound_pci_stalled_rd", 0), ("outbound_pci_stalled_wr", reading.stalled()))
    yield from (("outbound_pci_stalled_rd_events", 0), ("outbound_pci_stalled_wr_events", 0))


def _priorities(reading: Reading, pause: tuple[bool, bool]) -> Iterator[Pair]:
    for number in range(PRIORITIES):
        yield f"rx_prio{number}_bytes", reading.bytes_of(number, sent=False)
        yield f"rx_prio{number}_packets", reading.packets_of(number, sent=False)
        yield f"rx_prio{number}_discards", reading.dropped(number)
        yield f"tx_prio{number}_bytes", reading.bytes_of(number, sent=True)
        yield f"tx_prio{number}_packets", reading.packets_of(number, sent=True)
    qos = reading.world.port_qos[reading.port]
    lossless = [number for number in range(PRIORITIES) if qos.pause_sent[number] or qos.pause_obeyed[number]]
    for number in lossless:
        yield from _pause(f"prio{number}", [number], reading)
    if not lossless and any(pause):
        yield from _pause("global", list(range(PRIORITIES)), reading)
    yield "tx_pause_storm_warning_events", ethernet_counters.storm_warnings(reading)
    yield "tx_pause_storm_error_events", 0


def _pause(name: str, numbers: list[int], reading: Reading) -> Iterator[Pair]:
    came, went = (sum(reading.pauses(number, sent=sent) for number in numbers) for sent in (False, True))
    for way, frames, sent in (("rx", came, False), ("tx", went, True)):
        yield f"{way}_{name}_pause", frames
        yield f"{way}_{name}_pause_duration", sum(reading.paused(number, sent=sent) for number in numbers)
    yield f"rx_{name}_pause_transition", came // 2


def _rings(reading: Reading, count: int) -> Iterator[Pair]:
    moved = reading.kernel
    polls = (moved.rx_packets + moved.tx_packets) // _POLLS_A_PACKET
    for ring in range(count):
        known = {"events": polls, "poll": polls, "arm": polls}
        yield from ((f"ch{ring}_{name}", _part(known.get(name, 0), ring, count)) for name in _CHANNEL)
    for ring in range(count):
        known = {"packets": moved.rx_packets, "bytes": moved.rx_bytes, "csum_complete": moved.rx_packets}
        yield from ((f"rx{ring}_{name}", _part(known.get(name, 0), ring, count)) for name in _RECEIVE)
    for ring in range(count):
        known = {"packets": moved.tx_packets, "bytes": moved.tx_bytes, "csum_partial": moved.tx_packets}
        known["cqes"] = moved.tx_packets
        yield from ((f"tx{ring}_{name}", _part(known.get(name, 0), ring, count)) for name in _TRANSMIT)


def _part(total: int, ring: int, count: int) -> int:
    """What falls to a ring; the first one has the rest."""
    return total // count + (total % count if ring == 0 else 0)
