"""The counters of a network port, as its performance management agent and sysfs show them: one state for all of them.

Data, packets and waiting are those of the traffic (engine.physics.traffic.counters), of management packets and of what
was before the site's start; errors follow from the signal (engine.physics.link_quality), from links that went down and
from chance (engine.physics.counter_history). Counters only grow; a reset keeps what they had come to, and tools show
the difference. Classic counters have few bits and stop at their largest value, extended ones have 64 (InfiniBand
architecture, PortCounters and PortCountersExtended). A restarted node's adapters begin anew.

Names are those of sysfs, and QP1_dropped. Guesses: one management packet a second on an InfiniBand link; of 65,536
symbol errors one brings the link to recovery, of 16,384 one is counted as an integrity error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, SECOND
from engine.physics import counter_history, link_quality, links
from engine.physics.traffic import counters
from engine.world.events import LinkChanged, LinkRateChanged, ModuleChanged, NodeStopping, NodeUp, SignalChanged
from engine.world.records import PortCounters
from engine.world.world import World

WIDTHS: Mapping[str, int] = MappingProxyType(
    {
        "symbol_error": 16,
        "link_error_recovery": 8,
        "link_downed": 8,
        "port_rcv_errors": 16,
        "port_rcv_remote_physical_errors": 16,
        "port_rcv_switch_relay_errors": 16,
        "port_xmit_discards": 16,
        "port_xmit_constraint_errors": 8,
        "port_rcv_constraint_errors": 8,
        "local_link_integrity_errors": 4,
        "excessive_buffer_overrun_errors": 4,
        "QP1_dropped": 16,
        "VL15_dropped": 16,
        "port_xmit_data": 32,
        "port_rcv_data": 32,
        "port_xmit_packets": 32,
        "port_rcv_packets": 32,
        "port_xmit_wait": 32,
        "unicast_xmit_packets": 64,
        "unicast_rcv_packets": 64,
        "multicast_xmit_packets": 64,
        "multicast_rcv_packets": 64,
    }
)
"""Every counter, in the order of the PortCounters attribute, with the bits of its classic form."""

ERRORS = tuple(WIDTHS)[:13]
TRAFFIC = tuple(name for name in WIDTHS if name not in ERRORS)
WAIT = "port_xmit_wait"
MANAGEMENT_WORDS = 72
"""Words of 4 bytes of a management packet: 256 bytes and headers (runs of the real tools on a simulator)."""

_MANAGEMENT = "management"
_RECOVERY, _INTEGRITY = 1 << 16, 1 << 14
_PAYLOAD = 4096
_DRIVER = "mlx5_core"


def saturated(counter: str, value: int) -> int:
    """What the classic form of a counter shows."""
    return min(value, (1 << WIDTHS[counter]) - 1)


def errors(world: World, port: str, time: int) -> dict[str, int]:
    """Every error counter since its last reset."""
    return _since_reset(world, port, _all_errors(world, port, time))


def traffic(world: World, port: str, time: int) -> dict[str, int]:
    """Data (words of 4 bytes), packets and ticks of waiting since the last reset."""
    return _since_reset(world, port, _all_traffic(world, port, time))


def waited(world: World, port: str, time: int) -> int:
    """Ticks of PortXmitWait since the last reset."""
    return _all_waited(world, port, time) - world.port_counters[port].cleared.get(WAIT, 0)


def last_cleared(world: World, port: str) -> int:
    """When its counters began at zero: somebody's reset, or the start of what the port belongs to."""
    cleared = world.port_counters[port].cleared_at
    host = port.partition("/")[0]
    up = DAY * (20 + hash64(world.seed, "counting", port) % 60)
    started = world.nodes[host].booted_at if host in world.inventory.node_index else -up
    return started if cleared is None else max(cleared, started)


def value(world: World, port: str, counter: str, time: int) -> int:
    """One counter since its last reset. Raises KeyError if there is none of this name."""
    if counter == WAIT:
        return waited(world, port, time)
    return (errors if counter in ERRORS else traffic)(world, port, time)[counter]


@dataclass(frozen=True, slots=True)
class ResetCounters(Action):
    """Set counters of ports to zero."""

    ports: tuple[str, ...]
    counters: tuple[str, ...] = tuple(WIDTHS)

    def perform(self, simulation: Simulation[World]) -> None:
        for port in self.ports:
            _reset(simulation.world, port, self.counters, simulation.now)


def _reset(world: World, port: str, names: Iterable[str], now: int) -> None:
    totals = {**_all_errors(world, port, now), **_all_traffic(world, port, now)}
    cleared = {**world.port_counters[port].cleared, **{name: totals[name] for name in names if totals[name]}}
    whole = {"cleared_at": now} if set(names) >= set(WIDTHS) else {}
    world.port_counters.update(port, cleared=MappingProxyType(cleared), **whole)


def _since_reset(world: World, port: str, totals: dict[str, int]) -> dict[str, int]:
    cleared = world.port_counters[port].cleared
    if not cleared:
        return totals
    return {name: total - cleared.get(name, 0) for name, total in totals.items()}


