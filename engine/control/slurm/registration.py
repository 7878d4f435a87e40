"""slurmctld and its nodes: what it makes of a registration, and of a node that falls silent.

Rules and log lines from SchedMD/slurm 24.11 src/slurmctld/node_mgr.c (validate_node_specs, node_did_resp, drain_nodes,
set_node_reason), ping_nodes.c and src/interfaces/gres.c (_node_config_validate). What slurmd finds on its host is told
by engine.control.slurm.slurmd.
"""

from __future__ import annotations

from engine.control import processes, service_state
from engine.control.slurm import charge, configuration, contact, jobs, lifecycle, logs, node_scripts, slurmd
from engine.control.slurm.files import slurm_conf
from engine.control.slurm.nodes import boot_time, survey
from engine.control.slurm.times import timestamp
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import JobCleanedUp, NodeSilent
from engine.world.records import SlurmNode
from engine.world.slurm_events import ContactDue
from engine.world.world import World

NOT_RESPONDING = "Not responding"
REBOOTED = "Node unexpectedly rebooted"
STOPPED, UNHEARD = "slurmd stopped", "not heard"
"""Why a node is silent: its slurmd was stopped, or no message gets through."""
_MESSAGE_TIMEOUT = 10 * SECOND
_CONTACT_DELAY = 5 * SECOND  # so that nobody looks while munged is being restarted


def is_running(world: World, host: str, daemon: str) -> bool:
    """Whether a daemon answers: its host is up and systemd has it active."""
    return service_state.is_active(world, host, daemon)


def controller_runs(world: World) -> bool:
    """Whether slurmctld answers."""
    return charge.runs(world)


def contact_changed(simulation: Simulation[World], host: str) -> None:
    """Something changed on `host` on which it depends whether it and others understand each other (munged, clock)."""
    world = simulation.world
    if host == charge.in_charge(world):
        simulation.schedule(ContactDue(), _CONTACT_DELAY)
    elif host in configuration.in_force(world).nodes and is_running(world, host, logs.SLURMD):
        _look_at_contact(simulation, host)


def contact_due(simulation: Simulation[World], event: ContactDue) -> None:
    """Something had changed on slurmctld's host: every node may hear it again, or not any more."""
    del event
    world = simulation.world
    for node in configuration.in_force(world).nodes:
        silent = world.slurm_nodes[node].silent_since is not None
        if silent == contact.answers(world, node, simulation.now) and is_running(world, node, logs.SLURMD):
            _look_at_contact(simulation, node)


