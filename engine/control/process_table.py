"""Processes that are there because the system runs: init, the kernel's threads, and the main processes of services.

Names of threads as `ps` shows them under Ubuntu's kernel 6.8 (rescuers are `kworker/R-` and the first letters of their
queue).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from engine.control import kernel_image, service_state
from engine.control.units import Unit
from engine.world.inventory import Node
from engine.world.records import Process
from engine.world.world import World

_FIRST = (
    "kthreadd",
    "pool_workqueue_release",
    "kworker/R-rcu_g",
    "kworker/R-rcu_p",
    "kworker/R-slub_",
    "kworker/R-netns",
    "kworker/0:0H-events_highpri",
    "kworker/R-mm_pe",
    "rcu_tasks_kthread",
    "rcu_tasks_rude_kthread",
    "rcu_tasks_trace_kthread",
    "ksoftirqd/0",
    "rcu_preempt",
    "migration/0",
    "idle_inject/0",
    "cpuhp/0",
)
_OF_EACH_CPU = ("cpuhp/{}", "idle_inject/{}", "migration/{}", "ksoftirqd/{}", "kworker/{}:0H-events_highpri")
_REST = (
    "kdevtmpfs",
    "kworker/R-inet_",
    "kauditd",
    "khungtaskd",
    "oom_reaper",
    "kworker/R-write",
    "kcompactd0",
    "kcompactd1",
    "ksmd",
    "khugepaged",
    "kworker/R-kinte",
    "kworker/R-kbloc",
    "kworker/R-blkcg",
    "irq/9-acpi",
    "kworker/R-ata_s",
    "kworker/R-md",
    "kworker/R-md_bi",
    "kworker/R-edac-",
    "kworker/R-devfr",
    "watchdogd",
    "kswapd0",
    "kswapd1",
    "ecryptfs-kthread",
    "kworker/R-kthro",
    "kworker/R-acpi_",
    "kworker/R-nvme-",
    "kworker/R-nvme-",
    "kworker/R-mld",
    "kworker/R-ipv6_",
    "kworker/R-kstrp",
    "kworker/R-crypt",
    "kworker/R-ext4-",
    "kworker/R-raid5",
)
_OF_RDMA = (
    "kworker/R-ib-co",
    "kworker/R-ib_mc",
    "kworker/R-mlx5_",
    "kworker/R-mlx5_",
    "kworker/R-rdma_",
    "kworker/R-ipoib",
)
_OF_NVIDIA = (
    "nvidia-modeset/kthread_q",
    "nvidia-modeset/deferred_close_kthread_q",
    "UVM global queue",
    "UVM deferred release queue",
)
_IDLE_STATE = ("kworker", "rcu_", "pool_workqueue", "idle_inject")


def system_processes(world: World, host: str, *, driver: bool) -> list[Process]:
    """Everything but what people and jobs started; `driver`: the NVIDIA modules are loaded. By process id."""
    boot, node = world.nodes[host].booted_at, world.node(host)
    key = ("kernel threads", kernel_image.cpus(node), host, boot, driver)
    threads = world.inventory.once(key, lambda: tuple(_threads(node, boot, driver)))
    init = Process(
        1, 0, "root", "/sbin/init", boot, resident_kib=14_336, virtual_kib=23_520, state="Ss", unit="init.scope"
    )
    return [init, *threads, *service_processes(world, host)]


def service_processes(world: World, host: str) -> Iterator[Process]:
    """The main processes of the services that run."""
    for unit in service_state.units_of(world.node(host)):
        if unit.runs_process:
            state = service_state.service(world, host, unit.name)
            if state.active and state.pid:
                yield _main_process(unit, state.pid, state.since)


def is_kernel_thread(process: Process) -> bool:
    """Whether it is a thread of the kernel, which no signal reaches."""
    return process.parent == 2 or process.pid == 2


def _main_process(unit: Unit, pid: int, since: int) -> Process:
    return Process(
        pid,
        1,
        unit.user,
        unit.command,
        since,
        cpu_permille=unit.cpu_permille,
        resident_kib=unit.memory,
        virtual_kib=unit.memory * 4 + 9_000,
        state="Ss" if unit.tasks == 1 else "Ssl",
        unit=unit.name,
    )


def _threads(node: Node, boot: int, driver: bool) -> Iterator[Process]:
    numbers = count(2)
    for name in (*_FIRST, *_names_by_cpu(kernel_image.cpus(node)), *_names_of_devices(node, driver)):
        pid = next(numbers)
        state = "I" if name.startswith(_IDLE_STATE) else "S"
        yield Process(pid, 0 if pid == 2 else 2, "root", f"[{name}]", boot, resident_kib=0, virtual_kib=0, state=state)


def _names_by_cpu(cpus: int) -> Iterable[str]:
    return (name.format(cpu) for cpu in range(1, cpus) for name in _OF_EACH_CPU)


def _names_of_devices(node: Node, driver: bool) -> list[str]:
    names = [*_REST]
    boot = [drive for drive in node.drives if drive.purpose == "boot"]
    names += ["md0_raid1", "jbd2/md0-8"] if len(boot) > 1 else ["jbd2/nvme0n1p2-8"]
    names += _OF_RDMA if node.hcas else ()
    if driver:
        names += [f"irq/{182 + gpu.index}-nvidia" for gpu in node.gpus]
        names += ["nvidia", *(["nv_queue"] * len(node.gpus)), *_OF_NVIDIA]
    return names