def _all_errors(world: World, port: str, time: int) -> dict[str, int]:
    kept, grown = world.port_counters[port], _grown(world, port, time)
    totals = dict.fromkeys(ERRORS, 0)
    for part in (kept.counts, grown, counter_history.errors(world, port, time)):
        for name, count in part.items():
            if name in totals:
                totals[name] += count
    if not _silent(world, port):
        totals["port_xmit_discards"] += counters.dropped(world, port, time) // _PAYLOAD
    return totals


def _all_traffic(world: World, port: str, time: int) -> dict[str, int]:
    managed = world.port_counters[port].counts.get(_MANAGEMENT, 0) + _grown(world, port, time).get(_MANAGEMENT, 0)
    found = {}
    for direction, sent in (("xmit", True), ("rcv", False)):
        octets, packets = (_sent if sent else _received)(world, port, time)
        packets += managed
        words = counter_history.words(world, port, sent=sent)
        packets += 4 * words // counter_history.BYTES_PER_PACKET
        found[f"port_{direction}_data"] = octets // 4 + managed * MANAGEMENT_WORDS + words
        found[f"port_{direction}_packets"] = found[f"unicast_{direction}_packets"] = packets
        found[f"multicast_{direction}_packets"] = 0
    found[WAIT] = _all_waited(world, port, time)
    return {name: found[name] for name in TRAFFIC}


def _all_waited(world: World, port: str, time: int) -> int:
    before = counter_history.ticks_waited(world, port)
    return before if _silent(world, port) else before + counters.xmit_wait(world, port, time)


def _sent(world: World, port: str, time: int) -> tuple[int, int]:
    """Bytes and packets of flows that have left a port."""
    if _silent(world, port):
        return 0, 0
    return counters.sent(world, port, time), counters.packets_sent(world, port, time)


def _received(world: World, port: str, time: int) -> tuple[int, int]:
    far = links.peer(world.inventory, port)
    if far and _silent(world, far):
        return 0, 0
    return counters.received(world, port, time), counters.packets_received(world, port, time)


def _silent(world: World, port: str) -> bool:
    """Whether no flow has ever been there."""
    found = world.traffic[port]
    return not (found.now or found.total)


def _grown(world: World, port: str, time: int) -> dict[str, int]:
    """What the law of the link has added since it holds."""
    law = world.port_counters[port]
    linked = law.linked
    if linked is None:
        linked = counter_history.in_use(world.plan, port)
    if not linked:
        return {}
    found = {_MANAGEMENT: (time - law.since) // SECOND}
    if law.exponent < link_quality.CLEAN:
        symbols = link_quality.symbol_errors(law.exponent, law.rate, time - law.since)
        came = counters.received(world, port, time) - law.received
        found |= {
            "symbol_error": symbols,
            "port_rcv_errors": link_quality.spoiled_packets(law.exponent, came),
            "link_error_recovery": symbols // _RECOVERY,
            "local_link_integrity_errors": symbols // _INTEGRITY,
        }
    return found


def _settle(world: World, port: str, now: int, linked: bool, **events: int) -> None:
    """Keep what has come so far, with what happens now, and begin with the law of the link as it is."""
    counts = dict(world.port_counters[port].counts)
    for part in (_grown(world, port, now), events):
        for name, count in part.items():
            counts[name] = counts.get(name, 0) + count
    kept = MappingProxyType({name: counts[name] for name in sorted(counts) if counts[name]})
    world.port_counters[port] = PortCounters(
        counts=kept,
        cleared=world.port_counters[port].cleared,
        cleared_at=world.port_counters[port].cleared_at,
        since=now,
        linked=linked,
        exponent=link_quality.error_exponent(world, port),
        rate=links.rate(world, port) if linked else 0,
        received=counters.received(world, port, now),
    )


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    _settle(simulation.world, event.port, simulation.now, event.up, link_downed=0 if event.up else 1)


def _law_changed(simulation: Simulation[World], event: LinkRateChanged | SignalChanged) -> None:
    world = simulation.world
    _settle(world, event.port, simulation.now, links.link_up(world, event.port))


def _ends(world: World, node: str) -> list[tuple[str, str]]:
    """The cabled ports of a node, each with the port at its other end."""
    ports = [hca.port for hca in world.node(node).hcas]
    return [(port, far) for port in ports if (far := links.peer(world.inventory, port))]


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    """Links that are up go down with the node; its adapters forget what they had counted."""
    world, now = simulation.world, simulation.now
    for port, far in _ends(world, event.node):
        _settle(world, far, now, False, link_downed=int(world.port_counters[far].linked is not False))
        _settle(world, port, now, False)
    for hca in world.node(event.node).hcas:
        _reset(world, hca.port, WIDTHS, now)


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    for port in (port for pair in _ends(simulation.world, event.node) for port in pair):
        _settle(simulation.world, port, simulation.now, links.link_up(simulation.world, port))


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    if event.module != _DRIVER:
        return
    world = simulation.world
    for port in (port for pair in _ends(world, event.host) for port in pair):
        linked = links.link_up(world, port)
        fell = not linked and world.port_counters[port].linked is not False
        _settle(world, port, simulation.now, linked, link_downed=int(fell))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (LinkChanged, _link_changed),
    (LinkRateChanged, _law_changed),
    (SignalChanged, _law_changed),
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ModuleChanged, _module_changed),
)
