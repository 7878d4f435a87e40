"""What the diagnostics' tests find, each from the state of the GPUs and from what happened while it ran."""

from __future__ import annotations

import pytest

from engine.control.dcgm.errors import Fault
from engine.control.dcgm.readings import Reading, read
from engine.control.gpu_settings import SetPowerLimit
from engine.control.processes import start
from engine.control.programs import EndProgram
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.workloads.dcgm_diag import outcome, plugins, software
from engine.workloads.dcgm_diag.outcome import Result
from engine.workloads.dcgm_diag.plan import SOFTWARE, TESTS, Parameters
from engine.world.world import World

HOST = "dgx-04"
BY_NAME = {test.name: test for test in TESTS}


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def gpus(site: Simulation[World]) -> list[Reading]:
    return read(site.world, HOST, site.now)


def ran(site: Simulation[World], name: str, values: dict[tuple[str, str], str] | None = None) -> outcome.TestRun:
    """A test of two minutes in which the GPUs do what it asks of them."""
    test, before = BY_NAME[name], plugins.look(gpus(site), site.now)
    pid = start(
        site,
        HOST,
        user="root",
        command="nvvs",
        gpus=tuple(range(8)),
        gpu_memory=plugins.memory_wanted(test, gpus(site)),
        workload=test.workload,
    )
    site.advance(2 * MINUTE)
    site.apply(EndProgram(HOST, pid))
    return plugins.judge(test, gpus(site), before, Parameters(values or {}), SOFTWARE)


def faults(run: outcome.TestRun) -> set[tuple[int | None, Fault]]:
    return {(error.gpu, error.fault) for error in run.errors}


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - {"software"}))
def test_healthy_gpus_pass(site: Simulation[World], name: str) -> None:
    run = ran(site, name)
    assert set(run.results.values()) == {Result.PASS} and not run.errors


def test_targets_out_of_reach_are_missed(site: Simulation[World]) -> None:
    stress = ran(site, "targeted_stress", {("targeted_stress", "target_stress"): "90000"})
    assert faults(stress) == {(number, Fault.STRESS_LEVEL) for number in range(8)}
    memory = ran(site, "memory_bandwidth", {("memory_bandwidth", "minimum_bandwidth"): "9000000"})
    assert (0, Fault.MEMORY_BANDWIDTH) in faults(memory)


def test_a_low_power_limit_skips_the_power_test(site: Simulation[World]) -> None:
    site.apply(SetPowerLimit(HOST, 4, 300_000, "root"))
    run = ran(site, "targeted_power")
    assert run.results[4] is Result.SKIP and (4, Fault.ENFORCED_LIMIT) in faults(run)
    assert run.results[3] is Result.PASS and outcome.failed([run])


def test_what_happens_meanwhile_fails_every_test(site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.memory_uncorrectable target=dgx-04/gpu3"))
    run = ran(site, "memtest")
    assert {(3, Fault.DBE_VIOLATION), (3, Fault.PENDING_REMAP), (3, Fault.XID)} <= faults(run)
    assert outcome.isolates([run]) and run.results[2] is Result.PASS
    checks = software.run(gpus(site), Parameters(), (4, 4))
    assert checks.results[3] is Result.FAIL and checks.part == {software.MEMORY: Result.FAIL}


def test_bad_links_to_the_host_are_named(site: Simulation[World]) -> None:
    site.apply(parse_fault("pcie.link_degraded target=dgx-04/gpu5"))
    run = ran(site, "pcie", {("pcie", "gpu_nvlinks_expected_up"): "17"})
    assert (5, Fault.PCIE_WIDTH) in faults(run) or (5, Fault.PCIE_GENERATION) in faults(run)
    assert (0, Fault.LINKS_UP) in faults(run)


def test_slow_memory_is_told_by_its_bandwidth(site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.memory_slow target=dgx-04/gpu1 bandwidth=30"))
    run = ran(site, "memory_bandwidth")
    assert (1, Fault.MEMORY_BANDWIDTH) in faults(run) and {gpu for gpu, _ in faults(run)} == {1}


def test_a_test_that_cuda_refuses_fails_on_all(site: Simulation[World]) -> None:
    site.apply(parse_fault("fabric_manager.version_mismatch target=dgx-04"))
    site.advance(MINUTE)
    run = plugins.refused(BY_NAME["pcie"], gpus(site), {}, "nvidia-dcgm")
    assert run is not None and faults(run) == {(number, Fault.CUDA_API) for number in range(8)}
    assert "verify that the fabric-manager has been started if applicable" in run.errors[0].message
    assert plugins.skipped(BY_NAME["pcie"], gpus(site)).result is Result.SKIP


def test_nothing_allocates_more_than_there_is(site: Simulation[World]) -> None:
    reading = gpus(site)
    wanted = [plugins.memory_wanted(test, reading) for test in TESTS]
    assert max(wanted) < reading[0].framebuffer_free and min(wanted) >= 0
