"""crictl: the same containers and images as the API server's, asked of the node."""

from __future__ import annotations

import json

from engine.control import systemd
from tests.engine.control.kubernetes.cluster import EMBED, Cluster
from tests.support.run import run_command


def output(cluster: Cluster, host: str, line: str, user: str = "root") -> str:
    result = run_command(cluster.simulation, host, user, line)
    return result.stdout + result.stderr


def test_containers_and_pods_are_those_of_the_api() -> None:
    cluster = Cluster()
    for node in ("cp-01", "gpu-02"):
        names = {pod["metadata"]["name"] for pod in cluster.items("pods", field_selector=f"spec.nodeName={node}")}
        assert {line.split()[-2] for line in output(cluster, node, "crictl ps").splitlines()[1:]} == names
        assert len(output(cluster, node, "crictl pods -q").split()) == len(names)


def test_a_container_ends_and_its_log_stays() -> None:
    cluster = Cluster()
    cluster.pod("crash", command=("sh", "-c", "echo begun; exit 3"), nodeName="gpu-01")
    cluster.wait(12)
    row = next(
        line.split()
        for line in output(cluster, "gpu-01", "crictl ps -a --name c --state exited").splitlines()
        if " crash " in line
    )
    assert output(cluster, "gpu-01", f"crictl logs {row[0]}") == "begun\n"
    shown = json.loads(output(cluster, "gpu-01", f"crictl inspect {row[0]}"))
    assert (shown["status"]["exitCode"], shown["status"]["state"]) == (3, "CONTAINER_EXITED")


def test_images_and_pulls() -> None:
    cluster = Cluster()
    assert output(cluster, "gpu-01", f"crictl pull {EMBED}").startswith("Image is up to date for sha256:")
    assert "2.4.0" in output(cluster, "gpu-01", "crictl images") and "2.4.0" not in output(
        cluster, "gpu-02", "crictl images"
    )
    refused = run_command(cluster.simulation, "gpu-01", "root", f"crictl pull {EMBED}9")
    assert (
        refused.status == 1 and refused.stderr.endswith(f'{EMBED}9: not found"\n') and "level=fatal" in refused.stderr
    )


def test_who_cannot_ask() -> None:
    cluster = Cluster()
    assert "connect: permission denied" in output(cluster, "gpu-01", "crictl ps", "alex")
    cluster.simulation.apply(systemd.StopUnit("gpu-01", "containerd", "alex"))
    assert "validate service connection: validate CRI v1 runtime API" in output(cluster, "gpu-01", "crictl ps")
    assert run_command(cluster.simulation, "gpu-02", "root", "crictl stats").status == 125
