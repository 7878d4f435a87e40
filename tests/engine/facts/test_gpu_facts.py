"""Facts about GPUs' memory, NVLinks and instances: what they say before and after something was done or went wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control.mig.actions import CreateComputeInstance, CreateGpuInstance, SetMigMode
from engine.control.systemd import StopUnit
from engine.facts.facts import Facts
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import EccCounts, NvLinkErrors, RowRemap
from engine.world.world import World

NODE, GPU = "dgx-04", "dgx-04/gpu0"


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def says(site: Simulation[World], text: str) -> object:
    return Facts().evaluate(site.world, site.now, text, {})


def test_a_site_opens_with_whole_gpus_without_errors(site: Simulation[World]) -> None:
    assert says(site, "all gpu where gpu.ecc_enabled(gpu) and gpu.ecc_uncorrected(gpu) == 0") is True
    assert says(site, "all gpu where not gpu.remap_pending(gpu) and not gpu.remap_failed(gpu)") is True
    assert says(site, "all gpu where not gpu.mig_enabled(gpu) and gpu.mig_devices(gpu) == 0") is True
    assert says(site, "all gpu where gpu.nvlink_errors(gpu) == 0") is True


def test_counts_of_memory_errors(site: Simulation[World]) -> None:
    counts = EccCounts(sram_corrected=1, sram_uncorrected_secded=2, dram_corrected=4, dram_uncorrected=8)
    remap = RowRemap(correctable=1, uncorrectable=2, pending=True)
    ever = replace(counts, dram_uncorrected=16)
    site.world.gpus.update(GPU, volatile=counts, aggregate=ever, remap=remap, ecc_enabled=False)
    assert says(site, f"gpu.ecc_corrected({GPU}) == 5 and gpu.ecc_uncorrected({GPU}) == 10") is True
    assert says(site, f"gpu.ecc_uncorrected_ever({GPU}) == 18 and gpu.rows_remapped({GPU}) == 3") is True
    assert (
        says(site, f"gpu.remap_pending({GPU}) and not gpu.remap_failed({GPU}) and not gpu.ecc_enabled({GPU})") is True
    )


def test_errors_of_nvlinks(site: Simulation[World]) -> None:
    site.world.nvlinks.update(GPU, errors=(NvLinkErrors(3, replay=7, crc=(1, 0, 2, 0)), NvLinkErrors(5, recovery=1)))
    assert says(site, f"gpu.nvlink_errors({GPU}) == 11 and gpu.nvlink_errors(dgx-04/gpu1) == 0") is True


def test_a_gpu_that_is_cut_up(site: Simulation[World]) -> None:
    assert site.apply(SetMigMode(NODE, 0, True, "root")) is not None
    assert says(site, f"gpu.mig_pending({GPU}) and not gpu.mig_enabled({GPU})") is True
    site.apply(StopUnit(NODE, "nvidia-dcgm.service", "root"))
    assert site.apply(SetMigMode(NODE, 0, True, "root")) is None
    assert says(site, f"gpu.mig_enabled({GPU}) and not gpu.mig_pending({GPU})") is True
    site.apply(CreateGpuInstance(NODE, 0, 9, None, "root"))
    assert says(site, f"gpu.mig_instances({GPU}) == 1 and gpu.mig_devices({GPU}) == 0") is True
    (instance,) = site.world.mig[GPU].instances
    site.apply(CreateComputeInstance(NODE, 0, instance.id, 2, "root"))
    assert says(site, f"gpu.mig_devices({GPU}) == 1 and gpu.mig_devices_of({GPU}, '3g.40gb') == 1") is True
    assert says(site, f"gpu.mig_devices_of({GPU}, '1g.10gb')") == 0


def test_a_gpu_that_hangs(site: Simulation[World]) -> None:
    assert says(site, f"gpu.hung({GPU})") is False
    site.world.gpus.update(GPU, hung=True)
    assert says(site, f"gpu.hung({GPU}) and gpu.visible({GPU})") is True


def test_the_power_brake_is_told_from_heat_and_from_the_cap(site: Simulation[World]) -> None:
    site.apply(parse_fault("power.brake_stuck target=dgx-04"))
    assert says(site, "all gpu in dgx-04 where gpu.slowed(gpu, power_brake)") is True
    assert says(site, "not any gpu in dgx-04 where gpu.slowed(gpu, thermal) or gpu.slowed(gpu, power_cap)") is True
    assert says(site, "not any gpu in dgx-03 where gpu.slowed(gpu, power_brake)") is True
