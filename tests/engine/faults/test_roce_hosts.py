"""Faults of RoCE on hosts: what each changes, and what mends it."""

from __future__ import annotations

import pytest

from engine.control import adapter_qos, interface_settings, network, sysctl, systemd
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.traffic import counters, exchange
from engine.world.world import World
from tests.support.roce_pod import incast, pod, send
from tests.support.run import run_command

NODE, HCA, PORT = "hgx-03", "hgx-03/mlx5_0", "hgx-03/mlx5_0/1"
BY_FILE = (
    "roce.host_pfc_priority", "roce.host_pfc_off", "roce.host_trust_pcp", "roce.host_class_unset", "roce.host_ecn_off",
    "roce.host_cnp_priority",
)  # fmt: skip


def broken(fault: str, target: str = NODE) -> Simulation[World]:
    simulation = pod()
    simulation.apply(parse_fault(f"{fault} target={target}"))
    return simulation


def shown(simulation: Simulation[World], line: str, host: str = NODE) -> str:
    found = run_command(simulation, host, "root", line)
    return found.stdout + found.stderr


@pytest.mark.parametrize("fault", BY_FILE)
def test_a_file_keeps_it_and_the_right_file_mends_it(fault: str) -> None:
    simulation, usual = broken(fault), pod()
    settings = simulation.world.port_qos[PORT], simulation.world.roce[PORT]
    assert settings != (usual.world.port_qos[PORT], usual.world.roce[PORT])
    simulation.apply(systemd.RestartUnit(NODE, adapter_qos.UNIT, "root"))
    assert (simulation.world.port_qos[PORT], simulation.world.roce[PORT]) == settings
    simulation.world.files.forget(NODE)
    simulation.apply(systemd.RestartUnit(NODE, adapter_qos.UNIT, "root"))
    assert (simulation.world.port_qos[PORT], simulation.world.roce[PORT]) == (
        usual.world.port_qos[PORT],
        usual.world.roce[PORT],
    )


def test_each_is_told_apart_by_the_settings() -> None:
    lines = ("mlnx_qos -i enp24s0np0", "cma_roce_tos -d mlx5_0", "cat /etc/default/roce-qos")
    faults = (*BY_FILE, "roce.host_settings_lost")
    views = {fault: tuple(shown(broken(fault), line) for line in lines[:2]) for fault in faults}
    views |= {fault: (*views[fault], str(broken(fault).world.roce[PORT])) for fault in faults}
    assert len(set(views.values())) == len(views)


def test_lost_settings_come_back_with_the_unit() -> None:
    simulation = broken("roce.host_settings_lost")
    assert simulation.world.port_qos[PORT] == adapter_qos.BARE
    simulation.apply(systemd.RestartUnit(NODE, adapter_qos.UNIT, "root"))
    assert simulation.world.port_qos[PORT] == pod().world.port_qos[PORT]


def test_a_sender_without_its_class_takes_more_than_its_part() -> None:
    simulation = broken("roce.host_class_unset", "hgx-01")
    incast(simulation)
    shares = [exchange.share(simulation.world, f"test/{host}/hgx-03") for host in ("hgx-01", "hgx-02", "hgx-04")]
    assert shares[0] > 1.5 * shares[1] and shares[1] == shares[2]


def test_a_small_mtu_makes_small_packets_and_large_ones_of_ip_get_lost() -> None:
    simulation = broken("roce.host_mtu_small", HCA)
    assert "active_mtu:\t\t1024 (3)" in shown(simulation, "ibv_devinfo -d mlx5_0")
    assert "100% packet loss" in shown(simulation, "ping -c 1 -W 1 -M do -s 8972 hgx-03-rail-0", "hgx-02")
    assert "0% packet loss" in shown(simulation, "ping -c 1 -s 1000 hgx-03-rail-0", "hgx-02")
    usual = pod()
    for each in (simulation, usual):
        send(each, "hgx-02", NODE)
        each.advance(10 * SECOND)
    few, many = (counters.packets_received(each.world, PORT, each.now) for each in (usual, simulation))
    assert many == pytest.approx(4 * few, rel=0.01)


def test_another_order_of_gids() -> None:
    simulation = broken("roce.gid_order_changed", HCA)
    assert "mlx5_0\t1\t5\t0000:0000:0000:0000:0000:ffff" in shown(simulation, "show_gids mlx5_0")
    assert "fd00:40::1/64" in shown(simulation, "ip -br addr")


def test_an_address_that_two_have() -> None:
    simulation = broken("roce.address_duplicate", HCA)
    assert "10.40.0.14" in shown(simulation, "ip addr show enp24s0np0")
    simulation.apply(interface_settings.RemoveAddress(NODE, "enp24s0np0", "10.40.0.14/24"))
    assert "10.40.0.14" not in shown(simulation, "show_gids mlx5_0")


def test_a_small_neighbour_table() -> None:
    simulation = broken("host.neighbour_table_small")
    assert "neighbor table overflow!" in shown(simulation, "dmesg")
    refused = [
        rail for rail in range(8) if "No buffer space" in shown(simulation, f"ping -c 1 -W 1 hgx-09-rail-{rail}")
    ]
    assert refused
    simulation.apply(sysctl.SetSysctl(NODE, "net.ipv4.neigh.default.gc_thresh3", "1024"))
    assert "0% packet loss" in shown(simulation, f"ping -c 1 hgx-09-rail-{refused[0]}")


def test_half_a_bond() -> None:
    simulation = broken("bond.member_down")
    table = shown(simulation, "ethtool bond0") + str(network.interface(simulation.world, NODE, "bond0"))
    assert "Speed: 200000Mb/s" in table
    simulation.apply(network.SetInterface(NODE, "enp236s0f1np1", True))
    assert "Speed: 400000Mb/s" in shown(simulation, "ethtool bond0")
