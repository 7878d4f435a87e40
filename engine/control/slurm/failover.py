"""slurmctld starts, stops, and is taken over from.

Texts and rules: SchedMD/slurm 24.11 src/slurmctld/controller.c and backup.c. Who is in charge is told by
engine.control.slurm.charge.
"""

from __future__ import annotations

from engine.control import service_state, systemd
from engine.control.slurm import charge, configuration, contact, jobs, lifecycle, logs, registration, slurmctld, slurmd
from engine.control.slurm.errors import SlurmError
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.slurm_events import BackupDue
from engine.world.world import World

Sim = Simulation[World]
_STANDBY = "slurmctld running in background mode"


def controller_changed(simulation: Sim, host: str, active: bool) -> None:
    """slurmctld of a host has started or stopped."""
    world = simulation.world
    if not active:
        if host == charge.in_charge(world):
            _await_backup(simulation)
    elif not service_state.is_active(world, host, logs.SLURMCTLD):
        return
    elif host in (charge.primary(world), charge.in_charge(world)):
        take_charge(simulation, host)
    else:
        logs.write(simulation, host, logs.SLURMCTLD, _STANDBY)
        if not charge.runs(world):
            _await_backup(simulation)


@dataclass(frozen=True, slots=True)
class TakeOver(Action):
    """scontrol takeover: a backup (`host`; "" is the first that runs) takes charge, and the one in charge ends. Returns
    the error, or None.
    """

    by: str
    host: str = ""

    def perform(self, simulation: Sim) -> SlurmError | None:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.USER_ID
        before = charge.in_charge(world)
        running = [name for name in charge.hosts(world) if service_state.is_active(world, name, logs.SLURMCTLD)]
        chosen = next((name for name in running if name != before and self.host in ("", name)), None)
        if chosen is None:
            return SlurmError.CONNECTION
        logs.write(simulation, chosen, logs.SLURMCTLD, "Performing background RPC: REQUEST_TAKEOVER")
        simulation.apply(systemd.StopUnit(before, logs.SLURMCTLD, self.by))
        take_charge(simulation, chosen)
        return None


def backup_due(simulation: Sim, event: BackupDue) -> None:
    """The one in charge has been silent for long: the first backup that runs takes over."""
    world = simulation.world
    if charge.in_charge(world) != event.host or charge.runs(world):
        return
    for number, host in enumerate(charge.hosts(world)):
        if number and service_state.is_active(world, host, logs.SLURMCTLD):
            taking = f"BackupController{number} {host} taking over"
            text = f"error: ControlMachine {charge.primary(world)} not responding, {taking}"
            logs.write(simulation, host, logs.SLURMCTLD, text)
            take_charge(simulation, host)
            return


def take_charge(simulation: Sim, host: str) -> None:
    """slurmctld of a host decides from now on: it reads its files, hears from the nodes, and catches up with what ended
    meanwhile.
    """
    world = simulation.world
    before = charge.in_charge(world)
    if before != host and service_state.is_active(world, before, logs.SLURMCTLD):
        logs.write(simulation, before, logs.SLURMCTLD, "Performing RPC: REQUEST_CONTROL")
        logs.write(simulation, before, logs.SLURMCTLD, _STANDBY)
    if before != host:
        world.slurm.update("", in_charge=host)
    logs.controller(simulation, "Running as primary controller")
    slurmctld.read(simulation)
    for name in configuration.in_force(world).nodes:
        record = world.slurm_nodes[name]
        if contact.answers(world, name, simulation.now):
            if record.silent_since is not None or record.registered_gpus is not None:
                registration.register(simulation, name, slurmd.reported_gpus(world, name))
        else:
            world.slurm_nodes.update(name, responding=False, unknown=not record.down)
            registration.await_timeout(simulation, name)
    for job in jobs.active(world):
        if job.state == "RUNNING":
            lifecycle.schedule_end(simulation, job)
    lifecycle.look_soon(simulation)


def _await_backup(simulation: Sim) -> None:
    """A backup, if there is one, waits for SlurmctldTimeout."""
    world = simulation.world
    if len(charge.hosts(world)) > 1:
        patience = configuration.in_force(world).duration("SlurmctldTimeout", 120)
        simulation.schedule(BackupDue(charge.in_charge(world)), patience)
