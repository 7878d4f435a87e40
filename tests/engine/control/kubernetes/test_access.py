"""Who may do what, and what the server says to those who may not."""

from __future__ import annotations

import pytest

from engine.control.kubernetes import access
from engine.control.kubernetes.api import ApiServer
from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.run import run_command


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return Cluster()


def typed(cluster: Cluster, line: str, user: str = "priya") -> tuple[str, str, int]:
    result = run_command(cluster.simulation, "head-01", user, line)
    return result.stdout, result.stderr, result.status


@pytest.mark.parametrize(
    ("name", "verb", "kind", "namespace", "may"),
    [
        ("priya", "create", "pods", "research", True),
        ("priya", "list", "pods", "serving", False),
        ("priya", "get", "nodes", "", False),
        ("priya", "get", "net-attach-def", "research", False),
        ("nobody", "get", "pods", "research", False),
        ("system:serviceaccount:research:default", "list", "pods", "research", False),
    ],
)
def test_what_bindings_grant(cluster: Cluster, name: str, verb: str, kind: str, namespace: str, may: bool) -> None:
    resource = cluster.resource(kind)
    assert access.allowed(cluster.world, access.subject(name), verb, resource, namespace, "") == may
    assert access.allowed(cluster.world, access.ADMINISTRATOR, verb, resource, namespace, "")


def test_roles_of_a_namespace_and_names_in_rules() -> None:
    cluster = Cluster()
    rule = {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"], "resourceNames": ["llama-sft-0"]}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "logs"}, "rules": [rule]}
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "logs"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "logs"},
        "subjects": [{"kind": "ServiceAccount", "name": "watcher", "namespace": "serving"}],
    }  # fmt: skip
    cluster.create("roles", "research", role)
    cluster.create("rolebindings", "research", binding)
    who = access.subject("system:serviceaccount:serving:watcher")
    server = ApiServer(cluster.simulation, "alex", "", who)
    assert server.logs("research", "llama-sft-0")
    with pytest.raises(StatusError) as refused:
        server.logs("research", "other")
    assert refused.value.message == (
        'pods "other" is forbidden: User "system:serviceaccount:serving:watcher" cannot get resource "pods/log" in API '
        'group "" in the namespace "research"'
    )


def test_a_person_has_a_namespace(cluster: Cluster) -> None:
    assert typed(cluster, "kubectl get pods -o name")[0] == "pod/llama-sft-0\n"
    assert typed(cluster, "kubectl get nodes") == (
        "",
        'Error from server (Forbidden): nodes is forbidden: User "priya" cannot list resource "nodes" in API group "" '
        "at the cluster scope\n",
        1,
    )
    assert typed(cluster, "kubectl auth can-i create jobs.batch") == ("yes\n", "", 0)
    assert typed(cluster, "kubectl auth can-i create pods -n serving") == ("no\n", "", 1)
    assert "cannot list resource \"secrets\"" in typed(cluster, "helm list -A")[1]
    assert "cannot impersonate" in typed(cluster, "kubectl get pods --as alex")[1]


def test_an_administrator_asks_for_others(cluster: Cluster) -> None:
    assert typed(cluster, "kubectl auth can-i delete pods -n research --as wei", "alex") == ("yes\n", "", 0)
    assert typed(cluster, "kubectl auth can-i '*' '*'", "alex")[0] == "yes\n"
    assert "system:masters" in typed(cluster, "kubectl auth whoami --as x --as-group system:masters", "alex")[0]
