"""Sets of logical CPUs as the kernel prints them. Numbering is Linux's on two-socket servers: first threads of all
cores, then second ones.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.world.inventory import Node


def cpu_count(node: Node) -> int:
    """Logical CPUs of a node."""
    return node.cpu.sockets * node.cpu.cores * node.cpu.threads


def cpus_of_numa(node: Node, numa: int) -> list[int]:
    """The CPUs of a NUMA node; there is one for each socket."""
    cores = node.cpu.cores
    first = [numa * cores + thread * node.cpu.sockets * cores for thread in range(node.cpu.threads)]
    return [start + core for start in first for core in range(cores)]


def siblings(node: Node, cpu: int) -> list[int]:
    """The CPUs of the core that `cpu` belongs to."""
    cores = node.cpu.sockets * node.cpu.cores
    return [cpu % cores + thread * cores for thread in range(node.cpu.threads)]


def cpu_list(cpus: Iterable[int]) -> str:
    """`0-55,112-167`."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def cpu_mask(cpus: Iterable[int], node: Node) -> str:
    """Groups of 32 bits, the highest first: `0000ffff,ffffffff`."""
    bits, count = sum(1 << cpu for cpu in cpus), cpu_count(node)
    groups = -(-count // 32)
    words = [f"{bits >> 32 * group & 0xFFFFFFFF:08x}" for group in reversed(range(groups))]
    top_digits = -(-(count - 32 * (groups - 1)) // 4)
    return ",".join([words[0][8 - top_digits :], *words[1:]])