def _look_at_contact(simulation: Simulation[World], node: str) -> None:
    record = simulation.world.slurm_nodes[node]
    if not contact.answers(simulation.world, node, simulation.now):
        fall_silent(simulation, node, UNHEARD)
    elif record.silent_since is not None and record.responding:
        simulation.world.slurm_nodes.update(node, silent_since=None, silent_cause="")  # nobody has noticed
    elif record.silent_since is not None:
        ping = _timeout(simulation.world) // 3
        simulation.schedule_at(NodeSilent(node, record.silent_since, "heard"), (simulation.now // ping + 1) * ping)


def fall_silent(simulation: Simulation[World], node: str, cause: str) -> None:
    """slurmd of a node stops answering; slurmctld notices at a ping, and gives the node up after SlurmdTimeout."""
    table, now = simulation.world.slurm_nodes, simulation.now
    if table[node].silent_since is not None:
        return
    table.update(node, silent_since=now, silent_cause=cause, boot_time=boot_time(simulation.world, node))
    ping = _timeout(simulation.world) // 3
    simulation.schedule_at(NodeSilent(node, now, "pinged"), now // ping * ping + ping + _MESSAGE_TIMEOUT)
    await_timeout(simulation, node)


def await_timeout(simulation: Simulation[World], node: str) -> None:
    """Give up a silent node at the first round of pings after SlurmdTimeout from now."""
    since = simulation.world.slurm_nodes[node].silent_since
    if since is not None:
        timeout = _timeout(simulation.world)
        ping = timeout // 3
        simulation.schedule_at(NodeSilent(node, since, "timed_out"), -(-(simulation.now + timeout) // ping) * ping)


def silence_noticed(simulation: Simulation[World], event: NodeSilent) -> None:
    """slurmctld's ping fails, or its patience ends."""
    record = simulation.world.slurm_nodes[event.node]
    if record.silent_since != event.since or not controller_runs(simulation.world):
        return
    if record.power in ("going_down", "down", "coming_up"):
        return  # it is expected to be silent
    if event.step == "heard":
        if contact.answers(simulation.world, event.node, simulation.now):
            register(simulation, event.node, slurmd.reported_gpus(simulation.world, event.node))
    elif event.step == "pinged":
        _log_unanswered(simulation, event.node)
        simulation.world.slurm_nodes.update(event.node, responding=False)
        logs.controller(simulation, f"error: Nodes {event.node} not responding")
    elif not record.down and not record.reboot_issued:
        simulation.world.slurm_nodes.update(event.node, responding=False)
        logs.controller(simulation, f"error: Nodes {event.node} not responding, setting DOWN")
        take_down(simulation, event.node, NOT_RESPONDING)


def _log_unanswered(simulation: Simulation[World], node: str) -> None:
    """A ping that slurmd cannot read stands in its log."""
    obstacle = contact.from_controller(simulation.world, node, simulation.now)
    if obstacle is not None and obstacle.kind == "credential":
        head = charge.in_charge(simulation.world)
        contact.log_refused(simulation, head, node, "REQUEST_PING", obstacle.status)


def take_down(simulation: Simulation[World], node: str, reason: str) -> None:
    """slurmctld sets a node DOWN for a reason of its own, and takes it from its jobs."""
    add_reason(simulation, node, reason)
    simulation.world.slurm_nodes.update(node, down=True, unknown=False)
    kill_jobs(simulation, node)


def kill_jobs(simulation: Simulation[World], node: str, by: str | None = None) -> None:
    """Take the node from every job on it; `by` names the operator's act that did it."""
    cause = by or (STOPPED if simulation.world.slurm_nodes[node].silent_cause == STOPPED else None)
    for job in jobs.running_on(simulation.world, node):
        if cause:
            lifecycle.record_killed(simulation, job, cause)
        lifecycle.lose_node(simulation, job, node)


def set_reason(simulation: Simulation[World], node: str, reason: str, user: str) -> None:
    """Replace the reason of a node; "" takes it away."""
    time = simulation.now if reason else 0
    simulation.world.slurm_nodes.update(node, reason=reason, reason_user=user if reason else "", reason_time=time)


def add_reason(simulation: Simulation[World], node: str, reason: str) -> None:
    """What slurmctld itself finds is added to a reason that stands."""
    standing = simulation.world.slurm_nodes[node].reason
    if not standing:
        set_reason(simulation, node, reason, _author(simulation.world))
    elif f" : {reason}" not in standing:
        set_reason(simulation, node, f"{standing} : {reason}", _author(simulation.world))
    else:
        set_reason(simulation, node, standing, _author(simulation.world))


def start_slurmd(simulation: Simulation[World], node: str) -> None:
    """slurmd starts on a node, looks at the hardware, and registers if it gets through to slurmctld."""
    world = simulation.world
    found = slurmd.begin(simulation, node)
    node_scripts.order(simulation, node_scripts.HEALTH_CHECK, node)
    obstacle = contact.to_controller(world, node, simulation.now)
    if obstacle is None and not contact.answers(world, node, simulation.now):
        obstacle = contact.from_controller(world, node, simulation.now)
    if obstacle is None and node in configuration.in_force(world).nodes:
        register(simulation, node, found)
    elif obstacle is not None:
        world.slurm_nodes.update(node, registered_gpus=found)
        slurmd.log_unregistered(simulation, node, obstacle)
        fall_silent(simulation, node, UNHEARD)


def register(simulation: Simulation[World], node: str, found: int) -> None:
    """slurmctld takes in a registration that reports `found` GPUs."""
    world, before = simulation.world, simulation.world.slurm_nodes[node]
    rebooted = boot_time(world, node) != world.nodes[node].booted_at and before.power not in ("down", "coming_up")
    configured = configuration.in_force(world).nodes[node].gpus
    if not before.responding or before.power:
        logs.controller(simulation, f"Node {node} now responding")
    if configuration.read_by_slurmd(world, node)[0] != in_charge(world):
        logs.controller(
            simulation,
            f"error: Node {node} appears to have a different slurm.conf than the slurmctld.  This could cause issues "
            "with communication and functionality.  Please review both files and make sure they are the same.  If "
            "this is expected ignore, and set DebugFlags=NO_CONF_HASH in your slurm.conf.",
        )
    world.slurm_nodes.update(
        node,
        responding=True,
        silent_since=None,
        silent_cause="",
        boot_time=world.nodes[node].booted_at,
        registered_gpus=found,
        power="asked" if before.power == "asked" else "",
    )
    known = configured if before.registered_gpus is None else min(before.registered_gpus, configured)
    if min(found, configured) != known:
        logs.controller(
            simulation,
            f"_node_config_validate: gres/gpu: Count changed on node {node} ({known} != {min(found, configured)})",
        )
    if reason := _mismatch(world, node, found):
        _refuse(simulation, node, before, reason)
    else:
        world.slurm_nodes.update(node, invalid=False)
        _accept(simulation, node, before, rebooted)
    for number in world.slurm[""].unlaunched:
        lifecycle.launch_waiting(simulation, number)
    lifecycle.look_soon(simulation)


def _mismatch(world: World, node: str, found: int) -> str:
    """What a node reports less of than slurm.conf says, "" for nothing (validate_node_specs)."""
    known = configuration.in_force(world)
    wanted, has = known.nodes[node], slurmd.hardware(world, node)
    lacks = []
    if found < wanted.gpus:
        lacks.append(f"gres/gpu count reported lower than configured ({found} < {wanted.gpus})")
    if "config_overrides" in known.text("SlurmdParameters"):
        return ", ".join(lacks)
    if has.sockets * has.cores * has.threads < wanted.sockets * wanted.cores * wanted.threads:
        lacks.append("Low socket*core*thread count")
    if has.cpus < wanted.cpus:
        lacks.append("Low CPUs")
    if has.memory < wanted.real_memory:
        lacks.append(f"Low RealMemory (reported:{has.memory} < 100.00% of configured:{wanted.real_memory})")
    if has.temporary_disk < wanted.temporary_disk:
        lacks.append("Low TmpDisk")
    return ", ".join(lacks)


def in_charge(world: World) -> str:
    """The slurm.conf that slurmctld works with."""
    read = world.slurm[""].configuration
    return read[0] if read else slurm_conf(world.inventory)


def drain(simulation: Simulation[World], node: str, reason: str) -> None:
    """slurmctld drains a node for a reason of its own; a reason that stands is kept, unless it was silence."""
    record = simulation.world.slurm_nodes[node]
    if record.drain:
        return
    simulation.world.slurm_nodes.update(node, drain=True)
    logs.controller(simulation, f"drain_nodes: node {node} state set to DRAIN")
    if not record.reason or record.reason.startswith(NOT_RESPONDING):
        set_reason(simulation, node, reason, _author(simulation.world))


def give_up_killing(simulation: Simulation[World], event: JobCleanedUp) -> None:
    """Where a process of the job stays whatever slurmstepd sends it, slurmstepd ends without it, and slurmctld drains
    the node (texts: slurmstepd's step_terminate_monitor.c; logs in ai4d-iasc/trixie issue 45).
    """
    job = jobs.job(simulation.world, event.job)
    for node in job.nodes if job is not None and job.completing else ():
        if processes.unkillable(simulation.world, node):
            when = timestamp(simulation.world.inventory, simulation.now)
            what = f"STEPD TERMINATED ON {node} AT {when} DUE TO JOB NOT ENDING WITH SIGNALS"
            logs.write(simulation, node, logs.SLURMD, f"[{event.job}.0] error: *** STEP {event.job}.0 {what} ***")
            drain(simulation, node, "Kill task failed")


def _refuse(simulation: Simulation[World], node: str, before: SlurmNode, reason: str) -> None:
    """The registration does not match the configuration: INVAL, and drained if nothing else keeps jobs away."""
    simulation.world.slurm_nodes.update(node, invalid=True)
    if not before.invalid or before.reason != reason:
        logs.controller(simulation, f"error: Setting node {node} state to INVAL with reason:{reason}")
    if not (before.down or before.drain or before.fail):
        drain(simulation, node, reason)
    elif before.reason != reason:
        set_reason(simulation, node, reason, _author(simulation.world))
    logs.controller(simulation, f"error: _slurm_rpc_node_registration node={node}: Invalid argument")


def _accept(simulation: Simulation[World], node: str, before: SlurmNode, rebooted: bool) -> None:
    """A valid registration. Whether it brings back a node that was down depends on ReturnToService and the reason."""
    world = simulation.world
    service = configuration.in_force(world).number("ReturnToService", 0)
    silent_only = service == 1 and before.reason == NOT_RESPONDING and not rebooted
    if before.unknown:
        world.slurm_nodes.update(node, unknown=False, last_busy=simulation.now)
    elif before.down and (service == 2 or before.reboot_issued or silent_only):
        _return_to_service(simulation, node, before)
    elif rebooted and service != 2 and not survey(world).condition(node).drained:
        _unexpected_reboot(simulation, node, before)


def _return_to_service(simulation: Simulation[World], node: str, before: SlurmNode) -> None:
    undrained = before.drain and not (before.reboot_issued and (before.next_state or before.reboot_drains))
    stays_down = before.next_state == "DOWN"
    simulation.world.slurm_nodes.update(
        node, down=stays_down, drain=undrained, reboot_issued=False, reboot_requested=False, reboot_drains=False,
        next_state="", last_busy=simulation.now,
    )  # fmt: skip
    logs.controller(simulation, f"node {node} returned to service")
    if stays_down:
        add_reason(simulation, node, "reboot complete")
    elif not undrained and not before.fail:
        set_reason(simulation, node, "", "")


def _unexpected_reboot(simulation: Simulation[World], node: str, before: SlurmNode) -> None:
    world = simulation.world
    booted = (world.inventory.start + world.nodes[node].booted_at) // SECOND
    last = (world.inventory.start + (before.silent_since or 0)) // SECOND
    logs.controller(
        simulation, f"validate_node_specs: Node {node} unexpectedly rebooted boot_time={booted} last response={last}"
    )
    if not before.reason or before.reason == NOT_RESPONDING or before.reboot_requested:
        set_reason(simulation, node, REBOOTED, _author(simulation.world))
    world.slurm_nodes.update(node, down=True, unknown=False, reboot_requested=False)
    kill_jobs(simulation, node)


def _author(world: World) -> str:
    """In whose name slurmctld gives reasons: SlurmUser's."""
    return configuration.in_force(world).text("SlurmUser", "root")


def _timeout(world: World) -> int:
    return configuration.in_force(world).duration("SlurmdTimeout", 300)
