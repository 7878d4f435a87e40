"""Deployments, DaemonSets, Jobs, budgets, claims, namespaces, owners."""

from __future__ import annotations

import pytest

from engine.control.kubernetes import store
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import BUSYBOX, EMBED, Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def job(name: str, script: str, **spec: object) -> KubeDict:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": BUSYBOX, "command": ["sh", "-c", script]}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {"spec": pod}, **spec},
    }


def embeds(cluster: Cluster) -> list[KubeDict]:
    return cluster.items("pods", "serving", label_selector="app=embed")


def test_a_rolling_update_keeps_enough_available(cluster: Cluster) -> None:
    image = {"spec": {"template": {"spec": {"containers": [{"name": "server", "image": EMBED}]}}}}
    cluster.api.patch(cluster.resource("deploy"), "serving", "embed", "strategic", image)
    least = 3
    for _ in range(40):
        cluster.wait(5)
        least = min(least, cluster.cells("deploy", "serving", "embed")["Available"])
    assert least >= 2 and {pod["spec"]["containers"][0]["image"] for pod in embeds(cluster)} == {EMBED}
    sizes = [
        (each["spec"]["replicas"], each["metadata"]["annotations"]["deployment.kubernetes.io/revision"])
        for each in cluster.items("rs", "serving")
    ]
    assert sorted(sizes) == [(0, "1"), (3, "2")]
    conditions = cluster.get("deploy", "serving", "embed")["status"]["conditions"]
    assert {each["type"]: each["reason"] for each in conditions}["Progressing"] == "NewReplicaSetAvailable"


def test_a_rollout_to_an_image_that_is_not_there_stops_and_misses_its_deadline(cluster: Cluster) -> None:
    image = {"spec": {"template": {"spec": {"containers": [{"name": "server", "image": EMBED + "9"}]}}}}
    cluster.api.patch(cluster.resource("deploy"), "serving", "embed", "strategic", image)
    cluster.wait(700)
    row = cluster.cells("deploy", "serving", "embed")
    assert (row["Ready"], row["Up-to-date"], row["Available"]) == ("3/3", 1, 3)
    reasons = [each["reason"] for each in cluster.get("deploy", "serving", "embed")["status"]["conditions"]]
    assert "ProgressDeadlineExceeded" in reasons


def test_scaling_up_and_down(cluster: Cluster) -> None:
    deployments = cluster.resource("deploy")
    cluster.api.scale(deployments, "serving", "embed", 5)
    cluster.wait(60)
    assert cluster.cells("deploy", "serving", "embed")["Ready"] == "5/5"
    cluster.api.scale(deployments, "serving", "embed", 0)
    cluster.wait(60)
    assert embeds(cluster) == [] and cluster.items("endpoints", "serving")[0].get("subsets") is None


def test_a_daemon_set_follows_the_labels_of_nodes(cluster: Cluster) -> None:
    nodes = cluster.resource("nodes")
    container = {"name": "c", "image": BUSYBOX, "command": ["sleep", "infinity"]}
    pod = {"containers": [container], "nodeSelector": {"disk": "fast"}}
    template = {"metadata": {"labels": {"app": "agent"}}, "spec": pod}
    spec = {"selector": {"matchLabels": {"app": "agent"}}, "template": template}
    manifest = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec}
    cluster.create("ds", "research", manifest)
    assert cluster.cells("ds", "research", "agent")["Desired"] == 0
    for name in ("gpu-01", "gpu-02"):
        cluster.api.patch(nodes, "", name, "merge", {"metadata": {"labels": {"disk": "fast"}}})
    cluster.wait(10)
    assert cluster.cells("ds", "research", "agent")["Ready"] == 2
    cluster.api.patch(nodes, "", "gpu-02", "merge", {"metadata": {"labels": {"disk": None}}})
    cluster.wait(40)
    there = cluster.items("pods", "research", label_selector="app=agent")
    assert [each["spec"]["nodeName"] for each in there] == ["gpu-01"]


