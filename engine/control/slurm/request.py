"""From what a user asks for to a job: partition, nodes, tasks, CPUs, GPUs and memory worked out, or the controller's
refusal.

Rules from sbatch(1) and slurm.conf(5), 24.11: --gpus is for the job, --gres and --gpus-per-node for each node; CPUs and
memory follow the GPUs by the partition's JobDefaults (DefCpuPerGPU, DefMemPerGPU), else DefMemPerCPU, else all of the
node. With CR_Core a job gets whole cores.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control.slurm.configuration import NodeConfiguration, PartitionConfiguration, SlurmConfiguration
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.features import names as feature_names
from engine.control.slurm.jobs import account_of
from engine.control.slurm.priority import plain
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory
from engine.world.records import Job


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a user asked for, as far as it was said (None: not said). Memory in MiB, 0 for all; GPUs with their type if
    one was given.
    """

    partition: str = ""
    nodes: int | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    cpus_per_task: int | None = None
    gpus: int | None = None
    gpus_per_node: int | None = None
    gpus_per_task: int | None = None
    gpu_type: str = ""
    gpu_request: str = ""
    memory: int | None = None
    memory_per_cpu: int | None = None
    memory_per_gpu: int | None = None
    time_limit: int | None = None
    unlimited: bool = False
    node_list: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclusive: bool = False
    features: str = ""
    reservation: str = ""


@dataclass(frozen=True, slots=True)
class _Share:
    """What the job takes of each of its nodes."""

    cpus: int
    gpus: int
    memory: int


def resolve(configuration: SlurmConfiguration, wanted: Wanted, job: Job, inventory: Inventory) -> Job:
    """`job` with what it asks for worked out. Raises Refused."""
    partition = _partition(configuration, wanted, job.user)
    _check_names(configuration, partition, wanted)
    count = _node_count(wanted, [node for node, _ in configuration.kinds[partition.name]], len(partition.nodes))
    tasks = _task_count(wanted, count)
    shares = [
        (_share(node, configuration, partition, wanted, count, tasks), node, names)
        for node, names in configuration.kinds[partition.name]
    ]
    able = [(share, names) for share, node, names in shares if _fits(node, wanted, share)]
    if not able:
        raise Refused(SlurmError.NODE_CONFIGURATION, *_memory_note(configuration, partition, wanted))
    if any(not any(name in names for _, names in able) for name in wanted.node_list):
        raise Refused(SlurmError.NODE_CONFIGURATION)
    share = able[0][0]
    resolved = replace(
        job,
        partition=partition.name,
        node_count=count,
        task_count=tasks,
        tasks_per_node=wanted.tasks_per_node or 0,
        cpus_per_task=wanted.cpus_per_task or 1,
        cpus_per_node=share.cpus,
        gpus_per_node=share.gpus,
        gpu_type=wanted.gpu_type,
        gpu_request=wanted.gpu_request,
        memory_mib=share.memory,
        memory_per=_memory_unit(configuration, partition, wanted, share.gpus),
        memory_request=_memory_request(configuration, partition, wanted, share),
        time_limit=0 if wanted.unlimited else wanted.time_limit or partition.default_time or partition.max_time or 0,
        requested_nodes=wanted.node_list,
        excluded_nodes=wanted.exclude,
        exclusive=wanted.exclusive,
        features=wanted.features,
        reservation=wanted.reservation,
        account=job.account or account_of(inventory, job.user),
    )
    return replace(resolved, priority=plain(configuration, resolved))


def _partition(configuration: SlurmConfiguration, wanted: Wanted, user: str) -> PartitionConfiguration:
    if not wanted.partition:
        if configuration.default_partition is None:
            raise Refused(SlurmError.NO_DEFAULT_PARTITION)
        return configuration.default_partition
    partition = configuration.partition(wanted.partition)
    if partition is None:
        raise Refused(SlurmError.INVALID_PARTITION, f"invalid partition specified: {wanted.partition}")
    if partition.root_only and user != "root":
        raise Refused(SlurmError.ACCESS_DENIED)
    return partition


def _check_names(configuration: SlurmConfiguration, partition: PartitionConfiguration, wanted: Wanted) -> None:
    if any(name not in configuration.nodes for name in (*wanted.node_list, *wanted.exclude)):
        raise Refused(SlurmError.INVALID_NODE)
    if any(not any(name in names for _, names in configuration.kinds[partition.name]) for name in wanted.node_list):
        raise Refused(SlurmError.NODES_NOT_IN_PARTITION)
    if not feature_names(wanted.features) <= configuration.features:
        raise Refused(SlurmError.INVALID_FEATURE)


