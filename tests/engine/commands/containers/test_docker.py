"""docker: runs with GPUs and without, what dockerd refuses, and what is seen inside."""

from __future__ import annotations

from functools import cache

import pytest

from engine.control.containers import CONTAINER, device_cgroup, lifecycle
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.workloads.nccl import Rank, troubles
from engine.world.world import World
from tests.support.run import run_command
from tests.support.sessions import screen

HOST = "dgx-04"
TORCH = "nvcr.io/nvidia/pytorch:24.10-py3"


@cache
def _site() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site() -> Simulation[World]:
    return _site().fork()


def said(simulation: Simulation[World], line: str, user: str = "root") -> str:
    result = run_command(simulation, HOST, user, line)
    return result.stdout + result.stderr


def played(simulation: Simulation[World], *lines: str) -> str:
    """What root's lines print in a shell on the host."""
    text = "\n".join(lines).replace("docker ", "sudo docker ")
    return screen(simulation, [f"ssh -T {HOST} <<'END'\n{text}\nEND"])


def status(simulation: Simulation[World], line: str) -> int:
    return run_command(simulation, HOST, "root", line).status


def test_only_root_reaches_the_socket(site: Simulation[World]) -> None:
    assert "permission denied while trying to connect to the Docker daemon socket" in said(site, "docker ps", "alex")


@pytest.mark.parametrize(("asked", "count"), [("all", 8), ("2", 2), ("'\"device=1,3\"'", 2), ("device=5", 1)])
def test_gpus_that_are_asked_for(site: Simulation[World], asked: str, count: int) -> None:
    shown = said(site, f"docker run --rm --gpus {asked} ubuntu:24.04 nvidia-smi -L")
    assert shown.count("GPU-") == count
    assert shown.startswith("GPU 0: ")


def test_the_runtime_takes_the_variable(site: Simulation[World]) -> None:
    line = "docker run --rm --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=2 ubuntu:24.04 nvidia-smi -L"
    assert said(site, line).count("GPU-") == 1


def test_without_gpus_there_is_no_driver(site: Simulation[World]) -> None:
    assert status(site, "docker run --rm ubuntu:24.04 nvidia-smi") == 127
    assert lifecycle.containers(site.world, HOST) == ()


def test_a_container_is_another_system(site: Simulation[World]) -> None:
    lines = (
        f"docker run -d --name one --gpus all {TORCH} sleep infinity > /dev/null",
        "docker exec one grep VERSION_ID /etc/os-release",
        "docker exec one hostname",
        "docker exec one touch /tmp/inside",
        "docker exec one ls /tmp",
        "ls /tmp",
        "docker exec one ls /dev/infiniband",
        "docker exec one bash -c 'exit 7'; echo status $?",
        "docker exec one scontrol; echo status $?",
    )
    system, name, *shown = played(site, *lines).splitlines()
    assert system == 'VERSION_ID="22.04"'
    assert len(name) == 12
    assert shown.count("inside") == 1
    assert "status 7" in shown
    assert "status 127" in shown
    assert "ls: cannot access '/dev/infiniband': No such file or directory" in shown


def test_nccl_in_a_container_without_rdma_devices_uses_sockets(site: Simulation[World]) -> None:
    test = "-e NCCL_DEBUG=INFO --network host {} all_reduce_perf -b 1M -e 1M -g 8"
    without = said(site, f"docker run --rm --gpus all {test.format(TORCH)}")
    passed = said(site, f"docker run --rm --gpus all --device /dev/infiniband {test.format(TORCH)}")
    assert "NET/IB : No device found." in without
    assert "NET/IB : Using [0]mlx5_0" in passed


def test_after_a_reload_only_the_container_is_refused(site: Simulation[World]) -> None:
    said(site, f"docker run -d --name one --gpus all {TORCH} sleep infinity")
    site.apply(device_cgroup.ReloadManager(HOST, 4711))
    assert said(site, "docker exec one nvidia-smi") == "Failed to initialize NVML: Unknown Error\n"
    assert said(site, "nvidia-smi -L").count("GPU-") == 8


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("container.toolkit_missing", 'could not select device driver "" with capabilities: [[gpu]].'),
        ("container.daemon_misconfigured", "Cannot connect to the Docker daemon"),
        ("driver.library_mismatch", "nvml error: driver/library version mismatch: unknown."),
    ],
)
def test_what_a_start_says(site: Simulation[World], fault: str, words: str) -> None:
    site.apply(parse_fault(f"{fault} target={HOST}"))
    site.advance(MINUTE)
    line = "docker run --rm --gpus all ubuntu:24.04 nvidia-smi"
    assert words in said(site, line)
    assert status(site, line) == 125


