"""Facts about RoCE on hosts: true on a new site, false once the fault is there, true again when it is mended."""

from __future__ import annotations

import pytest

from engine.control import adapter_qos, interface_settings, network, sysctl, systemd
from engine.facts.catalogue import roce_hosts as facts
from engine.facts.fact import View
from engine.faults.fault import parse_fault
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.roce_pod import pod

NODE, HCA, NAME = "hgx-03", "hgx-03/mlx5_0", "enp24s0np0"


def held(simulation: Simulation[World]) -> dict[str, bool]:
    view = View(simulation.world, simulation.now)
    return {
        "set_up": facts.set_up(view, HCA) and facts.trusts_dscp(view, HCA) and facts.class_set(view, HCA),
        "order": facts.gid_index(view, HCA) == 3,
        "alone": facts.address_alone(view, "hgx-04/mlx5_0"),
        "large": facts.interface_mtu(view, HCA) == 9000,
        "room": facts.neighbours_fit(view, NODE),
        "whole": facts.bond_whole(view, NODE),
    }


MENDED: tuple[tuple[str, str, str, tuple[Action, ...]], ...] = (
    ("roce.host_settings_lost", NODE, "set_up", (systemd.RestartUnit(NODE, adapter_qos.UNIT, "root"),)),
    (
        "roce.gid_order_changed",
        HCA,
        "order",
        (
            interface_settings.RemoveAddress(NODE, NAME, "fd00:40::1/64"),
            interface_settings.RemoveAddress(NODE, NAME, "10.40.0.13/24"),
            interface_settings.AddAddress(NODE, NAME, "10.40.0.13/24"),
        ),
    ),
    ("roce.address_duplicate", HCA, "alone", (interface_settings.RemoveAddress(NODE, NAME, "10.40.0.14/24"),)),
    ("roce.host_mtu_small", HCA, "large", (interface_settings.SetMtu(NODE, NAME, 9000),)),
    (
        "host.neighbour_table_small",
        NODE,
        "room",
        (sysctl.SetSysctl(NODE, "net.ipv4.neigh.default.gc_thresh3", "1024"),),
    ),
    ("bond.member_down", NODE, "whole", (network.SetInterface(NODE, "enp236s0f1np1", True),)),
)


@pytest.mark.parametrize(("fault", "target", "name", "remedy"), MENDED)
def test_a_fault_makes_its_fact_false_and_the_remedy_true(
    fault: str, target: str, name: str, remedy: tuple[Action, ...]
) -> None:
    simulation = pod()
    assert all(held(simulation).values())
    simulation.apply(parse_fault(f"{fault} target={target}"))
    assert [key for key, holds in held(simulation).items() if not holds] == [name]
    for action in remedy:
        simulation.apply(action)
    assert all(held(simulation).values())


def test_what_the_next_boot_brings() -> None:
    simulation = pod()
    simulation.apply(parse_fault(f"host.neighbour_table_small target={NODE}"))
    simulation.apply(sysctl.SetSysctl(NODE, "net.ipv4.neigh.default.gc_thresh3", "1024"))
    view = View(simulation.world, simulation.now)
    assert facts.neighbours_fit(view, NODE) and not facts.neighbours_fit_at_boot(view, NODE)
