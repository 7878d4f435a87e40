"""Scripts that slurmd runs as root on its node: Prolog and Epilog of jobs, and HealthCheckProgram.

They are files of the node, run line by line by the shell of whoever plays the simulation (engine.shell.node_crew).
Where nobody plays it, a script takes the time that its `sleep` lines say and ends well. What its end means:

* a prolog that fails: the node is drained, `Prolog error`, the job goes back to the queue and is held;
* an epilog that fails: the node is drained, `Epilog error`; while it runs the node completes the job;
* a health check that fails is logged and nothing else: to drain its node is the script's own business.

Rules and texts: SchedMD/slurm 24.11 src/plugins/prep/script/prep_script_slurmd.c, src/common/run_command.c,
src/slurmd/slurmd/req.c, src/slurmctld/node_mgr.c (validate_node_specs), job_mgr.c (job_epilog_complete, re_kill_job).
Simplifications: a prolog runs on all nodes of a job when it gets them, as `PrologFlags=Alloc` has it, whatever
PrologFlags says; of a job with several nodes all are completing until the last epilog is done.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase

from engine.control import files as host_files
from engine.control import processes, service_state
from engine.control.accounts import identity
from engine.control.slurm import configuration, logs
from engine.control.slurm.config_file import ConfigurationError
from engine.control.slurm.workload import slept
from engine.kernel.hostlist import fold
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import Job, NodeScript
from engine.world.slurm_events import NodeScriptDue
from engine.world.world import World

PROLOG, EPILOG, HEALTH_CHECK = "prolog", "epilog", "health_check"
_SETTINGS = {PROLOG: "prolog", EPILOG: "epilog"}
_NO_LIMIT = 65534
_RESIDENT = 3_400  # KiB of a bash
_HEALTH_PATIENCE = 60 * SECOND
RESEND = 120 * SECOND
"""After how long slurmctld asks again for the end of a job whose nodes are not done with it (a guess: job_mgr.c counts
rounds of its main loop)."""


def order(simulation: Simulation[World], kind: str, node: str, job: Job | None = None) -> tuple[str, ...]:
    """Let slurmd of a node run what it has configured for `kind`. Returns the names of what is configured and is not
    there, or may not be executed: those count as failed.
    """
    world, broken = simulation.world, []
    for pattern in _configured(world, node, kind):
        paths = _matching(world, node, pattern)
        if not paths:
            logs.write(simulation, node, logs.SLURMD, f"error: {kind}: Unable to create list of paths [{pattern}]")
            broken.append(pattern)
        for path in paths:
            if _executable(world, node, path):
                _begin(simulation, kind, node, path, job)
            else:
                _log_not_run(simulation, node, kind, path)
                broken.append(path)
    return tuple(broken)


def run_program(simulation: Simulation[World], kind: str, host: str, path: str, arguments: tuple[str, ...]) -> bool:
    """A program that slurmctld's host runs as SlurmUser. Whether there is one that may be executed."""
    if not _executable(simulation.world, host, path):
        return False
    _begin(simulation, kind, host, path, None, arguments)
    return True


def pending(world: World, kind: str, job: int) -> list[NodeScript]:
    """The scripts of a job that still run."""
    return [each for each in world.slurm[""].node_scripts if each.kind == kind and each.job == job]


def waiting(world: World) -> list[NodeScript]:
    """The scripts that no shell has begun."""
    return [each for each in world.slurm[""].node_scripts if not each.begun]


def find(world: World, number: int) -> NodeScript | None:
    """A script that still runs."""
    return next((each for each in world.slurm[""].node_scripts if each.number == number), None)


def text(world: World, script: NodeScript) -> str:
    """What stands in the script."""
    return host_files.text(world, script.node, script.path, "")


def mark_begun(simulation: Simulation[World], number: int, begun: bool = True) -> None:
    """A shell has begun a script, or has left it."""
    scripts = simulation.world.slurm[""].node_scripts
    changed = tuple(replace(each, begun=begun) if each.number == number else each for each in scripts)
    simulation.world.slurm.update("", node_scripts=changed)


def remove(simulation: Simulation[World], script: NodeScript) -> None:
    """A script is over."""
    scripts = simulation.world.slurm[""].node_scripts
    kept = tuple(each for each in scripts if each.number != script.number)
    simulation.world.slurm.update("", node_scripts=kept)
    processes.end(simulation, script.node, [script.pid], "exit")


def withdraw(simulation: Simulation[World], job: int) -> None:
    """A job waits for no prolog any more."""
    controller = simulation.world.slurm[""]
    for script in pending(simulation.world, PROLOG, job):
        remove(simulation, script)
    if job in controller.unlaunched:
        unlaunched = tuple(number for number in controller.unlaunched if number != job)
        simulation.world.slurm.update("", unlaunched=unlaunched)


def guess_end(simulation: Simulation[World], script: NodeScript, step: str = "guessed") -> None:
    """Without a shell a script takes as long as it says that it sleeps, and a second."""
    lasts = SECOND + slept(text(simulation.world, script))
    simulation.schedule(NodeScriptDue(script.number, step), lasts)


