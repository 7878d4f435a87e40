"""The life of a node's system: shutting down, power, and a boot as a row of steps that go on by themselves.

Steps: firmware, kernel (the buses are searched), driver (the NVIDIA modules take what answers), network, running
(services are up). A line of /etc/fstab for a device that is not there ends it in emergency mode instead (fstab.py).
Durations are guesses for a DGX H100: three and a half minutes of firmware, 38 seconds to the login prompt, 12 seconds
to shut down.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import (
    driver,
    firmware,
    harm,
    journald,
    kernel_image,
    modules,
    service_state,
    systemd,
)
from engine.control.history import boot_units
from engine.control.history.boot_driver import LOADED_AT_MS
from engine.control.history.past import PastBoot
from engine.control.network import port_has_link
from engine.control.slurm import jobs, lifecycle
from engine.control.units import BOOT_ENDS
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import supplies
from engine.physics.gpu_bus import enumerate_gpus
from engine.physics.pcie import answers, enumerated, link
from engine.world.adapters import changed_cards
from engine.world.events import BootStep, NodePowered, NodeStopping, NodeUp
from engine.world.records import BootPhase, BootRecord, Power
from engine.world.world import World

_FIRMWARE = {
    True: 210_522 * MILLISECOND,
    False: 107_775 * MILLISECOND,
}  # with GPUs, without; as in systemd's summary of a boot
_POWER_CYCLE_PAUSE = 10 * SECOND
_NETWORK_AT = 16_900 * MILLISECOND
_GOES_ON = 4 * SECOND
_MACHINES = ("slurm", "", "kernel")
"""Who is no operator: what they do is nobody's harm."""

_NOT_NOW = "Command not supported in present state"


def is_up(world: World, host: str) -> bool:
    """Whether one can log in."""
    return world.nodes[host].phase is BootPhase.RUNNING


def uptime(world: World, host: str, now: int) -> int:
    """ns since the kernel's start; 0 while none runs."""
    state = world.nodes[host]
    return now - state.booted_at if state.phase not in (BootPhase.OFF, BootPhase.FIRMWARE) else 0


@dataclass(frozen=True, slots=True)
class Reboot(Action):
    """reboot(8): a warm restart in good order."""

    host: str
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        if is_up(simulation.world, self.host):
            _stop(simulation, self.host, "reboot", self.by, verb="reboot")
            _firmware(simulation, self.host, boot_units.SHUTDOWN, cold=False)


@dataclass(frozen=True, slots=True)
class PowerOff(Action):
    """poweroff(8): the system goes down in good order, then the chassis' power."""

    host: str
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        if is_up(simulation.world, self.host):
            _stop(simulation, self.host, "power_off", self.by, verb="poweroff")
            _later(simulation, self.host, "power_off", boot_units.SHUTDOWN)


@dataclass(frozen=True, slots=True)
class ChassisPower(Action):
    """ipmitool chassis power on|off|cycle|reset|soft. Gives the reason why the BMC refuses, or None."""

    host: str
    verb: str
    by: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        if simulation.world.nodes[self.host].power is Power.OFF:
            if self.verb == "on" and supplies.can_run(simulation.world, simulation.world.node(self.host)):
                _power_on(simulation, self.host)
            return None if self.verb in ("on", "off") else _NOT_NOW
        if self.verb == "soft":
            PowerOff(self.host, self.by).perform(simulation)
        elif self.verb == "reset":
            _stop(simulation, self.host, "reset", self.by)
            _firmware(simulation, self.host, 0, cold=False)
        elif self.verb in ("off", "cycle"):
            _stop(simulation, self.host, "power_off" if self.verb == "off" else "power_cycle", self.by)
            _cut_power(simulation, self.host)
            if self.verb == "cycle":
                _later(simulation, self.host, "power_on", _POWER_CYCLE_PAUSE)
        return None


