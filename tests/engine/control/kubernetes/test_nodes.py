"""Nodes: silent kubelets, runtimes and networks that are gone, restarts, taints that evict."""

from __future__ import annotations

import pytest

from engine.control import files, systemd
from engine.control.boot import Reboot
from engine.control.kubernetes import cni
from engine.control.kubernetes.status_error import NoServer, StatusError
from tests.engine.control.kubernetes.cluster import Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def stop(cluster: Cluster, host: str, unit: str) -> None:
    cluster.simulation.apply(systemd.StopUnit(host, unit, "alex"))


def start(cluster: Cluster, host: str, unit: str) -> None:
    cluster.simulation.apply(systemd.StartUnit(host, unit, "alex"))


def test_a_silent_kubelet_is_unknown_after_its_grace_and_its_pods_go_after_five_minutes(cluster: Cluster) -> None:
    node = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    stop(cluster, node, "kubelet")
    cluster.wait(25)
    assert cluster.ready(node)["status"] == "True"
    cluster.wait(25)
    assert (cluster.ready(node)["status"], cluster.ready(node)["message"]) == (
        "Unknown",
        "Kubelet stopped posting node status.",
    )
    taints = cluster.get("nodes", "", node)["spec"]["taints"]
    assert [(each["key"], each["effect"]) for each in taints] == [
        ("node.kubernetes.io/unreachable", "NoSchedule"), ("node.kubernetes.io/unreachable", "NoExecute"),
    ]  # fmt: skip
    with pytest.raises(StatusError, match="connect: connection refused"):
        cluster.api.logs("research", "llama-sft-0")
    cluster.wait(240)
    assert cluster.word("research", "llama-sft-0") == "Running"
    cluster.wait(60)
    assert cluster.word("research", "llama-sft-0") == "Terminating"
    assert any(each.command.startswith("torchrun") for each in cluster.world.systems[node].processes)
    start(cluster, node, "kubelet")
    cluster.wait(30)
    assert cluster.ready(node)["status"] == "True" and "taints" not in cluster.get("nodes", "", node)["spec"]
    assert not any(each.command.startswith("torchrun") for each in cluster.world.systems[node].processes)


def test_a_node_without_its_runtime_is_not_ready(cluster: Cluster) -> None:
    stop(cluster, "gpu-03", "containerd")
    cluster.wait(20)
    assert cluster.ready("gpu-03")["status"] == "True"
    cluster.wait(20)
    assert cluster.ready("gpu-03")["reason"] == "KubeletNotReady"
    assert cluster.ready("gpu-03")["message"] == "container runtime is down"
    start(cluster, "gpu-03", "containerd")
    cluster.wait(10)
    assert cluster.ready("gpu-03")["status"] == "True"


def test_a_lost_network_is_written_anew_by_flannels_init_container(cluster: Cluster) -> None:
    files.put(cluster.simulation, "gpu-01", {cni.CONFIGURATION: None})
    cluster.wait(10)
    assert "NetworkPluginNotReady" in cluster.ready("gpu-01")["message"]
    cluster.pod("there", nodeName="gpu-01")
    cluster.wait(5)
    assert "cni plugin not initialized" in cluster.events("FailedCreatePodSandBox")[0]["message"]
    flannel = next(p for p in cluster.items("pods", "kube-flannel") if p["spec"]["nodeName"] == "gpu-01")
    cluster.api.delete(cluster.resource("pods"), "kube-flannel", flannel["metadata"]["name"])
    cluster.wait(40)
    assert cluster.ready("gpu-01")["status"] == "True" and cluster.word("research", "there") == "Running"


def test_a_restarted_node_starts_its_pods_anew_but_those_with_devices_fail(cluster: Cluster) -> None:
    node = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    proxy = next(
        p
        for p in cluster.items("pods", "kube-system")
        if p["metadata"]["name"].startswith("kube-proxy") and p["spec"]["nodeName"] == node
    )
    cluster.simulation.apply(Reboot(node, "alex"))
    cluster.wait(60)
    assert cluster.ready(node)["status"] == "Unknown" and cluster.word("research", "llama-sft-0") == "Running"
    cluster.wait(540)
    assert cluster.ready(node)["status"] == "True"
    assert cluster.cells("pods", "kube-system", proxy["metadata"]["name"])["Restarts"].startswith("1 (")
    assert cluster.word("research", "llama-sft-0") == "UnexpectedAdmissionError"
    assert cluster.cells("deploy", "serving", "embed")["Ready"] == "3/3" and cluster.allocatable(node) == 8


def test_static_pods_follow_their_manifests(cluster: Cluster) -> None:
    path = "/etc/kubernetes/manifests/kube-scheduler.yaml"
    files.put(cluster.simulation, "cp-01", {path: None})
    cluster.wait(2)
    cluster.pod("alone")
    cluster.wait(10)
    assert cluster.word("research", "alone") == "Pending" and not cluster.events("FailedScheduling")
    files.put(cluster.simulation, "cp-01", {}, gone=path)
    cluster.wait(10)
    assert cluster.word("research", "alone") == "Running"


def test_without_etcd_nobody_answers(cluster: Cluster) -> None:
    files.put(cluster.simulation, "cp-01", {"/etc/kubernetes/manifests/etcd.yaml": None})
    cluster.wait(2)
    with pytest.raises(NoServer, match="connection refused"):
        cluster.api.resources()


def test_a_cordon_is_a_taint_as_well(cluster: Cluster) -> None:
    nodes = cluster.resource("nodes")
    cluster.api.patch(nodes, "", "gpu-01", "strategic", {"spec": {"unschedulable": True}})
    assert cluster.cells("nodes", "", "gpu-01")["Status"] == "Ready,SchedulingDisabled"
    assert cluster.get("nodes", "", "gpu-01")["spec"]["taints"][0]["key"] == "node.kubernetes.io/unschedulable"
    cluster.api.patch(nodes, "", "gpu-01", "strategic", {"spec": {"unschedulable": None}})
    assert "taints" not in cluster.get("nodes", "", "gpu-01")["spec"]
