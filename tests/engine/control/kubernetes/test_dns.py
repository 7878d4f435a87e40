"""Names in pods: what CoreDNS answers, and what a container's files say."""

from __future__ import annotations

import pytest

from engine.control.kubernetes import dns
from tests.engine.control.kubernetes.cluster import Cluster
from tests.support.sessions import screen


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("embed", "embed.serving.svc.cluster.local"),
        ("kubernetes.default", "kubernetes.default.svc.cluster.local"),
        ("kube-dns.kube-system.svc.cluster.local", "kube-dns.kube-system.svc.cluster.local"),
        ("reg-01.borealis.example", "reg-01.borealis.example"),
    ],
)
def test_names_are_searched_in_the_pods_namespace_first(name: str, full: str) -> None:
    world = Cluster().world
    answer = dns.query(world, "serving", name)
    assert answer.name == full and len(answer.addresses) == 1


def test_a_name_that_there_is_not() -> None:
    answer = dns.query(Cluster().world, "research", "embed")
    assert answer.answered and answer.addresses == () and answer.name == "embed"


def test_without_coredns_nobody_answers() -> None:
    cluster = Cluster()
    cluster.api.scale(cluster.resource("deploy"), "kube-system", "coredns", 0)
    cluster.wait(30)
    assert not dns.query(cluster.world, "serving", "embed").answered


def test_a_service_without_an_address_has_those_of_its_pods() -> None:
    cluster = Cluster()
    spec = {"clusterIP": "None", "selector": {"app": "embed"}, "ports": [{"port": 80}]}
    cluster.create("svc", "serving", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "all"}, "spec": spec})
    assert len(dns.query(cluster.world, "serving", "all").addresses) == 3


def test_programs_of_a_pod_see_its_files_and_its_names() -> None:
    cluster = Cluster()
    pod = cluster.items("pods", "serving")[0]
    shown = screen(
        cluster.simulation,
        [
            f"kubectl exec -n serving {pod['metadata']['name']} -- {line}"
            for line in ("cat /etc/resolv.conf", "nslookup embed", "nvidia-smi -L")
        ],
    )
    assert "search serving.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\n" in shown
    assert "Name:\tembed.serving.svc.cluster.local\n" in shown and shown.count("GPU 0: NVIDIA H100") == 1
    assert "GPU 1:" not in shown