def lose_power(simulation: Simulation[World], host: str, cause: str) -> None:
    """The chassis goes dark without anybody's order (feeds, supplies)."""
    if simulation.world.nodes[host].power is Power.ON:
        _stop(simulation, host, "crash", "", why=cause)
        _cut_power(simulation, host)


def _stop(simulation: Simulation[World], host: str, cause: str, by: str, *, verb: str = "", why: str = "") -> None:
    """The system ends; with a `verb` (reboot, poweroff) in good order. What is under way on the host is lost, and noted
    as harm.
    """
    world, state = simulation.world, simulation.world.nodes[host]
    ran = state.phase not in (BootPhase.OFF, BootPhase.FIRMWARE)
    if state.phase is BootPhase.RUNNING and by not in _MACHINES:
        _note_harm(simulation, host, f"{why or cause} by {by}")
    end = simulation.now + (boot_units.SHUTDOWN if verb else 0)
    if verb:
        boot = PastBoot(state.booted_at, state.booted_at, end, None)
        lines = boot_units.shutdown_lines(
            world, host, boot, verb, lambda name: service_state.is_active(world, host, name)
        )
        journald.append(simulation, host, list(lines))
    if ran:
        simulation.publish(NodeStopping(host, cause, bool(verb)))
    history = (*state.boot_history, (state.booted_at, end)) if ran else state.boot_history
    world.nodes.update(host, phase=BootPhase.OFF, boots=state.boots + 1, boot_history=history)
    world.systems.update(host, sysctl=MappingProxyType({}), interfaces_down=())


def _note_harm(simulation: Simulation[World], host: str, cause: str) -> None:
    """Jobs that ran there die; a node that Slurm still counts on is missed."""
    world = simulation.world
    for job in jobs.running_on(world, host):
        lifecycle.record_killed(simulation, job, cause)
    if world.inventory.kubernetes is not None:
        from engine.control.kubernetes import harms

        if harms.is_node(world, host):
            harms.node_stops(simulation, host, cause)
            return
    slurm = world.slurm_nodes[host]
    if not (slurm.drain or slurm.down):
        harm.record(simulation, "node_down", host, cause)


def _cut_power(simulation: Simulation[World], host: str) -> None:
    simulation.world.nodes.update(host, power=Power.OFF, phase=BootPhase.OFF)
    simulation.publish(NodePowered(host, False))


def _power_on(simulation: Simulation[World], host: str) -> None:
    simulation.world.nodes.update(host, power=Power.ON)
    simulation.publish(NodePowered(host, True))
    _firmware(simulation, host, 0, cold=True)


def _firmware(simulation: Simulation[World], host: str, after: int, *, cold: bool) -> None:
    """The firmware starts `after` ns (the rest of a shutdown) and hands over to the kernel when it is through."""
    simulation.world.nodes.update(host, phase=BootPhase.FIRMWARE, cold=cold)
    _later(simulation, host, "kernel", after + _FIRMWARE[bool(simulation.world.node(host).gpus)])


def _later(simulation: Simulation[World], host: str, phase: str, delay: int) -> None:
    simulation.schedule(BootStep(host, phase, simulation.world.nodes[host].boots), delay)


def _step(simulation: Simulation[World], event: BootStep) -> None:
    """The next step of a boot, unless something else began since it was scheduled."""
    if simulation.world.nodes[event.node].boots == event.boots:
        _STEPS[event.phase](simulation, event.node)


def _kernel(simulation: Simulation[World], host: str) -> None:
    world = simulation.world
    _take_menu_entry(simulation, host)
    world.nodes.update(host, phase=BootPhase.KERNEL, booted_at=simulation.now)
    enumerate_gpus(simulation, host, world.nodes[host].cold)
    _later(simulation, host, "driver", LOADED_AT_MS * MILLISECOND)
    _later(simulation, host, "network", _NETWORK_AT)
    _later(simulation, host, "running", BOOT_ENDS * MILLISECOND)


