"""Health watches: what a check finds follows from the state of the GPUs, from the moment of the watch on."""

from __future__ import annotations

import pytest

from engine.control.dcgm import health
from engine.control.dcgm.health import Health, System
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"


@pytest.fixture
def site() -> Simulation[World]:
    simulation = open_site("dgx-h100-4")
    simulation.apply(health.SetWatches(HOST, 0, System.ALL))
    return simulation


def found(site: Simulation[World]) -> set[tuple[int, System, Health]]:
    return {(each.number, each.system, each.health) for each in health.check(site.world, HOST, 0, site.now)}


def injected(site: Simulation[World], text: str) -> None:
    site.apply(parse_fault(text))
    site.advance(MINUTE)


def test_a_healthy_node_has_nothing(site: Simulation[World]) -> None:
    site.advance(5 * MINUTE)
    assert found(site) == set() and health.overall([]) is Health.PASS


def test_a_link_that_is_down_is_found_at_both_ends(site: Simulation[World]) -> None:
    injected(site, "nvlink.link_down target=dgx-04/gpu2 link=7 cause=board")
    assert (2, System.NVLINK, Health.FAIL) in found(site)
    site.apply(health.SetWatches(HOST, 1, System.NVSWITCH_FATAL))
    assert len(health.check(site.world, HOST, 1, site.now)) == 1


def test_a_lost_gpu_fails_and_its_power_cannot_be_read(site: Simulation[World]) -> None:
    injected(site, "gpu.fell_off_bus target=dgx-04/gpu6")
    assert {(6, System.ALL, Health.FAIL), (6, System.POWER, Health.WARN)} <= found(site)


def test_errors_on_links_count_while_they_grow(site: Simulation[World]) -> None:
    site.apply(parse_fault("nvlink.errors target=dgx-04/gpu2"))
    run_command(site, HOST, "root", "dcgmi diag -r 2")
    assert {(2, System.NVLINK, Health.WARN), (2, System.NVLINK, Health.FAIL)} <= found(site)
    site.advance(10 * MINUTE)
    assert found(site) == set()


def test_memory_errors_and_their_xids_are_failures(site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.memory_uncorrectable target=dgx-04/gpu3"))
    run_command(site, HOST, "root", "dcgmi diag -r memory")
    assert {(3, System.MEMORY, Health.FAIL), (3, System.ALL, Health.FAIL)} <= found(site)
    assert health.overall(health.check(site.world, HOST, 0, site.now)) is Health.FAIL


def test_clocks_that_the_power_limit_holds_back_warn_for_a_minute(site: Simulation[World]) -> None:
    run_command(site, HOST, "root", "nvidia-smi -i 4 -pl 300")
    run_command(site, HOST, "root", "dcgmi diag -r diagnostic -i 4")
    assert found(site) == {(4, System.POWER, Health.WARN)}
    site.advance(10 * MINUTE)
    assert found(site) == set()


def test_so_does_heat(site: Simulation[World]) -> None:
    site.apply(parse_fault("cooling.filter_clogged target=dgx-04 percent=85"))
    run_command(site, HOST, "root", "dcgmi diag -r diagnostic")
    assert System.THERMAL in {system for _, system, _ in found(site)}


def test_only_what_is_watched_is_found(site: Simulation[World]) -> None:
    site.apply(health.SetWatches(HOST, 0, System.PCIE))
    injected(site, "nvlink.link_down target=dgx-04/gpu2 link=7 cause=board")
    assert System.NVLINK not in {system for _, system, _ in found(site)}
    site.apply(health.SetWatches(HOST, 0, 0))
    assert health.watched(site.world, HOST, 0) == 0 and found(site) == set()


def test_all_gpus_are_the_first_group(site: Simulation[World]) -> None:
    assert health.canonical(0x7FFFFFFF) == 0 and health.canonical(0x7FFFFFFE) == 1 and health.canonical(5) == 5
