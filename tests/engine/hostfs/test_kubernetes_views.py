"""Files of a cluster's nodes agree with what the API and the runtime say."""

from __future__ import annotations

import json

from engine.control.kubernetes import static_pods
from engine.kernel.documents import read_document
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.sessions import screen


def cat(cluster: Cluster, host: str, path: str) -> str:
    return screen(cluster.simulation, [f"sudo cat {path}"], host=host)


def test_manifests_are_the_static_pods() -> None:
    cluster = Cluster()
    text = cat(cluster, "cp-01", "/etc/kubernetes/manifests/kube-apiserver.yaml")
    assert read_document(text, "manifest").data == static_pods.manifest(cluster.world, "kube-apiserver")
    assert screen(cluster.simulation, ["ls /etc/kubernetes/manifests"], host="gpu-01") == ""


def test_logs_of_pods_are_those_of_the_api() -> None:
    cluster = Cluster()
    cluster.pod("talks", command=("sh", "-c", "echo one; sleep 5; echo two; sleep 3600"), nodeName="gpu-01")
    cluster.wait(12)
    uid = cluster.get("pods", "research", "talks")["metadata"]["uid"]
    lines = cat(cluster, "gpu-01", f"/var/log/pods/research_talks_{uid}/c/0.log").splitlines()
    assert [line.partition(" F ")[2] for line in lines] == cluster.api.logs("research", "talks") == ["one", "two"]


def test_the_runtimes_configuration_and_the_network() -> None:
    cluster = Cluster()
    assert 'default_runtime_name = "nvidia"' in cat(cluster, "gpu-01", "/etc/containerd/config.toml")
    assert 'default_runtime_name = "runc"' in cat(cluster, "cp-01", "/etc/containerd/config.toml")
    assert json.loads(cat(cluster, "gpu-01", "/etc/cni/net.d/10-flannel.conflist"))["name"] == "cbr0"
    assert "No such file" in cat(cluster, "head-01", "/etc/containerd/config.toml")


def test_a_moved_manifest_stops_its_pod() -> None:
    cluster = Cluster()
    screen(cluster.simulation, ["sudo mv /etc/kubernetes/manifests/kube-scheduler.yaml /tmp/"], host="cp-01")
    shown = screen(cluster.simulation, ["sleep 2; kubectl get pods -n kube-system"])
    assert "kube-scheduler" not in shown and "etcd-cp-01" in shown
    screen(cluster.simulation, ["sudo mv /tmp/kube-scheduler.yaml /etc/kubernetes/manifests/"], host="cp-01")
    assert "kube-scheduler-cp-01" in screen(cluster.simulation, ["sleep 2; kubectl get pods -n kube-system"])


def test_a_node_whose_runtime_does_not_know_nvidia() -> None:
    cluster = Cluster()
    change = 'sudo sed -i \'s/runtimes.nvidia/runtimes.nvidia-old/; s/"nvidia"/"runc"/\' /etc/containerd/config.toml'
    screen(cluster.simulation, [change, "sudo systemctl restart containerd"], host="gpu-01")
    cluster.pod("one", gpus=1, runtimeClassName="nvidia", nodeName="gpu-01")
    cluster.wait(5)
    assert 'no runtime for "nvidia" is configured' in cluster.events("FailedCreatePodSandBox")[0]["message"]
