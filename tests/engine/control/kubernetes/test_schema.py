"""What the server says of fields that it does not know, and of values of wrong types."""

from __future__ import annotations

from typing import Any

import pytest

from engine.control.kubernetes import reading, schema
from engine.control.kubernetes.resources import built_in
from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.run import run_command


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return Cluster()


def pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "busybox:1.36", "command": ["sleep", "1"]}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"containers": containers, **spec}}


def test_every_object_of_the_cluster_is_known(cluster: Cluster) -> None:
    for resource in built_in():
        if "list" in resource.verbs:
            for thing in reading.objects(cluster.simulation, resource):
                assert schema.decode(resource, thing) == [], resource.qualified


def test_every_kind_that_can_be_made_has_its_fields() -> None:
    without = [each.kind for each in built_in() if "create" in each.verbs and not schema.type_of(each)]
    assert without == []


def test_types_are_types_of_the_table() -> None:
    scalars = {"string", "bool", "int32", "int64", "float64", "time", "quantity", "int-or-string", "any"}
    for name, fields in schema.types().items():
        assert {each.element for each in fields} <= scalars | set(schema.types()), name


def test_an_unknown_field_is_refused_or_dropped(cluster: Cluster) -> None:
    pods = cluster.resource("pods")
    with pytest.raises(StatusError) as refused:
        cluster.api.create(pods, "research", pod(nodeSelctor={"a": "b"}, initcontainers=[]), strict=True)
    assert refused.value.message == (
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.initcontainers", '
        'unknown field "spec.nodeSelctor"'
    )
    made = cluster.api.create(pods, "research", pod(nodeSelctor={"a": "b"}))
    assert "nodeSelctor" not in made["spec"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"hostNetwork": "yes"}, "string into Go struct field PodSpec.spec.hostNetwork of type bool"),
        ({"nodeSelector": {"a": True}}, "bool into Go struct field PodSpec.spec.nodeSelector of type string"),
        ({"volumes": {}}, "object into Go struct field PodSpec.spec.volumes of type []v1.Volume"),
        ({"affinity": []}, "array into Go struct field PodSpec.spec.affinity of type v1.Affinity"),
        ({"priority": 1.5}, "number 1.5 into Go struct field PodSpec.spec.priority of type int32"),
        (
            {"containers": [{"name": "c", "ports": [{"containerPort": "80"}]}]},
            "string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32",
        ),
    ],
)
def test_a_wrong_type_is_refused(cluster: Cluster, spec: dict[str, Any], said: str) -> None:
    with pytest.raises(StatusError) as refused:
        cluster.api.create(cluster.resource("pods"), "research", pod(**spec))
    assert refused.value.message == f'Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal {said}'


def test_kubectl_asks_for_strictness_unless_told_otherwise(cluster: Cluster) -> None:
    text, line = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndatas: {}\n", "kubectl apply -n research -f -"
    strict = run_command(cluster.simulation, "head-01", "alex", line, stdin=text)
    assert 'cannot be handled as a ConfigMap: strict decoding error: unknown field "datas"' in strict.stderr
    warned = run_command(cluster.simulation, "head-01", "alex", f"{line} --validate=warn", stdin=text)
    assert (warned.stdout, warned.stderr) == ("configmap/c created\n", 'Warning: unknown field "datas"\n')
    patched = run_command(
        cluster.simulation, "head-01", "alex", "kubectl patch -n research cm c -p '{\"datas\":{\"a\":\"b\"}}'"
    )
    assert patched.stderr == 'Warning: unknown field "datas"\n'


def refusal(cluster: Cluster, name: str, spec: dict[str, Any]) -> str:
    resource = cluster.resource(name)
    manifest = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}, "spec": spec}
    with pytest.raises(StatusError) as refused:
        cluster.api.create(resource, "research", manifest)
    return refused.value.message


def test_kinds_that_nothing_acts_on_are_checked(cluster: Cluster) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "embed"}
    said = refusal(cluster, "hpa", {"scaleTargetRef": target, "minReplicas": 4, "maxReplicas": 2})
    assert said.endswith("spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`")
    path = {"path": "a", "pathType": "Prefix", "backend": {"service": {"name": "embed", "port": {"number": 80}}}}
    said = refusal(cluster, "ingress", {"rules": [{"http": {"paths": [path]}}]})
    assert said.endswith('spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path')
    said = refusal(cluster, "netpol", {"podSelector": {}, "policyTypes": ["In"]})
    assert said.endswith('spec.policyTypes[0]: Unsupported value: "In": supported values: "Egress", "Ingress"')


def test_kinds_that_nothing_acts_on_are_shown() -> None:
    cluster = Cluster()
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "embed"}
    made = {
        "hpa": {"scaleTargetRef": target, "maxReplicas": 6},
        "ingress": {"rules": [{"host": "embed.example"}], "ingressClassName": "nginx"},
        "netpol": {"podSelector": {"matchLabels": {"app": "embed"}}},
    }
    for name, spec in made.items():
        resource = cluster.resource(name)
        manifest = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "x"}, "spec": spec}
        cluster.api.create(resource, "serving", manifest)
    row = cluster.cells("hpa", "serving", "x")
    assert (row["Reference"], row["Targets"], row["Replicas"]) == ("Deployment/embed", "cpu: <unknown>/80%", 3)
    assert cluster.cells("ingress", "serving", "x")["Hosts"] == "embed.example"
    assert cluster.cells("netpol", "serving", "x")["Pod-Selector"] == "app=embed"
