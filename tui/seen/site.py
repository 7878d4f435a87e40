"""The site as its documentation describes it: which machines and parts there are, and by which names.

Nothing here depends on how anything is. What follows from a board alone is asked of the first node with that board, so
that a site of 2,048 nodes costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.inventory import Inventory, Node

_BMC = "-bmc"


@dataclass(frozen=True)
class Site:
    """Names of an inventory."""

    inventory: Inventory

    def machine(self, name: str) -> str | None:
        """The node or switch that a host name or an address means; None for others, BMCs included."""
        plain = name.lower().removesuffix(f".{self.inventory.domain}")
        if plain in self.inventory.node_index or plain in self.inventory.switches:
            return plain
        host, _, network = plain.rpartition("-")
        if host in self.inventory.node_index and network in self.inventory.addresses(host) and network != "bmc":
            return host
        return self._by_address.get(plain) if plain[:1].isdigit() else None

    def node(self, name: str) -> str | None:
        """The node that a name means, or None."""
        found = self.machine(name)
        return found if found in self.inventory.node_index else None

    def node_of_bmc(self, name: str) -> str | None:
        """The node whose BMC a name or an address means."""
        plain = name.lower().removesuffix(f".{self.inventory.domain}")
        host = plain.removesuffix(_BMC)
        if plain.endswith(_BMC) and host in self.inventory.node_index:
            return host
        return self._by_bmc_address.get(plain) if plain[:1].isdigit() else None

    def nodes(self, text: str) -> list[str]:
        """The nodes of a host list such as dgx-[01-03]; none if there is something else in it."""
        try:
            names = expand(text)
        except BreakfixError:
            return []
        return names if all(name in self.inventory.node_index for name in names) else []

    def board(self, node: str) -> Node:
        """A node with the same parts as `node`, for what follows from the board."""
        return self.inventory.node(self.inventory.pattern(node))

    def gpus(self, node: str) -> tuple[str, ...]:
        """The ids of a node's GPUs, in the order of their addresses."""
        return tuple(f"{node}/gpu{gpu.index}" for gpu in self.board(node).gpus)

    def gpu_by_uuid(self, node: str, uuid: str) -> str | None:
        """The GPU whose board had this UUID when the site was built."""
        return next((gpu.id for gpu in self.inventory.node(node).gpus if gpu.uuid == uuid), None)

    def gpu_by_module(self, node: str, module: int) -> str | None:
        """The GPU in an SXM socket."""
        return next((f"{node}/gpu{gpu.index}" for gpu in self.board(node).gpus if gpu.module == module), None)

    def part_at(self, node: str, address: str) -> str | None:
        """The GPU, NVSwitch or RDMA device at a PCI address, in whichever way it is written."""
        return self._addresses(self.inventory.pattern(node), node).get(plain_address(address))

    def gpu_at(self, node: str, address: str) -> str | None:
        """The GPU at a PCI address."""
        found = self.part_at(node, address)
        return found if found in self.gpus(node) else None

    def has_part(self, node: str, part: str) -> bool:
        """Whether a node has a part, such as fan3 or psu0."""
        board = self.board(node)
        return part in {identifier.partition("/")[2] for identifier in part_ids(board)}

    def parts(self, node: str) -> tuple[str, ...]:
        """The ids of everything in a node of which something can be seen, ports for RDMA devices."""
        board = self.board(node)
        return tuple(identifier.replace(board.name, node, 1) for identifier in part_ids(board))

    def _addresses(self, pattern: str, node: str) -> Mapping[str, str]:
        board = self.inventory.node(pattern)
        parts = [(each.address, each.id) for each in board.gpus]
        parts += [(each.address, each.id) for each in board.nvswitches]
        parts += [(each.address, each.id) for each in board.hcas]
        return {plain_address(address): identifier.replace(board.name, node, 1) for address, identifier in parts}

    @property
    def _by_address(self) -> Mapping[str, str]:
        return self.inventory.once(("seen", "addresses"), lambda: _addresses_of(self.inventory, bmc=False))

    @property
    def _by_bmc_address(self) -> Mapping[str, str]:
        return self.inventory.once(("seen", "bmc addresses"), lambda: _addresses_of(self.inventory, bmc=True))


def part_ids(board: Node) -> list[str]:
    """The ids of a node's parts, in the order in which people name them."""
    ids = [each.id for each in board.gpus] + [each.id for each in board.nvswitches]
    ids += [each.id for each in board.fans] + [each.id for each in board.psus]
    ids += [identifier for each in board.hcas for identifier in (each.id, each.port)]
    return ids + [each.id for each in board.drives]


def plain_address(address: str) -> str:
    """A PCI address without domain zero and in small letters: `c3:00.0` of `00000000:C3:00.0` and of `0000:c3:00`."""
    small = address.lower()
    domain, colon, rest = small.partition(":")
    if colon and ":" in rest and not domain.strip("0"):
        small = rest
    return small if "." in small else f"{small}.0"


def _addresses_of(inventory: Inventory, *, bmc: bool) -> dict[str, str]:
    found = {
        cidr.partition("/")[0]: name
        for name in inventory.node_names
        for network, cidr in inventory.addresses(name).items()
        if (network == "bmc") == bmc
    }
    if not bmc:
        found |= {switch.address: switch.name for switch in inventory.switches.values()}
    return found
