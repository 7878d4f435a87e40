"""Where a node's power comes from: rack PDUs, their fused strips, power supplies, and what happens when too few work.

Each rack has PDUs A and B, and C where its nodes have six supplies; each PDU has two strips with a fuse each, one for
the lower half of the rack (to unit 24) and one for the upper. A node's two cords to a PDU go into the same strip, so
a blown fuse takes two supplies from every node of that half. Three PDUs in a rack: NVIDIA's DGX SuperPOD reference
architectures (B300: "three rack PDUs for maximum redundancy"). Two strips with a fuse each: an incident report of a
radio observatory's GPU nodes.

A DGX H100 needs four of its six supplies (4+2; user guide). What it does with fewer is not published; here it pulls
the GPUs' power brake with three, and goes off with less. A server needs one. The brake is a wire to every GPU: the
hardware at least halves the clocks (NVML's description of HW Power Brake Slowdown).
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import PowerInputChanged
from engine.world.inventory import Inventory, Node, Psu
from engine.world.world import World

STRIPS = (1, 2)
_LOWER_HALF = 24
_PARTS = {"A": "pdu-a", "B": "pdu-b", "C": "pdu-c"}


@dataclass(frozen=True, slots=True)
class Strip:
    """A fused strip of a rack PDU; its id is `R01/pdu-b/2`."""

    rack: str
    feed: str
    number: int

    @property
    def pdu(self) -> str:
        """The id of its PDU."""
        return f"{self.rack}/{_PARTS[self.feed]}"

    @property
    def id(self) -> str:
        return f"{self.pdu}/{self.number}"


def strip_of(world: World, psu: Psu) -> Strip:
    """The strip that a supply's cord is in."""
    node = world.inventory.node(psu.node)
    feed = world.psus[psu.id].feed or psu.feed
    return Strip(node.rack, feed, 1 if node.unit <= _LOWER_HALF else 2)


def strips(inventory: Inventory) -> dict[str, Strip]:
    """Every strip of the site by id."""
    return inventory.once(("strips",), lambda: _strips(inventory))


def pdus(inventory: Inventory) -> tuple[str, ...]:
    """Every rack PDU of the site."""
    return tuple(dict.fromkeys(strip.pdu for strip in strips(inventory).values()))


def nodes_on(inventory: Inventory, pdu: str) -> list[str]:
    """The nodes of the rack that a PDU (or one of its strips) stands in."""
    rack = pdu.partition("/")[0]
    return [name for name in inventory.node_names if inventory.node(name).rack == rack]


def has_input(world: World, psu: Psu) -> bool:
    """Whether there is power on a supply's cord."""
    if world.psus[psu.id].input_lost:
        return False
    if not world.pdus.generation and not world.psus[psu.id].feed:
        return True
    strip = strip_of(world, psu)
    return strip_is_live(world, strip)


def strip_is_live(world: World, strip: Strip) -> bool:
    """Whether a strip gives power."""
    state = world.pdus[strip.pdu]
    return state.supplied and strip.number not in state.blown


def psu_working(world: World, psu: Psu) -> bool:
    """Whether a power supply gives power."""
    return not world.psus[psu.id].failed and has_input(world, psu)


def working(world: World, node: Node) -> int:
    """How many supplies give power."""
    return sum(psu_working(world, psu) for psu in node.psus)


def needed(node: Node) -> int:
    """How many supplies carry whatever the node does: four of six, one of two."""
    return max(1, len(node.psus) * 2 // 3)


def least(node: Node) -> int:
    """With how many supplies the node still runs, its GPUs braked."""
    return max(1, needed(node) - 1)


def standby(world: World, node: Node) -> bool:
    """Whether the BMC has power."""
    return working(world, node) > 0


def can_run(world: World, node: Node) -> bool:
    """Whether the supplies hold the chassis up."""
    return working(world, node) >= least(node)


def braked(world: World, name: str) -> bool:
    """Whether the power brake of a node's GPUs is pulled."""
    if world.platforms[name].brake_stuck:
        return True
    if not (world.psus.generation or world.pdus.generation):
        return False
    node = world.inventory.node(name)
    return bool(node.gpus) and working(world, node) < needed(node)


def change_psu(
    simulation: Simulation[World],
    identifier: str,
    *,
    failed: bool | None = None,
    input_lost: bool | None = None,
    serial: str | None = None,
    feed: str | None = None,
    latched: bool | None = None,
) -> None:
    """Change what is true of a supply, and let its node feel it."""
    given = {"failed": failed, "input_lost": input_lost, "serial": serial, "feed": feed, "latched": latched}
    simulation.world.psus.update(identifier, **{name: value for name, value in given.items() if value is not None})
    simulation.publish(PowerInputChanged(identifier.partition("/")[0]))


def change_pdu(
    simulation: Simulation[World], pdu: str, *, supplied: bool | None = None, blown: tuple[int, ...] | None = None
) -> None:
    """Change a rack PDU, and let every node of its rack feel it."""
    given = {"supplied": supplied, "blown": blown}
    simulation.world.pdus.update(pdu, **{name: value for name, value in given.items() if value is not None})
    for node in nodes_on(simulation.world.inventory, pdu):
        simulation.publish(PowerInputChanged(node))


def hold_brake(simulation: Simulation[World], node: str, held: bool) -> None:
    """A node's board pulls the power brake without need, or lets it go."""
    simulation.world.platforms.update(node, brake_stuck=held)
    simulation.publish(PowerInputChanged(node))


def _strips(inventory: Inventory) -> dict[str, Strip]:
    feeds: dict[str, set[str]] = {rack: set() for rack in inventory.racks}
    for name in inventory.node_names:
        node = inventory.node(name)
        feeds.setdefault(node.rack, set()).update(psu.feed for psu in node.psus)
    found = [
        Strip(rack, feed, number) for rack, letters in feeds.items() for feed in sorted(letters) for number in STRIPS
    ]
    return {strip.id: strip for strip in found}
