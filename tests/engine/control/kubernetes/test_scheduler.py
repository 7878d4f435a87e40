"""Where pods go, and why not."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control.kubernetes.objects import KubeDict
from tests.engine.control.kubernetes.cluster import Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def term(kind: str, app: str) -> KubeDict:
    """The affinity of a pod that must (not) be on a host with a pod of an app."""
    one: dict[str, Any] = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [one]}}


def message(cluster: Cluster, pod: str) -> str:
    return str(cluster.get("pods", "research", pod)["status"]["conditions"][0]["message"])


def test_pods_that_must_be_apart(cluster: Cluster) -> None:
    cluster.pod("away", affinity=term("podAntiAffinity", "llama-sft"))
    home = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    assert cluster.get("pods", "research", "away")["spec"]["nodeName"] != home
    cluster.pod("also", nodeSelector={"kubernetes.io/hostname": home}, affinity=term("podAntiAffinity", "llama-sft"))
    assert "1 node(s) didn't match pod anti-affinity rules" in message(cluster, "also")


def test_pods_that_must_be_together(cluster: Cluster) -> None:
    cluster.pod("beside", affinity=term("podAffinity", "llama-sft"))
    cluster.pod("nobody", affinity=term("podAffinity", "missing"))
    home = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    assert cluster.get("pods", "research", "beside")["spec"]["nodeName"] == home
    assert "3 node(s) didn't match pod affinity rules" in message(cluster, "nobody")


def test_a_selector_that_no_node_has(cluster: Cluster) -> None:
    cluster.pod("ssd", nodeSelector={"disk": "ssd"})
    assert message(cluster, "ssd") == (
        "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 node(s) "
        "didn't match Pod's node affinity/selector. preemption: 0/4 nodes are available: 4 Preemption is not helpful "
        "for scheduling."
    )
    labels = {"metadata": {"labels": {"disk": "ssd"}}}
    cluster.api.patch(cluster.resource("nodes"), "", "gpu-02", "merge", labels)
    assert cluster.get("pods", "research", "ssd")["spec"]["nodeName"] == "gpu-02"


def test_a_pod_of_higher_priority_takes_the_place_of_a_lower_one(cluster: Cluster) -> None:
    manifest = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 1000,
    }
    cluster.create("pc", "", manifest)
    for number in range(3):
        cluster.pod(f"low{number}", gpus=3)
    cluster.wait(10)
    cluster.pod("urgent", gpus=8, priorityClassName="high")
    cluster.wait(60)
    assert cluster.get("pods", "research", "urgent")["spec"].get("nodeName") and cluster.events("Preempted")


def test_a_deleted_pod_makes_room(cluster: Cluster) -> None:
    for number in range(17):
        cluster.pod(f"f{number}", gpus=1)
    cluster.wait(5)
    cluster.pod("next", gpus=4)
    assert cluster.word("research", "next") == "Pending"
    cluster.api.delete(cluster.resource("pods"), "research", "llama-sft-0", grace=0)
    cluster.wait(5)
    assert cluster.get("pods", "research", "next")["spec"].get("nodeName")
