"""Faults of Kubernetes: what shows each of them, and that its remedy mends it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.control import files, systemd
from engine.control.kubernetes import registries
from engine.control.kubernetes.status_error import StatusError
from engine.facts.facts import Facts
from engine.faults.fault import catalogue, parse_fault
from tests.engine.control.kubernetes.cluster import EMBED, Cluster
from tests.support.run import run_command


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def begin(cluster: Cluster, line: str) -> None:
    cluster.simulation.apply(parse_fault(line))


def holds(cluster: Cluster, text: str) -> bool:
    return bool(Facts().evaluate(cluster.world, cluster.simulation.now, text, {}))


def test_a_kubelet_with_a_mistake_in_its_file(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.kubelet_down target=gpu-02")
    cluster.wait(60)
    assert cluster.ready("gpu-02")["status"] == "Unknown" and not holds(cluster, "kubernetes.node_ready(gpu-02)")
    journal = run_command(cluster.simulation, "gpu-02", "root", "journalctl -u kubelet").stdout
    assert "failed to load kubelet config file, path: /var/lib/kubelet/config.yaml" in journal
    assert "mapping values are not allowed in this context" in journal
    refused = cluster.simulation.apply(systemd.StartUnit("gpu-02", "kubelet", "alex"))
    assert refused is None and cluster.ready("gpu-02")["status"] == "Unknown"
    files.put(cluster.simulation, "gpu-02", {}, gone="/var/lib/kubelet/config.yaml")
    cluster.simulation.apply(systemd.StartUnit("gpu-02", "kubelet", "alex"))
    cluster.wait(10)
    assert cluster.ready("gpu-02")["status"] == "True" and holds(cluster, "kubernetes.node_ready(gpu-02)")


def test_a_stopped_kubelet(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.kubelet_down target=gpu-02 how=stopped")
    assert run_command(cluster.simulation, "gpu-02", "root", "systemctl is-enabled kubelet").stdout == "disabled\n"
    cluster.simulation.apply(systemd.StartUnit("gpu-02", "kubelet", "alex"))
    cluster.wait(10)
    assert cluster.ready("gpu-02")["status"] == "True"


def test_a_node_without_its_network(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.network_missing target=gpu-02")
    cluster.wait(20)
    assert "cni plugin not initialized" in cluster.ready("gpu-02")["message"]
    assert '"NetworkPluginNotReady"' in run_command(cluster.simulation, "gpu-02", "root", "crictl info").stdout
    flannel = next(p for p in cluster.items("pods", "kube-flannel") if p["spec"]["nodeName"] == "gpu-02")
    cluster.api.delete(cluster.resource("pods"), "kube-flannel", flannel["metadata"]["name"])
    cluster.wait(40)
    assert cluster.ready("gpu-02")["status"] == "True"


def test_a_registry_that_one_node_does_not_trust(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.registry_untrusted target=gpu-02")
    for node in ("gpu-01", "gpu-02"):
        cluster.pod(node, EMBED, nodeName=node)
    cluster.wait(40)
    assert (cluster.word("research", "gpu-01"), cluster.word("research", "gpu-02")) != ("ImagePullBackOff",) * 2
    assert cluster.word("research", "gpu-02") == "ImagePullBackOff"
    assert any("x509: certificate signed by unknown authority" in each["message"] for each in cluster.events("Failed"))
    assert not holds(cluster, f'kubernetes.pulls(gpu-02, "{EMBED}")') and holds(
        cluster, f'kubernetes.pulls(gpu-01, "{EMBED}")'
    )
    path = f"{registries.folder(registries.own(cluster.world))}/ca.crt"
    content = registries.authority(cluster.world).encode()
    files.write(cluster.simulation, "gpu-02", path, content, uid=0, gid=0)
    assert holds(cluster, f'kubernetes.pulls(gpu-02, "{EMBED}")')


def test_a_taint_that_was_left(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.taint_forgotten target=gpu-02 nodes=all")
    cluster.pod("new")
    cluster.wait(2)
    message = cluster.events("FailedScheduling")[0]["message"]
    assert "3 node(s) had untolerated taint {maintenance: planned}" in message
    assert holds(cluster, "kubernetes.waiting_pods(research) == 1") and not holds(
        cluster, "kubernetes.schedulable(gpu-02)"
    )
    for node in ("gpu-01", "gpu-02", "gpu-03"):
        cluster.api.patch(cluster.resource("nodes"), "", node, "merge", {"spec": {"taints": None}})
    cluster.wait(10)
    assert cluster.word("research", "new") == "Running"


def test_a_claim_with_a_class_that_is_not_there(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.claim_pending target=cp-01")
    assert cluster.events("ProvisioningFailed")[0]["message"] == 'storageclass.storage.k8s.io "fast-nvme" not found'
    assert "unbound immediate PersistentVolumeClaims" in cluster.events("FailedScheduling")[0]["message"]
    claims, claim = cluster.resource("pvc"), cluster.get("pvc", "research", "notebook-data")
    cluster.api.delete(claims, "research", "notebook-data")
    claim = {"apiVersion": "v1", "kind": claim["kind"], "metadata": {"name": "notebook-data"}, "spec": claim["spec"]}
    del claim["spec"]["storageClassName"]
    cluster.create("pvc", "research", claim)
    cluster.wait(400)
    assert (
        holds(cluster, "kubernetes.claim_bound(research, notebook-data)")
        and cluster.word("research", "notebook") == "Running"
    )


def test_dns_with_a_mistake_in_its_corefile(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.dns_broken target=cp-01")
    cluster.wait(60)
    pod = cluster.items("pods", "kube-system", label_selector="k8s-app=kube-dns")[0]["metadata"]["name"]
    assert cluster.word("kube-system", pod) == "CrashLoopBackOff" and not holds(cluster, "kubernetes.dns()")
    assert cluster.api.logs("kube-system", pod)[-1].endswith("Error during parsing: Unknown directive 'foward'")
    assert cluster.get("ep", "kube-system", "kube-dns")["subsets"][0].get("addresses") is None
    config = cluster.get("cm", "kube-system", "coredns")
    text = config["data"]["Corefile"].replace("foward", "forward")
    cluster.api.patch(cluster.resource("cm"), "kube-system", "coredns", "merge", {"data": {"Corefile": text}})
    cluster.wait(120)
    assert holds(cluster, "kubernetes.dns()")


def gpus(cluster: Cluster) -> list[int]:
    return [cluster.allocatable(node) for node in ("gpu-01", "gpu-02", "gpu-03")]


def test_a_plugin_that_no_kubelet_knows(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.plugin_unregistered target=cp-01")
    cluster.wait(60)
    assert gpus(cluster) == [0, 0, 0]
    sets, name = cluster.resource("ds"), "nvidia-device-plugin-daemonset"
    pods = cluster.items("pods", "gpu-operator", label_selector=f"app={name}")
    assert {cluster.word("gpu-operator", each["metadata"]["name"]) for each in pods} == {"Running"}
    log = cluster.api.logs("gpu-operator", pods[0]["metadata"]["name"])
    assert any(line.endswith("Could not register device plugin: context deadline exceeded") for line in log)
    volumes = [{"name": "device-plugin", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    patch = {"spec": {"template": {"spec": {"volumes": volumes}}}}
    cluster.api.patch(sets, "gpu-operator", name, "merge", patch)
    cluster.wait(60)
    assert gpus(cluster) == [8, 8, 8]


def test_a_mended_gpu_that_the_plugin_still_calls_unhealthy(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.gpu_held_unhealthy target=gpu-02/gpu3")
    cluster.wait(30)
    assert gpus(cluster) == [8, 7, 8]
    remapped = run_command(cluster.simulation, "gpu-02", "alex", "nvidia-smi -q -d ROW_REMAPPER -i 3").stdout
    assert "Pending                                        : No" in remapped
    assert "Uncorrectable Error                            : 1" in remapped
    plugin = "app=nvidia-device-plugin-daemonset"
    for pod in cluster.items("pods", "gpu-operator", label_selector=plugin):
        if pod["spec"]["nodeName"] == "gpu-02":
            cluster.api.delete(cluster.resource("pods"), "gpu-operator", pod["metadata"]["name"])
    cluster.wait(60)
    assert gpus(cluster) == [8, 8, 8]


def test_gpus_that_nobody_labels(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.features_unlabelled target=cp-01")
    cluster.wait(60)
    manager = "app=nvidia-mig-manager"
    assert gpus(cluster) == [0, 0, 0] and not cluster.items("pods", "gpu-operator", label_selector=manager)
    labels = cluster.get("nodes", "", "gpu-01")["metadata"]["labels"]
    features = "feature.node.kubernetes.io/pci"
    assert f"{features}-10de.present" not in labels and labels[f"{features}-15b3.present"] == "true"
    name = "gpu-operator-node-feature-discovery-worker-conf"
    text = cluster.get("cm", "gpu-operator", name)["data"]["nfd-worker.conf"].replace('"0200"', '"0302"')
    cluster.api.patch(cluster.resource("cm"), "gpu-operator", name, "merge", {"data": {"nfd-worker.conf": text}})
    cluster.wait(60)
    assert gpus(cluster) == [8, 8, 8]


def test_pods_that_hold_every_gpu(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.gpus_hoarded target=cp-01")
    cluster.wait(120)
    cluster.pod("new", gpus=1)
    cluster.wait(5)
    assert "3 Insufficient nvidia.com/gpu" in cluster.events("FailedScheduling")[-1]["message"]
    cluster.api.scale(cluster.resource("deploy"), "research", "sweep-warm", 0)
    cluster.wait(90)
    assert cluster.word("research", "new") == "Running"


def test_an_attachment_in_another_namespace(cluster: Cluster) -> None:
    begin(cluster, "kubernetes.attachment_missing target=cp-01")
    cluster.wait(30)
    assert cluster.word("research", "nccl-pair-0") == "ContainerCreating"
    said = "cannot find a network-attachment-definition (ib-compute) in namespace (research)"
    assert said in cluster.events("NoNetworkFound")[0]["message"]
    assert said in cluster.events("FailedCreatePodSandBox")[0]["message"]
    assert not holds(cluster, "kubernetes.attachment(research, ib-compute)")
    patch = {"spec": {"networkNamespace": "research"}}
    cluster.api.patch(cluster.resource("ipoibnetworks"), "", "ib-compute", "merge", patch)
    cluster.wait(400)
    assert cluster.word("research", "nccl-pair-0") == "Running"
    assert holds(cluster, "kubernetes.attachment(research, ib-compute)")
    status = cluster.get("pods", "research", "nccl-pair-0")["metadata"]["annotations"]
    assert '"interface": "net1"' in status["k8s.v1.cni.cncf.io/network-status"]
    assert [each["metadata"]["namespace"] for each in cluster.items("net-attach-def")] == ["research"]


def test_faults_befall_only_sites_with_a_cluster(cluster: Cluster) -> None:
    with pytest.raises(Exception, match="befalls a worker of a Kubernetes cluster"):
        begin(cluster, "kubernetes.kubelet_down target=reg-01")
    with pytest.raises(StatusError):
        cluster.get("nodes", "", "reg-01")


def test_the_model_page_names_every_fault_of_kubernetes() -> None:
    page = (Path(__file__).parents[3] / "docs/models/kubernetes.md").read_text("utf-8")
    named = set(re.findall(r"\b(?:kubernetes|driver)\.[a-z_]+\b", page.partition("## Faults")[2]))
    assert named <= set(catalogue()) and {each for each in catalogue() if each.startswith("kubernetes.")} <= named
