"""How PCI functions come out of a start: the firmware writes all registers anew, the links train to their best, and
udev's rules are run for each function that the kernel finds.

The BIOS attribute AcsControl switches peer redirection on in the ports above GPUs and network cards (servers set up for
virtual machines have it so; on which ports is a guess), RelaxedOrdering the devices' permission to relax it. Of udev's
rules, those in /etc/udev/rules.d are read that run setpci (udev(7); any other rule there does nothing here):
`KERNEL=="0000:1b:00.0", ..., RUN+="/usr/bin/setpci -s 0000:17:03.0 CAP_EXP+30.w=22:2f"`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from engine.control.modprobe_settings import files_below
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics import pcie
from engine.physics.config_space import writing
from engine.physics.config_space.expressions import ExpressionError, capability_at, parse
from engine.physics.config_space.space import config_space
from engine.world.events import BootStep, NodeStopping
from engine.world.inventory import PcieDevice
from engine.world.world import World

RULES = "/etc/udev/rules.d/"
_KERNEL = "kernel"
_REDIRECTING = 0x1D
_RELAXED = 0x10
_RUN = re.compile(r'RUN\+?="([^"]*)"')
_SETPCI = ("setpci", "/usr/bin/setpci", "/sbin/setpci", "/usr/sbin/setpci", "/bin/setpci")


def set_up(simulation: Simulation[World], host: str) -> None:
    """What the firmware and udev write, in that order."""
    apply_firmware(simulation, host)
    run_rules(simulation, host)


def run_rules(simulation: Simulation[World], host: str) -> None:
    """Run udev's rules alone."""
    for address, place, content in list(_rules(simulation.world, host)):
        writing.write(simulation, host, address, place, content)


def apply_firmware(simulation: Simulation[World], host: str) -> None:
    """Write what the BIOS as it is set writes at a start."""
    for device in _switched(simulation.world, host):
        _firmware(simulation, host, device)


def _switched(world: World, host: str) -> tuple[PcieDevice, ...]:
    """Functions that BIOS attributes which differ from their defaults concern."""
    if not world.bmcs[host].bios:
        return ()
    roles = ("root_port", "switch_downstream", "hca", "gpu")
    return tuple(device for device in world.inventory.node(host).pcie if device.role in roles)


def _firmware(simulation: Simulation[World], host: str, device: PcieDevice) -> None:
    world, chosen = simulation.world, dict(simulation.world.bmcs[host].bios)
    control = writing.offset(device, "access_control", "ACSCtl")
    if chosen.get("AcsControl") == "Enabled" and control is not None and device.generation >= 4:
        writing.write(simulation, host, device.address, control, _REDIRECTING.to_bytes(2, "little"))
    place = writing.offset(device, "express", "DevCtl")
    if chosen.get("RelaxedOrdering") == "Disabled" and place is not None and device.role in ("hca", "gpu"):
        value = writing.register(world, host, device.address, "express", "DevCtl")
        if value is not None:
            writing.write(simulation, host, device.address, place, (value & ~_RELAXED).to_bytes(2, "little"))


def _rules(world: World, host: str) -> Iterator[tuple[str, int, bytes]]:
    """Function, offset and bytes of each write that a rule asks for."""
    for text in files_below(world, host, RULES, ".rules", {}).values():
        for line in text.splitlines():
            found = None if line.lstrip().startswith("#") else _RUN.search(line)
            words = shlex.split(found.group(1)) if found else []
            if len(words) == 4 and words[0] in _SETPCI and words[1] == "-s":
                yield from _write(world, host, _full(words[2]), words[3])


def _full(slot: str) -> str:
    return slot if slot.count(":") == 2 else f"0000:{slot}"


def _write(world: World, host: str, address: str, text: str) -> Iterator[tuple[str, int, bytes]]:
    space = config_space(world, host, address) if address in world.node(host).devices else None
    if space is None or not pcie.answers(world, host, address):
        return
    try:
        operation = parse(text)
        start = capability_at(space, operation, address)
    except ExpressionError:
        return
    for number, value in enumerate(operation.values):
        place = start + number * operation.width
        old = int.from_bytes(space[place : place + operation.width], "little")
        yield address, place, value.over(old).to_bytes(operation.width, "little")


def _stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    """What a kernel had done to its functions goes with it, and so does what was written to their registers."""
    world, prefix = simulation.world, f"{event.node}/"
    for key in [key for key in world.pci_functions.changed() if key.startswith(prefix)]:
        world.pci_functions.forget(key)
    for key in [key for key in world.pcie_links.changed() if key.startswith(prefix)]:
        world.pcie_links.update(key, redirect=False, held=None)


def _booting(simulation: Simulation[World], event: BootStep) -> None:
    if event.phase == _KERNEL and simulation.world.nodes[event.node].boots == event.boots:
        set_up(simulation, event.node)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _stopping), (BootStep, _booting))
