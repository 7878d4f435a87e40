"""The Network Operator: sections of its policy, device plugins, secondary networks."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control import files
from engine.control.kubernetes.network_operator import multus
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.run import run_command

NAMESPACE, POLICY = "nvidia-network-operator", "nic-cluster-policy"
HOSTDEV = (
    '{"resourceList": [{"resourcePrefix": "nvidia.com", "resourceName": "hostdev", '
    '"selectors": {"vendors": ["15b3"]}}]}'
)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def states(cluster: Cluster) -> dict[str, str]:
    status = cluster.get("nicclusterpolicies", "", POLICY)["status"]
    return {each["name"]: each["state"] for each in status["appliedStates"]} | {"": status["state"]}


def ask(cluster: Cluster, spec: dict[str, Any]) -> None:
    cluster.api.patch(cluster.resource("nicclusterpolicies"), "", POLICY, "merge", {"spec": spec})
    cluster.wait(60)


def wants(cluster: Cluster, name: str, networks: str, **limits: str) -> None:
    container = {"name": "c", "image": "busybox:1.36", "command": ["sleep", "3600"], "resources": {"limits": limits}}
    metadata = {"name": name, "annotations": {multus.WANTED: networks}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}
    cluster.create("pods", "research", pod)
    cluster.wait(20)


def test_a_section_of_the_policy_has_its_daemon_set(cluster: Cluster) -> None:
    assert states(cluster)["state-multus-cni"] == states(cluster)[""] == "ready"
    ask(cluster, {"sriovDevicePlugin": {"config": HOSTDEV}, "secondaryNetwork": {"ipoib": None}})
    found = states(cluster)
    assert (found["state-SRIOV-device-plugin"], found["state-ipoib-cni"], found[""]) == ("ready", "ignore", "ready")
    names = {each["metadata"]["name"] for each in cluster.items("ds", NAMESPACE)}
    assert "sriov-device-plugin" in names and "kube-ipoib-cni-ds" not in names
    ask(cluster, {"ofedDriver": {"image": "doca-driver"}})
    assert states(cluster)["state-OFED"] == states(cluster)[""] == "notReady"


def test_adapters_are_given_to_pods_whole_and_once(cluster: Cluster) -> None:
    node = cluster.get("nodes", "", "gpu-01")["status"]
    assert "nvidia.com/hostdev" not in node["capacity"]
    ask(cluster, {"sriovDevicePlugin": {"config": HOSTDEV}})
    node = cluster.get("nodes", "", "gpu-01")["status"]
    assert node["allocatable"]["nvidia.com/hostdev"] == "12" and node["allocatable"]["nvidia.com/gpu"] == "8"
    wants(cluster, "two", "", **{"nvidia.com/hostdev": "2"})
    held = cluster.world.kube_pods["research/two"].devices
    hcas = [hca.address for hca in cluster.world.node(cluster.world.kube_pods["research/two"].node).hcas]
    assert len(set(held)) == 2 and all(kind == "nvidia.com/hostdev" and one in hcas for kind, one in held)
    ask(cluster, {"sriovDevicePlugin": {"config": HOSTDEV.replace("15b3", "8086")}})
    assert cluster.get("nodes", "", "gpu-01")["status"]["allocatable"]["nvidia.com/hostdev"] == "0"


def test_a_pod_has_the_networks_that_it_names(cluster: Cluster) -> None:
    wants(cluster, "first", "ib-compute")
    wants(cluster, "second", '[{"name": "ib-compute", "namespace": "research", "interface": "ib0"}]')
    texts = {each["message"] for each in cluster.events("AddedInterface")}
    assert "Add net1 [10.50.0.2/24] from research/ib-compute" in texts
    assert "Add ib0 [10.50.0.3/24] from research/ib-compute" in texts


def test_what_an_attachment_lacks(cluster: Cluster) -> None:
    networks = cluster.resource("ipoibnetworks")
    cluster.api.patch(networks, "", "ib-compute", "merge", {"spec": {"master": "ib0"}})
    manifest = {
        "apiVersion": "mellanox.com/v1alpha1", "kind": "HostDeviceNetwork", "metadata": {"name": "hostdev-net"},
        "spec": {"networkNamespace": "research", "resourceName": "hostdev", "ipam": "{}"},
    }  # fmt: skip
    cluster.create("hostdevicenetworks", "", manifest)
    wants(cluster, "no-master", "ib-compute")
    wants(cluster, "no-device", "hostdev-net")
    texts = " ".join(each["message"] for each in cluster.events("FailedCreatePodSandBox"))
    assert 'failed to lookup master "ib0": Link not found' in texts
    assert 'specify either "device", "hwaddr", "kernelpath" or "pciBusID"' in texts


def test_without_multus_nobody_reads_the_annotation(cluster: Cluster) -> None:
    folder = "ls /etc/cni/net.d"
    assert "00-multus.conf" in run_command(cluster.simulation, "gpu-01", "root", folder).stdout
    ask(cluster, {"secondaryNetwork": None})
    assert run_command(cluster.simulation, "gpu-01", "root", folder).stdout == "10-flannel.conflist\n"
    wants(cluster, "plain", "nobody/has-it")
    assert cluster.word("research", "plain") == "Running" and not cluster.events("AddedInterface")


def test_its_file_comes_back_with_its_pod(cluster: Cluster) -> None:
    files.put(cluster.simulation, "gpu-01", {multus.CONFIGURATION: None})
    assert not multus.runs_on(cluster.world, "gpu-01")
    for pod in cluster.items("pods", NAMESPACE, label_selector="name=kube-multus-ds"):
        cluster.api.delete(cluster.resource("pods"), NAMESPACE, pod["metadata"]["name"])
    cluster.wait(90)
    assert multus.runs_on(cluster.world, "gpu-01")
