"""mlnx_qos, show_gids, cma_roce_tos, cma_roce_mode, dcb, devlink: one state in many views."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World
from tests.support.roce_pod import pod
from tests.support.run import Result, run_command

HOST, NAME, PORT = "hgx-01", "enp24s0np0", "hgx-01/mlx5_0/1"
CORPUS = Path(__file__).parents[5] / "shared" / "corpus" / "mlnx_qos"


@pytest.fixture
def simulation() -> Simulation[World]:
    return pod()


def run(simulation: Simulation[World], line: str, user: str = "root") -> Result:
    return run_command(simulation, HOST, user, line)


def test_the_report_has_the_form_of_a_capture(simulation: Simulation[World]) -> None:
    capture = CORPUS / "dscp-trust-pfc5-ets.txt"
    if not capture.exists():
        pytest.skip("the captures are not here")
    run(simulation, f"mlnx_qos -i {NAME} --pfc 0,0,0,0,0,1,0,0 --cable_len 30 -p 0,1,2,3,4,5,6,7")
    shares = "-s ets,ets,ets,ets,strict,strict,strict,strict -t 9,1,80,10,0,0,0,0"
    shown = run(simulation, f"mlnx_qos -i {NAME} {shares}").stdout.replace("\t", "        ")
    ours, theirs = shown.splitlines(), capture.read_text().splitlines()
    unordered = {7: "40", 8: "48"}  # DSCPs that were set last stand first in the capture
    for number, line in enumerate(theirs):
        if number in (*unordered, 11, 12) or line.strip().startswith("priority:") or number < 11:
            continue
        assert (
            ours[number].replace(" priority:", "priority:").strip() == line.replace(" priority:", "priority:").strip()
        )
    assert ours[3:7] == theirs[3:7] and ours[11] == theirs[11]


def test_settings_are_seen_everywhere(simulation: Simulation[World]) -> None:
    assert run(simulation, f"mlnx_qos -i {NAME} --pfc 0,0,0,0,1,0,0,0").status == 0
    assert simulation.world.port_qos[PORT].pause_sent[4] and not simulation.world.port_qos[PORT].pause_obeyed[3]
    assert "4:on" in run(simulation, f"dcb pfc show dev {NAME}").stdout
    assert "rx_prio4_pause:" in run(simulation, f"ethtool -S {NAME}").stdout
    assert "rx_prio3_pause:" not in run(simulation, f"ethtool -S {NAME}").stdout
    run(simulation, f"dcb pfc set dev {NAME} prio-pfc all:off 3:on")
    assert simulation.world.port_qos[PORT].pause_sent == tuple(number == 3 for number in range(8))
    run(simulation, f"mlnx_qos -i {NAME} --trust pcp")
    assert "Priority trust state: pcp" in run(simulation, f"mlnx_qos -i {NAME}").stdout
    assert run(simulation, f"dcb app show dev {NAME}").stdout == ""


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--pfc 1,1", "pfc list must have 8 items"),
        ("--pfc 1,1,1,1,1,1,1,1,1", "Too many items for PFC"),
        ("--pfc 2,0,0,0,0,0,0,0", "Bad value for PFC: 2 is not in the range 0..1"),
        ("--trust both", "Invalid trust state command. Refer to the help."),
        ("--dscp2prio set,70,1", "Invalid dscp2prio command. Refer to the help."),
        ("-s ets,ets", "tsa list must have 8 items"),
    ],
)
def test_refusals_change_nothing(simulation: Simulation[World], words: str, text: str) -> None:
    found = run(simulation, f"mlnx_qos -i {NAME} {words}")
    assert found.status == 1 and text in found.stdout and not simulation.world.port_qos.changed()


def test_only_root_may_change_and_only_adapters_have_it(simulation: Simulation[World]) -> None:
    assert run(simulation, f"mlnx_qos -i {NAME} --trust pcp", "alex").status == 1
    assert run(simulation, "mlnx_qos -i eno1").stdout.count("not supported on your system") == 4
    assert not simulation.world.port_qos.changed()


def test_types_of_service_and_versions(simulation: Simulation[World]) -> None:
    assert run(simulation, "cma_roce_tos -d mlx5_0").stdout == "106\n"
    assert run(simulation, "cma_roce_tos -d mlx5_0 -t 96").stdout == "96\n"
    assert simulation.world.roce[PORT].connection_tos == 96
    assert run(simulation, "cma_roce_tos -d mlx5_0", "alex").stdout == "You must be root to run this\n"
    assert run(simulation, "cma_roce_mode -d mlx5_0 -m 1").stdout == "IB/RoCE v1\n"
    assert run(simulation, "cma_roce_mode -d mlx5_1").stdout == "RoCE v2\n"


def test_gids_follow_addresses(simulation: Simulation[World]) -> None:
    before = run(simulation, "show_gids mlx5_0").lines
    assert before[-1] == "n_gids_found=4"
    assert before[5] == "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a28:000b\t10.40.0.11  \tv2\tenp24s0np0"
    run(simulation, f"ip addr add 10.40.0.99/24 dev {NAME}")
    assert run(simulation, "show_gids mlx5_0").lines[-1] == "n_gids_found=6"


def test_devlink_shows_both_firmwares(simulation: Simulation[World]) -> None:
    shown = run(simulation, "devlink dev info pci/0000:18:00.0").stdout
    assert "fw.psid" in shown and shown.count("fw.version") == 2
    assert "netdev enp24s0np0 flavour physical port 0" in run(simulation, "devlink port show").stdout
    assert "state healthy" in run(simulation, "devlink health show").stdout


def test_the_other_ends_of_the_cables(simulation: Simulation[World]) -> None:
    shown = run(simulation, f"lldpcli show neighbors ports {NAME}").stdout
    assert "SysName:      leaf-01\n" in shown and "PortID:       ifname swp1s0\n" in shown
    assert run(simulation, "lldpctl", "alex").status == 1
    run(simulation, f"ip link set {NAME} down")
    assert "SysName" not in run(simulation, f"lldpcli show neighbors ports {NAME}").stdout


def test_devlink_shows_parameters(simulation: Simulation[World]) -> None:
    one = run(simulation, "devlink dev param show pci/0000:18:00.0 name enable_roce")
    assert one.stdout == (
        "pci/0000:18:00.0:\n  name enable_roce type generic\n    values:\n      cmode driverinit value true\n"
    )
    every = run(simulation, "devlink dev param show").stdout
    assert every.count("name enable_roce") == every.count("pci/") == len(simulation.world.node(HOST).hcas)
    assert "No such device" in run(simulation, "devlink dev param show pci/0000:ff:00.0").stderr
    assert "Invalid argument" in run(simulation, "devlink dev param show pci/0000:18:00.0 name nothing").stderr
    assert run(simulation, "devlink dev param set pci/0000:18:00.0 name enable_roce value false").status == 125


def test_lldptool_shows_what_both_ends_say(simulation: Simulation[World]) -> None:
    own = run(simulation, f"lldptool -t -i {NAME} -V PFC")
    assert own.stdout.splitlines() == [
        "IEEE 8021QAZ PFC TLV", "\t Willing: no", "\t MACsec Bypass Capable: no", "\t PFC capable traffic classes: 8",
        "\t PFC enabled: 3",
    ]  # fmt: skip
    far = run(simulation, f"lldptool -t -n -i {NAME}").stdout
    assert "\tleaf-01\n" in far and "\tIfname: swp1s0\n" in far and far.endswith("End of LLDPDU TLV\n")
    assert "TSA_MAP: 0:ets 1:ets 2:ets 3:ets 4:ets 5:ets 6:strict 7:ets" in far
    simulation.apply(settings.SetPortQos(("leaf-01/1",), (("pause_sent", (False,) * 8),)))
    assert "PFC enabled: none" in run(simulation, f"lldptool -t -n -i {NAME} -V PFC").stdout
    sonic = run_command(simulation, "hgx-09", "root", "lldptool -t -n -i enp154s0np0").stdout
    assert "\tleaf-07\n" in sonic and "PFC" not in sonic
    assert run(simulation, f"lldptool -T -i {NAME} -V PFC enabled=3,4").stdout == "enabled = 3,4\n"
    assert "3:on 4:on" in run(simulation, f"dcb pfc show dev {NAME}").stdout
    run(simulation, f"ip link set {NAME} down")
    assert run(simulation, f"lldptool -t -n -i {NAME}").stdout == ""
    assert run(simulation, f"lldptool -t -i {NAME}", "alex").status == 1
    assert run(simulation, "lldptool -t -i nothing").stderr == "Device not found or inactive\n"
    assert run(simulation, f"lldptool -t -i {NAME} -V maxFrame").status == 125


def test_a_vlan_has_gids_of_its_own(simulation: Simulation[World]) -> None:
    name = f"{NAME}.100"
    assert run(simulation, f"ip link add link {NAME} name {name} type vlan id 100").status == 0
    assert f"{name}@{NAME} DOWN" in run(simulation, "ip -br link").stdout
    run(simulation, f"ip link set {name} up")
    run(simulation, f"ip addr add 10.99.0.1/24 dev {name}")
    shown = run(simulation, f"ip -d link show {name}").stdout
    assert f"{name}@{NAME}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP" in shown
    assert "vlan protocol 802.1Q id 100 <REORDER_HDR>" in shown
    assert f"5\t0000:0000:0000:0000:0000:ffff:0a63:0001\t10.99.0.1  \tv2\t{name}\n" in run(
        simulation, "show_gids mlx5_0"
    ).stdout
    too_large = run(simulation, f"ip link set {name} mtu 9200")
    assert too_large.stderr == "RTNETLINK answers: Numerical result out of range\n"
    run(simulation, f"ip link set {NAME} mtu 1500")
    assert " mtu 1500 " in run(simulation, f"ip link show {name}").stdout
    run(simulation, f"ip link set {NAME} down")
    assert "LOWERLAYERDOWN" in run(simulation, f"ip -br link show {name}").stdout
    assert run(simulation, f"ip link del {name}").status == 0
    assert "0a63:0001" not in run(simulation, "show_gids mlx5_0").stdout
    assert run(simulation, f"ip link show {name}").status == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (f"link {NAME} name {NAME}.7 type vlan id 4096", 'Error: argument "4096" is wrong: id is invalid'),
        (f"link {NAME} name eno1 type vlan id 7", "RTNETLINK answers: File exists"),
        ("link none0 name x type vlan id 7", 'Cannot find device "none0"'),
        ("name x type vlan", "Error: 8021q: VLAN properties not specified."),
        (f"link {NAME} name x", 'Not enough information: "type" argument is required'),
    ],
)
def test_ip_refuses_such_vlans(simulation: Simulation[World], words: str, text: str) -> None:
    refused = run(simulation, f"ip link add {words}")
    assert refused.stderr.strip() == text and refused.status


def test_nccl_takes_the_youngest_address_and_nobody_answers_behind_a_vlan(simulation: Simulation[World]) -> None:
    """A GID that comes later is the one that NCCL chooses; ports of these switches carry no tags."""
    from engine.workloads.nccl import roce
    from engine.workloads.nccl.environment import Environment

    world, plain = simulation.world, Environment({})
    here, there = world.inventory.hca(f"{HOST}/mlx5_0"), world.inventory.hca("hgx-02/mlx5_0")
    assert roce.index(world, here, plain) == 3 and roce.reaches(world, here, there, (plain, plain))
    run(simulation, f"ip link add link {NAME} name vlan9 type vlan id 9")
    run(simulation, "ip addr add 10.99.0.1/24 dev vlan9")
    assert roce.index(world, here, plain) == 5 and not roce.reaches(world, here, there, (plain, plain))


def test_ping_through_an_interface_finds_only_its_own_network(simulation: Simulation[World]) -> None:
    """How rails are told apart: each answers on its own interface alone."""
    right = run(simulation, f"ping -c 1 -I {NAME} 10.40.0.12")
    assert right.status == 0 and f"from 10.40.0.11 {NAME}: 56(84)" in right.stdout
    wrong = run(simulation, "ping -c 1 -I enp64s0np0 10.40.0.12")
    assert wrong.status == 1 and "From 10.40.1.11 icmp_seq=1 Destination Host Unreachable" in wrong.stdout
    assert run(simulation, "ping -c 1 -I 10.40.0.11 10.40.0.12").status == 0
    assert run(simulation, "ping -c 1 -I nothing 10.40.0.12").stderr == "ping: unknown iface: nothing\n"
    assert "Cannot assign" in run(simulation, "ping -c 1 -I 9.9.9.9 10.40.0.12").stderr
    run(simulation, f"ip link add link {NAME} name vlan3 type vlan id 3")
    assert "Network is unreachable" in run(simulation, "ping -c 1 -I vlan3 10.40.0.12").stderr
    run(simulation, "ip link set vlan3 up")
    bare = run(simulation, "ping -c 1 -I vlan3 10.40.0.12")
    assert bare.status == 1 and "might be selected on device other than: vlan3." in bare.stderr