def log_failure(simulation: Simulation[World], script: NodeScript, status: int, said: str) -> None:
    """slurmd tells how a script failed (128 and more: of a signal)."""
    end = f"killed by signal {status - 128}" if status > 128 else f"failed: rc:{status}"
    logs.write(simulation, script.node, logs.SLURMD, f"error: {script.kind} {end} output:{said.rstrip()}")


def variables(world: World, script: NodeScript, job: Job | None) -> dict[str, str]:
    """The environment of a script (prep_script_slurmd.c: _build_env); that of a health check holds little."""
    known = {
        "SLURMD_NODENAME": script.node,
        "SLURM_CONF": configuration.SLURM_CONF,
        "SLURM_CLUSTER_NAME": world.inventory.cluster,
    }
    if job is None:
        return known
    uid = identity(world.inventory, job.user).uid
    nodes = fold(job.nodes)
    known |= {
        "SLURM_JOB_ID": str(job.id), "SLURM_JOBID": str(job.id), "SLURM_JOB_UID": str(uid), "SLURM_UID": str(uid),
        "SLURM_JOB_GID": str(uid), "SLURM_JOB_USER": job.user, "SLURM_JOB_WORK_DIR": job.working_directory,
        "SLURM_NODELIST": nodes, "SLURM_JOB_NODELIST": nodes, "SLURM_SCRIPT_CONTEXT": f"{script.kind}_slurmd",
        "SLURM_JOB_PARTITION": job.partition, "SLURM_JOB_NUM_NODES": str(len(job.nodes)),
        "SLURM_JOB_ACCOUNT": job.account, "SLURM_JOB_QOS": job.qos,
    }  # fmt: skip
    if script.kind == EPILOG:
        known |= {"SLURM_JOB_EXIT_CODE": str(job.exit_code << 8 | job.signal), "SLURM_JOB_DERIVED_EC": "0"}
    if script.node in job.nodes and job.gpu_indices:
        gpus = ",".join(str(index) for index in job.gpu_indices[job.nodes.index(script.node)])
        known |= {"SLURM_JOB_GPUS": gpus, "CUDA_VISIBLE_DEVICES": gpus} if gpus else {}
    return known


def _configured(world: World, node: str, kind: str) -> tuple[str, ...]:
    """What slurm.conf names, as the slurmd of the node has read it."""
    try:
        known = configuration.parse_for_node(configuration.read_by_slurmd(world, node)[0])
    except ConfigurationError:
        return ()
    if kind == HEALTH_CHECK:
        program = known.text("HealthCheckProgram")
        return (program,) if program else ()
    return known.scripts.get(_SETTINGS[kind], ())


def _matching(world: World, node: str, pattern: str) -> list[str]:
    """The files that a name, or a name with wildcards, stands for: slurmd runs all of them, by name."""
    if not any(mark in pattern for mark in "*?["):
        return [pattern] if host_files.written(world, node, pattern) is not None else []
    known = world.files[host_files.files_key(node, pattern)].files
    return sorted(path for path, file in known.items() if file is not None and fnmatchcase(path, pattern))


def _executable(world: World, node: str, path: str) -> bool:
    file = host_files.written(world, node, path)
    return file is not None and bool(file.mode & 0o111)


def _log_not_run(simulation: Simulation[World], node: str, kind: str, path: str) -> None:
    lines = (
        f"error: run_command: {kind} can not be executed ({path}) Permission denied",
        f"error: {kind} didn't run: status:127 reason:Run command failed - configuration error",
    )
    for line in lines:
        logs.write(simulation, node, logs.SLURMD, line)


def _begin(
    simulation: Simulation[World], kind: str, node: str, path: str, job: Job | None, arguments: tuple[str, ...] = ()
) -> None:
    controller = simulation.world.slurm[""]
    number, run = controller.next_node_script, 0
    if job is not None and kind == EPILOG:
        run = job.ended if job.ended is not None else job.earlier_runs[-1].ended if job.earlier_runs else 0
    parent = service_state.service(simulation.world, node, logs.SLURMD).pid
    pid = processes.start(
        simulation,
        node,
        user="root",
        command=f"/bin/bash {path}",
        parent=parent,
        resident_kib=_RESIDENT,
        cpu_permille=0,
    )
    controller = simulation.world.slurm[""]
    script = NodeScript(
        number, kind, node, path, simulation.now, job.id if job else 0, run, pid=pid, arguments=arguments
    )
    simulation.world.slurm.update("", node_scripts=(*controller.node_scripts, script), next_node_script=number + 1)
    guess_end(simulation, script)
    patience = _patience(simulation.world, node, kind)
    if patience is not None:
        simulation.schedule(NodeScriptDue(number, "timed_out"), patience)
    if kind == EPILOG:
        simulation.schedule(NodeScriptDue(number, "slow"), RESEND)


def _patience(world: World, node: str, kind: str) -> int | None:
    """After how long slurmd kills a script of that kind; None: never."""
    if kind == HEALTH_CHECK:
        return _HEALTH_PATIENCE
    seconds = configuration.in_force(world).number("PrologEpilogTimeout", _NO_LIMIT)
    return None if seconds >= _NO_LIMIT or kind not in _SETTINGS else seconds * SECOND
