"""MPIJobs, PyTorchJobs, and the KAI scheduler with its queues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.control.kubernetes.cluster import GPU, Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def replica(command: list[str], replicas: int = 1, gpus: int = 0, **spec: Any) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": "nvcr.io/nvidia/pytorch:25.10-py3"}
    if command:
        container["command"] = command
    if gpus:
        container["resources"] = {"limits": {GPU: str(gpus)}}
    return {"replicas": replicas, "template": {"spec": {"containers": [container], **spec}}}


def mpi_job(cluster: Cluster, name: str, workers: int, gpus: int, policy: str = "Running") -> None:
    specs = {"Launcher": replica(["mpirun", "-np", "16", "all_reduce_perf"]), "Worker": replica([], workers, gpus)}
    spec = {"slotsPerWorker": gpus, "mpiReplicaSpecs": specs, "runPolicy": {"cleanPodPolicy": policy}}
    manifest = {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}
    cluster.create("mpijobs", "research", manifest)


def conditions(cluster: Cluster, kind: str, name: str) -> dict[str, str]:
    status = cluster.get(kind, "research", name).get("status") or {}
    return {each["type"]: each["status"] for each in status.get("conditions") or ()}


def test_an_mpi_job_runs_and_its_workers_go(cluster: Cluster) -> None:
    mpi_job(cluster, "nccl-test", 2, 4)
    cluster.wait(20)
    pods = cluster.items("pods", "research", label_selector="training.kubeflow.org/job-name=nccl-test")
    assert {"nccl-test-worker-0", "nccl-test-worker-1"} < {each["metadata"]["name"] for each in pods}
    assert conditions(cluster, "mpijobs", "nccl-test")["Created"] == "True"
    cluster.wait(600)
    assert conditions(cluster, "mpijobs", "nccl-test") == {"Created": "True", "Running": "False", "Succeeded": "True"}
    assert not [each for each in cluster.items("pods", "research") if "-worker-" in each["metadata"]["name"]]
    (told,) = cluster.events("MPIJobSucceeded")
    assert told["message"] == "MPIJob research/nccl-test successfully completed."


def test_a_pytorch_job_fails_with_its_pod(cluster: Cluster) -> None:
    specs = {"Master": replica(["sleep", "30"]), "Worker": replica(["false"], 1)}
    manifest = {
        "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "sft"},
        "spec": {"pytorchReplicaSpecs": specs},
    }  # fmt: skip
    cluster.create("pytorchjobs", "research", manifest)
    cluster.wait(1)
    assert cluster.cells("pytorchjobs", "research", "sft")["State"] == "Created"
    cluster.wait(300)
    assert cluster.cells("pytorchjobs", "research", "sft")["State"] == "Failed"


def queue(cluster: Cluster, name: str, quota: int, limit: int) -> None:
    rule = {"quota": quota, "limit": limit, "overQuotaWeight": 1}
    spec = {"parentQueue": "default-parent-queue", "resources": {"gpu": rule}}
    manifest = {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}
    cluster.create("queues", "", manifest)


def kai_pod(cluster: Cluster, name: str, of_queue: str, gpus: int) -> None:
    limits = {"limits": {GPU: str(gpus)}}
    container = {"name": "c", "image": "busybox:1.36", "command": ["sleep", "999"], "resources": limits}
    manifest = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"kai.scheduler/queue": of_queue}},
        "spec": {"schedulerName": "kai-scheduler", "containers": [container]},
    }  # fmt: skip
    cluster.create("pods", "research", manifest)
    cluster.wait(10)


def unschedulable(cluster: Cluster, pod: str) -> str:
    found = [each for each in cluster.events("Unschedulable") if each["involvedObject"]["name"] == pod]
    return str(found[-1]["message"]) if found else ""


def test_a_queue_bounds_its_gpus(cluster: Cluster) -> None:
    queue(cluster, "team-a", 2, 4)
    kai_pod(cluster, "first", "team-a", 3)
    assert cluster.word("research", "first") == "Running"
    scheduled = next(each for each in cluster.events("Scheduled") if each["involvedObject"]["name"] == "first")
    assert "at node-pool default" in scheduled["message"]
    kai_pod(cluster, "second", "team-a", 2)
    assert unschedulable(cluster, "second") == (
        "team-a quota has reached the allowable limit of GPUs. Limit is 4 GPUs, currently 3 GPUs allocated and "
        "workload requested 2 GPUs"
    )
    patch = {"spec": {"resources": {"gpu": {"limit": 8}}}}
    cluster.api.patch(cluster.resource("queues"), "", "team-a", "merge", patch)
    cluster.wait(10)
    assert cluster.word("research", "second") == "Running"
    assert cluster.get("queues", "", "team-a")["status"]["allocated"][GPU] == "5"
    assert cluster.cells("queues", "", "default-parent-queue")["Children"] == '["default-queue","team-a"]'


def test_what_cannot_be_placed(cluster: Cluster) -> None:
    kai_pod(cluster, "lost", "nowhere", 1)
    assert unschedulable(cluster, "lost") == "Queue 'nowhere' does not exist"
    kai_pod(cluster, "wide", "default-queue", 16)
    assert "3 node(s) didn't have enough resources: GPUs." in unschedulable(cluster, "wide")


def test_a_gang_is_placed_whole_or_not_at_all(cluster: Cluster) -> None:
    labels = {"kai.scheduler/queue": "default-queue"}
    specs: dict[str, Any] = {"Master": replica(["sleep", "99"], 1, 8), "Worker": replica(["sleep", "99"], 3, 8)}
    for each in specs.values():
        each["template"]["metadata"] = {"labels": labels}
        each["template"]["spec"]["schedulerName"] = "kai-scheduler"
    manifest = {
        "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "big"},
        "spec": {"pytorchReplicaSpecs": specs},
    }  # fmt: skip
    cluster.create("pytorchjobs", "research", manifest)
    cluster.wait(10)
    pods = cluster.items("pods", "research", label_selector="training.kubeflow.org/job-name=big")
    assert len(pods) == 4 and not any(each["spec"].get("nodeName") for each in pods)
    assert "while 4 are required for gang scheduling" in unschedulable(cluster, "big-master-0")
