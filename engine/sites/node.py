"""From a board to a node: its parts with ids, addresses and stable identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.kernel.random import hash64
from engine.kernel.units import GIB, SECOND
from engine.sites.model import BoardModel, GpuSlot, HcaSlot
from engine.sites.product_model import GpuModel
from engine.world import inventory as inv

_HCA = {False: ("MT4129", "MT_0000000838"), True: ("MT4129", "MT_0000000892")}
_HCA_FIRMWARE = "28.43.2026"
_MELLANOX_OUI = 0x946DAE
_MOST_CARDS = 16
_THREE_FEEDS_FROM = 6
_CARD_NUMBERS = 1 << 23
_STRIDE = 0x4F1BBD  # odd, so that it leads to every number once; the golden section of them, so that neighbours differ


@dataclass(frozen=True)
class NodePlace:
    """Where a node stands: its site, its number there from 0, name, role, rack, unit, its address in each network
    (name -> cidr), and what cluster software it belongs to.
    """

    site: str
    number: int
    name: str
    role: str
    rack: str
    unit: int
    addresses: dict[str, str]
    clusters: tuple[str, ...] = ()


def build_node(place: NodePlace, board: BoardModel, gpus: dict[str, GpuModel]) -> inv.Node:
    """The node and its parts."""
    buses = _buses(board)
    hcas = tuple(_hca(place, slot, board, buses) for slot in board.hcas)
    return inv.Node(
        name=place.name,
        role=place.role,
        board=board.name,
        product_name=board.product_name,
        vendor=board.vendor,
        serial=f"{int(inv.stable_hexadecimal(12, place.site, place.name), 16) % 10**13:013d}",
        rack=place.rack,
        unit=place.unit,
        cpu=inv.Cpu(**board.cpu.model_dump()),
        memory_bytes=board.memory.dimms * board.memory.gib_each * GIB,
        dimms=board.memory.dimms,
        bios=board.bios,
        bmc_firmware=board.bmc_firmware,
        addresses=_addresses(place, board, hcas),
        bmc_address=place.addresses["bmc"],
        gpus=_gpus(place, board, gpus),
        nvswitches=tuple(
            inv.NvSwitch(f"{place.name}/nvswitch{index}", place.name, index, f"0000:{slot.bus}:00.0")
            for index, slot in enumerate(board.nvswitches)
        ),
        hcas=hcas,
        drives=_drives(place, board),
        fans=tuple(
            inv.Fan(f"{place.name}/fan{index}", place.name, index, board.fans.rotors, board.fans.rpm_max, "system")
            for index in range(board.fans.count)
        ),
        psus=tuple(
            inv.Psu(f"{place.name}/psu{index}", place.name, index, board.psus.watts, _feed(index, board.psus.count))
            for index in range(board.psus.count)
        ),
        pcie=_pcie(_Parts(board, gpus)),
        clusters=place.clusters,
    )


def _feed(index: int, count: int) -> str:
    """The rack PDU that feeds a power supply: three PDUs with two cords each for six supplies (as NVIDIA's reference
    racks have them), else two PDUs in turn.
    """
    return "ABC"[index * 3 // count] if count >= _THREE_FEEDS_FROM else "AB"[index % 2]


def port_guids(place: NodePlace, board: BoardModel) -> dict[str, int]:
    """The GUIDs of a node's RDMA ports, by the ids of the ports."""
    buses = _buses(board)
    return {f"{place.name}/{slot.name}/1": _guid(_card_number(place, slot, buses), slot) for slot in board.hcas}


def node_addresses(place: NodePlace, board: BoardModel) -> dict[str, str]:
    """The address of each interface by its network, and that of the BMC."""
    return {slot.network: place.addresses[slot.network] for slot in board.interfaces} | {"bmc": place.addresses["bmc"]}


def gpu_product(model: GpuModel) -> inv.GpuProduct:
    """A GPU model in the units of the state."""
    figures = model.model_dump()
    for key in ("power_limit", "power_limit_min", "power_idle"):
        figures[key] *= 1000
    for key in (
        "temperature_max_operating",
        "temperature_slowdown",
        "temperature_shutdown",
        "memory_temperature_max_operating",
    ):
        figures[key] *= 1000
    figures["thermal_time_constant"] *= SECOND
    return inv.GpuProduct(**figures)


