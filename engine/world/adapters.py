"""Network cards as their firmware runs: version, and whether a port speaks InfiniBand or Ethernet.

An inventory says what a card was delivered with; who asks a world for a node gets what runs. A card's settings and
firmware belong to all of its functions, and stand under the id of the first one. The link type of a function's port is
LINK_TYPE_P1 or _P2: 1 InfiniBand, 2 Ethernet (mlxconfig). The name of an Ethernet interface is that of systemd's
net_id: `enp24s0np0` for what is `ibp24s0` on InfiniBand.
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.state import Table
from engine.world.inventory import Drive, Hca, Inventory, Node
from engine.world.records import AdapterState, PciFunctionState

INFINIBAND, ETHERNET = 1, 2
LINK_TYPES = {INFINIBAND: "InfiniBand", ETHERNET: "Ethernet"}


def card(node: Node, hca: Hca) -> str:
    """The id of the first device of a card, under which its firmware is kept."""
    return functions(node, hca)[0].id


def functions(node: Node, hca: Hca) -> tuple[Hca, ...]:
    """The devices of the card that a device belongs to, by function."""
    slot = hca.address.rpartition(".")[0]
    return tuple(each for each in node.hcas if each.address.rpartition(".")[0] == slot)


def function_number(hca: Hca) -> int:
    """0 for the first device of a card."""
    return int(hca.address.rpartition(".")[2])


def setting_of_link_type(hca: Hca) -> str:
    """Name of the setting that says what the device's port speaks."""
    return f"LINK_TYPE_P{function_number(hca) + 1}"


def as_it_runs(inventory: Inventory, node: Node, adapters: Table[AdapterState]) -> Node:
    """The node with its network cards as their firmware runs; itself where all are as they were delivered."""
    return with_cards(inventory, node, changed_cards(node, adapters)) if adapters.generation else node


def changed_cards(node: Node, adapters: Table[AdapterState]) -> tuple[tuple[str, AdapterState], ...]:
    """Cards of a node whose firmware does not run as they were delivered, by the id of their first device."""
    return tuple((hca.id, adapters[hca.id]) for hca in node.hcas if _differs(adapters[hca.id]))


def with_cards(inventory: Inventory, node: Node, cards: tuple[tuple[str, AdapterState], ...]) -> Node:
    """The node with these cards as their firmware runs."""
    if not cards:
        return node
    return inventory.once(("adapted", node.name, cards), lambda: _adapted(node, dict(cards)))


def _differs(state: AdapterState) -> bool:
    return bool(state.running or state.firmware)


def _adapted(node: Node, states: dict[str, AdapterState]) -> Node:
    return replace(node, hcas=tuple(_running(hca, states.get(card(node, hca))) for hca in node.hcas))


def _running(hca: Hca, state: AdapterState | None) -> Hca:
    if state is None:
        return hca
    chosen = dict(state.running).get(setting_of_link_type(hca))
    layer = LINK_TYPES[chosen] if chosen else hca.link_layer
    firmware = state.firmware or hca.firmware
    if layer == hca.link_layer:
        return replace(hca, firmware=firmware)
    return replace(hca, firmware=firmware, link_layer=layer, netdev=_interface_name(hca.netdev, layer))


def _interface_name(name: str, layer: str) -> str:
    if layer == LINK_TYPES[INFINIBAND]:
        return "ib" + name.removeprefix("en").partition("np")[0]
    return "en" + name.removeprefix("ib") + ("np1" if name.endswith("f1") else "np0")


def with_drivers(inventory: Inventory, node: Node, functions: Table[PciFunctionState]) -> Node:
    """The node without network cards and drives that the kernel does not list, or whose driver let go of them."""
    parts: tuple[Hca | Drive, ...] = (*node.hcas, *node.drives)
    gone = tuple(part.address for part in parts if _let_go(functions[f"{node.name}/{part.address}"]))
    if not gone:
        return node
    return inventory.once(("without", node.name, gone, node.hcas), lambda: _without(node, gone))


def _let_go(state: PciFunctionState) -> bool:
    return state.removed or state.unbound


def _without(node: Node, gone: tuple[str, ...]) -> Node:
    return replace(
        node,
        hcas=tuple(hca for hca in node.hcas if hca.address not in gone),
        drives=tuple(drive for drive in node.drives if drive.address not in gone),
    )
