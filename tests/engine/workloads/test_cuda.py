"""How a CUDA program starts: what it sees, in which order, and what refuses it."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import pytest

from engine.control import processes, programs
from engine.control.mig.actions import CreateComputeInstance, CreateGpuInstance, SetMigMode
from engine.control.mig.devices import devices
from engine.control.slurm import jobs
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.workloads import cuda
from engine.world.records import BusState, Service, WrittenFile
from engine.world.world import World

HOST = "dgx-04"


@pytest.fixture(scope="module")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    return pristine.fork()


def seen(site: Simulation[World], user: str = "alex", **environment: str) -> list[int]:
    """Places of the GPUs that a program sees, in its order."""
    return [gpu.index for gpu in cuda.open_devices(site.world, HOST, environment, user)]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("3,1", [3, 1]),
        ("0,2,-1,1", [0, 2]),
        ("5,9,1", [5]),
        (" 2, 4", [2, 4]),
        ("1,zwei,3", [1]),
        ("7", [7]),
    ],
)
def test_indices_up_to_the_first_that_is_wrong(site: Simulation[World], listed: str, expected: list[int]) -> None:
    assert seen(site, CUDA_VISIBLE_DEVICES=listed) == expected


def test_uuids_and_their_beginnings(site: Simulation[World]) -> None:
    uuids = [site.world.gpus[f"{HOST}/gpu{index}"].uuid for index in range(8)]
    assert seen(site, CUDA_VISIBLE_DEVICES=f"{uuids[4]},{uuids[2][:20]}") == [4, 2]
    with pytest.raises(cuda.CudaError, match="no CUDA-capable device is detected"):
        seen(site, CUDA_VISIBLE_DEVICES="GPU-")


def test_without_a_list_all(site: Simulation[World]) -> None:
    assert seen(site) == list(range(8)) == seen(site, CUDA_DEVICE_ORDER="PCI_BUS_ID")


def test_a_job_sees_its_own(site: Simulation[World]) -> None:
    running = jobs.active(site.world)
    job = next(job for job in running if job.state == "RUNNING" and 0 < len(job.gpu_indices[0]) < 8)
    environment = {"SLURM_JOB_ID": str(job.id)}
    gpus = cuda.open_devices(site.world, job.nodes[0], environment, job.user)
    assert [gpu.index for gpu in gpus] == list(job.gpu_indices[0])
    last = cuda.open_devices(site.world, job.nodes[0], environment | {"CUDA_VISIBLE_DEVICES": "1"}, job.user)
    assert last == gpus[1:2]


def unloaded(site: Simulation[World]) -> None:
    site.world.systems.update(HOST, modules=MappingProxyType({"nvidia": None}))


def older_module(site: Simulation[World]) -> None:
    site.world.systems.update(HOST, modules=MappingProxyType({"nvidia": "580.95.05"}))


def no_fabric(site: Simulation[World]) -> None:
    stopped = Service(active=False, pid=0, failed=True)
    site.world.systems.update(HOST, services=MappingProxyType({"nvidia-fabricmanager.service": stopped}))


def lost(site: Simulation[World]) -> None:
    site.world.gpus.update(f"{HOST}/gpu3", bus=BusState.LOST)


def closed(path: str) -> Callable[[Simulation[World]], None]:
    def close(site: Simulation[World]) -> None:
        file = WrittenFile(b"", 0o600, 0, 0, site.now, live=True)
        site.world.files.update(HOST, files=MappingProxyType({path: file}))

    return close


@pytest.mark.parametrize(
    ("change", "code", "name"),
    [
        (unloaded, 100, "CUDA_ERROR_NO_DEVICE"),
        (older_module, 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        (no_fabric, 802, "CUDA_ERROR_SYSTEM_NOT_READY"),
        (lost, 999, "CUDA_ERROR_UNKNOWN"),
        (closed("/dev/nvidiactl"), 100, "CUDA_ERROR_NO_DEVICE"),
        (closed("/dev/nvidia-uvm"), 999, "CUDA_ERROR_UNKNOWN"),
    ],
)
def test_what_refuses_a_program(
    site: Simulation[World], change: Callable[[Simulation[World]], None], code: int, name: str
) -> None:
    change(site)
    with pytest.raises(cuda.CudaError) as refused:
        seen(site)
    assert (refused.value.code, refused.value.name) == (code, name)


def test_a_closed_device_is_left_out_but_not_for_root(site: Simulation[World]) -> None:
    closed("/dev/nvidia2")(site)
    assert seen(site) == [0, 1, 3, 4, 5, 6, 7] and seen(site, user="root") == list(range(8))


def test_a_lost_gpu_that_is_not_wanted_does_no_harm(site: Simulation[World]) -> None:
    lost(site)
    assert seen(site, CUDA_VISIBLE_DEVICES="0,1,2") == [0, 1, 2]


def test_an_old_driver_is_insufficient() -> None:
    old = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    with pytest.raises(cuda.CudaError) as refused:
        cuda.open_devices(old.world, HOST, {}, "alex")
    assert (refused.value.code, refused.value.runtime_name) == (35, "cudaErrorInsufficientDriver")
    assert cuda.version_number(cuda.driver_cuda(old.world, HOST)) == 12040


def test_compute_modes(site: Simulation[World]) -> None:
    gpu = site.world.node(HOST).gpus[2]
    pid = processes.start(site, HOST, user="priya", command="python3 a.py", gpus=(2,), gpu_memory=100)
    cuda.make_context(site.world, gpu)
    site.world.gpus.update(gpu.id, compute_mode="Exclusive_Process")
    cuda.make_context(site.world, gpu, own=pid)
    for mode in ("Exclusive_Process", "Prohibited"):
        site.world.gpus.update(gpu.id, compute_mode=mode)
        with pytest.raises(cuda.CudaError, match="busy or unavailable"):
            cuda.make_context(site.world, gpu)


def test_a_program_is_a_process_on_its_gpus(site: Simulation[World]) -> None:
    gpus = cuda.open_devices(site.world, HOST, {"CUDA_VISIBLE_DEVICES": "6,2"}, "alex")
    indices = cuda.device_indices(site.world, gpus)
    start = cuda.StartProgram(HOST, "alex", "./prog -x", indices, 600, "copies", cpus="0-3", environment=(("A", "b"),))
    pid = site.apply(start)
    (process,) = site.world.systems[HOST].processes
    assert (process.pid, process.gpus, process.gpu_memory, process.cpus) == (pid, (6, 2), 600, "0-3")
    assert process.environment == (("A", "b"),) and programs.runs(site.world, HOST, pid)
    assert cuda.memory_left(site.world, gpus[0]) == cuda.memory_left(site.world, site.world.node(HOST).gpus[0]) - 600
    site.apply(programs.EndProgram(HOST, pid))
    site.apply(programs.EndProgram(HOST, pid))
    assert not programs.runs(site.world, HOST, pid)


@pytest.fixture
def cut(site: Simulation[World]) -> Simulation[World]:
    """GPU 2 is cut into two halves with a MIG device each."""
    site.apply(StopUnit(HOST, "nvidia-dcgm.service", "root"))
    site.apply(SetMigMode(HOST, 2, True, "root"))
    for instance in (2, 1):
        site.apply(CreateGpuInstance(HOST, 2, 9, None, "root"))
        site.apply(CreateComputeInstance(HOST, 2, instance, 2, "root"))
    return site


def test_a_mig_device_is_seen_alone_and_where_it_is_named(cut: Simulation[World]) -> None:
    gpu = cut.world.inventory.gpu(f"{HOST}/gpu2")
    first, second = devices(cut.world, gpu)
    assert seen(cut) == [0, 1, 3, 4, 5, 6, 7]
    for device in (first, second):
        environment = {"CUDA_VISIBLE_DEVICES": f"{device.uuid[:20]},{first.uuid}"}
        assert seen(cut, **environment) == [2]
        assert cuda.mig_device(cut.world, gpu, environment) == device
    assert cuda.mig_device(cut.world, cut.world.inventory.gpu(f"{HOST}/gpu0"), {}) is None
    with pytest.raises(cuda.CudaError, match="no CUDA-capable device is detected"):
        seen(cut, CUDA_VISIBLE_DEVICES="MIG-0")


def test_where_no_gpu_is_whole_the_first_mig_device_is_seen(cut: Simulation[World]) -> None:
    for index in range(8):
        cut.apply(SetMigMode(HOST, index, True, "root"))
    assert seen(cut) == [2] == seen(cut, CUDA_VISIBLE_DEVICES="0")
    device = cuda.mig_device(cut.world, cut.world.inventory.gpu(f"{HOST}/gpu2"), {})
    assert device is not None and device.number == 0


def test_a_program_on_a_mig_device_takes_memory_of_its_instance(cut: Simulation[World]) -> None:
    gpu = cut.world.inventory.gpu(f"{HOST}/gpu2")
    first, second = devices(cut.world, gpu)
    before = cuda.memory_left(cut.world, gpu, second)
    ids = (first.instance.id, first.compute.id)
    cut.apply(cuda.StartProgram(HOST, "alex", "./a", (2,), 1000, "copies", instance=ids))
    assert cuda.memory_left(cut.world, gpu, first) == before - 1000
    assert cuda.memory_left(cut.world, gpu, second) == before == 40448 - 26
    cut.world.gpus.update(gpu.id, compute_mode="Exclusive_Process")
    with pytest.raises(cuda.CudaError, match="busy or unavailable"):
        cuda.make_context(cut.world, gpu, device=first)
    cuda.make_context(cut.world, gpu, device=second)
