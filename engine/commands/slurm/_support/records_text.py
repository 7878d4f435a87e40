"""What `scontrol show node` and `show partition` print.

Source: SchedMD/slurm 24.11 src/api/node_info.c (slurm_sprint_node_table), src/api/partition_info.c
(slurm_sprint_partition_info), and the same of 22.05 where they differ; compared with 22.05.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.slurm._support.node_facts import NodeFacts
from engine.control import kernel_image, service_state
from engine.control.slurm import accounting, jobs
from engine.control.slurm.configuration import DEFAULT_PORT, NodeConfiguration, PartitionConfiguration
from engine.control.slurm.nodes import Cluster, boot_time
from engine.control.slurm.times import full_time, timestamp
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.kernel.units import SECOND
from engine.world.inventory import Inventory


def record(lines: Sequence[str], one_line: bool) -> str:
    """A record's lines as scontrol prints them: indented and with an empty line after, or all on one with -o."""
    return " ".join(lines) + "\n" if one_line else "\n   ".join(lines) + "\n\n"


def node_text(facts: NodeFacts, *, detail: bool, one_line: bool) -> str:
    """A node's record."""
    inventory = facts.cluster.world.inventory
    recent = at_least(inventory, 23, 2)
    lines = [
        *_identity_lines(facts),
        *_gres_lines(facts, detail, recent),
        *_host_lines(facts),
        *_state_lines(facts, inventory, recent),
        *_tres_lines(facts),
        *_power_lines(recent),
        *_reason_lines(facts, inventory, recent),
    ]
    return record(lines, one_line)


def partition_text(cluster: Cluster, partition: PartitionConfiguration, *, one_line: bool) -> str:
    """A partition's record."""
    recent = at_least(cluster.world.inventory, 24, 5)
    nodes = [cluster.node(name) for name in partition.nodes]
    sockets = " MaxCPUsPerSocket=UNLIMITED" if recent else ""
    topology = " ExclusiveTopo=NO" if recent else ""
    default = _limit(partition.default_time, "NONE")
    most = "UNLIMITED" if partition.max_nodes is None else str(partition.max_nodes)
    lines = [
        f"PartitionName={partition.name}",
        "AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL",
        f"AllocNodes=ALL Default={_yes(partition.default)} QoS=N/A",
        f"DefaultTime={default} DisableRootJobs=NO ExclusiveUser=NO{topology} GraceTime=0 "
        f"Hidden={_yes(partition.hidden)}",
        f"MaxNodes={most} MaxTime={_limit(partition.max_time, 'UNLIMITED')} MinNodes={partition.min_nodes} LLN=NO "
        f"MaxCPUsPerNode=UNLIMITED{sockets}",
        f"Nodes={fold(partition.nodes)}",
        f"PriorityJobFactor={partition.priority_factor} PriorityTier={partition.priority_tier} "
        f"RootOnly={_yes(partition.root_only)} ReqResv=NO OverSubscribe=NO",
        "OverTimeLimit=NONE PreemptMode=OFF",
        f"State={partition.state} TotalCPUs={sum(node.cpus for node in nodes)} TotalNodes={len(nodes)} "
        "SelectTypeParameters=NONE",
        f"JobDefaults={_job_defaults(partition)}",
        f"{_default_memory(cluster)} MaxMemPerNode=UNLIMITED",
        f"TRES={_partition_tres(nodes)}",
    ]
    return record(lines, one_line)


def _identity_lines(facts: NodeFacts) -> list[str]:
    node = facts.configured
    arch = "Arch=x86_64 " if facts.known else ""
    load = f"{facts.load // 100}.{facts.load % 100:02d}" if facts.known else "N/A"
    features = node.features or "(null)"
    return [
        f"NodeName={facts.name} {arch}CoresPerSocket={node.cores} ",
        f"CPUAlloc={facts.cpus_allocated} CPUEfctv={node.cpus} CPUTot={node.cpus} CPULoad={load}",
        f"AvailableFeatures={features}",
        f"ActiveFeatures={features}",
    ]


def _gres_lines(facts: NodeFacts, detail: bool, recent: bool) -> list[str]:
    lines = [f"Gres={facts.gres}"]
    if detail:
        lines += [] if recent else ["GresDrain=N/A"]
        lines.append(f"GresUsed={facts.gres_used}")
    return lines


