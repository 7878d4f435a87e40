"""What counts as harm to others' work in a cluster."""

from __future__ import annotations

from engine.control import harm, processes
from engine.control.boot import Reboot
from tests.engine.control.kubernetes.cluster import Cluster


def told(cluster: Cluster) -> list[tuple[str, str]]:
    return [(each.kind, each.what) for each in harm.harms(cluster.world)]


def test_a_pod_that_nobody_brings_back_is_harm_and_a_replica_is_none() -> None:
    cluster = Cluster()
    node = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    cluster.api.delete(cluster.resource("pods"), "serving", cluster.items("pods", "serving")[0]["metadata"]["name"])
    assert told(cluster) == []
    cluster.api.delete(cluster.resource("pods"), "research", "llama-sft-0")
    assert told(cluster) == [("job_killed", f"pod research/llama-sft-0 on {node}")]


def test_a_killed_process_of_a_pod_is_harm() -> None:
    cluster = Cluster()
    node = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    process = next(each for each in cluster.world.systems[node].processes if each.command.startswith("torchrun"))
    cluster.simulation.apply(processes.Kill(node, process.pid, 9, "root"))
    assert told(cluster) == [("job_killed", f"pod research/llama-sft-0 on {node}")]


def test_a_restart_of_a_cordoned_empty_node_is_none() -> None:
    cluster = Cluster()
    busy = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    quiet = next(name for name in ("gpu-01", "gpu-02", "gpu-03") if name != busy)
    cluster.api.patch(cluster.resource("nodes"), "", quiet, "merge", {"spec": {"unschedulable": True}})
    cluster.simulation.apply(Reboot(quiet, "alex"))
    assert told(cluster) == []
    cluster.simulation.apply(Reboot(busy, "alex"))
    assert told(cluster) == [("job_killed", f"pod research/llama-sft-0 on {busy}"), ("node_down", busy)]
