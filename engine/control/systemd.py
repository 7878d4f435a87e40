"""systemd: starting, stopping and enabling units, with its lines in the journal and its answers to systemctl.

Modelled on systemd 255. A unit whose program fails its start check ends failed with `exit-code`; a main process that is
killed fails with `signal` and is started again where the unit says so. Waiting for a start belongs to the command; its
outcome is known at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.control import harm, journald, modules, service_state, start_checks
from engine.control.history.boot_units import QUIET
from engine.control.service_state import find, is_active, is_enabled, service, units
from engine.control.unit_messages import Line, Surroundings, died, failed_start, restarting, started, stopped
from engine.control.units import Unit, full_name, unit
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND
from engine.physics.load import bound_gpus
from engine.world.events import ProcessesEnded, ServiceChanged, ServiceRestartDue
from engine.world.records import BootPhase, Service
from engine.world.world import World

__all__ = [
    "HANDLERS",
    "DisableUnit",
    "EnableUnit",
    "Refusal",
    "ResetFailed",
    "RestartUnit",
    "Service",
    "StartUnit",
    "StopUnit",
    "Unit",
    "active_state",
    "bring_up",
    "find",
    "full_name",
    "is_active",
    "is_enabled",
    "properties",
    "service",
    "sub_state",
    "unit",
    "unit_file_state",
    "units",
]

_MISSING = {"stop": "loaded"}
_RESTART_DELAY = 100 * MILLISECOND
_RESTARTS_ON_SIGNAL = ("always", "on-failure", "on-abnormal")
_SIGNALS = {"killed": ("code=killed, status=9/KILL", "signal"), "gpu_lost": ("code=killed, status=7/BUS", "signal")}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What systemctl prints (it may be two lines) and its exit status when it could not do what was asked."""

    text: str
    status: int


@dataclass(frozen=True, slots=True)
class StartUnit(Action):
    """systemctl start. Gives a Refusal or None."""

    host: str
    unit: str
    by: str

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        return _on_unit(simulation, self.host, self.unit, "start", lambda each: _start(simulation, self.host, each))


@dataclass(frozen=True, slots=True)
class StopUnit(Action):
    """systemctl stop. Gives a Refusal or None."""

    host: str
    unit: str
    by: str

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        def stop(each: Unit) -> None:
            if each.shared and service(simulation.world, self.host, each.name).active:
                harm.record(
                    simulation, "service_stopped", f"{each.name} on {self.host}", f"systemctl stop by {self.by}"
                )
            _stop(simulation, self.host, each)

        return _on_unit(simulation, self.host, self.unit, "stop", stop)


@dataclass(frozen=True, slots=True)
class RestartUnit(Action):
    """systemctl restart. Gives a Refusal or None."""

    host: str
    unit: str
    by: str

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        def restart(each: Unit) -> Refusal | None:
            _stop(simulation, self.host, each)
            return _start(simulation, self.host, each)

        return _on_unit(simulation, self.host, self.unit, "restart", restart)


@dataclass(frozen=True, slots=True)
class EnableUnit(Action):
    """systemctl enable: start at boot. Gives a Refusal or None."""

    host: str
    unit: str
    by: str

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        return _set_enabled(simulation, self.host, self.unit, True)


@dataclass(frozen=True, slots=True)
class DisableUnit(Action):
    """systemctl disable: do not start at boot. Gives a Refusal or None."""

    host: str
    unit: str
    by: str

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        return _set_enabled(simulation, self.host, self.unit, False)


@dataclass(frozen=True, slots=True)
class ResetFailed(Action):
    """systemctl reset-failed, for one unit or ("") all."""

    host: str
    unit: str = ""

    def perform(self, simulation: Simulation[World]) -> Refusal | None:
        world = simulation.world
        names = [self.unit] if self.unit else units(world, self.host)
        for name in names:
            each = find(world, self.host, name)
            if each is None:
                return Refusal(
                    f"Failed to reset failed state of unit {full_name(name)}: Unit {full_name(name)} not loaded.", 1
                )
            if service(world, self.host, name).failed:
                service_state.change(world, self.host, each, failed=False, result="success", exit_status=0)
        return None


