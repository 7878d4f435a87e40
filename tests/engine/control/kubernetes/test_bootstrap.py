"""The cluster as its site opens."""

from __future__ import annotations

from engine.simulation import open_site
from tests.engine.control.kubernetes.cluster import GPU, Cluster


def test_everything_runs_when_the_site_opens() -> None:
    cluster = Cluster()
    words = {cluster.word(pod["metadata"]["namespace"], pod["metadata"]["name"]) for pod in cluster.items("pods")}
    assert words == {"Running"} and len(cluster.items("pods")) > 20
    assert all(each["status"]["conditions"][-1]["status"] == "True" for each in cluster.items("nodes"))
    assert [cluster.cells("nodes", "", name)["Roles"] for name in ("cp-01", "gpu-01")] == ["control-plane", "<none>"]
    assert cluster.cells("deploy", "serving", "embed")["Ready"] == "3/3"
    assert cluster.cells("ds", "kube-system", "kube-proxy")["Desired"] == 4
    assert cluster.items("events") == []


def test_pods_that_hold_gpus_are_processes_on_them() -> None:
    cluster = Cluster()
    node = cluster.get("pods", "research", "llama-sft-0")["spec"]["nodeName"]
    process = next(each for each in cluster.world.systems[node].processes if each.command.startswith("torchrun"))
    held = cluster.world.kube_pods["research/llama-sft-0"].devices
    bound = cluster.world.node(node).gpus
    assert sorted(cluster.world.gpus[bound[index].id].uuid for index in process.gpus) == sorted(d for _, d in held)
    assert len(held) == 4 and {resource for resource, _ in held} == {GPU}


def test_the_same_seed_gives_the_same_cluster_and_another_other_names() -> None:
    assert open_site("k8s-ib-3").state_digest() == open_site("k8s-ib-3").state_digest()
    names = [{each["metadata"]["name"] for each in Cluster(seed).items("pods", "serving")} for seed in (1, 2)]
    assert not names[0] & names[1]


def test_a_site_without_a_cluster_has_no_server() -> None:
    simulation = open_site("dgx-h100-4")
    assert simulation.world.inventory.kubernetes is None and not simulation.world.kube_objects.changed()
