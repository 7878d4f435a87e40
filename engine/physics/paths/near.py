"""Who is near: the CPUs of a NUMA node, and whether a process that may run on some CPUs is on the right socket."""

from __future__ import annotations

from engine.world.inventory import Node


def cpu_list(node: Node, numa: int) -> str:
    """The logical CPUs of a NUMA node: first the cores, then their second threads, as Linux numbers them."""
    cores = node.cpu.cores
    total = node.cpu.sockets * cores
    starts = [thread * total + numa * cores for thread in range(node.cpu.threads)]
    return ",".join(f"{start}-{start + cores - 1}" for start in starts)


def numa_of(node: Node, cpu: int) -> int:
    """The NUMA node of a logical CPU."""
    cores = node.cpu.cores
    return cpu % (node.cpu.sockets * cores) // cores


def near(node: Node, numa: int, cpus: str) -> bool:
    """Whether a process that may run on the CPUs of the list `cpus` ("": on all) can run on NUMA node `numa`.

    A process that is free to run anywhere counts as near: the kernel and NCCL's own threads settle beside the device.
    """
    if not cpus:
        return True
    return any(numa_of(node, cpu) == numa for part in cpus.split(",") for cpu in span(part))


def common(node: Node, numa: int, cpus: str) -> str:
    """The CPUs of a NUMA node that are also in the list `cpus` ("": all are), as a list; "" for none."""
    if not cpus:
        return cpu_list(node, numa)
    allowed = (cpu for part in cpus.split(",") for cpu in span(part))
    return folded(sorted({cpu for cpu in allowed if numa_of(node, cpu) == numa}))


def span(part: str) -> range:
    """The CPUs of `0-55` or `7`."""
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def folded(cpus: list[int]) -> str:
    """Ascending numbers of CPUs as a list such as `0-3,8`."""
    runs: list[list[int]] = []
    for cpu in cpus:
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