def bring_up(simulation: Simulation[World], host: str) -> None:
    """The boot's last part: what is enabled starts in its order, at the moments that it takes; failures are theirs."""
    world, boot = simulation.world, simulation.world.nodes[host].booted_at
    for each in service_state.units_of(world.node(host)):
        wanted = is_enabled(world, host, each) or (each.static and each.ready_at)
        _forget(world, host, each)
        if wanted and each.ready_at:
            _start_at(simulation, host, each, boot + each.ready_at * MILLISECOND)


def properties(world: World, host: str, name: str) -> dict[str, str]:
    """What `systemctl show` tells of a unit; times are left to the command, which knows the zone."""
    each, state = find(world, host, name), service(world, host, name)
    if each is None:
        return {"Id": full_name(name), "LoadState": "not-found", "ActiveState": "inactive", "SubState": "dead"}
    return {
        "Id": each.name,
        "Description": each.description,
        "LoadState": "loaded",
        "ActiveState": active_state(state),
        "SubState": sub_state(each, state),
        "FragmentPath": f"{each.folder}/{each.name}",
        "UnitFileState": unit_file_state(each, state),
        "UnitFilePreset": "enabled",
        "MainPID": str(state.pid if state.active else 0),
        "Result": state.result,
        "Type": each.kind,
        "Restart": each.restart,
        "ExecMainStatus": str(state.exit_status),
        "ExecMainPID": str(state.pid),
        "User": "" if each.user == "root" else each.user,
        "Documentation": " ".join(each.documentation),
        "Requires": " ".join(each.requires),
        "After": " ".join(each.after),
        "WantedBy": each.wanted_by,
        "TasksCurrent": str(each.tasks) if state.active and each.runs_process else "[not set]",
        "MemoryCurrent": str(each.memory * 1024) if state.active and each.runs_process else "[not set]",
    }


def active_state(state: Service) -> str:
    """active, inactive or failed."""
    return "failed" if state.failed else "active" if state.active else "inactive"


def sub_state(each: Unit, state: Service) -> str:
    """The word in brackets: running, exited, waiting, active, dead, failed."""
    if state.failed:
        return "failed"
    return (
        {"oneshot": "exited", "timer": "waiting", "target": "active"}.get(each.kind, "running")
        if state.active
        else "dead"
    )


def unit_file_state(each: Unit, state: Service) -> str:
    """enabled, disabled or static."""
    return "static" if each.static else "enabled" if state.enabled else "disabled"


def _on_unit(
    simulation: Simulation[World], host: str, name: str, verb: str, act: Callable[[Unit], Refusal | None]
) -> Refusal | None:
    each = find(simulation.world, host, name)
    if each is None:
        return Refusal(
            f"Failed to {verb} {full_name(name)}: Unit {full_name(name)} not {_MISSING.get(verb, 'found')}.", 5
        )
    return act(each)


def _start(simulation: Simulation[World], host: str, each: Unit) -> Refusal | None:
    if service(simulation.world, host, each.name).active:
        return None
    for needed in each.requires:
        _on_unit(simulation, host, needed, "start", lambda other: _start(simulation, host, other))
    return _start_at(simulation, host, each, None)


def _start_at(simulation: Simulation[World], host: str, each: Unit, at: int | None) -> Refusal | None:
    """Start a unit: now with a new process id (`at` None), or in a boot, at a moment that has passed, as usual."""
    world = simulation.world
    enabled = is_enabled(world, host, each)
    pid = (
        _new_pid(simulation, host, each)
        if at is None
        else service_state.first_pid(world, host, each, world.nodes[host].booted_at)
    )
    since = simulation.now if at is None else at
    speaker = pid or service_state.passing_pid(world, host, each)
    around = Surroundings(world.inventory, speaker, [gpu.address for gpu in bound_gpus(world, host)], since)
    if at is None and each.check == start_checks.LOADS_MODULES:
        modules.load_named(simulation, host)
    failure = start_checks.failure(world, host, each)
    if failure:
        _say(simulation, host, each, failed_start(each, around, around.fill(failure.texts), failure.status), at)
        state = Service(False, enabled, since, pid, "exit-code", failure.status, True)
        service_state.put(world, host, each, state)
        simulation.publish(ServiceChanged(host, each.name, False))
        return _job_failed(each)
    if at is None or not (each.enabled_on(world.node(host)) or each.static):
        service_state.put(world, host, each, Service(True, enabled, since, pid))
    if at is None or each.name not in QUIET:
        _say(simulation, host, each, started(each, around), at)
    simulation.publish(ServiceChanged(host, each.name, True))
    return None


