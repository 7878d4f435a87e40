"""What ibdiagnet finds in a fabric: findings of each stage, from one discovery.

Words of findings: public logs and parsers of them (`Unexpected actual link speed`, `"symbol_error_counter" increased
during the run`), the firmware check's from memory. Guesses: the words for ports that are not Active, for duplicated
GUIDs, and names of adapters (`dgx-01/mlx5_3/U1/P1`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, Port, device
from engine.control.subnet_manager import duplicates
from engine.control.subnet_manager.managers import master
from engine.physics import links, port_counters
from engine.physics.port_counters import ERRORS
from engine.world.inventory import Hca
from engine.world.records import LogicalState
from engine.world.world import World

COUNTER_NAMES = {
    "symbol_error": "symbol_error_counter", "link_error_recovery": "link_error_recovery_counter",
    "link_downed": "link_down_counter", "port_rcv_errors": "port_rcv_errors",
    "port_rcv_remote_physical_errors": "port_rcv_remote_physical_errors",
    "port_rcv_switch_relay_errors": "port_rcv_switch_relay_errors", "port_xmit_discards": "port_xmit_discard",
    "port_xmit_constraint_errors": "port_xmit_constraint_errors",
    "port_rcv_constraint_errors": "port_rcv_constraint_errors",
    "local_link_integrity_errors": "local_link_integrity_errors",
    "excessive_buffer_overrun_errors": "excessive_buffer_errors", "QP1_dropped": "qp1_dropped",
    "VL15_dropped": "vl15_dropped",
}  # fmt: skip
"""ibdiagnet's names of the error counters."""

SPEEDS = {"SDR": "2.5", "DDR": "5", "QDR": "10", "FDR": "14", "EDR": "25", "HDR": "50", "NDR": "100", "XDR": "200"}
"""ibdiagnet's names of a lane's speed, by generation."""

_STATE_WORDS = {LogicalState.INITIALIZING: "INI", LogicalState.ARMED: "ARM", LogicalState.ACTIVE: "ACT"}


@dataclass(slots=True)
class Stage:
    """One stage: its lines on the screen, how many warnings and errors, a comment for the summary."""

    name: str
    lines: list[str] = field(default_factory=list)
    warnings: int = 0
    errors: int = 0
    comment: str = ""

    def check(self, what: str, findings: list[str], *, severe: bool = True) -> None:
        """One check of it, with what it found."""
        if not findings:
            self.lines.append(f"-I- {what} finished successfully")
            return
        letter, word = ("E", "errors") if severe else ("W", "warnings")
        self.lines.append(f"-{letter}- {what} finished with {word}")
        self.lines += [f"-{letter}- {text}" for text in findings]
        if severe:
            self.errors += len(findings)
        else:
            self.warnings += len(findings)

    def skipped(self) -> None:
        """Nobody asked for it."""
        self.comment = "Check was skipped"


def port_name(port: Port) -> str:
    """`leaf-01/U1/P5`, `dgx-01/mlx5_3/U1/P1`."""
    return f"{node_name(port.node)}/P{port.number}"


def node_name(node: Node) -> str:
    """`leaf-01/U1`, `dgx-01/mlx5_3/U1`."""
    return f"{node.id}/U1"


def each_link(nodes: list[Node]) -> Iterator[tuple[Port, Port]]:
    """Every link once, switches first."""
    seen: set[str] = set()
    for node in sorted(nodes, key=lambda node: (node.kind != SWITCH, node.id)):
        for port in node.ports:
            if port.far is not None and port.far.id not in seen:
                seen.add(port.id)
                yield port, port.far


def links_not_active(nodes: list[Node]) -> list[str]:
    """Links that are up, with an end that no subnet manager has made active."""
    return [
        f"Link: {port_name(near)}<-->{port_name(far)} - Unexpected logical state {_STATE_WORDS[near.state]} and "
        f"{_STATE_WORDS[far.state]}"
        for near, far in each_link(nodes)
        if not near.state is far.state is LogicalState.ACTIVE
    ]


def slow_links(nodes: list[Node], wanted: str | None) -> list[str]:
    """Links that run at another speed than `wanted`, or below what both ends can do."""
    found = []
    for near, far in each_link(nodes):
        is_now = SPEEDS[near.generation.name]
        best = wanted or SPEEDS[links.speed(near.possible).name]
        if is_now != best:
            found.append(f"Link: {port_name(near)}<-->{port_name(far)} - Unexpected actual link speed {is_now}")
    return found


