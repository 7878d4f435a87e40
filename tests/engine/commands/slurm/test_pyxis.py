"""srun in containers: pyxis on the nodes of a step, with what it says when a container does not start."""

from __future__ import annotations

from functools import cache

import pytest

from engine.control import files, systemd
from engine.control.containers import lifecycle
from engine.control.slurm.files import CGROUP_CONF, cgroup_conf
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.sessions import screen

UBUNTU, TORCH = "--container-image=ubuntu:24.04", "--container-image=nvcr.io#nvidia/pytorch:24.10-py3"


@cache
def _site() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site() -> Simulation[World]:
    return _site().fork()


def test_a_task_in_an_image(site: Simulation[World]) -> None:
    shown = screen(site, [f"srun {UBUNTU} grep VERSION_ID /etc/os-release"]).splitlines()
    assert shown == [
        "pyxis: importing docker image: ubuntu:24.04", "pyxis: imported docker image: ubuntu:24.04",
        'VERSION_ID="24.04"',
    ]  # fmt: skip
    assert all(not lifecycle.containers(site.world, host, "enroot") for host in ("dgx-03", "dgx-04"))


def test_gpus_are_those_of_the_job(site: Simulation[World]) -> None:
    line = f"srun --gres=gpu:2 -w dgx-04 {TORCH} nvidia-smi -L"
    assert screen(site, [line]).count("GPU-") == 2
    text = cgroup_conf().replace("ConstrainDevices=yes", "ConstrainDevices=no")
    assert text != cgroup_conf()
    files.write(site, "dgx-04", CGROUP_CONF, text.encode(), uid=0, gid=0)
    assert screen(site, [line]).count("GPU-") == 2  # slurmd has not read it
    site.apply(systemd.RestartUnit("dgx-04", "slurmd", "root"))
    assert screen(site, [line]).count("GPU-") == 8


def test_an_image_without_the_variable_has_no_gpus(site: Simulation[World]) -> None:
    shown = screen(site, [f"srun --gres=gpu:1 {UBUNTU} nvidia-smi -L"])
    assert "slurmstepd: error: execve(): nvidia-smi: No such file or directory" in shown
    asked = screen(site, [f"NVIDIA_VISIBLE_DEVICES=all srun --gres=gpu:1 {UBUNTU} nvidia-smi -L"])
    assert asked.count("GPU-") == 1


def test_a_named_container_stays(site: Simulation[World]) -> None:
    shown = screen(site, [f"srun -w dgx-04 {UBUNTU} --container-name=mine true",
                          "srun -w dgx-04 --container-name=mine grep ^NAME /etc/os-release",
                          "ssh dgx-04 enroot list"])  # fmt: skip
    assert shown.splitlines()[2:] == ['NAME="Ubuntu"', "pyxis_mine"]


def test_a_start_that_fails(site: Simulation[World]) -> None:
    site.apply(parse_fault("driver.library_mismatch target=dgx-04"))
    site.advance(MINUTE)
    shown = screen(site, [f"srun -w dgx-04 {TORCH} hostname"]).splitlines()
    assert shown[2:] == [
        "slurmstepd: error: pyxis: container start failed with error code: 1",
        "slurmstepd: error: pyxis: printing enroot log file:",
        "slurmstepd: error: pyxis:     nvidia-container-cli: initialization error: nvml error: driver/library version "
        "mismatch",
        "slurmstepd: error: pyxis:     [ERROR] /etc/enroot/hooks.d/98-nvidia.sh exited with return code 1",
        "slurmstepd: error: pyxis: couldn't start container",
        "slurmstepd: error: spank: required plugin spank_pyxis.so: task_init() failed with rc=-1",
        "slurmstepd: error: Failed to invoke spank plugin stack",
        "srun: error: dgx-04: task 0: Exited with exit code 1",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            "--container-name=none",
            'a container with name "pyxis_none" does not exist, and --container-image is not set',
        ),
        (f"{UBUNTU} --container-mounts=/nowhere", "not modelled"),
        (f"{UBUNTU} --container-mounts=/data/nowhere", "--container-mounts: source path does not exist: /data/nowhere"),
        (f"{UBUNTU} --container-mounts=data", "pyxis: mount source must be a relative path"),
        ("--container-workdir=/tmp", "ignoring --container-workdir because neither"),
    ],
)
def test_options(site: Simulation[World], options: str, words: str) -> None:
    assert words in screen(site, [f"srun {options} hostname"])


def test_nccl_in_a_container_uses_infiniband_and_all_ranks_meet(site: Simulation[World]) -> None:
    line = "srun -N2 --gres=gpu:8 --ntasks-per-node=8 --mpi=pmix {} bash -c '{}all_reduce_perf -b 1G -e 1G -g 1'"
    with_rdma = screen(site, [line.format(TORCH, "NCCL_DEBUG=INFO ")])
    assert "NET/IB : Using [0]mlx5_0" in with_rdma
    hidden = screen(site, ["MELLANOX_VISIBLE_DEVICES=void " + line.format(TORCH, "NCCL_DEBUG=INFO ")])
    assert "NET/IB : No device found." in hidden