def _node_count(wanted: Wanted, nodes: list[NodeConfiguration], there: int) -> int:
    """As said, or the fewest nodes of the partition that hold what is asked for."""
    if wanted.nodes is not None:
        return max(wanted.nodes, len(wanted.node_list))
    most_gpus = max((node.gpus for node in nodes), default=0)
    most_cpus = max((node.cpus for node in nodes), default=1)
    count = max(1, len(wanted.node_list))
    if wanted.gpus and most_gpus:
        count = max(count, _even(wanted.gpus, most_gpus, there))
    if wanted.tasks and wanted.tasks_per_node:
        count = max(count, -(-wanted.tasks // wanted.tasks_per_node))
    if wanted.tasks and wanted.gpus_per_task and most_gpus:
        count = max(count, _even(wanted.tasks, max(most_gpus // wanted.gpus_per_task, 1), there))
    if wanted.tasks:
        count = max(count, -(-wanted.tasks * (wanted.cpus_per_task or 1) // most_cpus))
    return count


def _even(total: int, most: int, nodes: int) -> int:
    """The fewest nodes, of so many, that can have equal parts of `total`, at most `most` each; uneven if none can."""
    fewest = -(-total // most)
    return next((parts for parts in range(fewest, nodes + 1) if total % parts == 0), fewest)


def _task_count(wanted: Wanted, nodes: int) -> int:
    if wanted.tasks is not None:
        return wanted.tasks
    return nodes * (wanted.tasks_per_node or 1)


def _share(
    node: NodeConfiguration,
    configuration: SlurmConfiguration,
    partition: PartitionConfiguration,
    wanted: Wanted,
    count: int,
    tasks: int,
) -> _Share:
    gpus = _gpus_of_node(wanted, count, tasks)
    cpus = -(-tasks // count) * (wanted.cpus_per_task or 1)
    if wanted.cpus_per_task is None and gpus:
        cpus = max(cpus, gpus * partition.cpus_per_gpu)
    cpus = -(-cpus // node.threads) * node.threads
    if wanted.exclusive and not wanted.memory:
        return _Share(cpus, gpus, node.real_memory)
    return _Share(cpus, gpus, _memory(node, configuration, partition, wanted, cpus, gpus))


def _gpus_of_node(wanted: Wanted, count: int, tasks: int) -> int:
    if wanted.gpus_per_node is not None:
        return wanted.gpus_per_node
    if wanted.gpus is not None:
        return -(-wanted.gpus // count)
    return -(-tasks * wanted.gpus_per_task // count) if wanted.gpus_per_task else 0


def _memory(
    node: NodeConfiguration,
    configuration: SlurmConfiguration,
    partition: PartitionConfiguration,
    wanted: Wanted,
    cpus: int,
    gpus: int,
) -> int:
    """MiB on each node."""
    if wanted.memory is not None:
        return wanted.memory or node.real_memory
    if wanted.memory_per_cpu is not None:
        return wanted.memory_per_cpu * cpus
    if wanted.memory_per_gpu is not None:
        return wanted.memory_per_gpu * gpus
    if gpus and partition.memory_per_gpu:
        return partition.memory_per_gpu * gpus
    per_cpu = configuration.number("DefMemPerCPU", 0)
    return per_cpu * cpus if per_cpu else configuration.number("DefMemPerNode", 0) or node.real_memory


def _memory_unit(
    configuration: SlurmConfiguration, partition: PartitionConfiguration, wanted: Wanted, gpus: int
) -> str:
    """What the memory was asked for: each Node, CPU or TRES (that is, GPU)."""
    if wanted.memory is not None:
        return "Node"
    if wanted.memory_per_cpu is not None:
        return "CPU"
    if wanted.memory_per_gpu is not None or (gpus and partition.memory_per_gpu):
        return "TRES"
    return "CPU" if configuration.number("DefMemPerCPU", 0) else "Node"


def _memory_request(
    configuration: SlurmConfiguration, partition: PartitionConfiguration, wanted: Wanted, share: _Share
) -> int:
    unit = _memory_unit(configuration, partition, wanted, share.gpus)
    if unit == "Node" and not wanted.memory and not configuration.number("DefMemPerNode", 0):
        return 0
    divisor = {"Node": 1, "CPU": max(share.cpus, 1), "TRES": max(share.gpus, 1)}[unit]
    return share.memory // divisor


def _fits(node: NodeConfiguration, wanted: Wanted, share: _Share) -> bool:
    """Whether the node could ever hold its share."""
    right_type = not wanted.gpu_type or not share.gpus or wanted.gpu_type == node.gpu_type
    return right_type and share.cpus <= node.cpus and share.gpus <= node.gpus and share.memory <= node.real_memory


def _memory_note(
    configuration: SlurmConfiguration, partition: PartitionConfiguration, wanted: Wanted
) -> tuple[str, ...]:
    """The line before the error when it is the memory alone that no node has."""
    largest = max((configuration.nodes[name].real_memory for name in partition.nodes), default=0)
    return (
        ("Memory specification can not be satisfied",) if wanted.memory is not None and wanted.memory > largest else ()
    )
