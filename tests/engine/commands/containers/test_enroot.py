"""enroot: images in files, file systems, and which devices a container of it reaches."""

from __future__ import annotations

from functools import cache

import pytest

from engine.control import files
from engine.control.containers import enroot, lifecycle
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command
from tests.support.sessions import screen

HOST = "dgx-04"


@cache
def _site() -> Simulation[World]:
    simulation = open_site("dgx-h100-4")
    for name, uri in (("plain", "ubuntu:24.04"), ("torch", "nvcr.io#nvidia/pytorch:24.10-py3")):
        said(simulation, f"enroot import -o /tmp/{name}.sqsh docker://{uri}")
        said(simulation, f"enroot create /tmp/{name}.sqsh")
    return simulation


@pytest.fixture
def site() -> Simulation[World]:
    return _site().fork()


def said(simulation: Simulation[World], line: str, user: str = "alex") -> str:
    result = run_command(simulation, HOST, user, line)
    return result.stdout + result.stderr


def played(simulation: Simulation[World], line: str) -> str:
    """What a line prints in a shell on the host."""
    return screen(simulation, [f"ssh {HOST} '{line}'"])


def status(simulation: Simulation[World], line: str) -> int:
    return run_command(simulation, HOST, "alex", line).status


def test_file_systems_are_the_users_own(site: Simulation[World]) -> None:
    assert said(site, "enroot list") == "plain\ntorch\n"
    assert said(site, "enroot list", "wei") == ""
    missing = "[ERROR] No such file or directory: /tmp/enroot-data/user-1001/foo\n"
    assert said(site, "enroot start foo ls") == missing
    said(site, "enroot remove -f plain")
    assert said(site, "enroot list") == "torch\n"


def test_another_system_as_the_same_user(site: Simulation[World]) -> None:
    assert said(site, "enroot start plain whoami") == "alex\n"
    assert said(site, "enroot start --root plain whoami") == "root\n"
    assert 'VERSION_ID="24.04"' in played(site, "enroot start plain cat /etc/os-release")
    assert all(each.status != "running" for each in lifecycle.containers(site.world, HOST, "enroot"))


def test_gpus_come_with_the_variable(site: Simulation[World]) -> None:
    assert status(site, "enroot start plain nvidia-smi -L") == 127
    assert said(site, "enroot start -e NVIDIA_VISIBLE_DEVICES=all plain nvidia-smi -L").count("GPU-") == 8
    assert said(site, "enroot start -e NVIDIA_VISIBLE_DEVICES=1,3 plain nvidia-smi -L").count("GPU-") == 2
    assert said(site, "enroot start torch nvidia-smi -L").count("GPU-") == 8


def test_devices_that_are_not_restricted_are_all_there(site: Simulation[World]) -> None:
    text = enroot.DEFAULT.replace("ENROOT_RESTRICT_DEV        yes", "ENROOT_RESTRICT_DEV        no")
    files.write(site, HOST, enroot.CONFIGURATION, text.encode(), uid=0, gid=0)
    assert said(site, "enroot start -e NVIDIA_VISIBLE_DEVICES=1 plain nvidia-smi -L").count("GPU-") == 8


def test_a_hook_that_is_gone(site: Simulation[World]) -> None:
    said(site, f"rm {enroot.NVIDIA_HOOK}", "root")
    assert status(site, "enroot start torch nvidia-smi -L") == 127


def test_verbs_devices_come_with_theirs(site: Simulation[World]) -> None:
    there = played(site, "enroot start torch ls /dev/infiniband").split()
    assert "uverbs0" in there
    assert "umad0" not in there
    none = played(site, "enroot start -e MELLANOX_VISIBLE_DEVICES=void torch ls /dev/infiniband")
    assert none == "ls: cannot access '/dev/infiniband': No such file or directory\n"


def test_a_hook_that_fails_ends_the_start(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"driver.library_mismatch target={HOST}"))
    site.advance(MINUTE)
    assert said(site, "enroot start torch ls").splitlines() == [
        "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch",
        "[ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1",
    ]
    assert played(site, "enroot start plain true; echo $?") == "0\n"


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        (
            "docker://nvcr.io/nvidia/pytorch:24.10-py3",
            "registry-1.docker.io/v2/nvcr.io/nvidia/pytorch/manifests/24.10-py3",
        ),
        ("docker://nvcr.io#nvidia/cuda:99", "https://nvcr.io/v2/nvidia/cuda/manifests/99 returned error code: 404 Not"),
        ("nvcr.io", "[ERROR] Invalid argument: nvcr.io"),
    ],
)
def test_images_that_are_not_to_be_had(site: Simulation[World], uri: str, words: str) -> None:
    assert words in said(site, f"enroot import {uri}")
    assert status(site, f"enroot import {uri}") == 1
