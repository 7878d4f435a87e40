"""The text of Slurm's configuration files as the site gives it: /etc/slurm/slurm.conf, gres.conf and cgroup.conf.

Everything in them follows from the inventory. Modelled on slurm.conf(5), gres.conf(5) and cgroup.conf(5) of 24.11 and
on what sites with DGX systems write: cons_tres, cgroups that constrain devices, GPUs found through NVML, CPUs and
memory by the GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.kernel.hostlist import fold
from engine.kernel.units import MIB
from engine.world.inventory import Inventory, Node, Partition, stable_hexadecimal

DIRECTORY = "/etc/slurm"
SLURM_CONF = f"{DIRECTORY}/slurm.conf"
GRES_CONF = f"{DIRECTORY}/gres.conf"
CGROUP_CONF = f"{DIRECTORY}/cgroup.conf"
SLURMDBD_CONF = f"{DIRECTORY}/slurmdbd.conf"

# The rest is the firmware's, the kernel's and a margin, so that a node never reports less than this.
_MEMORY_PERMILLE = 950

_SETTINGS = """\
ClusterName={cluster}
SlurmctldHost={controller}{backups}
SlurmUser=slurm
AuthType=auth/munge
CredType=cred/munge
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/var/log/slurm/slurmctld.log
SlurmdLogFile=/var/log/slurm/slurmd.log
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup,task/affinity
MpiDefault=pmix
RebootProgram=/sbin/reboot
ResumeTimeout=900
ReturnToService=1
SlurmctldTimeout=120
SlurmdTimeout=300
InactiveLimit=0
KillWait=30
MinJobAge=300
Waittime=0

# Scheduling
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightJobSize=1000
PriorityWeightPartition=1000
GresTypes=gpu
DefMemPerCPU={memory_per_cpu}

# Accounting
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
AccountingStorageHost={controller}
AccountingStorageTRES=gres/gpu
JobAcctGatherType=jobacct_gather/cgroup
JobCompType=jobcomp/none
"""


def slurm_conf(inventory: Inventory) -> str:
    """The site's slurm.conf."""
    return inventory.once(("slurm.conf",), lambda: _slurm_conf(inventory))


def gres_conf(inventory: Inventory) -> str:
    """The site's gres.conf: slurmd finds the GPUs through NVML when it starts."""
    return inventory.once(("gres.conf",), lambda: _gres_conf(inventory))


def _slurm_conf(inventory: Inventory) -> str:
    names = compute_nodes(inventory)
    nodes = _kinds(inventory, names)
    cpus = min((cpu_count(node) for node in nodes), default=1)
    memory = min((real_memory(node) for node in nodes), default=1000)
    settings = _SETTINGS.format(
        cluster=inventory.cluster,
        controller=controller_host(inventory),
        backups=_backups(inventory),
        memory_per_cpu=memory // cpus // 100 * 100,
    )
    head = f"# {SLURM_CONF} of cluster {inventory.cluster}. The same file on every host; see slurm.conf(5).\n"
    partitions = "\n".join(_partition_line(partition, inventory) for partition in inventory.partitions)
    return f"{head}{settings}\n# Nodes\n{_grouped(inventory, names, _node_line)}\n\n# Partitions\n{partitions}\n"


def _gres_conf(inventory: Inventory) -> str:
    names = [name for name in compute_nodes(inventory) if _like(inventory, name).gpus]
    return f"# {GRES_CONF}; see gres.conf(5).\nAutoDetect=nvml\n{_grouped(inventory, names, _gres_line)}\n"


def cgroup_conf() -> str:
    """The site's cgroup.conf."""
    return (
        f"# {CGROUP_CONF}; see cgroup.conf(5).\n"
        "CgroupPlugin=autodetect\nConstrainCores=yes\nConstrainDevices=yes\nConstrainRAMSpace=yes\nConstrainSwapSpace=no\n"
    )


def slurmdbd_conf(inventory: Inventory) -> str:
    """The site's slurmdbd.conf, which lies on the controller's host alone, for Slurm's own eyes."""
    host = controller_host(inventory)
    return (
        f"# {SLURMDBD_CONF}; see slurmdbd.conf(5).\nAuthType=auth/munge\nDbdHost={host}\nDbdPort=6819\n"
        "SlurmUser=slurm\nDebugLevel=info\nLogFile=/var/log/slurm/slurmdbd.log\nPidFile=/run/slurmdbd.pid\n"
        "StorageType=accounting_storage/mysql\nStorageHost=localhost\nStoragePort=3306\nStorageUser=slurm\n"
        f"StoragePass={stable_hexadecimal(20, inventory.name, 'accounting database')}\nStorageLoc=slurm_acct_db\n"
    )


