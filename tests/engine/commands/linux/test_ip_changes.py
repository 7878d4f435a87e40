"""ip: what it changes, what it refuses and how, neighbours."""

from __future__ import annotations

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.roce_pod import pod
from tests.support.run import Result, run_command

HOST, NAME = "hgx-01", "enp24s0np0"


@pytest.fixture
def simulation() -> Simulation[World]:
    return pod()


def ip(simulation: Simulation[World], words: str, user: str = "root", host: str = HOST) -> Result:
    return run_command(simulation, host, user, f"ip {words}")


@pytest.mark.parametrize(
    ("words", "user", "text", "status"),
    [
        (f"link set {NAME} mtu 20000", "root", "Error: mtu greater than device maximum.", 2),
        (f"link set {NAME} mtu many", "root", 'Error: argument "many" is wrong: Invalid "mtu" value', 255),
        (f"link set {NAME} mtu 9000", "alex", "RTNETLINK answers: Operation not permitted", 2),
        ("link set nosuch mtu 9000", "root", 'Cannot find device "nosuch"', 1),
        (f"addr add 10.40.0.11/24 dev {NAME}", "root", "Error: ipv4: Address already assigned.", 2),
        (f"addr del 10.9.9.9/24 dev {NAME}", "root", "Error: ipv4: Address not found.", 2),
        (f"addr add nonsense dev {NAME}", "root", 'Error: any valid prefix is expected rather than "nonsense".', 1),
        ("addr add 10.9.9.9/24", "root", 'Not enough of information: "dev" argument is required.', 255),
        (f"neigh del 10.40.0.12 dev {NAME}", "root", "RTNETLINK answers: No such file or directory", 2),
    ],
)
def test_refusals(simulation: Simulation[World], words: str, user: str, text: str, status: int) -> None:
    found = ip(simulation, words, user)
    assert (found.stderr.rstrip("\n"), found.status) == (text, status) and not simulation.world.interfaces.changed()


def test_changes_are_seen(simulation: Simulation[World]) -> None:
    assert ip(simulation, f"link set dev {NAME} mtu 4200").status == 0
    assert f"{NAME}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 4200 " in ip(simulation, "link").stdout
    assert ip(simulation, f"addr add 10.40.0.77/24 dev {NAME}").status == 0
    assert "inet 10.40.0.77/24 brd 10.40.0.255" in ip(simulation, f"addr show {NAME}").stdout
    assert ip(simulation, f"addr flush dev {NAME}").status == 0
    assert "inet 10.40" not in ip(simulation, f"addr show {NAME}").stdout


def test_neighbours_by_hand_and_emptied(simulation: Simulation[World]) -> None:
    ip(simulation, f"neigh add 10.40.0.12 lladdr 02:00:00:00:00:01 dev {NAME}")
    assert f"10.40.0.12 dev {NAME} lladdr 02:00:00:00:00:01 PERMANENT " in ip(simulation, "neigh").lines
    ip(simulation, f"neigh flush dev {NAME}")
    left = [line for line in ip(simulation, f"neigh show dev {NAME}").lines if line]
    assert left == [f"10.40.0.12 dev {NAME} lladdr 02:00:00:00:00:01 PERMANENT "]


def test_some_have_learned_the_wrong_mac(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("roce.address_duplicate target=hgx-03/mlx5_0"))
    thief = simulation.world.inventory.hca("hgx-03/mlx5_0").mac
    learned = [ip(simulation, "neigh", host=f"hgx-{number:02d}").stdout for number in range(5, 17)]
    assert any(f"10.40.0.14 dev {NAME} lladdr {thief} " in text for text in learned)
    assert not all(f"10.40.0.14 dev {NAME} lladdr {thief} " in text for text in learned)