def _gpus(place: NodePlace, board: BoardModel, products: dict[str, GpuModel]) -> tuple[inv.Gpu, ...]:
    if board.gpu is None:
        return ()
    product = gpu_product(products[board.gpu])
    return tuple(_gpu(place, index, slot, product) for index, slot in enumerate(board.gpus))


def _gpu(place: NodePlace, index: int, slot: GpuSlot, product: inv.GpuProduct) -> inv.Gpu:
    identity = (place.site, place.name, "gpu", slot.module)
    return inv.Gpu(
        id=f"{place.name}/gpu{index}",
        node=place.name,
        index=index,
        address=f"0000:{slot.bus}:00.0",
        module=slot.module,
        numa=slot.numa,
        product=product,
        rail=slot.hca or "",
        uuid="GPU-" + inv.uuid_text("uuid", *identity),
        serial=f"165{hash64('serial', *identity) % 10**10:010d}",
    )


def _hca(place: NodePlace, slot: HcaSlot, board: BoardModel, buses: list[str]) -> inv.Hca:
    card = _card_number(place, slot, buses)
    mac = _MELLANOX_OUI << 24 | (card + slot.function) & 0xFFFFFF
    guid = _guid(card, slot)
    model, board_id = _HCA[slot.dual]
    return inv.Hca(
        id=f"{place.name}/{slot.name}",
        node=place.name,
        name=slot.name,
        address=f"0000:{slot.bus}:00.{slot.function}",
        netdev=slot.netdev,
        link_layer="Ethernet" if slot.ethernet else "InfiniBand",
        rate=slot.rate,
        lanes=4,
        purpose=slot.purpose,
        model=model,
        board_id=board_id,
        pci_id="15b3:1021",
        firmware=_HCA_FIRMWARE,
        numa=slot.numa,
        guid=guid,
        port_guid=guid,
        mac=_mac(mac),
        gpu=next((index for index, gpu in enumerate(board.gpus) if gpu.hca == slot.name), None),
        cage=slot.cage,
    )


def _guid(card: int, slot: HcaSlot) -> int:
    return _MELLANOX_OUI << 40 | 0x03 << 32 | card << 8 >> 8 << 8 & 0xFFFFFFFF | slot.function


def _buses(board: BoardModel) -> list[str]:
    """Where the board's network cards are, in order: a card has its number by that."""
    return sorted({slot.bus for slot in board.hcas})


def _card_number(place: NodePlace, slot: HcaSlot, buses: list[str]) -> int:
    """What tells a card's GUIDs and addresses from those of all others in the site: even, of 24 bits, in no plain
    order. The two functions of a card share it.
    """
    number = place.number * _MOST_CARDS + buses.index(slot.bus)
    return (_first_card(place.site) + number * _STRIDE) % _CARD_NUMBERS * 2


@lru_cache(maxsize=64)
def _first_card(site: str) -> int:
    return hash64(site, "cards")


def _mac(number: int) -> str:
    text = f"{number:012x}"
    return ":".join(text[i : i + 2] for i in range(0, 12, 2))


def _addresses(place: NodePlace, board: BoardModel, hcas: tuple[inv.Hca, ...]) -> tuple[inv.Address, ...]:
    result = []
    for slot in board.interfaces:
        mac = _mac(0x3CECEF << 24 | hash64(place.site, place.name, slot.name) & 0xFFFFFF)
        members = [hca for hca in hcas if hca.name in slot.members]
        device = next((hca for hca in hcas if hca.netdev == slot.name), None)
        result.append(
            inv.Address(
                interface=slot.name,
                network=slot.network,
                cidr=place.addresses[slot.network],
                mac=members[0].mac if members else device.mac if device else mac,
                mtu=slot.mtu,
                driver=slot.driver,
                pci_address=device.address if device else f"0000:{slot.bus}:00.0" if slot.bus else None,
                members=tuple(hca.netdev for hca in members),
            )
        )
    return tuple(result)