def default_files(inventory: Inventory) -> dict[str, str]:
    """Text by path, for the file trees of the site's hosts; empty where the site runs no Slurm."""
    if not inventory.partitions:
        return {}
    return {SLURM_CONF: slurm_conf(inventory), GRES_CONF: gres_conf(inventory), CGROUP_CONF: cgroup_conf()}


def controller_host(inventory: Inventory) -> str:
    """Where slurmctld, slurmdbd and the accounting database run: the first head node."""
    return inventory.once(("slurm controller",), lambda: _controller_host(inventory))


def _backups(inventory: Inventory) -> str:
    """Lines for the hosts that stand by for slurmctld: those of service beside the head node."""
    head = controller_host(inventory)
    names = [name for name in inventory.node_names if _like(inventory, name).role == "service" and name != head]
    return "".join(f"\nSlurmctldHost={name}" for name in names)


def _controller_host(inventory: Inventory) -> str:
    roles = ("head", "control", "login")
    names = [name for name in inventory.node_names if _like(inventory, name).role in roles]
    return min(names, key=lambda name: roles.index(_like(inventory, name).role), default=inventory.login_host)


def compute_nodes(inventory: Inventory) -> list[str]:
    """The nodes of all partitions, in the site's order."""
    members = {name for partition in inventory.partitions for name in partition.nodes}
    return [name for name in inventory.node_names if name in members]


def _like(inventory: Inventory, name: str) -> Node:
    """A node with the same parts. A large site has few kinds of nodes: those alike need not all be built."""
    return inventory.node(inventory.pattern(name))


def _kinds(inventory: Inventory, names: Iterable[str]) -> list[Node]:
    """One node of each kind."""
    return [inventory.node(name) for name in dict.fromkeys(inventory.pattern(name) for name in names)]


def cpu_count(node: Node) -> int:
    """Hardware threads, which Slurm calls CPUs."""
    return node.cpu.sockets * node.cpu.cores * node.cpu.threads


def real_memory(node: Node) -> int:
    """What the site configures as RealMemory, MiB."""
    return node.memory_bytes // MIB * _MEMORY_PERMILLE // 1000 // 1000 * 1000


def gpu_type(node: Node) -> str:
    """The GRES type of a node's GPUs: `h100` of `NVIDIA H100 80GB HBM3`."""
    words = node.gpus[0].product.name.lower().split() if node.gpus else []
    return next((word for word in words if word not in ("nvidia", "tesla")), "gpu")


def _grouped(inventory: Inventory, names: Sequence[str], line: Callable[[str, Node], str]) -> str:
    """One line for each run of nodes that are configured alike."""
    groups: dict[str, list[str]] = {}
    lines = {node.name: line("", node) for node in _kinds(inventory, names)}
    for name in names:
        groups.setdefault(lines[inventory.pattern(name)], []).append(name)
    return "\n".join(line(fold(group), _like(inventory, group[0])) for group in groups.values())


def _node_line(names: str, node: Node) -> str:
    gres = f" Gres=gpu:{gpu_type(node)}:{len(node.gpus)}" if node.gpus else ""
    cpu = node.cpu
    return (
        f"NodeName={names} CPUs={cpu_count(node)} Sockets={cpu.sockets} CoresPerSocket={cpu.cores} "
        f"ThreadsPerCore={cpu.threads} RealMemory={real_memory(node)}{gres} State=UNKNOWN"
    )


def _gres_line(names: str, node: Node) -> str:
    return f"NodeName={names} Name=gpu Type={gpu_type(node)}"


def _partition_line(partition: Partition, inventory: Inventory) -> str:
    nodes = _kinds(inventory, partition.nodes)
    default = " Default=YES" if partition.default else ""
    text = (
        f"PartitionName={partition.name} Nodes={fold(partition.nodes)}{default} MaxTime={partition.max_time} State=UP"
    )
    gpus = min((len(node.gpus) for node in nodes), default=0)
    if not gpus:
        return text
    cpus = min(cpu_count(node) // len(node.gpus) for node in nodes)
    memory = min(real_memory(node) // len(node.gpus) for node in nodes) // 1000 * 1000
    return f"{text} JobDefaults=DefCpuPerGPU={cpus},DefMemPerGPU={memory}"
