"""deviceQuery: what it says of GPUs, and how it fails."""

from __future__ import annotations

from types import MappingProxyType

from engine.control.mig.actions import CreateComputeInstance, CreateGpuInstance, SetMigMode
from engine.control.mig.devices import devices
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import Service
from engine.world.world import World
from tests.engine.commands.cuda.conftest import IDLE, Run


def test_it_tells_of_each_gpu_and_passes(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu1", compute_mode="Prohibited", ecc_enabled=False)
    result = run("deviceQuery", environment={"CUDA_VISIBLE_DEVICES": "0,1"})
    lines = result.lines
    assert lines[:5] == [
        "deviceQuery Starting...",
        "",
        " CUDA Device Query (Runtime API) version (CUDART static linking)",
        "",
        "Detected 2 CUDA Capable device(s)",
    ]
    assert 'Device 1: "NVIDIA H100 80GB HBM3"' in lines
    assert lines.count("  Total amount of global memory:                 81079 MBytes (85017755648 bytes)") == 2
    assert "  (132) Multiprocessors, (128) CUDA Cores/MP:    16896 CUDA Cores" in lines
    assert "  GPU Max Clock rate:                            1980 MHz (1.98 GHz)" in lines
    assert "  Device PCI Domain ID / Bus ID / location ID:   0 / 67 / 0" in lines
    assert "     < Prohibited (no host thread can use ::cudaSetDevice() with this device) >" in lines
    assert "  Device has ECC support:                        Disabled" in lines
    assert lines[-5:] == [
        "> Peer access from NVIDIA H100 80GB HBM3 (GPU0) -> NVIDIA H100 80GB HBM3 (GPU1) : Yes",
        "> Peer access from NVIDIA H100 80GB HBM3 (GPU1) -> NVIDIA H100 80GB HBM3 (GPU0) : Yes",
        "",
        "deviceQuery, CUDA Driver = CUDART, CUDA Driver Version = 13.1, CUDA Runtime Version = 13.1, NumDevs = 2",
        "Result = PASS",
    ]
    assert result.status == 0 and not site.world.systems[IDLE].processes


def test_without_a_fabric_manager_the_system_is_not_ready(run: Run, site: Simulation[World]) -> None:
    stopped = Service(active=False, failed=True)
    site.world.systems.update(IDLE, services=MappingProxyType({"nvidia-fabricmanager.service": stopped}))
    result = run("deviceQuery")
    assert result.lines[-3:] == ["cudaGetDeviceCount returned 802", "-> system not yet initialized", "Result = FAIL"]
    assert result.status == 1


def test_a_driver_that_is_too_old() -> None:
    from tests.support.run import run_command

    old = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    result = run_command(old, IDLE, "alex", "deviceQuery")
    assert result.lines[-3:-1] == [
        "cudaGetDeviceCount returned 35",
        "-> CUDA driver version is insufficient for CUDA runtime version",
    ]
    assert run_command(old, IDLE, "alex", "nvbandwidth").status == 125


def test_a_mig_device_is_a_part_of_its_gpu(run: Run, site: Simulation[World]) -> None:
    site.apply(StopUnit(IDLE, "nvidia-dcgm.service", "root"))
    site.apply(SetMigMode(IDLE, 0, True, "root"))
    site.apply(CreateGpuInstance(IDLE, 0, 14, None, "root"))
    site.apply(CreateComputeInstance(IDLE, 0, site.world.mig[f"{IDLE}/gpu0"].instances[0].id, 1, "root"))
    (device,) = devices(site.world, site.world.inventory.gpu(f"{IDLE}/gpu0"))
    lines = run("deviceQuery", environment={"CUDA_VISIBLE_DEVICES": device.uuid}).lines
    assert "Detected 1 CUDA Capable device(s)" in lines
    assert 'Device 0: "NVIDIA H100 80GB HBM3 MIG 2g.20gb"' in lines
    assert "  Total amount of global memory:                 20096 MBytes (21072183296 bytes)" in lines
    assert "  (032) Multiprocessors, (128) CUDA Cores/MP:    4096 CUDA Cores" in lines
    assert "Detected 7 CUDA Capable device(s)" in run("deviceQuery").lines
    assert run("nvbandwidth -t 0", environment={"CUDA_VISIBLE_DEVICES": device.uuid}).status == 125
