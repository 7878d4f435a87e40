"""Containers on a node: whether they run, and what they reach."""

from __future__ import annotations

from engine.control.containers import daemon, device_cgroup, inside, lifecycle, shared_memory
from engine.facts.fact import View, fact
from engine.facts.kinds import Host


@fact("container.running")
def running(view: View, host: Host, name: str) -> bool:
    """Whether a container of that name runs."""
    found = lifecycle.find(view.world, host, name)
    return found is not None and found.status == "running"


@fact("container.gpus")
def gpus(view: View, host: Host, name: str) -> int:
    """How many GPUs a running container of that name may open now."""
    found = lifecycle.find(view.world, host, name)
    return len(inside.gpu_indices(view.world, host, found)) if found and found.status == "running" else 0


@fact("container.keeps_gpus")
def keeps_gpus(view: View, host: Host, name: str) -> bool:
    """Whether the GPUs of a running container outlive a reload of systemd."""
    found = lifecycle.find(view.world, host, name)
    return found is not None and found.status == "running" and device_cgroup.keeps_gpus(found)


@fact("container.rdma")
def rdma(view: View, host: Host, name: str) -> bool:
    """Whether a running container may open RDMA devices and lock memory for them."""
    found = lifecycle.find(view.world, host, name)
    if found is None or found.status != "running":
        return False
    passed = found.privileged or any(path.startswith(inside.INFINIBAND) for path in found.devices)
    return passed and inside.memory_lock(found) is None


@fact("container.shm_short")
def container_shm_short(view: View, node: Host, name: str) -> bool:
    """Whether there is a container of that name whose /dev/shm is less than a training on its GPUs needs."""
    found = lifecycle.find(view.world, node, name)
    return found is not None and shared_memory.is_too_small(found)


@fact("container.runtime_known")
def runtime_known(view: View, host: Host) -> bool:
    """Whether dockerd runs, and knows the runtime nvidia and the toolkit's hook."""
    known = "nvidia" in daemon.settings(view.world, host).runtimes
    return daemon.runs(view.world, host) and known and view.world.container_hosts[host].hook
