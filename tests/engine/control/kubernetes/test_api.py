"""The API server: discovery, selectors, creation, updates, patches, refusals, tables."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control.kubernetes import patching, selectors, validation
from engine.control.kubernetes.objects import BadQuantity, amount, bytes_text, cores_text, milli
from engine.control.kubernetes.resources import of_store
from engine.control.kubernetes.status_error import StatusError
from engine.kernel.actions import decode, encode
from engine.kernel.simulation import replay
from engine.simulation import open_site
from tests.engine.control.kubernetes.cluster import Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.mark.parametrize(
    "name", ["po", "pod", "pods", "Pod", "deploy", "deployments.apps", "deployments.v1.apps", "netpol"]
)
def test_resources_are_found_by_all_their_names(cluster: Cluster, name: str) -> None:
    assert cluster.api.resource(name) is not None


def test_a_definition_brings_a_resource_with_its_columns(cluster: Cluster) -> None:
    column = {"name": "State", "type": "string", "jsonPath": ".status.state"}
    version = {"name": "v1", "served": True, "storage": True, "additionalPrinterColumns": [column]}
    spec = {
        "group": "lab.example", "scope": "Namespaced", "versions": [version],
        "names": {"plural": "racks", "singular": "rack", "kind": "Rack", "shortNames": ["rk"]},
    }  # fmt: skip
    manifest = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}
    cluster.create("crd", "", {**manifest, "metadata": {"name": "racks.lab.example"}})
    rack = {"apiVersion": "lab.example/v1", "kind": "Rack", "metadata": {"name": "a"}}
    cluster.create("rk", "default", rack)
    cluster.api.patch(cluster.resource("rack"), "default", "a", "merge", {"status": {"state": "ready"}})
    assert cluster.cells("racks", "default", "a") == {"Name": "a", "State": "ready"}


def test_selectors_of_labels_and_fields(cluster: Cluster) -> None:
    names = [
        pod["metadata"]["name"]
        for pod in cluster.items("pods", "kube-system", label_selector="tier=control-plane,component in (etcd,x),!y")
    ]
    assert names == ["etcd-cp-01"]
    there = [pod for pod in cluster.items("pods", "kube-system") if pod["spec"]["nodeName"] == "cp-01"]
    assert cluster.items("pods", "kube-system", field_selector="spec.nodeName=cp-01,status.phase!=Pending") == there
    assert 5 <= len(there) < len(cluster.items("pods", "kube-system"))
    with pytest.raises(StatusError) as refused:
        cluster.items("pods", "default", label_selector="a==b=c")
    assert refused.value.message == "found '=', expected: ',' or 'end of string'"
    with pytest.raises(StatusError, match=r"field label not supported: spec\.image"):
        cluster.items("pods", field_selector="spec.image=x")


def test_expressions_of_selectors() -> None:
    labels = {"a": "1", "b": "x"}
    wanted = [
        ("In", "b", ["x"], True),
        ("NotIn", "b", ["x"], False),
        ("Exists", "a", [], True),
        ("DoesNotExist", "a", [], False),
        ("Gt", "a", ["0"], True),
    ]
    for operator, key, values, holds in wanted:
        expression = {"key": key, "operator": operator, "values": values}
        assert selectors.matches({"matchExpressions": [expression]}, labels) is holds
    assert selectors.matches({}, labels) and not selectors.matches(None, labels)


def test_an_object_gets_identity_and_defaults(cluster: Cluster) -> None:
    made = cluster.pod("one", gpus=1)
    metadata, spec = made["metadata"], made["spec"]
    assert (
        metadata["namespace"] == "research" and len(metadata["uid"]) == 36 and metadata["resourceVersion"].isdecimal()
    )
    assert metadata["creationTimestamp"] == "2026-11-30T09:00:00Z"
    assert spec["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu": "1"}
    assert spec["containers"][0]["imagePullPolicy"] == "IfNotPresent" and spec["restartPolicy"] == "Always"
    assert [each["tolerationSeconds"] for each in spec["tolerations"]] == [300, 300]
    assert spec["volumes"][0]["name"].startswith("kube-api-access-")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"containers": []}, 'Pod "x" is invalid: spec.containers: Required value'),
        ({"containers": [{"name": "c"}]}, 'Pod "x" is invalid: spec.containers[0].image: Required value'),
        (
            {"restartPolicy": "Often"},
            'spec.restartPolicy: Unsupported value: "Often": supported values: "Always", "Never", "OnFailure"',
        ),
        (
            {"containers": [{"name": "c", "image": "i", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]},
            'Pod "x" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "v"',
        ),
        (
            {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "500m"}}}]},
            'Invalid value: "500m": must be an integer',
        ),
        ({"serviceAccountName": "robot"}, 'serviceaccount "robot" not found'),
    ],
)
def test_what_the_server_refuses(cluster: Cluster, change: dict[str, Any], message: str) -> None:
    spec = {"containers": [{"name": "c", "image": "busybox"}], **change}
    with pytest.raises(StatusError) as refused:
        cluster.create("pods", "research", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec})
    assert message in refused.value.message
    assert refused.value.status["kind"] == "Status" and refused.value.status["status"] == "Failure"


def test_a_selector_must_match_the_template(cluster: Cluster) -> None:
    template = {"metadata": {"labels": {"app": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": template}
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}
    with pytest.raises(StatusError, match="`selector` does not match template `labels`"):
        cluster.create("deploy", "default", manifest)


def test_what_cannot_be_changed_and_what_somebody_else_changed(cluster: Cluster) -> None:
    cluster.pod("one")
    pods = cluster.resource("pods")
    with pytest.raises(StatusError, match="pod updates may not change fields other than"):
        cluster.api.patch(pods, "research", "one", "strategic", {"spec": {"nodeSelector": {"a": "b"}}})
    old = cluster.get("pods", "research", "one")
    cluster.api.patch(pods, "research", "one", "merge", {"metadata": {"labels": {"new": "1"}}})
    with pytest.raises(
        StatusError, match="the object has been modified; please apply your changes to the latest version"
    ):
        cluster.api.update(pods, "research", "one", old)
    with pytest.raises(StatusError, match='pods "one" already exists'):
        cluster.pod("one")
    with pytest.raises(StatusError, match='namespaces "nowhere" not found'):
        cluster.create("cm", "nowhere", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})


def test_a_dry_run_changes_nothing(cluster: Cluster) -> None:
    before = cluster.simulation.world.digest()
    made = cluster.api.create(
        cluster.resource("cm"),
        "default",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
        dry_run=True,
    )
    cluster.api.delete(cluster.resource("ns"), "", "serving", dry_run=True)
    assert made["metadata"]["uid"] and cluster.simulation.world.digest() == before


def test_patches_merge_lists_by_their_keys() -> None:
    both = [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]
    thing: dict[str, Any] = {"spec": {"containers": both, "x": [1]}}
    strategic = {"spec": {"containers": [{"name": "b", "image": "3"}, {"name": "c"}], "x": [2]}}
    merged = patching.apply(thing, "strategic", strategic)["spec"]
    assert [each.get("image") for each in merged["containers"]] == ["1", "3", None] and merged["x"] == [2]
    gone = patching.apply(thing, "strategic", {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}})
    assert [each["name"] for each in gone["spec"]["containers"]] == ["b"]
    assert patching.apply(thing, "merge", {"spec": {"containers": None}})["spec"] == {"x": [1]}
    operations = [{"op": "add", "path": "/spec/x/-", "value": 5}, {"op": "remove", "path": "/spec/containers/0"}]
    assert patching.apply(thing, "json", operations)["spec"] == {
        "x": [1, 5],
        "containers": [{"name": "b", "image": "2"}],
    }
    with pytest.raises(StatusError, match="doc is missing path: /spec/y"):
        patching.apply(thing, "json", [{"op": "replace", "path": "/spec/y", "value": 1}])
    assert len(thing["spec"]["containers"]) == 2


@pytest.mark.parametrize(
    ("text", "thousandths"), [("500m", 500), ("2", 2000), ("1.5", 1500), ("1Ki", 1024_000), ("100n", 1)]
)
def test_quantities(text: str, thousandths: int) -> None:
    assert milli(text) == thousandths


def test_quantities_as_they_are_written() -> None:
    assert (amount("64Gi"), bytes_text(64 << 30), cores_text(2000), cores_text(1500)) == (
        64 << 30,
        "64Gi",
        "2",
        "1500m",
    )
    with pytest.raises(BadQuantity):
        milli("lots")


def test_names_of_objects_are_subdomains() -> None:
    thing = {"metadata": {"name": "Not Good"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    with pytest.raises(StatusError, match="a lowercase RFC 1123 subdomain must consist of"):
        validation.check(of_store("pods"), thing)


def test_requests_can_be_replayed(cluster: Cluster) -> None:
    cluster.pod("one", gpus=2)
    cluster.wait(7)
    cluster.api.patch(cluster.resource("deploy"), "serving", "embed", "merge", {"spec": {"replicas": 2}})
    cluster.wait(7)
    assert all(decode(encode(entry.action)) == entry.action for entry in cluster.simulation.recorded)
    again = replay(open_site("k8s-ib-3"), cluster.simulation.recorded, cluster.simulation.now)
    assert again.state_digest() == cluster.simulation.state_digest()


def test_health_and_version(cluster: Cluster) -> None:
    assert cluster.api.health("/readyz") == (200, "ok")
    assert "[+]etcd ok\n" in cluster.api.health("/livez?verbose")[1]
    assert cluster.api.version()["gitVersion"] == "v1.32.4" and cluster.api.address == "https://10.20.0.20:6443"