def test_jobs_succeed_or_reach_their_limit(cluster: Cluster) -> None:
    cluster.create("jobs", "research", job("good", "sleep 5", completions=3, parallelism=2))
    cluster.create("jobs", "research", job("bad", "sleep 1; exit 1", backoffLimit=1))
    cluster.wait(60)
    assert cluster.cells("jobs", "research", "good")["Completions"] == "3/3"
    assert cluster.cells("jobs", "research", "good")["Status"] == "Complete"
    failed = {each["type"]: each["reason"] for each in cluster.get("jobs", "research", "bad")["status"]["conditions"]}
    assert failed["Failed"] == "BackoffLimitExceeded"
    assert cluster.get("jobs", "research", "bad")["status"]["failed"] == 2


def test_a_budget_lets_go_only_what_leaves_enough(cluster: Cluster) -> None:
    first, second, _ = (pod["metadata"]["name"] for pod in embeds(cluster))
    assert cluster.api.evict("serving", first)["status"] == "Success"
    with pytest.raises(StatusError) as refused:
        cluster.api.evict("serving", second)
    assert (refused.value.code, refused.value.message) == (
        429,
        "Cannot evict pod as it would violate the pod's disruption budget.",
    )
    (cause,) = refused.value.details["causes"]
    assert cause["message"] == "The disruption budget embed needs 2 healthy pods and has 2 currently"
    cluster.wait(60)
    assert cluster.api.evict("serving", second)["status"] == "Success"


def test_what_an_owner_had_goes_with_it_or_stays_as_an_orphan(cluster: Cluster) -> None:
    cluster.api.delete(cluster.resource("deploy"), "serving", "embed", propagation="Orphan")
    cluster.wait(40)
    assert len(embeds(cluster)) == 3 and "ownerReferences" not in cluster.items("rs", "serving")[0]["metadata"]
    name = cluster.items("rs", "serving")[0]["metadata"]["name"]
    cluster.api.delete(cluster.resource("rs"), "serving", name)
    cluster.wait(40)
    assert embeds(cluster) == []


def test_a_claim_is_bound_with_its_first_pod_and_ties_it_to_its_node(cluster: Cluster) -> None:
    claim = {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}},
    }  # fmt: skip
    cluster.create("pvc", "research", claim)
    assert cluster.get("pvc", "research", "data")["status"]["phase"] == "Pending"
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    cluster.pod("first", volumes=volumes)
    cluster.wait(5)
    assert cluster.cells("pvc", "research", "data")["Status"] == "Bound"
    node = cluster.get("pods", "research", "first")["spec"]["nodeName"]
    cluster.pod("second", volumes=volumes)
    cluster.wait(5)
    assert cluster.get("pods", "research", "second")["spec"]["nodeName"] == node


def test_a_namespace_goes_when_its_pods_have_gone(cluster: Cluster) -> None:
    cluster.api.delete(cluster.resource("ns"), "", "serving")
    assert cluster.cells("ns", "", "serving")["Status"] == "Terminating"
    with pytest.raises(StatusError, match="because it is being terminated"):
        cluster.create("cm", "serving", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    cluster.wait(60)
    assert not store.keys(cluster.world, "services", "serving")
    with pytest.raises(StatusError, match='namespaces "serving" not found'):
        cluster.get("ns", "", "serving")


def test_a_stateful_set_makes_its_pods_in_order(cluster: Cluster) -> None:
    template = {
        "metadata": {"labels": {"app": "db"}},
        "spec": {"containers": [{"name": "c", "image": BUSYBOX, "command": ["sleep", "infinity"]}]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "serviceName": "db", "template": template}
    manifest = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": spec}
    cluster.create("sts", "research", manifest)
    assert [pod["metadata"]["name"] for pod in cluster.items("pods", "research", label_selector="app=db")] == ["db-0"]
    cluster.wait(10)
    assert [pod["metadata"]["name"] for pod in cluster.items("pods", "research", label_selector="app=db")] == [
        "db-0",
        "db-1",
    ]
    assert cluster.cells("sts", "research", "db")["Ready"] == "2/2"
    cluster.api.delete(cluster.resource("pods"), "research", "db-0")
    cluster.wait(60)
    assert cluster.word("research", "db-0") == "Running"
