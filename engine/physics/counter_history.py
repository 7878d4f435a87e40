"""What ports had counted before the site's start, and the few errors that a healthy fabric makes by itself.

A fabric that has been at work for weeks never shows zeros: ports have carried data, some links went down with their
nodes, now and then a symbol was lost. All by hash of seed and port, so that they are the same in every run. Figures: an
H100 node's port with 2.3e14 words, 2,904 bytes a packet and 2.5e9 ticks of waiting, a switch port with 1.8e14 words, 7
relay errors, 20,046 discards and one link down (captures of sysfs and perfquery). How many ports have such errors is a
guess.
"""

from __future__ import annotations

from engine.kernel.random import hash64
from engine.kernel.units import DAY
from engine.physics import links
from engine.world.inventory import Hca, Inventory
from engine.world.world import World

BYTES_PER_PACKET = 2904
_LEAST_WORDS, _MORE_WORDS = 60 * 10**12, 200 * 10**12
_QUIET = 100_000
"""An Ethernet port that does not carry training, or one of a node without GPUs, has carried so many times less."""

_WORDS_PER_TICK, _MORE_WORDS_PER_TICK = 100_000, 2_000_000
_LONGEST_INTERVAL, _SHORTEST_INTERVAL = 9 * DAY, 2 * DAY


def in_use(inventory: Inventory, port: str) -> bool:
    """Whether the port was built with a link that carries something: a cable, or an Ethernet network that the site
    leaves out. Nothing sends to a switch's aggregation node.
    """
    cable = links.cable(inventory, port)
    if cable is None:
        return inventory.once(("used port", port), lambda: links.place(inventory, port).ethernet)
    return not cable.internal


def words(world: World, port: str, *, sent: bool) -> int:
    """Words of 4 bytes that had left or reached a port before the site's start; both ends of a link agree."""
    inventory, seed = world.plan, world.seed
    if not in_use(inventory, port):
        return 0
    return inventory.once(("words before", seed, port, sent), lambda: _words(inventory, seed, port, sent))


def _words(inventory: Inventory, seed: int, port: str, sent: bool) -> int:
    far = links.peer(inventory, port) or f"beyond {port}"
    count = _LEAST_WORDS + hash64(seed, "words before", port if sent else far) % _MORE_WORDS
    return count if _busy(inventory, port) else count // _QUIET


def ticks_waited(world: World, port: str) -> int:
    """Of PortXmitWait."""
    chance = world.plan.once(("waited before", world.seed, port), lambda: hash64(world.seed, "waited before", port))
    return words(world, port, sent=True) // (_WORDS_PER_TICK + chance % _MORE_WORDS_PER_TICK)


def errors(world: World, port: str, time: int) -> dict[str, int]:
    """What chance has brought to each error counter of a cabled port until `time`; counters without an entry: none."""
    cable = links.cable(world.plan, port)
    if cable is None or cable.internal:
        return {}
    chance = world.plan.once(("errors before", world.seed, port), lambda: hash64(world.seed, "errors before", port))
    found = {"symbol_error": _symbol_errors(chance, time)} if chance % 40 == 0 else {}
    if (chance >> 8) % 60 == 0:
        found["port_rcv_errors"] = 1 + (chance >> 16) % 2
    if _faces_node(world.plan, port):
        found |= _of_restarts(chance >> 20)
    return {name: count for name, count in found.items() if count}


def _symbol_errors(chance: int, time: int) -> int:
    """A few by the start, and one more every some days."""
    interval = _SHORTEST_INTERVAL + (chance >> 24) % (_LONGEST_INTERVAL - _SHORTEST_INTERVAL)
    return 1 + (chance >> 12) % 3 + (time + (chance >> 16) % interval) // interval


def _of_restarts(chance: int) -> dict[str, int]:
    """Of a switch's port whose node was restarted now and then."""
    downs = 1 + (chance >> 4) % 2 if chance % 6 == 0 else 0
    relayed = 1 + (chance >> 8) % 8 if (chance >> 6) % 10 == 0 else 0
    discarded = (chance >> 12) % 200 if downs else 0
    return {"link_downed": downs, "port_rcv_switch_relay_errors": relayed, "port_xmit_discards": discarded}


def _busy(inventory: Inventory, port: str) -> bool:
    """Whether training goes over this port's link."""

    def look() -> bool:
        ends = [links.place(inventory, end) for end in (port, links.peer(inventory, port) or port)]
        hcas = [end.device for end in ends if isinstance(end.device, Hca)]
        trains = not ends[0].ethernet or all(hca.purpose == "compute" for hca in hcas)
        return trains and all(inventory.node(hca.node).gpus for hca in hcas)

    return inventory.once(("busy link", port), look)


def _faces_node(inventory: Inventory, port: str) -> bool:
    """Whether it is a switch's port with a node at the other end."""
    return port.count("/") == 1 and (links.peer(inventory, port) or "").count("/") > 1
