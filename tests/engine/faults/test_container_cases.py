"""Faults of containers that an image or a start brings: what shows them, what does not, and what mends them."""

from __future__ import annotations

import json

import pytest

from engine.control import files
from engine.control.containers import lifecycle
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
OLDER = "nvcr.io/nvidia/pytorch:24.10-py3"


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def output(site: Simulation[World], line: str) -> str:
    result = run_command(site, HOST, "root", line)
    return result.stdout + result.stderr


def test_an_image_that_wants_a_newer_driver_does_not_start(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"container.image_too_new target={HOST}"))
    assert "Created" in output(site, "docker ps -a") and "assistant" not in output(site, "docker ps")
    why = "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.2, please update your driver"
    assert why in output(site, "journalctl -u docker -n 1")
    (shown,) = json.loads(output(site, "docker inspect assistant"))
    assert why in shown["State"]["Error"] and shown["State"]["ExitCode"] == 128
    assert why in output(site, "docker start assistant")
    assert output(site, f"docker run --rm --gpus all {OLDER} nvidia-smi -L").count("GPU ") == 8


@pytest.mark.parametrize("words", [OLDER, "-e NVIDIA_DISABLE_REQUIRE=1 nvcr.io/nvidia/pytorch:26.04-py3"])
def test_an_earlier_image_starts_in_its_place(site: Simulation[World], words: str) -> None:
    site.apply(parse_fault(f"container.image_too_new target={HOST}"))
    output(site, "docker rm assistant")
    output(site, f"docker run -d --gpus all --name assistant {words} sleep infinity")
    assert "Up" in output(site, "docker ps") and "assistant" in output(site, "docker ps")


def test_dockerd_asks_for_the_driver_again_when_it_starts_a_container_anew() -> None:
    site = open_site("dgx-h100-4", overrides={"software.driver": "580.65.06"})
    fields = {"name": "kept", "image": "nvcr.io/nvidia/cuda:13.1.0-base-ubuntu24.04", "command": ("sleep", "infinity")}
    more = {"gpu_request": "all", "gpus": (f"{HOST}/gpu0",), "restart": "always"}
    site.apply(lifecycle.Create(HOST, tuple({**fields, **more}.items())))
    output(site, "systemctl restart docker")
    assert "Exited (128)" in output(site, "docker ps -a")
    assert "unsatisfied condition: cuda>=13.1" in output(site, "docker inspect kept")


def test_a_training_with_little_shared_memory_ends_within_a_minute(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"container.shared_memory_small target={HOST}"))
    assert "Up" in output(site, "docker ps") and "python" in output(site, "nvidia-smi")
    assert "64M" in output(site, "docker exec trainer df -h /dev/shm")
    site.advance(MINUTE)
    assert "Exited (1)" in output(site, "docker ps -a")
    assert "killed by signal: Bus error" in output(site, "docker logs trainer")
    assert "No running processes found" in output(site, "nvidia-smi")
    output(site, "docker start trainer")
    site.advance(MINUTE)
    assert output(site, "docker logs trainer").count("killed by signal: Bus error") == 2


@pytest.mark.parametrize("option", ["--shm-size=16g", "--ipc=host"])
def test_a_training_with_enough_of_it_goes_on(site: Simulation[World], option: str) -> None:
    site.apply(parse_fault(f"container.shared_memory_small target={HOST}"))
    site.advance(MINUTE)
    output(site, "docker rm trainer")
    output(site, f"docker run -d --name trainer --gpus all {option} {OLDER} python train.py")
    site.advance(5 * MINUTE)
    assert "Up 5 minutes" in output(site, "docker ps")


def test_the_daemon_can_give_every_container_more(site: Simulation[World]) -> None:
    text = '{"default-shm-size": "8g", "runtimes": {"nvidia": {"path": "nvidia-container-runtime", "runtimeArgs": []}}}'
    files.write(site, HOST, "/etc/docker/daemon.json", text.encode(), uid=0, gid=0)
    output(site, "systemctl restart docker")
    assert "8.0G" in output(site, f"docker run --rm --gpus all {OLDER} df -h /dev/shm")


def test_docker_ps_takes_no_words(site: Simulation[World]) -> None:
    result = run_command(site, HOST, "root", "docker ps --format {{.Names}} {{.Status}}")
    assert result.status == 1 and result.stderr.startswith('"docker ps" accepts no arguments.')
