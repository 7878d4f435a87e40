"""ibportstate of infiniband-diags, as far as it reads: a port's states, widths and speeds, and those of its peer.

Format: ibportstate.c and libibmad's field dumps of rdma-core 54, runs of the real tool on a simulator. Guess: adapters
and switches of a generation support all speeds below it.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import SWITCH, Node, Port, discover, find_by_lid
from engine.commands.infiniband._diags.program import USAGE, fail, program, warn
from engine.commands.options import Parsed, UsageError
from engine.control.subnet_manager.lids import manager_lid
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.records import LogicalState

_WAITED = 3 * SECOND
_STATES = {
    LogicalState.DOWN: "Down",
    LogicalState.INITIALIZING: "Initialize",
    LogicalState.ARMED: "Armed",
    LogicalState.ACTIVE: "Active",
}
_OPERATIONS = frozenset(
    ("enable", "disable", "on", "off", "reset", "speed", "espeed", "fdr10", "width", "down", "arm", "active", "vls",
     "mtu", "lid", "smlid", "lmc", "mkey", "mkeylease", "mkeyprot")
)  # fmt: skip
_FIRST_EXTENDED = 56
_LEASE = 4089
_WIDTHS = "1X or 4X or 2X"


async def run(context: Context, parsed: Parsed) -> int:
    """Show a port: `ibportstate LID PORT [query]`."""
    if len(parsed.operands) < 2:
        raise UsageError(_usage(), USAGE)
    device = local_device(context, parsed)
    if device is None:
        raise fail(context, f"Failed to open '{parsed['Ca'] or '(null)'}' port '{parsed['Port'] or 0}'")
    for word in parsed.operands[2:]:
        if word in _OPERATIONS:
            return context.not_modelled(f"ibportstate {word}")
        if word != "query":
            raise fail(context, f"invalid operation: {word}")
    nodes = discover(context.world, device.hca)
    node, shown = _destination(context, parsed, nodes)
    if node is None:
        await context.sleep(_WAITED)
        warn(context, "mad_rpc", f"_do_madrpc failed; dport ({shown})")
        raise fail(context, "smp query nodeinfo failed")
    return _show(context, device, node, parsed)


def _show(context: Context, device: Device, node: Node, parsed: Parsed) -> int:
    is_switch = node.kind == SWITCH
    context.line(f"{'Switch' if is_switch else 'CA/RT'} PortInfo:")
    number = _integer(parsed.operands[1]) or 0
    if not 0 < number <= node.port_count:
        raise fail(context, "smp query portinfo failed")
    port = Port(node, number)
    _print(context, port, f"Lid {node.lid} port {number}")
    far = port.remote()
    if is_switch and far and links.logical_state(context.world, port.id) is LogicalState.ACTIVE:
        context.line("Peer PortInfo:")
        route = f"Lid {node.lid} DR path slid {device.lid}; dlid 65535; 0,{number}"
        _print(context, far, f"{route} port {far.number}")
    return 0


def _print(context: Context, port: Port, title: str) -> None:
    context.line(f"# Port info: {title}")
    for name, value in _fields(port):
        context.line(f"{name}:".ljust(33, ".") + value)


def _fields(port: Port) -> Iterator[tuple[str, str]]:
    world, is_switch = port.node.world, port.node.kind == SWITCH
    rate, best = links.rate(world, port.id), port.node.device.rate
    up = links.link_up(world, port.id)
    yield "LinkState", _STATES[links.logical_state(world, port.id)]
    yield "PhysLinkState", links.physical_state(world, port.id).value[1]
    yield "Lid", "0" if is_switch else str(port.lid)
    yield "SMLid", "0" if is_switch else str(manager_lid(world, port.id))
    yield "LMC", "0"
    yield "LinkWidthSupported", _WIDTHS
    yield "LinkWidthEnabled", _WIDTHS
    yield "LinkWidthActive", "4X"
    plain = _speeds(0, min(best, _FIRST_EXTENDED - 1))
    yield "LinkSpeedSupported", plain
    yield "LinkSpeedEnabled", plain
    yield "LinkSpeedActive", "10.0 Gbps" if up else "2.5 Gbps"
    wide = _speeds(_FIRST_EXTENDED, best) or "0"
    yield "LinkSpeedExtSupported", wide
    yield "LinkSpeedExtEnabled", wide
    extended = up and rate >= _FIRST_EXTENDED
    yield "LinkSpeedExtActive", f"{links.speed(rate).lane} Gbps" if extended else "No Extended Speed"
    if not is_switch:
        yield "Mkey", "<not displayed>"
        yield "MkeyLeasePeriod", str(_LEASE)
        yield "ProtectBits", "0"


def _speeds(low: int, high: int) -> str:
    return " or ".join(f"{speed.lane} Gbps" for speed in links.SPEEDS if low <= speed.rate <= high)


def _destination(context: Context, parsed: Parsed, nodes: list[Node]) -> tuple[Node | None, str]:
    """The node that a LID or (with -G) a port GUID names, and how the library would write the route."""
    number = _integer(parsed.operands[0])
    if not number:
        raise fail(context, f"can't resolve destination port {parsed.operands[0]}")
    if "Guid" in parsed:
        found = next((node for node in nodes if Port(node, 1).guid == number), None)
        if found is None:
            raise fail(context, f"can't resolve destination port {parsed.operands[0]}")
        return found, f"Lid {found.lid}"
    return find_by_lid(context.world, nodes, number), f"Lid {number}"


def _integer(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None


def _usage() -> str:
    return "\nUsage: ibportstate [options] <dest dr_path|lid|guid> <portnum> [query]\n\n"


COMMAND = program(
    "ibportstate",
    "show port (physical) state and link speed of an InfiniBand port",
    run,
    operands="<dest dr_path|lid|guid> <portnum> [<op>]",
    manual="Shows the states, widths and speeds of a port; of a switch port that is active also those of its peer.\n"
    "Needs root. Changing ports (enable, disable, speed...) is not modelled yet.",
)
