"""tcpdump on RDMA devices: the type of service of what is sent, permissions, filters."""

from __future__ import annotations

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.roce_pod import incast, pod
from tests.support.run import Result, run_command


def run(simulation: Simulation[World], words: str, user: str = "root", host: str = "hgx-01") -> Result:
    return run_command(simulation, host, user, f"tcpdump {words}")


def test_packets_bear_what_the_host_gives_them() -> None:
    usual, unset = pod(), pod()
    unset.apply(parse_fault("roce.host_class_unset target=hgx-01"))
    for simulation, tos in ((usual, "(tos 0x6a,ECT(0),"), (unset, "(tos 0x2,ECT(0),")):
        incast(simulation)
        shown = run(simulation, "-i mlx5_0 -nv -c 2 udp port 4791")
        assert shown.stdout.count(tos) == 2 and shown.stdout.count("> 10.40.0.13.4791: UDP, length 4112") == 2
        assert "2 packets captured" in shown.stderr


def test_who_may_listen_to_what() -> None:
    simulation = pod()
    assert "don't have permission" in run(simulation, "-i mlx5_0 -c 1", "alex").stderr
    assert run(simulation, "-i nosuch").status == 1
    assert run(simulation, "-i eno1").status == 125 and run(simulation, "-i mlx5_0 tcp").status == 125


def test_a_filter_by_host() -> None:
    simulation = pod()
    incast(simulation)
    shown = run(simulation, "-i mlx5_0 -n -c 3 host 10.40.0.12", host="hgx-03").stdout
    assert shown.count("10.40.0.12.") == 3 and "10.40.0.11." not in shown