def test_an_unknown_runtime(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"container.runtime_not_configured target={HOST}"))
    assert "unknown or invalid runtime name: nvidia." in said(site, "docker run --runtime=nvidia ubuntu:24.04 ls")
    said(site, "nvidia-ctk runtime configure --runtime=docker")
    said(site, "systemctl restart docker")
    assert status(site, "docker run --rm --runtime=nvidia ubuntu:24.04 ls") == 0


def test_an_image_that_is_newer_than_the_driver() -> None:
    old = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    shown = said(old, "docker run --rm --gpus all nvcr.io/nvidia/cuda:12.8.1-base-ubuntu24.04 nvidia-smi")
    assert "requirement error: unsatisfied condition: cuda>=12.8" in shown


def test_statuses(site: Simulation[World]) -> None:
    assert status(site, "docker run --nonsense ubuntu:24.04") == 125
    assert "status 7" in played(site, "docker run --rm ubuntu:24.04 bash -c 'exit 7'; echo status $?")
    assert "manifest unknown" in said(site, "docker pull nvcr.io/nvidia/cuda:99")


def test_restart_policies_and_the_end(site: Simulation[World]) -> None:
    said(site, "docker run -d --name one --restart always ubuntu:24.04 sleep infinity")
    first = lifecycle.find(site.world, HOST, "one")
    assert first is not None
    said(site, f"kill -9 {first.pid}")
    again = lifecycle.find(site.world, HOST, "one")
    assert again is not None
    assert again.status == "running"
    assert again.pid != first.pid
    said(site, "docker stop one")
    assert "Exited (137)" in said(site, "docker ps -a")
    assert "No such container" in said(site, "docker rm two")


def test_the_toolkit_tells_of_the_host(site: Simulation[World]) -> None:
    assert said(site, "nvidia-container-cli info").count("Device Index:") == 8
    assert "nvidia.com/gpu=all" in said(site, "nvidia-ctk cdi list")
    said(site, "nvidia-ctk system create-dev-char-symlinks --create-all")
    assert "195:255 -> ../nvidiactl" in said(site, "ls -l /dev/char")


def test_a_container_that_comes_back_asks_the_toolkit_again(site: Simulation[World]) -> None:
    said(site, f"docker run -d --name one --gpus all --restart always {TORCH} sleep infinity")
    said(site, "systemctl restart docker")
    assert "Up " in said(site, "docker ps --filter name=one")
    site.apply(parse_fault(f"driver.library_mismatch target={HOST}"))
    site.advance(MINUTE)
    said(site, "systemctl restart docker")
    found = lifecycle.find(site.world, HOST, "one")
    assert found is not None
    assert (found.status, found.exit_code) == ("exited", 128)
    journal = said(site, "journalctl -u docker --no-pager")
    assert "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch" in journal


@pytest.mark.parametrize(("policy", "status"), [("always", "running"), ("unless-stopped", "exited")])
def test_who_was_stopped_by_hand(site: Simulation[World], policy: str, status: str) -> None:
    said(site, f"docker run -d --name one --restart {policy} ubuntu:24.04 sleep infinity")
    said(site, "systemctl restart docker")
    found = lifecycle.find(site.world, HOST, "one")
    assert found is not None
    assert found.status == "running"
    said(site, "docker stop one")
    said(site, "systemctl restart docker")
    found = lifecycle.find(site.world, HOST, "one")
    assert found is not None
    assert found.status == status


def test_logs_of_what_was_attached(site: Simulation[World]) -> None:
    lines = ("docker run --name one --gpus 1 ubuntu:24.04 nvidia-smi -L", "docker logs one")
    first, again = played(site, *lines).splitlines()
    assert first == again


def test_more_gpus_than_there_are(site: Simulation[World]) -> None:
    shown = said(site, "docker run --rm --gpus 9 ubuntu:24.04 nvidia-smi")
    assert "nvidia-container-cli: device error: 8: unknown device: unknown." in shown


def test_verbs_and_limits_inside(site: Simulation[World]) -> None:
    options = "docker run --rm --network host --gpus all {} " + TORCH + " {}"
    assert "No IB devices found" in played(site, options.format("", "ibv_devinfo"))
    assert "hca_id:\tmlx5_0" in played(site, options.format("--device /dev/infiniband", "ibv_devinfo"))
    assert "Did not detect devices" in played(site, options.format("", "ib_write_bw"))
    assert played(site, options.format("", "bash -c 'ulimit -l'")) == "8192\n"
    assert played(site, options.format("--ulimit memlock=-1", "bash -c 'ulimit -l'")) == "unlimited\n"


@pytest.mark.parametrize(
    ("inside", "lockable", "refused"), [(False, 8192, False), (True, 8192, True), (True, None, False)]
)
def test_root_in_a_container_may_not_lock_as_it_likes(inside: bool, lockable: int | None, refused: bool) -> None:
    rank = Rank(HOST, "gpu0", 1, "root", {CONTAINER: "one"} if inside else {}, memory_lock=lockable)
    assert troubles._cannot_lock(rank) is refused
