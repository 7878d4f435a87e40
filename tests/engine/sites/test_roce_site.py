"""HCAs for Ethernet with a cable to a switch: every tool shows them as RoCE, and their link follows the cable."""

from __future__ import annotations

import pytest

from engine.physics import links
from tests.support import roce_site
from tests.support.sessions import last

PORT = "hgx-01/mlx5_0/1"


def shown(line: str, host: str = "hgx-01") -> str:
    return last(roce_site.simulation(), [line], host=host)


def test_each_gpu_has_an_ethernet_hca_beside_it() -> None:
    node = roce_site.inventory().node("hgx-02")
    assert [gpu.rail for gpu in node.gpus] == [f"mlx5_{number}" for number in range(8)]
    assert {hca.link_layer for hca in node.hcas} == {"Ethernet"}
    numbers = [
        (int(gpu.address[5:7], 16), int(hca.address[5:7], 16)) for gpu, hca in zip(node.gpus, node.hcas, strict=True)
    ]
    assert {gpu - hca for gpu, hca in numbers} == {3}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "ibv_devinfo -d mlx5_0",
            ["link_layer:\t\tEthernet", "active_mtu:\t\t4096 (5)", "PORT_ACTIVE (4)", "port_lid:\t\t0\n"],
        ),
        ("ibdev2netdev", ["mlx5_0 port 1 ==> enp24s0np0 (Up)", "mlx5_7 port 1 ==> enp220s0np0 (Up)"]),
        ("ibstat mlx5_3", ["Link layer: Ethernet", "State: Active", "Rate: 400", "Base lid: 0"]),
        ("ip -br addr show enp24s0np0", ["UP", "10.40.0.11/24 fe80::"]),
        ("ip link show enp24s0np0", ["mtu 9000", "link/ether 94:6d:ae"]),
        ("ethtool enp24s0np0", ["Speed: 400000Mb/s", "Link detected: yes"]),
        ("cat /sys/class/infiniband/mlx5_0/ports/1/link_layer", ["Ethernet"]),
        ("cat /sys/class/infiniband/mlx5_0/ports/1/gids/3", ["0000:0000:0000:0000:0000:ffff:0a28:000b"]),
        ("cat /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3", ["RoCE v2"]),
        (
            "sudo cat /etc/netplan/50-cloud-init.yaml",
            ["enp24s0np0:\n      addresses: [10.40.0.11/24]\n      mtu: 9000"],
        ),
        ("lspci -s 18:00.0", ["Ethernet controller: Mellanox"]),
    ],
)
def test_tools_show_roce(line: str, says: list[str]) -> None:
    text = shown(line)
    assert [what for what in says if what not in text] == []


def test_an_address_of_its_own_makes_no_second_interface() -> None:
    assert shown("ip -br link | grep -c enp24s0np0") == "1\n"


def test_without_its_cable_the_port_is_down_everywhere() -> None:
    simulation = roce_site.simulation()
    cable = links.cable(simulation.world.inventory, PORT)
    assert cable is not None and cable.other(PORT) == "tor-01/1"
    links.change_cable(simulation, cable, plugged=False)
    lines = "ip -br link show enp24s0np0; ethtool enp24s0np0; ibstat mlx5_0; ibdev2netdev; ibv_devinfo -d mlx5_0"
    text = last(simulation, [lines], host="hgx-01")
    for what in ("DOWN", "Link detected: no", "State: Down", "Rate: 40\n", "enp24s0np0 (Down)", "PORT_DOWN (1)"):
        assert what in text
    assert "enp64s0np0 (Up)" in text


def test_there_is_no_infiniband_to_discover() -> None:
    assert "can't open UMAD port" in shown("sudo ibnetdiscover")
