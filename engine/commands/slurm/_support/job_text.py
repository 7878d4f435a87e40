"""What `scontrol show job` and `show step` print.

Source: SchedMD/slurm 24.11 src/scontrol/info_job.c (_sprint_job_info) and src/api/job_info.c of 22.05 where they
differ; compared with 22.05.
"""

from __future__ import annotations

from engine.commands.slurm._support.job_facts import NULL, JobFacts, exit_text
from engine.commands.slurm._support.records_text import record
from engine.control.slurm import arrays, jobs
from engine.control.slurm.configuration import in_force
from engine.control.slurm.times import full_time
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.kernel.units import SECOND
from engine.world.records import Job, JobStep


def job_text(facts: JobFacts, *, detail: bool, one_line: bool) -> str:
    """A job's record."""
    recent = at_least(facts.world.inventory, 23, 11)
    lines = [
        *_identity_lines(facts),
        *_state_lines(facts, detail, recent),
        *_time_lines(facts),
        *_place_lines(facts),
        *_size_lines(facts, recent),
        *_share_lines(facts, detail),
        *_request_lines(facts),
        *_file_lines(facts),
        *([] if recent else ["Power="]),
        *_gpu_lines(facts),
    ]
    return record([*lines, ""], one_line)


def step_text(facts: JobFacts, step: JobStep, *, one_line: bool) -> str:
    """A step's record."""
    batch = step.id == "batch"
    job = facts.job
    limit = "UNLIMITED" if batch or not job.time_limit else full_time(job.time_limit // SECOND)
    cpus = 0 if batch else jobs.total_cpus(job)
    share = jobs.tres(cpus, job.memory_mib * job.node_count, len(step.nodes), jobs.total_gpus(job))
    host = "(null):0" if batch else f"{job.nodes[0]}:{job.session}"
    lines = [
        f"StepId={job.id}.{step.id} UserId={facts.user.uid} StartTime={facts.when(step.started)} TimeLimit={limit}",
        f"State={step.state} Partition={job.partition} NodeList={fold(step.nodes)}",
        f"Nodes={len(step.nodes)} CPUs={cpus} Tasks={step.tasks} Name={step.name} Network=(null)",
        f"TRES={NULL if batch else share}",
        "ResvPorts=(null)",
        "CPUFreqReq=Default",
        f"SrunHost:Pid={host}",
    ]
    return record(lines, one_line)


def _identity_lines(facts: JobFacts) -> list[str]:
    job, user = facts.job, facts.user
    return [
        f"JobId={job.id} {_array(job)}JobName={job.name}",
        f"UserId={job.user}({user.uid}) GroupId={facts.group}({user.gid}) MCS_label=N/A",
        f"Priority={facts.priority} Nice={job.nice} Account={job.account or NULL} QOS={job.qos}",
    ]


def _array(job: Job) -> str:
    """Which array a job is of."""
    if not job.array_job:
        return ""
    task = arrays.task_text(job)
    throttle = f" ArrayTaskThrottle={job.array_limit}" if job.array_limit else ""
    return f"ArrayJobId={job.array_job} ArrayTaskId={task}{throttle} "


def _state_lines(facts: JobFacts, detail: bool, recent: bool) -> list[str]:
    job = facts.job
    failed = f"FailedNode={job.failed_node} " if recent and job.state == "NODE_FAIL" and job.failed_node else ""
    batch = int(not job.interactive)
    lines = [
        f"JobState={jobs.state_name(job)} Reason={job.reason.replace(' ', '_')} {failed}"
        f"Dependency={facts.dependency or NULL}",
        f"Requeue={int(job.requeue)} Restarts={job.restarts} BatchFlag={batch} Reboot=0 "
        f"ExitCode={exit_text(job.exit_code, job.signal)}",
    ]
    return [*lines, "DerivedExitCode=0:0"] if detail else lines


def _time_lines(facts: JobFacts) -> list[str]:
    job = facts.job
    limit = "UNLIMITED" if not job.time_limit else full_time(job.time_limit // SECOND)
    start, end = facts.when(facts.start), facts.end
    if end is None and facts.start is not None and job.time_limit:
        end = facts.start + job.time_limit
    scheduler = "Backfill" if job.backfilled else "Main"
    accrue = facts.when(None if facts.is_barred else job.eligible)
    return [
        f"RunTime={full_time(facts.seconds_used)} TimeLimit={limit} TimeMin=N/A",
        f"SubmitTime={facts.when(job.submitted)} EligibleTime={facts.when(facts.eligible)}",
        f"AccrueTime={accrue}",
        f"StartTime={start} EndTime={facts.when(end)} Deadline=N/A",
        f"SuspendTime=None SecsPreSuspend=0 LastSchedEval={facts.when(facts.evaluated)} Scheduler={scheduler}",
    ]


def _place_lines(facts: JobFacts) -> list[str]:
    job = facts.job
    lines = [
        f"Partition={job.partition} AllocNode:Sid={job.submit_host}:{job.session}",
        f"ReqNodeList={fold(job.requested_nodes) or NULL} ExcNodeList={fold(job.excluded_nodes) or NULL}",
        f"NodeList={facts.nodes}",
        *([f"SchedNodeList={fold(job.scheduled_nodes)}"] if job.scheduled_nodes and job.state == "PENDING" else []),
    ]
    return [*lines, f"BatchHost={job.nodes[0]}"] if facts.nodes else lines


def _size_lines(facts: JobFacts, recent: bool) -> list[str]:
    job = facts.job
    count = f"{job.node_count}-{job.node_count}" if job.state == "PENDING" and not job.restarts else str(job.node_count)
    tres = jobs.job_tres(job)
    had_nodes = job.state != "PENDING" and job.nodes
    lines = [
        f"NumNodes={count} NumCPUs={jobs.total_cpus(job)} NumTasks={job.task_count} CPUs/Task={job.cpus_per_task} "
        "ReqB:S:C:T=0:0:*:*",
        *([f"ReqTRES={tres}", f"AllocTRES={tres if had_nodes else NULL}"] if recent else [f"TRES={tres}"]),
        f"Socks/Node=* NtasksPerN:B:S:C={job.tasks_per_node}:0:*:* CoreSpec=*",
    ]
    return lines


def _share_lines(facts: JobFacts, detail: bool) -> list[str]:
    """With -d: what the job has on each of its nodes; nodes with the same share stand together."""
    job = facts.job
    if not detail or not facts.nodes or not job.cpu_masks:
        return []
    kind = in_force(facts.world).nodes[job.nodes[0]].gpu_type
    name = f"gpu:{kind}" if kind else "gpu"
    gpus = jobs.total_gpus(job)
    lines = [f"JOB_GRES={f'{name}:{gpus}' if gpus else NULL}"]
    groups: dict[tuple[int, tuple[int, ...]], list[str]] = {}
    for node, cpus, indices in zip(job.nodes, job.cpu_masks, job.gpu_indices, strict=True):
        groups.setdefault((cpus, indices), []).append(node)
    for (cpus, indices), nodes in groups.items():
        share = f"{name}:{len(indices)}(IDX:{jobs.ranges(indices)})" if indices else ""
        lines.append(f"  Nodes={fold(nodes)} CPU_IDs={jobs.mask_ranges(cpus)} Mem={job.memory_mib} GRES={share}")
    return lines


def _request_lines(facts: JobFacts) -> list[str]:
    job = facts.job
    unit = job.memory_per if at_least(facts.world.inventory, 23, 11) or job.memory_per != "TRES" else "Node"
    share = "NO" if job.exclusive else "OK"
    lines = [
        f"MinCPUsNode={facts.cpus_node} MinMemory{unit}={jobs.memory_text(job.memory_request)} MinTmpDiskNode=0",
        f"Features={job.features or NULL} DelayBoot=00:00:00",
        *([f"Reservation={job.reservation}"] if job.reservation else []),
        f"OverSubscribe={share} Contiguous=0 Licenses=(null) Network=(null)",
        f"Command={job.command or NULL}",
        f"WorkDir={job.working_directory}",
    ]
    return [*lines, f"Comment={job.comment} "] if job.comment else lines


def _file_lines(facts: JobFacts) -> list[str]:
    if facts.job.interactive:
        return []
    return [f"StdErr={facts.error_output}", f"StdIn={facts.input}", f"StdOut={facts.output}"]


def _gpu_lines(facts: JobFacts) -> list[str]:
    """How CPUs, memory and GPUs hang together."""
    job = facts.job
    partition = in_force(facts.world).partition(job.partition)
    lines = []
    if partition and job.gpus_per_node:
        if partition.cpus_per_gpu:
            lines.append(f"CpusPerTres=gpu:{partition.cpus_per_gpu}")
        if job.memory_per == "TRES":
            lines.append(f"MemPerTres=gpu:{job.memory_request}")
    if total := facts.tres_per("job"):
        lines.append(f"TresPerJob={total}")
    if each := facts.tres_per_node:
        lines.append(f"TresPerNode={each}")
    if task := facts.tres_per("task"):
        lines.append(f"TresPerTask={task}")
    return lines