def _drives(place: NodePlace, board: BoardModel) -> tuple[inv.Drive, ...]:
    return tuple(
        inv.Drive(
            id=f"{place.name}/{slot.name}",
            node=place.name,
            name=slot.name,
            address=f"0000:{slot.bus}:00.0",
            model=slot.model,
            firmware=slot.firmware,
            serial=inv.stable_hexadecimal(12, place.site, place.name, slot.name).upper(),
            bytes=slot.gib * GIB,
            purpose=slot.purpose,
        )
        for slot in board.drives
    )


class _Parts:
    """A board and the products on it. All boards of a name are the same: they come from one file."""

    def __init__(self, board: BoardModel, gpus: dict[str, GpuModel]) -> None:
        self.board, self.gpus = board, gpus

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Parts) and other.board is self.board

    def __hash__(self) -> int:
        return id(self.board)


@lru_cache(maxsize=64)
def _pcie(parts: _Parts) -> tuple[inv.PcieDevice, ...]:
    """Every PCI function of the board, by address; nodes of a board share them."""
    functions = [*_bridges(parts.board), *_endpoints(parts.board, parts.gpus)]
    return tuple(sorted(functions, key=lambda device: device.address))


def _bridges(board: BoardModel) -> list[inv.PcieDevice]:
    roots = [
        inv.PcieDevice(
            f"0000:{r.at}",
            None,
            r.id,
            "",
            r.role,
            r.numa,
            r.generation,
            r.width,
            driver="pcieport" if r.role == "root_port" else None,
        )
        for r in board.roots
    ]
    for switch in board.switches:
        top = f"0000:{switch.upstream}"
        roots.append(
            inv.PcieDevice(
                top,
                f"0000:{switch.under}",
                switch.id,
                "",
                "switch_upstream",
                switch.numa,
                switch.generation,
                switch.width,
                "b0",
                "pcieport",
            )
        )
        roots += [
            inv.PcieDevice(
                f"0000:{port}",
                top,
                switch.id,
                "",
                "switch_downstream",
                switch.numa,
                switch.generation,
                switch.width,
                "b0",
                "pcieport",
            )
            for port in switch.downstream
        ]
    return roots


def _endpoints(board: BoardModel, gpus: dict[str, GpuModel]) -> list[inv.PcieDevice]:
    numa = {f"0000:{s.upstream}": s.numa for s in board.switches} | {f"0000:{r.at}": r.numa for r in board.roots}
    numa |= {f"0000:{port}": s.numa for s in board.switches for port in s.downstream}
    devices: list[inv.PcieDevice] = []

    def add(
        address: str, under: str, ids: str, subsystem: str, role: str, link: tuple[int, int], revision: str, driver: str
    ) -> None:
        parent = f"0000:{under}"
        devices.append(
            inv.PcieDevice(
                f"0000:{address}", parent, ids, subsystem, role, numa.get(parent, 0), *link, revision, driver
            )
        )

    product = gpus[board.gpu] if board.gpu else None
    for gpu in board.gpus if product else ():
        assert product is not None
        link = product.pcie_generation, product.pcie_width
        add(f"{gpu.bus}:00.0", gpu.under, product.pci_id, product.subsystem_id, "gpu", link, "a1", "nvidia")
    for chip in board.nvswitches:
        add(f"{chip.bus}:00.0", chip.under, "10de:22a3", "10de:1796", "nvswitch", (4, 2), "a1", "nvidia-nvswitch")
    for hca in board.hcas:
        add(f"{hca.bus}:00.{hca.function}", hca.under, "15b3:1021", "15b3:0041", "hca", (5, 16), "00", "mlx5_core")
    for drive in board.drives:
        boot = drive.purpose == "boot"
        add(
            f"{drive.bus}:00.0",
            drive.under,
            "1344:51c3" if boot else "1e0f:0007",
            "1344:2b00" if boot else "1e0f:0001",
            "nvme",
            (4, 4),
            "01",
            "nvme",
        )
    for port in board.interfaces:
        if port.bus and port.under:
            add(f"{port.bus}:00.0", port.under, "8086:1563", "8086:0001", "ethernet", (3, 4), "01", port.driver)
    return devices
