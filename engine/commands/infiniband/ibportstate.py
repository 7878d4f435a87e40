"""ibportstate of infiniband-diags: a port's states, widths and speeds, and those of its peer; switches a port off and
on.

Format: ibportstate.c and libibmad's field dumps of rdma-core 54, runs of the real tool on a simulator. What it shows
after a change is the answer to that: a link that trains anew is still down then.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import Destination, answer, destination, opened, silence
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import Node, Port, discover
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.port_info import dotted, port_states, port_zero
from engine.commands.infiniband._diags.program import fail, program, warn
from engine.commands.options import Parsed
from engine.physics import links
from engine.physics.port_control import RetrainPort, SwitchPort
from engine.world.records import LogicalState, PhysicalState

_ON, _OFF, _ANEW = ("enable", "on"), ("disable", "off"), ("reset", "down")
_OTHER_OPERATIONS = ("arm", "active")
_VALUES = ("speed", "espeed", "fdr10", "width", "vls", "mtu", "lid", "smlid", "lmc", "mkey", "mkeylease", "mkeyprot")
_EXTENDED = {56: 1, 100: 2, 200: 4, 400: 8, 800: 32}


async def run(context: Context, parsed: Parsed) -> int:
    """Show a port, or do something to it: `ibportstate LID PORT [OPERATION]`."""
    device = opened(context, parsed, local_device(context, parsed))
    where = await destination(context, device, parsed, parsed.operands[0])
    operation = _operation(context, parsed.operands[2:])
    if operation in (*_OTHER_OPERATIONS, *_VALUES):
        return context.not_modelled(f"ibportstate {operation}")
    node = await answer(context, where, "smp query nodeinfo failed")
    kind = "Switch" if node.is_switch else "CA/RT"
    context.line(f"{'' if operation == 'query' else 'Initial '}{kind} PortInfo:")
    port = _port(context, node, unsigned(parsed.operands[1]))
    _print(context, port, f"{where.text} port {port.number}", parsed)
    if operation == "query":
        await _peer(context, port, where, device.lid, parsed)
    else:
        await _change(context, port, operation, where, device)
    return 0


def _operation(context: Context, words: list[str]) -> str:
    """The one thing to be done. Raises Failed for words that are none, and for two of them."""
    found, rest = "", list(words)
    while rest:
        word = rest.pop(0)
        if word in _VALUES:
            if not rest:
                raise fail(context, f"{word} requires an additional parameter")
            rest.pop(0)
            return word
        if word not in ("query", *_ON, *_OFF, *_ANEW, *_OTHER_OPERATIONS):
            raise fail(context, f"invalid operation: {word}")
        if found:
            kinds = "query, enable, disable, reset, down, arm, active, "
            raise fail(context, f"{word} only one of: {kinds}can be specified")
        found = word
    return found or "query"


def _port(context: Context, node: Node, number: int) -> Port:
    """The port with this number; 0 is a switch's own, and an adapter's only one."""
    if number == 0:
        return port_zero(node) if node.is_switch else node.ports[0]
    found = node.port(number)
    if found is None:
        raise fail(context, "smp query portinfo failed")
    return found


def _print(context: Context, port: Port, title: str, parsed: Parsed) -> None:
    context.line(f"# Port info: {title}")
    for name, value in port_states(context.world, port, "show_keys" in parsed):
        context.line(dotted(name, value))


async def _peer(context: Context, port: Port, where: Destination, own_lid: int, parsed: Parsed) -> None:
    """The port at the other end of a switch's active port, and whether the link is as fast as both ends can."""
    far = port.far
    if not port.node.is_switch or port.state is not LogicalState.ACTIVE or far is None:
        return
    context.line("Peer PortInfo:")
    if where.direct:
        route = f"{where.text},{port.number}"
    else:
        route = f"{where.text} DR path slid {own_lid}; dlid 65535; 0,{port.number}"
    _print(context, far, f"{route} port {far.number}", parsed)
    if port.rate < port.possible and port.possible in _EXTENDED:
        could = f"{_EXTENDED[port.possible]} ({links.speed(port.possible).lane} Gbps)"
        active = _EXTENDED.get(port.rate, 0)
        text = f"Peer ports operating at active extended speed {active} rather than {could}"
        warn(context, "validate_extended_speed", text)


async def _change(context: Context, port: Port, operation: str, where: Destination, device: Device) -> None:
    """Do it and ask for the port again; the answer gets lost if the way to it went by this port."""
    disabled = port.physical is PhysicalState.DISABLED
    if operation == "on" and not disabled:
        context.line("Port is already in enable state")
        return
    if operation in _OFF:
        context.line("Disable may be irreversible")
    if port.number == 0:
        raise fail(context, "smp set portinfo failed")
    if operation in _OFF or disabled:
        context.simulation.apply(SwitchPort(port.id, operation not in _OFF))
    else:
        context.simulation.apply(RetrainPort(port.id))
    if all(node.id != port.node.id for node in discover(context.world, device.hca)):
        await silence(context, where.text)
        raise fail(context, "smp set portinfo failed")
    context.line()
    context.line("After PortInfo set:")
    physical = PhysicalState.DISABLED if operation in _OFF else PhysicalState.POLLING
    after = Port(port.node, port.number, LogicalState.DOWN, physical, links.LOWEST_RATE)
    _print(context, after, f"{where.text} port {port.number}", Parsed([]))


_OPERANDS = """<dest dr_path|lid|guid> <portnum> [<op>]

Supported ops: enable, disable, on, off, reset, speed, espeed, fdr10,
	width, query, down, arm, active, vls, mtu, lid, smlid, lmc,
	mkey, mkeylease, mkeyprot
"""
COMMAND = program(
    "ibportstate",
    "show and change the (physical) state and link speed of an InfiniBand port",
    run,
    operands=_OPERANDS,
    least=2,
    manual="Shows the states, widths and speeds of a port; of a switch port that is active also those of its peer.\n"
    "disable switches the port off until somebody enables it; reset lets its link train anew. Needs root.\n"
    "Setting speeds, widths, LIDs and keys is not modelled.",
    examples=("3 1 disable\t\t\t# by LID and port", "3 1 enable", "-D 0 1\t\t\t# by direct route", "3 1 reset"),
)
