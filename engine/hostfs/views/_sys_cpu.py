"""/sys/devices/system: CPUs with their topology and frequencies, and NUMA nodes (Linux 6.8, intel_pstate in active
mode).
"""

from __future__ import annotations

from engine.control.processes import memory
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, control_file, directory, file
from engine.hostfs.tree import ErrorCode
from engine.hostfs.views._cpu_sets import cpu_count, cpu_list, cpu_mask, cpus_of_numa, siblings
from engine.world.inventory import Node as Server

KHZ_PER_MHZ = 1000
LOCAL, REMOTE = 10, 21

# What Linux 6.8 says of Sapphire Rapids (arch/x86/kernel/cpu/bugs.c), with the mitigations that the boot log names.
_UNAFFECTED = (
    "gather_data_sampling", "itlb_multihit", "l1tf", "mds", "meltdown", "mmio_stale_data", "reg_file_data_sampling",
    "retbleed", "spec_rstack_overflow", "srbds", "tsx_async_abort",
)  # fmt: skip
_VULNERABILITIES = {
    **dict.fromkeys(_UNAFFECTED, "Not affected"),
    "spec_store_bypass": "Mitigation: Speculative Store Bypass disabled via prctl",
    "spectre_v1": "Mitigation: usercopy/swapgs barriers and __user pointer sanitization",
    "spectre_v2": "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; RSB filling; PBRSB-eIBRS: SW sequence; "
    "BHI: BHI_DIS_S",
}


def cpus(machine: Machine) -> Children:
    """/sys/devices/system/cpu."""
    count = cpu_count(machine.node)
    everything = f"{cpu_list(range(count))}\n"
    lists = {name: file(everything, 0o444) for name in ("online", "possible", "present")}
    pstate = {
        "status": file("active\n"),
        "no_turbo": file("0\n"),
        "max_perf_pct": file("100\n"),
        "min_perf_pct": file("21\n"),
    }
    return {
        **lists,
        "offline": file("\n", 0o444),
        "kernel_max": file("8191\n", 0o444),
        "vulnerabilities": directory({name: file(f"{text}\n", 0o444) for name, text in _VULNERABILITIES.items()}),
        "smt/active": file("1\n", 0o444),
        "smt/control": file("on\n"),
        "intel_pstate": directory(pstate),
        **{f"cpu{number}": directory(_cpu(machine.node, number)) for number in range(count)},
    }


def _cpu(node: Server, number: int) -> Children:
    cores = node.cpu.cores
    numa = number // cores % node.cpu.sockets
    texts = {
        "topology/physical_package_id": str(numa),
        "topology/core_id": str(number % cores),
        "topology/thread_siblings_list": cpu_list(siblings(node, number)),
        "topology/core_siblings_list": cpu_list(cpus_of_numa(node, numa)),
        "cpufreq/scaling_driver": "intel_pstate",
        "cpufreq/cpuinfo_max_freq": str(node.cpu.mhz_max * KHZ_PER_MHZ),
        "cpufreq/cpuinfo_min_freq": str(node.cpu.mhz_min * KHZ_PER_MHZ),
        "cpufreq/scaling_available_governors": "performance powersave",
    }
    writable = {
        "cpufreq/scaling_governor": "performance" if node.gpus else "powersave",
        "cpufreq/scaling_max_freq": str(node.cpu.mhz_max * KHZ_PER_MHZ),
        "cpufreq/scaling_min_freq": str(node.cpu.mhz_min * KHZ_PER_MHZ),
    }
    online: dict[str, Node] = {"online": file("1\n")} if number else {}
    fixed = {name: file(f"{text}\n", 0o444) for name, text in texts.items()}
    return {**fixed, **{name: file(f"{text}\n") for name, text in writable.items()}, **online}


def numa_nodes(machine: Machine) -> Children:
    """/sys/devices/system/node."""
    sockets = machine.node.cpu.sockets
    numbers = f"{cpu_list(range(sockets))}\n"
    lists = {
        name: file(numbers, 0o444) for name in ("online", "possible", "has_cpu", "has_memory", "has_normal_memory")
    }
    return {**lists, **{f"node{number}": directory(_numa_node(machine.node, number)) for number in range(sockets)}}


def _numa_node(node: Server, number: int) -> Children:
    local = cpus_of_numa(node, number)
    distances = " ".join(str(LOCAL if other == number else REMOTE) for other in range(node.cpu.sockets))
    return {
        "cpulist": file(f"{cpu_list(local)}\n", 0o444),
        "cpumap": file(f"{cpu_mask(local, node)}\n", 0o444),
        "distance": file(f"{distances}\n", 0o444),
        "meminfo": file(lambda machine: _memory(machine, number), 0o444),
        "compact": control_file(lambda _machine, _content: ErrorCode.NOT_MODELLED),
    }


def _memory(machine: Machine, number: int) -> str:
    """The host's memory divided evenly among the sockets: what is where is not modelled."""
    sockets, figures = machine.node.cpu.sockets, memory(machine.world, machine.host)
    total, free = figures.total // sockets, figures.free // sockets
    lines = {"MemTotal": total, "MemFree": free, "MemUsed": total - free}
    return "".join(f"Node {number} {name + ':':<15}{kib:>10} kB\n" for name, kib in lines.items())
