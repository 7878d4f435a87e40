"""Facts about subnet managers, partitions and what reaches what."""

from __future__ import annotations

import pytest

from engine.facts.facts import Facts
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


def holds(site: Simulation[World], text: str, *faults: str) -> bool:
    """Whether a fact holds ten seconds after faults began."""
    simulation = site.fork()
    for fault in faults:
        simulation.apply(parse_fault(fault))
    simulation.advance(10 * SECOND)
    return Facts().evaluate(simulation.world, simulation.now, text, {}) is True


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("host.subnet_manager(head-01) == master", "subnet_manager.stopped target=head-01"),
        ("host.subnet_manager(head-01) != standby", "subnet_manager.second target=leaf-01"),
        ("switch.subnet_manager(leaf-01) == none", "subnet_manager.second target=leaf-01"),
        ("subnet.masters() == 1", "subnet_manager.foreign_key target=dgx-02"),
        ("host.takes_over_after(dgx-02) <= 60s", "subnet_manager.deaf_standby target=dgx-02"),
        ("subnet.engine() == none", "subnet_manager.wrong_roots target=head-01"),
        ("port.active(dgx-01/mlx5_0/1)", "subnet_manager.stopped target=head-01 cold=yes"),
        ("port.reaches(dgx-01/mlx5_0/1, dgx-02/mlx5_6/1)", "subnet_manager.wrong_roots target=head-01"),
        ("port.full_member(dgx-01/mlx5_0/1)", "partition.second_index target=head-01"),
        ("not subnet.partition('0x8010')", "partition.second_index target=head-01"),
    ],
)
def test_what_holds_until_a_fault(site: Simulation[World], text: str, fault: str) -> None:
    assert holds(site, text)
    assert not holds(site, text, fault)
