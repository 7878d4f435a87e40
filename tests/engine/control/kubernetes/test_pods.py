"""A pod's life: start, end, restarts, images, what keeps it from starting."""

from __future__ import annotations

import pytest

from engine.control import processes
from engine.control.kubernetes.status_error import StatusError
from tests.engine.control.kubernetes.cluster import EMBED, VECTOR_ADD, Cluster


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_a_pod_is_scheduled_pulled_and_started(cluster: Cluster) -> None:
    cluster.pod("one")
    assert cluster.word("research", "one") == "ContainerCreating"
    cluster.wait(5)
    pod = cluster.get("pods", "research", "one")
    assert cluster.word("research", "one") == "Running" and pod["status"]["phase"] == "Running"
    assert {each["type"]: each["status"] for each in pod["status"]["conditions"]} == {
        "PodReadyToStartContainers": "True", "Initialized": "True", "Ready": "True", "ContainersReady": "True",
        "PodScheduled": "True",
    }  # fmt: skip
    assert pod["status"]["podIP"].startswith("10.244.") and pod["status"]["qosClass"] == "BestEffort"
    told = [each["reason"] for each in cluster.items("events", "research") if each["involvedObject"]["name"] == "one"]
    assert sorted(told) == ["AddedInterface", "Created", "Pulled", "Pulling", "Scheduled", "Started"]


def test_a_job_on_a_gpu_ends_and_gives_it_back(cluster: Cluster) -> None:
    cluster.pod("vec", VECTOR_ADD, (), 1, restartPolicy="OnFailure")
    cluster.wait(10)
    assert cluster.word("research", "vec") == "Completed"
    assert cluster.api.logs("research", "vec")[-2:] == ["Test PASSED", "Done"]
    node = cluster.world.kube_pods["research/vec"].node
    assert not any("vectorAdd" in each.command for each in cluster.world.systems[node].processes)


def test_the_pauses_between_restarts_double(cluster: Cluster) -> None:
    cluster.pod("crash", command=("sh", "-c", "echo begun; exit 3"))
    counts = []
    for _ in range(5):
        cluster.wait(20)
        status = cluster.get("pods", "research", "crash")["status"]["containerStatuses"][0]
        counts.append(status["restartCount"])
    assert counts == [2, 3, 3, 4, 4]
    cluster.wait(5)
    assert (
        status["lastState"]["terminated"]["exitCode"] == 3
        and status["state"]["waiting"]["reason"] == "CrashLoopBackOff"
    )
    assert "back-off 1m20s restarting failed container=c pod=crash_research(" in status["state"]["waiting"]["message"]
    assert cluster.api.logs("research", "crash", previous=True) == ["begun"]


@pytest.mark.parametrize(
    ("image", "why"),
    [
        ("nginx:nope", "code = NotFound desc = failed to pull and unpack image"),
        ("nobody/nothing:1", "pull access denied, repository does not exist or may require authorization"),
        ("reg.example:5000/a:1", "dial tcp: lookup reg.example on 127.0.0.53:53: no such host"),
    ],
)
def test_an_image_that_cannot_be_had(cluster: Cluster, image: str, why: str) -> None:
    cluster.pod("bad", image)
    cluster.wait(5)
    assert cluster.word("research", "bad") == "ImagePullBackOff"
    assert any(why in each["message"] for each in cluster.events("Failed"))
    with pytest.raises(StatusError, match="is waiting to start: trying and failing to pull image"):
        cluster.api.logs("research", "bad")
    cluster.wait(300)
    assert next(each for each in cluster.events("Pulling"))["count"] == 5


def test_init_containers_run_one_after_the_other(cluster: Cluster) -> None:
    init = [{"name": f"i{n}", "image": "busybox:1.36", "command": ["sleep", "10"]} for n in (1, 2)]
    cluster.pod("two", initContainers=init)
    seen = []
    for _ in range(3):
        cluster.wait(9)
        seen.append(cluster.word("research", "two"))
    assert seen == ["Init:0/2", "Init:1/2", "Running"]


def test_a_missing_configmap_keeps_a_pod_waiting_until_it_comes(cluster: Cluster) -> None:
    cluster.pod("conf", volumes=[{"name": "v", "configMap": {"name": "settings"}}])
    cluster.wait(5)
    assert cluster.word("research", "conf") == "ContainerCreating"
    assert 'configmap "settings" not found' in cluster.events("FailedMount")[0]["message"]
    cluster.create(
        "configmaps", "research", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
    )
    cluster.wait(20)
    assert cluster.word("research", "conf") == "Running"


def test_a_deleted_pod_has_its_grace(cluster: Cluster) -> None:
    cluster.pod("slow")
    cluster.wait(5)
    cluster.api.delete(cluster.resource("pods"), "research", "slow")
    cluster.wait(20)
    assert cluster.word("research", "slow") == "Terminating"
    cluster.wait(15)
    with pytest.raises(StatusError) as refused:
        cluster.get("pods", "research", "slow")
    assert refused.value.message == 'pods "slow" not found' and refused.value.code == 404


def test_a_killed_process_ends_its_container(cluster: Cluster) -> None:
    run = cluster.world.kube_pods["research/llama-sft-0"]
    process = next(each for each in cluster.world.systems[run.node].processes if each.command.startswith("torchrun"))
    cluster.simulation.apply(processes.Kill(run.node, process.pid, 9, "root"))
    cluster.wait(3)
    state = cluster.get("pods", "research", "llama-sft-0")["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (state["exitCode"], state["reason"]) == (137, "Error") and cluster.word("research", "llama-sft-0") == "Error"


def test_a_readiness_probe_sees_the_server_at_its_turn(cluster: Cluster) -> None:
    probe = {"httpGet": {"path": "/health", "port": 8080}, "initialDelaySeconds": 5, "periodSeconds": 10}
    container = {"name": "s", "image": EMBED, "readinessProbe": probe, "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "s"}, "spec": {"containers": [container]}}
    cluster.create("pods", "research", manifest)
    cluster.wait(35)
    assert cluster.cells("pods", "research", "s")["Ready"] == "0/1" and cluster.word("research", "s") == "Running"
    cluster.wait(30)
    assert cluster.cells("pods", "research", "s")["Ready"] == "1/1"


def test_a_program_that_the_image_lacks(cluster: Cluster) -> None:
    cluster.pod("lost", command=("/opt/nothing",))
    cluster.wait(8)
    assert cluster.word("research", "lost") == "CrashLoopBackOff"
    assert 'exec: "/opt/nothing": executable file not found in $PATH' in cluster.events("Failed")[0]["message"]


def test_exec_reaches_a_running_container_alone(cluster: Cluster) -> None:
    run = cluster.world.kube_pods["research/llama-sft-0"]
    assert cluster.api.container("research", "llama-sft-0") == (run.node, run.containers[0].id)
    cluster.pod("done", command=("true",), restartPolicy="Never")
    cluster.wait(5)
    with pytest.raises(
        StatusError, match="cannot exec into a container in a completed pod; current phase is Succeeded"
    ):
        cluster.api.container("research", "done")