def _take_menu_entry(simulation: Simulation[World], host: str) -> None:
    """The boot loader hands over to the kernel that its files name, with their options; what was meant for one boot
    alone is used up.
    """
    from engine.control import grub

    world = simulation.world
    entry = grub.chosen(world, host)
    if entry is None:
        return
    usual = kernel_image.release(world.inventory)
    options = None if entry.options == kernel_image.options(world.inventory, host, None) else entry.options
    world.systems.update(host, kernel="" if entry.release == usual else entry.release, kernel_options=options)
    if world.systems[host].requested_keys:  # MokManager asked, and nobody answered
        world.systems.update(host, requested_keys=())
    if "next_entry" in grub.environment(world, host):
        simulation.apply(grub.SetEnvironment(host, (("next_entry", ""),)))


def _driver(simulation: Simulation[World], host: str) -> None:
    modules.take_installed_versions(simulation, host)
    if modules.driver_version(simulation.world, host) is not None:
        driver.attach(simulation, host)
    else:
        driver.let_go(simulation, host)


def in_emergency(world: World, host: str) -> bool:
    """Whether a boot stands in emergency mode, or will: /etc/fstab names a device that is not there."""
    from engine.control import fstab

    return world.nodes[host].phase is BootPhase.KERNEL and bool(fstab.blocking(world, host))


def leave_emergency(simulation: Simulation[World], host: str) -> None:
    """Somebody at the console has mended what stood in the way, and lets the boot go on."""
    if simulation.world.nodes[host].phase is BootPhase.KERNEL:
        _later(simulation, host, "network", _GOES_ON)
        _later(simulation, host, "running", _GOES_ON + (BOOT_ENDS * MILLISECOND - _NETWORK_AT))


def _network(simulation: Simulation[World], host: str) -> None:
    if not in_emergency(simulation.world, host):
        simulation.world.nodes.update(host, phase=BootPhase.SERVICES)


def _running(simulation: Simulation[World], host: str) -> None:
    world = simulation.world
    if in_emergency(world, host):
        return
    journald.record_boot(simulation, host, _record(world, host))
    world.nodes.update(host, phase=BootPhase.RUNNING)
    systemd.bring_up(simulation, host)
    line = boot_units.startup_finished(world, host)
    journald.log(simulation, host, line.text, source=line.source, pid=line.pid)
    simulation.publish(NodeUp(host))


def _record(world: World, host: str) -> BootRecord:
    from engine.control import module_rules, secure_boot

    node = world.node(host)
    absent = tuple(device.address for device in node.pcie if not enumerated(world, host, device.address))
    linked = tuple(hca.name for hca in node.hcas if port_has_link(world, hca.port))
    found = (gpu.address for gpu in node.gpus if gpu.address not in absent)
    silent = tuple(address for address in found if not answers(world, host, address))
    options = world.systems[host].kernel_options
    driver, start = modules.driver_version(world, host), world.nodes[host].booted_at
    outcome = module_rules.boot_outcome(world, host)
    return BootRecord(
        start,
        driver,
        absent,
        linked,
        silent,
        options,
        _narrow_links(world, host),
        world.systems[host].kernel,
        secure_boot.is_on(world, host),
        outcome.refusal,
        outcome.nouveau,
        changed_cards(world.inventory.node(host), world.adapters),
        firmware.other_bios(world, host),
    )


def _narrow_links(world: World, host: str) -> tuple[tuple[str, int, int], ...]:
    """Functions whose PCIe link trained below what both of its ends can do, with its generation and width."""
    links = ((device.address, link(world, host, device.address)) for device in world.node(host).pcie)
    return tuple(
        (address, found.generation, found.width)
        for address, found in links
        if (found.generation, found.width) != (found.max_generation, found.max_width)
    )


_STEPS = {
    "kernel": _kernel,
    "driver": _driver,
    "network": _network,
    "running": _running,
    "power_on": _power_on,
    "power_off": _cut_power,
}

HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((BootStep, _step),)
