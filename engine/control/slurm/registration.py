"""slurmd and slurmctld: what slurmd finds when it starts, what slurmctld makes of a registration, and of a node that
falls silent.

Rules and log lines from SchedMD/slurm 24.11 src/slurmctld/node_mgr.c (validate_node_specs, drain_nodes,
set_node_reason), ping_nodes.c and src/interfaces/gres.c (_node_config_validate, _my_stat). slurmd looks for GPUs only
when it starts: a GPU that is lost later changes nothing here until slurmd starts again or the node does.
"""

from __future__ import annotations

from engine.control import driver, processes, service_state
from engine.control.slurm import configuration, jobs, lifecycle, logs
from engine.control.slurm.files import controller_host
from engine.control.slurm.nodes import boot_time, survey
from engine.control.slurm.times import timestamp
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.world.events import JobCleanedUp, NodeSilent
from engine.world.records import BusState, SlurmNode
from engine.world.world import World

NOT_RESPONDING = "Not responding"
REBOOTED = "Node unexpectedly rebooted"
_MESSAGE_TIMEOUT = 10 * SECOND


def is_running(world: World, host: str, daemon: str) -> bool:
    """Whether a daemon answers: its host is up and systemd has it active."""
    return service_state.is_active(world, host, daemon)


def controller_runs(world: World) -> bool:
    """Whether slurmctld answers."""
    return is_running(world, controller_host(world.inventory), logs.SLURMCTLD)


def detected_gpus(world: World, host: str) -> int:
    """How many GPUs a slurmd that starts now on `host` reports, by the gres.conf of that host.

    AutoDetect=nvml: those that NVML opens, none where driver and library differ. `File=`: one for each file, without
    looking at the device.
    """
    detection, lines = configuration.parse_gres_conf(configuration.on_host(world, host)[1]).of(host)
    if detection == "nvml":
        if driver.nvml(world, host).status is not driver.NvmlStatus.OK:
            return 0
        return sum(world.gpus[gpu.id].bus is BusState.PRESENT for gpu in bound_gpus(world, host))
    return sum(len(line.device_files) or (line.count or 0) for line in lines)


def missing_device(world: World, host: str) -> str | None:
    """The first device file of gres.conf that is not there, for which slurmd waits 19 seconds and then gives up."""
    _, lines = configuration.parse_gres_conf(configuration.on_host(world, host)[1]).of(host)
    present = {f"/dev/nvidia{index}" for index in range(len(bound_gpus(world, host)))}
    wanted = [path for line in lines for path in line.device_files]
    return next((path for path in wanted if path.startswith("/dev/nvidia") and path not in present), None)


def slurmd_refusal(world: World, host: str) -> str | None:
    """Why slurmd would not start on `host`: its fatal line, or None. For the start check of the unit."""
    try:
        device = missing_device(world, host)
        configuration.parse_slurm_conf(configuration.on_host(world, host)[0])
    except configuration.ConfigurationError as error:
        return str(error)
    return f"fatal: can't stat gres.conf file {device}: No such file or directory" if device else None


def slurmctld_refusal(world: World) -> str | None:
    """Why slurmctld would not start: its fatal line, or None. For the start check of the unit."""
    try:
        configuration.parse_slurm_conf(configuration.on_host(world, controller_host(world.inventory))[0])
    except configuration.ConfigurationError as error:
        return str(error)
    return None


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
    if event.step == "pinged":
        simulation.world.slurm_nodes.update(event.node, responding=False)
        logs.controller(simulation, f"error: Nodes {event.node} not responding")
    elif not record.down and not record.reboot_issued:
        simulation.world.slurm_nodes.update(event.node, responding=False)
        logs.controller(simulation, f"error: Nodes {event.node} not responding, setting DOWN")
        take_down(simulation, event.node, NOT_RESPONDING)


def take_down(simulation: Simulation[World], node: str, reason: str) -> None:
    """slurmctld sets a node DOWN for a reason of its own, and takes it from its jobs."""
    add_reason(simulation, node, reason)
    simulation.world.slurm_nodes.update(node, down=True, unknown=False)
    kill_jobs(simulation, node)


def kill_jobs(simulation: Simulation[World], node: str, by: str | None = None) -> None:
    """Take the node from every job on it; `by` names the operator's act that did it."""
    stopped = simulation.world.slurm_nodes[node].silent_cause == "slurmd stopped"
    cause = by or ("slurmd stopped" if stopped else None)
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
    """slurmd starts on a node, looks at the hardware, and registers if slurmctld is there."""
    world = simulation.world
    found = detected_gpus(world, node)
    _log_slurmd_start(simulation, node, found)
    world.slurm_nodes.update(node, slurmd_start=service_state.service(world, node, logs.SLURMD).since)
    if controller_runs(world) and node in configuration.in_force(world).nodes:
        register(simulation, node, found)


def register(simulation: Simulation[World], node: str, found: int) -> None:
    """slurmctld takes in a registration that reports `found` GPUs."""
    world, before = simulation.world, simulation.world.slurm_nodes[node]
    rebooted = boot_time(world, node) != world.nodes[node].booted_at
    configured = configuration.in_force(world).nodes[node].gpus
    if not before.responding:
        logs.controller(simulation, f"Node {node} now responding")
    world.slurm_nodes.update(
        node,
        responding=True,
        silent_since=None,
        silent_cause="",
        boot_time=world.nodes[node].booted_at,
        registered_gpus=found,
    )
    known = configured if before.registered_gpus is None else min(before.registered_gpus, configured)
    if min(found, configured) != known:
        logs.controller(
            simulation,
            f"_node_config_validate: gres/gpu: Count changed on node {node} ({known} != {min(found, configured)})",
        )
    if found < configured:
        _refuse(simulation, node, before, f"gres/gpu count reported lower than configured ({found} < {configured})")
    else:
        world.slurm_nodes.update(node, invalid=False)
        _accept(simulation, node, before, rebooted)
    lifecycle.look_soon(simulation)


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


def _log_slurmd_start(simulation: Simulation[World], node: str, found: int) -> None:
    world = simulation.world
    cpu = world.node(node).cpu
    detection, _ = configuration.parse_gres_conf(configuration.on_host(world, node)[1]).of(node)
    lines = (
        [f"gpu/nvml: _get_system_gpu_list_nvml: {found} GPU system device(s) detected"] if detection == "nvml" else []
    )
    lines += [
        f"CPUs={cpu.sockets * cpu.cores * cpu.threads} Boards=1 Sockets={cpu.sockets} Cores={cpu.cores} "
        f"Threads={cpu.threads} "
        f"Memory={processes.memory(world, node).total // 1024} TmpDisk={_temporary_disk(world, node)} "
        f"Uptime={(simulation.now - world.nodes[node].booted_at) // SECOND} CPUSpecList=(null) "
        "FeaturesAvail=(null) FeaturesActive=(null)",
    ]
    for line in lines:
        logs.write(simulation, node, logs.SLURMD, line)


def _temporary_disk(world: World, node: str) -> int:
    """Size of the file system that holds /tmp, MiB."""
    return next((drive.bytes // (1 << 20) for drive in world.node(node).drives if drive.purpose == "boot"), 0)
