"""One fabric twice: ours, a site made from a netlist, and the real opensm and diagnostics on ibsim, which read the same
netlist. What is done to one is done to the other.

Only what ibsim cannot do is masked (`MASKS`): the time of writing; 12X links, which its ports always offer; its
capability masks and revision; partition tables of 64 keys; the port by which a question came in, 0 there; the speed of
a port whose link is gone, which it keeps; data counters, which are those of management there; the sum of discards over
ports, which stops at 255; what tools print of opensm's activity and priority. And magnitudes in brackets, which newer
releases of ibqueryerrors print.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.commands.infiniband._diags.pma import NAMES
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links, port_counters
from engine.simulation import open_document
from engine.sites.imported import ImportedFabric, imported
from engine.world.world import World
from tests.engine.control.subnet_manager.routing import opensm
from tests.support.run import run_command

_NAME = "drawn.net"
_DATA = "PortXmitData|PortRcvData|PortXmitPkts|PortRcvPkts|PortXmitWait"
MASKS: tuple[tuple[str, str], ...] = (
    (r"(?<=generated on ).*", ""),
    (r"\(Could be 12X (?:Could be \S+ Gbps)?\)|\( \)", "( )"),
    (r"(?m)^(?:PartCap|Revision|LocalPort):.*\n", ""),
    (r" \w+(?= {36}')", ""),
    (r"(== \d+) \([\d.]+[KMGTPE]?\)", r"\1"),
    (r"\(CapMask:[^)]*\)", "(CapMask)"),
    (rf"(?m)^(?:{_DATA}|VL15Dropped|CounterSelect2):.*\n", ""),
    (r"(?m)(port ALL:.*\[PortXmitDiscards == )\d+", r"\1"),
    (r"activity count \d+ priority \d+", "activity"),
)
_TRIES, _WAIT = 5, 0.5
_OF_OPENSM_TOO = ("port_xmit_discards", "port_rcv_switch_relay_errors")
_OTHER_COUNTERS = ("port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets", "port_xmit_wait")


def masked(text: str) -> str:
    """What a tool printed, without what ibsim cannot do."""
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return text


@dataclass
class Scene:
    """Both, side by side."""

    ours: Simulation[World]
    theirs: opensm.Simulator
    fabric: ImportedFabric

    @property
    def host(self) -> str:
        """Where the tools run."""
        return self.ours.world.inventory.login_host

    def differences(self, lines: list[str]) -> list[str]:
        """The command lines that do not print the same."""
        return [line for line in lines if not self._agrees(line)]

    def _agrees(self, line: str) -> bool:
        """Whether both print the same. opensm goes on sending meanwhile, and what it loses is counted: a real
        difference stays when everything is counted alike again.
        """
        for number in range(_TRIES):
            time.sleep(_WAIT * number)
            if masked(self.print(line)) == masked(self.theirs.run(*line.split())):
                return True
            self.count_alike()
        return False

    def print(self, line: str) -> str:
        """What ours prints."""
        return run_command(self.ours, self.host, "root", line).stdout

    def unplug(self, ports: list[str]) -> None:
        """Cables out, on both sides; then both managers sweep."""
        cables = {cable.id: cable for port in ports if (cable := links.cable(self.ours.world.inventory, port))}
        for cable in cables.values():
            links.change_cable(self.ours, cable, plugged=False)
        self.ours.advance(10 * SECOND)
        self.theirs.command(*(f"Unlink {self._named(cable.ends[0])}" for cable in cables.values()))

    def count_alike(self) -> None:
        """Give the simulated ports the error counters of ours. Packets of opensm itself are discarded where a link is
        gone, or come back to where they came from, more or fewer from run to run.
        """
        world, lines = self.ours.world, []
        for port in world.inventory.cables:
            for name, value in port_counters.errors(world, port, self.ours.now).items():
                if (
                    (value or name in _OF_OPENSM_TOO)
                    and name in NAMES
                    and name not in _OTHER_COUNTERS
                    and name != "VL15_dropped"
                ):
                    shown = port_counters.saturated(name, value)
                    counter = _FIELDS.get(name, NAMES[name])
                    lines.append(f"PerformanceSet {self._named(port)} PortCounters.{counter}={shown}")
        assert lines and self.theirs.process.stdin
        self.theirs.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.theirs.process.stdin.flush()
        self.theirs.run("sminfo")

    def _named(self, port: str) -> str:
        """A port as ibsim's console names it."""
        device, _, number = port.rpartition("/")
        identifier = {name: node for node, name in self.fabric.ports().items()}[device]
        return f'"{identifier}"[{number}]'


_FIELDS: Mapping[str, str] = {
    "symbol_error": "SymbolErrorCounter",
    "link_error_recovery": "LinkErrorRecoveryCounter",
    "link_downed": "LinkDownedCounter",
    "QP1_dropped": "QP1Dropped",
}


@contextmanager
def both(netlist: str, seed: int, place: Path) -> Iterator[Scene]:
    """Open a netlist on both sides, brought up by their managers, both with opensm's usual engine."""
    ours = open_document(netlist.encode(), _NAME, seed, {})
    fabric = imported(netlist, _NAME)
    with opensm.simulated(netlist, place) as simulator:
        simulator.start_manager("-R", "minhop")
        yield Scene(ours, simulator, fabric)