def _stop(simulation: Simulation[World], host: str, each: Unit) -> None:
    world, state = simulation.world, service(simulation.world, host, each.name)
    if not state.active:
        return
    around = Surroundings(world.inventory, state.pid, [gpu.address for gpu in bound_gpus(world, host)], simulation.now)
    _say(simulation, host, each, stopped(each, around, simulation.now - state.since), None)
    service_state.change(
        world, host, each, active=False, failed=False, result="success", exit_status=0, since=simulation.now
    )
    simulation.publish(ServiceChanged(host, each.name, False))


def _job_failed(each: Unit) -> Refusal | None:
    """systemctl waits for units that say when they are ready; a simple one has started as soon as its program was
    called.
    """
    if each.kind in ("simple", "idle"):
        return None
    process = "control process" if each.control_fails or each.kind in ("forking", "notify") else "service"
    see = f'See "systemctl status {each.name}" and "journalctl -xeu {each.name}" for details.'
    return Refusal(f"Job for {each.name} failed because the {process} exited with error code.\n{see}", 1)


def _set_enabled(simulation: Simulation[World], host: str, name: str, enabled: bool) -> Refusal | None:
    world, each = simulation.world, find(simulation.world, host, name)
    if each is None:
        verb = "enable" if enabled else "disable"
        return Refusal(f"Failed to {verb} unit: Unit file {full_name(name)} does not exist.", 1)
    if not each.static and is_enabled(world, host, each) != enabled:
        service_state.change(world, host, each, enabled=enabled)
    return None


def _forget(world: World, host: str, each: Unit) -> None:
    """A boot wipes what happened to a unit, but not whether it is enabled."""
    stored = world.systems[host].services.get(each.name)
    if stored is None:
        return
    services = {name: state for name, state in world.systems[host].services.items() if name != each.name}
    if stored.enabled != each.enabled_on(world.node(host)):
        services[each.name] = Service(active=False, enabled=stored.enabled)
    service_state.put_all(world, host, services)


def _new_pid(simulation: Simulation[World], host: str, each: Unit) -> int:
    if not each.runs_process:
        return 0
    pid = simulation.world.systems[host].next_pid
    simulation.world.systems.update(host, next_pid=pid + 2)
    return pid


def _say(simulation: Simulation[World], host: str, each: Unit, lines: Iterable[Line], at: int | None) -> None:
    for number, line in enumerate(lines):
        time = None if at is None else at + number * 210_000
        journald.log(
            simulation,
            host,
            line.text,
            source=line.source,
            priority=line.priority,
            pid=line.pid,
            unit=each.name,
            at=time,
        )


def _processes_ended(simulation: Simulation[World], event: ProcessesEnded) -> None:
    """A main process is gone: the unit has failed, and may be started again."""
    world = simulation.world
    if world.nodes[event.host].phase is not BootPhase.RUNNING or event.why == "node_down":
        return
    for each in service_state.units_of(world.node(event.host)):
        state = service(world, event.host, each.name)
        if state.active and state.pid and state.pid in event.pids:
            _main_process_died(simulation, event.host, each, event.why)


def _main_process_died(simulation: Simulation[World], host: str, each: Unit, why: str) -> None:
    how, result = _SIGNALS.get(why, ("code=exited, status=1/FAILURE", "exit-code"))
    _say(simulation, host, each, died(each, how, result), None)
    service_state.change(simulation.world, host, each, active=False, failed=True, result=result, since=simulation.now)
    simulation.publish(ServiceChanged(host, each.name, False))
    if each.restart in _RESTARTS_ON_SIGNAL:
        simulation.schedule(ServiceRestartDue(host, each.name, simulation.now), _RESTART_DELAY)


def _restart_due(simulation: Simulation[World], event: ServiceRestartDue) -> None:
    each = find(simulation.world, event.host, event.unit)
    state = service(simulation.world, event.host, event.unit)
    if (
        each
        and state.failed
        and state.since == event.since
        and simulation.world.nodes[event.host].phase is BootPhase.RUNNING
    ):
        _say(simulation, event.host, each, [restarting(each, 1)], None)
        service_state.change(simulation.world, event.host, each, failed=False, result="success")
        _start(simulation, event.host, each)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (ProcessesEnded, _processes_ended),
    (ServiceRestartDue, _restart_due),
)
