"""The GPU Operator: operands, labels, validation, its policy, and the MIG manager."""

from __future__ import annotations

import pytest

from engine.control.kubernetes.gpu_operator import operands
from engine.control.mig.devices import devices
from engine.faults.fault import parse_fault
from tests.engine.control.kubernetes.cluster import GPU, VECTOR_ADD, Cluster
from tests.support.run import run_command

NODE = "gpu-03"
CONFIG, STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def label(cluster: Cluster, values: dict[str, str | None], node: str = NODE) -> None:
    cluster.api.patch(cluster.resource("nodes"), "", node, "merge", {"metadata": {"labels": values}})


def labels(cluster: Cluster, node: str = NODE) -> dict[str, str]:
    found: dict[str, str] = cluster.get("nodes", "", node)["metadata"]["labels"]
    return found


def ours(cluster: Cluster, what: str, node: str = NODE) -> dict[str, str]:
    """NVIDIA's resources of a node; `what` is capacity or allocatable."""
    found = cluster.get("nodes", "", node)["status"][what]
    return {key: value for key, value in found.items() if key.startswith("nvidia.com/")}


def words(cluster: Cluster, node: str = NODE) -> dict[str, str]:
    """STATUS of the operands on a node, by the beginning of their names."""
    names = ("nvidia-device-plugin-daemonset-", operands.VALIDATOR, operands.DISCOVERY, operands.MANAGER)
    keys = {name: operands.pod_on(cluster.world, node, name) for name in names}
    return {name.rstrip("-"): cluster.word("gpu-operator", key.partition("/")[2]) for name, key in keys.items() if key}


def emptied(cluster: Cluster) -> None:
    """Nothing holds a GPU of the node."""
    cluster.api.scale(cluster.resource("deploy"), "serving", "embed", 0)
    for key in [key for key in cluster.world.kube_pods.changed() if cluster.world.kube_pods[key].node == NODE]:
        if key.startswith("research/"):
            cluster.api.delete(cluster.resource("pods"), "research", key.partition("/")[2], grace=0)
    cluster.wait(60)


def strategy(cluster: Cluster, word: str) -> None:
    body = {"spec": {"mig": {"strategy": word}}}
    cluster.api.patch(cluster.resource("clusterpolicy"), "", "cluster-policy", "merge", body)
    cluster.wait(240)


