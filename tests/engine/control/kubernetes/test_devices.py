"""Extended resources: who sees a lost GPU and when; no device is given twice."""

from __future__ import annotations

import pytest

from engine.control import systemd
from engine.control.kubernetes import devices
from engine.faults.fault import parse_fault
from tests.engine.control.kubernetes.cluster import GPU, Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def plugin(cluster: Cluster, node: str) -> tuple[str, str]:
    """Namespace and name of the pod in which a node's plugin runs."""
    owner = cluster.world.kube_nodes[node].plugins[0].owner
    for key in cluster.world.kube_pods.changed():
        if any(each.id == owner for each in cluster.world.kube_pods[key].containers):
            namespace, _, name = key.partition("/")
            return namespace, name
    raise AssertionError(f"{node} has no plugin")


def test_a_lost_gpu_is_unhealthy_at_once_and_gone_after_a_restart_of_the_plugin(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault("gpu.fell_off_bus target=gpu-03/gpu5"))
    cluster.wait(2)
    status = cluster.get("nodes", "", "gpu-03")["status"]
    assert (status["capacity"][GPU], status["allocatable"][GPU]) == ("8", "7")
    log = cluster.api.logs(*plugin(cluster, "gpu-03"))
    uuid = cluster.world.gpus["gpu-03/gpu5"].uuid
    assert log[-1].endswith(f"'nvidia.com/gpu' device marked unhealthy: {uuid}") and "Xid=79" in log[-2]
    cluster.api.delete(cluster.resource("pods"), *plugin(cluster, "gpu-03"))
    cluster.wait(20)
    status = cluster.get("nodes", "", "gpu-03")["status"]
    assert (status["capacity"][GPU], status["allocatable"][GPU]) == ("7", "7")


def test_an_xid_of_a_program_leaves_the_gpu_healthy(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault("gpu.program_errors target=gpu-03/gpu5 xid=13 every=10m"))
    cluster.wait(1200)
    assert cluster.allocatable("gpu-03") == 8


def test_a_restarted_kubelet_has_no_devices_until_plugins_register(cluster: Cluster) -> None:
    cluster.simulation.apply(systemd.RestartUnit("gpu-01", "kubelet", "alex"))
    assert cluster.allocatable("gpu-01") == 0
    cluster.wait(5)
    assert cluster.allocatable("gpu-01") == 8


def test_no_device_is_given_twice_and_what_lacks_is_said(cluster: Cluster) -> None:
    for number in range(6):
        cluster.pod(f"w{number}", gpus=4)
    cluster.wait(10)
    held = [device for key in cluster.world.kube_pods.changed() for device in cluster.world.kube_pods[key].devices]
    assert len(held) == len(set(held)) <= 24
    waiting = [pod for pod in cluster.items("pods", "research") if pod["status"]["phase"] == "Pending"]
    running = [f"w{number}" for number in range(6) if cluster.word("research", f"w{number}") != "Pending"]
    assert (len(waiting), len(running)) == (4, 2)
    text = waiting[0]["status"]["conditions"][0]["message"]
    assert text == (
        "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 "
        "Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available: 1 Preemption is not helpful for scheduling, "
        "3 No preemption victims found for incoming pod."
    )
    for name in running:
        cluster.api.delete(cluster.resource("pods"), "research", name, grace=0)
    cluster.wait(10)
    assert len([pod for pod in cluster.items("pods", "research") if pod["status"]["phase"] == "Pending"]) == 2


def test_a_plugin_that_goes_leaves_capacity_and_nothing_to_give(cluster: Cluster) -> None:
    devices.disconnect(cluster.simulation, "gpu-02", GPU)
    status = cluster.get("nodes", "", "gpu-02")["status"]
    assert (status["capacity"][GPU], status["allocatable"][GPU]) == ("8", "0")
    assert devices.pick(cluster.world, "gpu-02", GPU, 1) is None


def test_a_lost_gpu_blocks_every_pod_that_leaves_a_choice_until_the_plugin_starts_again(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault("gpu.fell_off_bus target=gpu-03/gpu5"))
    cluster.wait(2)
    cluster.pod("one", gpus=1, nodeName="gpu-03")
    cluster.wait(2)
    assert cluster.word("research", "one") == "UnexpectedAdmissionError"
    assert cluster.get("pods", "research", "one")["status"]["message"] == (
        "Pod was rejected: Allocate failed due to device plugin GetPreferredAllocation rpc failed with err: rpc error: "
        "code = Unknown desc = error getting list of preferred allocation devices: unable to get device link "
        "information: error getting NVLink for devices (0, 5): failed to get nvlink remote pci info: failed to get "
        "nvlink state: GPU is lost, which is unexpected"
    )
    cluster.pod("all", gpus=len(devices.free(cluster.world, "gpu-03", GPU)), nodeName="gpu-03")
    cluster.wait(2)
    assert cluster.word("research", "all") != "UnexpectedAdmissionError"
    cluster.api.delete(cluster.resource("pods"), "research", "all", grace=0)
    cluster.api.delete(cluster.resource("pods"), *plugin(cluster, "gpu-03"))
    cluster.wait(20)
    cluster.pod("two", gpus=1, nodeName="gpu-03")
    cluster.wait(2)
    assert cluster.word("research", "two") == "Running"


def test_replicas_on_such_a_node_are_rejected_again_and_again(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault("gpu.fell_off_bus target=gpu-03/gpu5"))
    for name in ("gpu-01", "gpu-02"):
        cluster.api.patch(cluster.resource("nodes"), "", name, "merge", {"spec": {"unschedulable": True}})
    cluster.api.scale(cluster.resource("deploy"), "serving", "embed", 4)
    cluster.wait(60)
    words = [cluster.word("serving", pod["metadata"]["name"]) for pod in cluster.items("pods", "serving")]
    assert words.count("Running") == 3 and 5 <= words.count("UnexpectedAdmissionError") <= 7
