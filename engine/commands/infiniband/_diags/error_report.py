"""What ibqueryerrors prints of nodes and their ports, and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.infiniband._diags import link_text, pma
from engine.commands.infiniband._diags.discovery import Node, Port
from engine.commands.infiniband._diags.names import absolute
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import warn
from engine.commands.options import Parsed
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND
from engine.physics.port_counters import ResetCounters

DEFAULT_THRESHOLDS = "/etc/infiniband-diags/error_thresholds"
_COMMON = "PortRcvSwitchRelayErrors"
_CHECKED = (*pma.ERRORS, pma.WAIT)
_NAMED = {name: key for key, name in pma.NAMES.items()}
_WAITED = 3 * SECOND


@dataclass(frozen=True, slots=True)
class Style:
    """What is asked for. `thresholds` are those of the file in its order, None where there is no file."""

    thresholds: Mapping[str, int] | None
    suppressed: tuple[str, ...]
    kinds: frozenset[str]
    data: bool
    counters: bool
    details: bool
    links: bool
    clear_errors: bool
    clear_counts: bool

    @staticmethod
    def of(context: Context, parsed: Parsed) -> Style:
        """From a command line."""
        suppressed = []
        for option, value in parsed.given:
            words = value.split(",") if option == "suppress" else [_COMMON] if option == "suppress_common" else []
            suppressed += [word for word in words if word in _NAMED]
        kinds = {"switch": "Switch", "ca": "Ca", "router": "Router"}
        wanted = frozenset(kind for key, kind in kinds.items() if key in parsed) or frozenset(kinds.values())
        flags = ("data", "counters", "details", "report_port", "clear_errors", "clear_counts")
        path = absolute(context, parsed["threshold_file"] or DEFAULT_THRESHOLDS)
        return Style(_thresholds(context, path), tuple(suppressed), wanted, *(flag in parsed for flag in flags))


def _thresholds(context: Context, path: str) -> Mapping[str, int] | None:
    """Lines `Name=number`; others are comments."""
    try:
        text = context.files.read(path).decode("utf-8", "replace")
    except FileError:
        return None
    pairs = (line.partition("=") for line in text.splitlines() if line and not line.startswith("#"))
    known = [_NAMED[name] for name in _NAMED if _NAMED[name] in _CHECKED]
    return {_NAMED[name]: unsigned(value) for name, _, value in pairs if _NAMED.get(name) in known}


class Report:
    """One run: what was printed so far, counted."""

    def __init__(self, context: Context, style: Style) -> None:
        self.context, self.style = context, style
        self.read = pma.reader(context.world, context.now, errors_only=not (style.data or style.counters))
        self.nodes = self.bad_nodes = self.ports = self.bad_ports = self.failures = 0
        self.headed = False

    async def node(self, node: Node) -> None:
        """Look at a node; print its ports with errors, and reset what is to be reset."""
        if node.kind not in self.style.kinds:
            return
        self.headed = False
        self.nodes += 1
        if not node.lid:
            await self._silent(node)
            return
        first = 0 if node.is_switch else 1
        numbers = range(first, node.port_count + 1)
        if self.style.counters:
            for number in numbers:
                self._data(node, number)
        elif node.is_switch and not self._errors(node, pma.ALL_PORTS):
            self.ports += node.port_count
        else:
            for number in numbers:
                self._errors(node, number)
            self.ports += len(numbers)
        self._clear(node)

    def summary(self) -> int:
        """The last lines; 1 if there were bad ports."""
        style, line = self.style, self.context.line
        line()
        line(f"## Summary: {self.nodes} nodes checked, {self.bad_nodes} bad nodes found")
        line(f"##          {self.ports} ports checked, {self.bad_ports} ports have errors beyond threshold")
        if style.thresholds is None:
            line("## (null)")
        else:
            told = "".join(f"[{pma.NAMES[key]} = {value}]" for key, value in style.thresholds.items())
            line(f"## Thresholds: {told}")
        if self.failures:
            line(f"##          {self.failures} PMA query failures")
        line("## Suppressed:" + "".join(f" {name}" for name in style.suppressed))
        return int(self.bad_ports > 0)

    def _errors(self, node: Node, number: int) -> bool:
        """Print a port, or all of a switch together, if there are errors."""
        values = self.read(node, number)
        text = "".join(self._error(key, values) for key in _CHECKED)
        if not text:
            return False
        if self.style.data:
            text += "".join(_told(key, values[key]) for key in pma.DATA if values[key])
        if not self.headed:
            guid = f"0x{node.port_guid:x} " if node.is_switch else ""
            self.context.line(f'Errors for {guid}"{node.called}"')
            self.headed = True
            self.bad_nodes += 1
        which = "ALL" if number == pma.ALL_PORTS else str(number)
        self.context.line(f"   GUID 0x{node.port_guid:x} port {which}:{text}")
        if number != pma.ALL_PORTS:
            self.bad_ports += 1
            self._link(node, number)
        return True

    def _error(self, key: str, values: Mapping[str, int]) -> str:
        limit = (self.style.thresholds or {}).get(key, 0)
        if pma.NAMES[key] in self.style.suppressed or values[key] <= limit:
            return ""
        text = _told(key, values[key])
        other = {"port_xmit_discards": pma.RECEIVE_DETAILS, "port_rcv_errors": pma.DISCARD_DETAILS}.get(key)
        if other and self.style.details:
            text += f" [{other[0]} == {min(values[key], 0xFFFF)}]"
        return text

    def _data(self, node: Node, number: int) -> None:
        if not self.headed:
            self.context.line(f'Data Counters for 0x{node.guid:x} "{node.called}"')
            self.headed = True
        values = self.read(node, number)
        told = "".join(_told(key, values[key]) for key in pma.DATA)
        self.context.line(f"   GUID 0x{node.guid:x} port {number}:{told}")
        self.ports += 1
        self._link(node, number)

    def _link(self, node: Node, number: int) -> None:
        port = node.port(number)
        if not self.style.links or port is None:
            return
        middle = f"=={link_text.link(port)}==>  {_remote(port)}"
        self.context.line(f"       Link info: {port.lid:6d}{number:4d}[  ] {middle}")

    async def _silent(self, node: Node) -> None:
        """A node without a LID: nothing but direct routes reaches it."""
        number = 0 if node.is_switch else 1
        for query in ("classportinfo", "IB_GSI_PORT_COUNTERS"):
            await self.context.sleep(_WAITED)
            where = "DR path slid 0; dlid 0; 0"
            warn(self.context, "mad_rpc", f"_do_madrpc failed; dport ({where})")
            warn(self.context, "print_node", f"{query} query failed on {node.called}, {where} port {number}")
            self.failures += 1
        self.ports += node.port_count

    def _clear(self, node: Node) -> None:
        counters: list[str] = [*pma.ERRORS, pma.WAIT] if self.style.clear_errors else []
        counters += pma.DATA if self.style.clear_counts else ()
        if counters:
            ports = tuple(node.port_id(number) for number in range(1, node.port_count + 1))
            self.context.simulation.apply(ResetCounters(ports, tuple(counters)))


def _told(key: str, value: int) -> str:
    return f" [{pma.NAMES[key]} == {value} ({pma.readable(value, key in pma.WORDS)})]"


def _remote(port: Port) -> str:
    return link_text.remote(port, with_guid=True)