def test_operands_run_and_the_policy_is_ready(cluster: Cluster) -> None:
    assert set(words(cluster).values()) == {"Running"} and len(words(cluster)) == 4
    assert cluster.cells("clusterpolicy", "", "cluster-policy")["Status"] == "ready"
    found = labels(cluster)
    assert found["feature.node.kubernetes.io/pci-10de.present"] == "true"
    assert found["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3" and found["nvidia.com/gpu.count"] == "8"
    assert (found[CONFIG], found[STATE]) == ("all-disabled", "success")
    assert "nvidia.com/gpu.present" not in labels(cluster, "cp-01")


def test_a_node_without_operands_has_capacity_and_nothing_to_give(cluster: Cluster) -> None:
    label(cluster, {operands.KEEP_AWAY: "false"})
    cluster.wait(60)
    assert words(cluster) == {} and "nvidia.com/gpu.deploy.device-plugin" not in labels(cluster)
    assert (ours(cluster, "capacity"), ours(cluster, "allocatable")) == ({GPU: "8"}, {GPU: "0"})
    label(cluster, {operands.KEEP_AWAY: None})
    cluster.wait(60)
    assert cluster.allocatable(NODE) == 8


def test_a_uniform_geometry_is_offered_as_gpus(cluster: Cluster) -> None:
    emptied(cluster)
    label(cluster, {CONFIG: "all-1g.10gb"})
    cluster.wait(5)
    assert labels(cluster)[STATE] == "pending"
    assert labels(cluster)["nvidia.com/gpu.deploy.device-plugin"] == "paused-for-mig-change"
    cluster.wait(120)
    found = labels(cluster)
    assert found[STATE] == "success" and ours(cluster, "allocatable") == {GPU: "56"}
    assert found["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"
    assert (found["nvidia.com/gpu.count"], found["nvidia.com/gpu.slices.gi"]) == ("56", "1")
    label(cluster, {CONFIG: "all-disabled"})
    cluster.wait(120)
    assert ours(cluster, "allocatable") == {GPU: "8"} and not cluster.world.mig.changed()


def test_mixed_instances_need_the_strategy_mixed_and_have_names_of_their_own(cluster: Cluster) -> None:
    emptied(cluster)
    label(cluster, {CONFIG: "all-balanced"})
    cluster.wait(120)
    assert words(cluster)["nvidia-device-plugin-daemonset"] == "CrashLoopBackOff"
    key = operands.pod_on(cluster.world, NODE, "nvidia-device-plugin-daemonset-") or ""
    log = cluster.api.logs("gpu-operator", key.partition("/")[2], previous=True)
    assert log[-1].endswith("invalid MIG configuration: more than one MIG device type present on node")
    assert labels(cluster)["nvidia.com/gpu.product"].endswith("-MIG-INVALID")
    assert cluster.cells("clusterpolicy", "", "cluster-policy")["Status"] == "notReady"
    strategy(cluster, "mixed")
    offered = {f"nvidia.com/mig-{name}": str(n) for name, n in (("1g.10gb", 16), ("2g.20gb", 8), ("3g.40gb", 8))}
    assert {key: n for key, n in ours(cluster, "allocatable").items() if key != GPU} == offered
    assert cluster.allocatable("gpu-02") == 8
    assert labels(cluster)["nvidia.com/mig-3g.40gb.count"] == "8"


def test_a_pod_with_a_mig_device_is_a_process_on_its_instance(cluster: Cluster) -> None:
    emptied(cluster)
    label(cluster, {CONFIG: "all-3g.40gb"})
    cluster.wait(120)
    command = ("python3", "-m", "train")
    image = "nvcr.io/nvidia/pytorch:25.10-py3"
    cluster.pod("small", image, command, gpus=1, nodeSelector={"kubernetes.io/hostname": NODE})
    cluster.wait(300)
    process = next(each for each in cluster.world.systems[NODE].processes if each.command == " ".join(command))
    gpu = cluster.world.node(NODE).gpus[process.gpus[0]]
    held = [d.uuid for d in devices(cluster.world, gpu) if process.instance == (d.instance.id, d.compute.id)]
    assert held == [cluster.world.kube_pods["research/small"].devices[0][1]]
    label(cluster, {CONFIG: "all-1g.10gb"})
    cluster.wait(60)
    assert labels(cluster)[STATE] == "failed" and cluster.word("research", "small") == "Running"


def test_a_change_while_work_runs_fails_and_is_taken_back(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault(f"kubernetes.mig_change_refused target={NODE}"))
    cluster.wait(120)
    modes = [cluster.world.gpus[gpu.id] for gpu in cluster.world.node(NODE).gpus]
    assert labels(cluster)[STATE] == "failed" and any(each.mig_enabled for each in modes)
    assert any(each.mig_pending and not each.mig_enabled for each in modes)
    assert cluster.allocatable(NODE) == 0
    label(cluster, {CONFIG: "all-disabled"})
    cluster.wait(180)
    assert labels(cluster)[STATE] == "success" and cluster.allocatable(NODE) == 8


def test_a_configuration_that_there_is_not_fails(cluster: Cluster) -> None:
    label(cluster, {CONFIG: "all-9g.90gb"})
    cluster.wait(60)
    manager = (operands.pod_on(cluster.world, NODE, operands.MANAGER) or "").partition("/")[2]
    assert labels(cluster)[STATE] == "failed" and cluster.allocatable(NODE) == 8
    assert any(
        "selected mig-config not present: all-9g.90gb" in line for line in cluster.api.logs("gpu-operator", manager)
    )


def test_the_validator_waits_for_a_driver_until_it_is_made_anew(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault(f"driver.library_mismatch target={NODE}"))
    key = operands.pod_on(cluster.world, NODE, operands.VALIDATOR) or ""
    cluster.api.delete(cluster.resource("pods"), "gpu-operator", key.partition("/")[2])
    cluster.wait(60)
    assert words(cluster)["nvidia-operator-validator"] == "Init:0/4"
    plugin = operands.pod_on(cluster.world, NODE, "nvidia-device-plugin-daemonset-") or ""
    cluster.api.delete(cluster.resource("pods"), "gpu-operator", plugin.partition("/")[2])
    cluster.wait(60)
    assert words(cluster)["nvidia-device-plugin-daemonset"] == "Init:0/1" and cluster.allocatable(NODE) == 0


def test_a_change_left_in_its_middle_goes_on_with_the_manager(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault(f"kubernetes.mig_manager_wedged target={NODE}"))
    cluster.wait(120)
    assert labels(cluster)[STATE] == "pending" and cluster.allocatable(NODE) == 0
    label(cluster, {"nvidia.com/gpu.deploy.mig-manager": "true"})
    cluster.wait(120)
    assert labels(cluster)[STATE] == "success" and cluster.allocatable(NODE) == 8


def test_without_the_runtime_operands_get_no_sandbox(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault(f"kubernetes.runtime_unconfigured target={NODE}"))
    cluster.wait(60)
    assert words(cluster)["nvidia-operator-validator"] == "Init:0/4" and cluster.allocatable(NODE) == 0
    assert any(
        'no runtime for "nvidia"' in each["message"]
        for each in cluster.events("FailedCreatePodSandBox", "gpu-operator")
    )


def test_whole_gpus_still_compute(cluster: Cluster) -> None:
    cluster.pod("add", VECTOR_ADD, (), gpus=1, restartPolicy="Never")
    cluster.wait(60)
    assert "Test PASSED" in cluster.api.logs("research", "add")


def test_rdma_devices_follow_the_selectors_of_the_policy(cluster: Cluster) -> None:
    name = "rdma/rdma_shared_device_ib"
    assert cluster.get("nodes", "", NODE)["status"]["allocatable"][name] == "63"
    cluster.simulation.apply(parse_fault("kubernetes.rdma_selector_wrong target=cp-01"))
    cluster.wait(60)
    assert cluster.get("nodes", "", NODE)["status"]["capacity"][name] == "0"
    pods = cluster.items("pods", "nvidia-network-operator", label_selector="app=rdma-shared-dp")
    pod = next(each for each in pods if each["spec"]["nodeName"] == NODE)
    log = cluster.api.logs("nvidia-network-operator", pod["metadata"]["name"])
    assert any("no devices in device pool" in line for line in log)
    policy = cluster.get("nicclusterpolicy", "", "nic-cluster-policy")
    config = policy["spec"]["rdmaSharedDevicePlugin"]["config"].replace('"ens1f0np0", "ens2f0np0"', "")
    body = {"spec": {"rdmaSharedDevicePlugin": {"config": config}}}
    cluster.api.patch(cluster.resource("nicclusterpolicy"), "", "nic-cluster-policy", "merge", body)
    cluster.wait(60)
    assert cluster.get("nodes", "", NODE)["status"]["allocatable"][name] == "63"


def test_helm_knows_the_charts(cluster: Cluster) -> None:
    listed = run_command(cluster.simulation, "head-01", "alex", "helm list -A").stdout
    assert "gpu-operator-v25.3.0" in listed and "network-operator-24.10.0" in listed


def test_a_shared_gpu_is_offered_several_times(cluster: Cluster) -> None:
    text = "version: v1\nsharing:\n  timeSlicing:\n    resources:\n    - {name: nvidia.com/gpu, replicas: 4}\n"
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "slices"}, "data": {"any": text}}
    cluster.create("cm", "gpu-operator", manifest)
    body = {"spec": {"devicePlugin": {"config": {"name": "slices", "default": "any"}}}}
    cluster.api.patch(cluster.resource("clusterpolicy"), "", "cluster-policy", "merge", body)
    cluster.wait(240)
    assert cluster.allocatable(NODE) == 32
    found = labels(cluster)
    assert found["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3-SHARED"
    assert (found["nvidia.com/gpu.count"], found["nvidia.com/gpu.replicas"]) == ("8", "4")


def test_nvidia_ctk_brings_the_runtime_back(cluster: Cluster) -> None:
    cluster.simulation.apply(parse_fault(f"kubernetes.runtime_unconfigured target={NODE}"))
    run_command(cluster.simulation, NODE, "root", "nvidia-ctk runtime configure --runtime=containerd --set-as-default")
    cluster.wait(30)
    assert cluster.allocatable(NODE) == 0
    run_command(cluster.simulation, NODE, "root", "systemctl restart containerd")
    cluster.wait(60)
    assert cluster.allocatable(NODE) == 8 and set(words(cluster).values()) == {"Running"}


def test_the_faults_of_labels_and_geometry(cluster: Cluster) -> None:
    busy = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    split, closed = [name for name in ("gpu-01", "gpu-02", "gpu-03") if name != busy]
    cluster.simulation.apply(parse_fault(f"kubernetes.operands_disabled target={closed}"))
    cluster.simulation.apply(parse_fault(f"kubernetes.mig_geometry_mixed target={split}"))
    cluster.wait(120)
    assert words(cluster, closed) == {} and cluster.allocatable(closed) == 0
    assert labels(cluster, split)[STATE] == "success" and cluster.allocatable(split) == 0
    assert cluster.word("research", "llama-sft-0") == "Running"
