"""Facts about NVLinks, the fabric manager's work, firmware and memory."""

from __future__ import annotations

import pytest

from engine.facts.facts import Facts
from engine.faults.fault import parse_fault
from engine.kernel.units import HOUR
from engine.simulation import open_site


@pytest.mark.parametrize(
    ("fault", "fact"),
    [
        ("nvlink.errors target=dgx-04/gpu3 when=always", "nvlink.errors(dgx-04/gpu3) > 500"),
        ("nvlink.link_down target=dgx-04/gpu3 cause=board", "nvlink.broken(dgx-04/gpu3)"),
        ("nvlink.partition_stale target=dgx-04", "not nvlink.peer_access(dgx-04)"),
        ("fabric_manager.stopped target=dgx-04", "not fabric_manager.registered(dgx-04)"),
        ("gpu.gsp_timeout target=dgx-04/gpu3", "gpu.firmware_stalled(dgx-04/gpu3)"),
        ("gpu.memory_slow target=dgx-04/gpu3", "gpu.memory_slowed(dgx-04/gpu3)"),
        ("gpu.sram_errors target=dgx-04/gpu3 before=5", "gpu.sram_threshold_exceeded(dgx-04/gpu3)"),
        ("gpu.memory_uncorrectable target=dgx-04/gpu3 when=always", "gpu.remap_pending(dgx-04/gpu3)"),
        ("gpu.row_remap_failure target=dgx-04/gpu3 when=always", "gpu.remap_failed(dgx-04/gpu3)"),
        ("nvlink.link_down target=dgx-04/gpu3 when=always", "gpu.nvlinks_down(dgx-04/gpu3) == 1"),
    ],
)
def test_a_fault_makes_a_fact_true_that_was_not(fault: str, fact: str) -> None:
    simulation = open_site("dgx-h100-4", 5)
    assert Facts().evaluate(simulation.world, simulation.now, fact, {}) is False
    simulation.apply(parse_fault(fault))
    simulation.advance(HOUR)
    assert Facts().evaluate(simulation.world, simulation.now, fact, {}) is True


def test_a_healthy_site_has_its_groups_for_nvlink_sharp() -> None:
    simulation = open_site("dgx-h100-4", 5)
    healthy = "all node where nvlink.multicast(node) and nvlink.peer_access(node) and fabric_manager.registered(node)"
    assert Facts().evaluate(simulation.world, simulation.now, healthy, {}) is True