def narrow_links(nodes: list[Node], wanted: str | None) -> list[str]:
    """Links that use another number of lanes than `wanted`, or fewer than there are."""
    best = wanted or f"{links.LANES}x"
    return [
        f"Link: {port_name(near)}<-->{port_name(far)} - Unexpected actual link width {near.lanes}x"
        for near, far in each_link(nodes)
        if f"{near.lanes}x" != best
    ]


def counters(world: World, nodes: list[Node], now: int) -> dict[str, dict[str, int]]:
    """Error counters of every port with a link, by the port's id."""
    return {
        port.id: port_counters.errors(world, port.id, now)
        for node in nodes
        for port in node.ports
        if port.far is not None
    }


def over_threshold(nodes: list[Node], found: dict[str, dict[str, int]], limits: dict[str, int]) -> list[str]:
    """Counters above the thresholds that somebody set."""
    return [
        f'{port_name(port)} - "{COUNTER_NAMES[name]}" exceeds the threshold (value={found[port.id][name]},'
        f"threshold={limit})"
        for port in _linked(nodes)
        for name, limit in limits.items()
        if found[port.id][name] >= limit
    ]


def increased(nodes: list[Node], before: dict[str, dict[str, int]], after: dict[str, dict[str, int]]) -> list[str]:
    """Counters that went up during the run."""
    return [
        f'{port_name(port)} - "{COUNTER_NAMES[name]}" increased during the run (difference '
        f"value={after[port.id][name] - before[port.id][name]},difference allowed threshold=1)"
        for port in _linked(nodes)
        for name in ERRORS
        if port.id in before and after[port.id][name] > before[port.id][name]
    ]


def firmware(world: World, nodes: list[Node]) -> tuple[list[str], list[str]]:
    """What the newest version of each kind of device is, and who has an older one."""
    versions: dict[tuple[int, str], dict[str, list[Node]]] = {}
    for node in nodes:
        found = device(world, node)
        hosted = isinstance(found, Hca) and found.node in world.inventory.node_index
        running = world.node(found.node).hcas_by_id[found.id] if isinstance(found, Hca) and hosted else found
        psid = running.board_id if isinstance(running, Hca) and hosted else "MT_0000000780"
        versions.setdefault((node.part, psid), {}).setdefault(running.firmware, []).append(node)
    told, older = [], []
    for (part, psid), by_version in sorted(versions.items()):
        newest = max(by_version, key=lambda version: [int(number) for number in version.split(".")])
        told.append(f"-I- Devid: {part}({part:#x}), PSID: {psid}, Latest FW Version: {newest}")
        older += [
            f"{node_name(node)} - Node with Devid:{part}({part:#x}),PSID:{psid} has FW version {version} while the "
            f"latest FW version for the same Devid/PSID on this fabric is {newest}"
            for version, having in sorted(by_version.items())
            if version != newest
            for node in sorted(having, key=lambda node: node.id)
        ]
    return told, older


def without_manager(world: World) -> list[str]:
    """Whether nobody manages the subnet."""
    return [] if master(world) else ["Not found master subnet manager in fabric"]


def duplicated_guids(world: World) -> list[str]:
    """Where a GUID stands that more than one adapter tells."""
    found = []
    for pair in duplicates.found(world):
        devices = [links.place(world.inventory, port).device for port in pair]
        where = ", ".join(f"{links.description(world.inventory, each)}" for each in devices)
        found.append(f"Node GUID = 0x{devices[0].guid:016x} is duplicated at: {where}")
    return found


def count(nodes: list[Node]) -> str:
    """`37 nodes (4 Switches & 33 CA-s)`."""
    switches = sum(node.is_switch for node in nodes)
    return f"{len(nodes)} nodes ({switches} Switches & {sum(node.kind == ADAPTER for node in nodes)} CA-s)"


def _linked(nodes: list[Node]) -> Iterator[Port]:
    for node in sorted(nodes, key=lambda node: (node.kind != SWITCH, node.id)):
        yield from (port for port in node.ports if port.far is not None)
