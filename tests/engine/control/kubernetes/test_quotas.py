"""ResourceQuotas: what is used, and what a namespace may not have."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import GPU, Cluster


def quota(cluster: Cluster, **hard: str) -> None:
    spec = {"hard": {name.replace("__", "."): value for name, value in hard.items()}}
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": spec}
    manifest["spec"]["hard"] = {name.replace("GPU", GPU): value for name, value in spec["hard"].items()}
    cluster.create("quota", "research", manifest)


def test_a_pod_that_would_be_too_much_is_refused() -> None:
    cluster = Cluster()
    quota(cluster, pods="3", requests__GPU="5", requests__cpu="40")
    used = cluster.get("quota", "research", "q")["status"]["used"]
    assert used == {"pods": "1", f"requests.{GPU}": "4", "requests.cpu": "32"}
    resources = {"resources": {"requests": {"cpu": "1"}, "limits": {GPU: "2"}}}
    container = {"name": "c", "image": "busybox:1.36", **resources}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two"}, "spec": {"containers": [container]}}
    with pytest.raises(StatusError) as refused:
        cluster.create("pods", "research", manifest)
    assert refused.value.message == (
        f'pods "two" is forbidden: exceeded quota: q, requested: requests.{GPU}=2, used: requests.{GPU}=4, limited: '
        f"requests.{GPU}=5"
    )
    with pytest.raises(StatusError, match=r"failed quota: q: must specify requests\.cpu for: c"):
        cluster.pod("plain")


def test_a_replica_set_is_held_back_until_there_is_room() -> None:
    cluster = Cluster()
    quota(cluster, pods="2")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1.27"}]}}
    manifest = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": template},
    }  # fmt: skip
    cluster.create("deploy", "research", manifest)
    cluster.wait(30)
    assert cluster.cells("deploy", "research", "d")["Ready"] == "1/3"
    said = cluster.events("FailedCreate")[0]["message"]
    assert "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2" in said
    cluster.api.patch(cluster.resource("quota"), "research", "q", "merge", {"spec": {"hard": {"pods": "9"}}})
    cluster.wait(30)
    assert cluster.cells("deploy", "research", "d")["Ready"] == "3/3"