def _host_lines(facts: NodeFacts) -> list[str]:
    node, world = facts.configured, facts.cluster.world
    version = f"Version={facts.version}" if facts.known else ""
    port = "" if node.port == DEFAULT_PORT else f"Port={node.port} "
    lines = [f"NodeAddr={node.address or facts.name} NodeHostName={node.host or facts.name} {port}{version}"]
    if facts.known:
        release = kernel_image.running(world, facts.name)
        lines.append(f"OS=Linux {release} {kernel_image.version(release)} ")
    free = str(facts.free_memory) if facts.known else "N/A"
    memory = f"RealMemory={node.real_memory} AllocMem={facts.held.memory} FreeMem={free}"
    return [*lines, f"{memory} Sockets={node.sockets} Boards=1"]


def _state_lines(facts: NodeFacts, inventory: Inventory, recent: bool) -> list[str]:
    node, world = facts.configured, facts.cluster.world
    lines = [
        f"State={facts.condition.complete} ThreadsPerCore={node.threads} TmpDisk={node.temporary_disk} "
        f"Weight={node.weight} Owner=N/A MCS_label=N/A"
    ]
    if facts.record.next_state and (facts.record.reboot_requested or facts.record.reboot_issued):
        lines.append(f"NextState={facts.record.next_state}")
    lines.append(f"Partitions={','.join(facts.cluster.configuration.partitions_of(facts.name))} ")
    booted, daemon = boot_time(world, facts.name), _daemon_start(facts)
    if facts.known:
        lines.append(f"BootTime={timestamp(inventory, booted)} SlurmdStartTime={timestamp(inventory, daemon)}")
    else:
        lines.append("BootTime=None SlurmdStartTime=None")
    busy = facts.record.last_busy
    last = timestamp(inventory, _last_busy(facts) if busy is None else busy)
    return [*lines, f"LastBusyTime={last} ResumeAfterTime=None" if recent else f"LastBusyTime={last}"]


def _daemon_start(facts: NodeFacts) -> int:
    """When slurmd started, as it told when it registered."""
    return facts.record.slurmd_start or service_state.service(facts.cluster.world, facts.name, "slurmd").since


def _last_busy(facts: NodeFacts) -> int:
    """When the node was last done with a job, or came up; a job that runs now does not count."""
    ended = accounting.last_end(facts.cluster.world, facts.name)
    return _daemon_start(facts) if ended is None else max(ended, _daemon_start(facts))


def _tres_lines(facts: NodeFacts) -> list[str]:
    node, held = facts.configured, facts.held
    gpus = f",gres/gpu={node.gpus}" if node.gpus else ""
    configured = f"cpu={node.cpus},mem={jobs.memory_text(node.real_memory)},billing={node.cpus}{gpus}"
    used = f"cpu={facts.cpus_allocated},mem={jobs.memory_text(held.memory)}" if held.running else ""
    used_gpus = f",gres/gpu={len(held.gpus)}" if held.gpus else ""
    return [f"CfgTRES={configured}", f"AllocTRES={used}{used_gpus}"]


def _power_lines(recent: bool) -> list[str]:
    watts = "CurrentWatts=0 AveWatts=0"
    return [watts] if recent else ["CapWatts=n/a", watts, "ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s"]


def _reason_lines(facts: NodeFacts, inventory: Inventory, recent: bool) -> list[str]:
    """The reason and the comment; since 23.02 a line of blanks stands before them."""
    known = facts.record
    lines = [""] if recent else []
    if known.reason:
        lines.append(f"Reason={known.reason} [{known.reason_user}@{timestamp(inventory, known.reason_time)}]")
    return [*lines, f"Comment={known.comment}"] if known.comment else lines


def _yes(value: bool) -> str:
    return "YES" if value else "NO"


def _limit(limit: int | None, default: str) -> str:
    return default if limit is None else full_time(limit // SECOND)


def _job_defaults(partition: PartitionConfiguration) -> str:
    parts = [("DefCpuPerGPU", partition.cpus_per_gpu), ("DefMemPerGPU", partition.memory_per_gpu)]
    return ",".join(f"{name}={value}" for name, value in parts if value) or "(null)"


def _default_memory(cluster: Cluster) -> str:
    per_cpu = cluster.configuration.number("DefMemPerCPU", 0)
    return f"DefMemPerCPU={per_cpu}" if per_cpu else "DefMemPerNode=UNLIMITED"


def _partition_tres(nodes: Sequence[NodeConfiguration]) -> str:
    gpus = sum(node.gpus for node in nodes)
    return jobs.tres(sum(node.cpus for node in nodes), sum(node.real_memory for node in nodes), len(nodes), gpus)
