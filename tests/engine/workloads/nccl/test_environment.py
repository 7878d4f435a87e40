"""NCCL's variables: files and their precedence, numbers, lists."""

from __future__ import annotations

import pytest

from engine.workloads.nccl import communicator
from engine.workloads.nccl.environment import (
    WITH_EFFECT,
    WITHOUT_EFFECT,
    environment_of,
    parse_file,
    parse_number,
    parse_selection,
)
from tests.engine.workloads.nccl.scene import ranks, site, write


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 20), ("7", 7), (" 0x10", 16), ("010", 8), ("-3", -3), ("12abc", 12), ("yes", 0), ("0", 0), ("0x", 0),
        ("99999999999999999999", 20),
    ],
)  # fmt: skip
def test_numbers_are_read_as_strtoll_does(text: str, number: int) -> None:
    assert parse_number(text, 20) == number


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("", "mlx5_0 mlx5_1 mlx5_10"),
        ("mlx5_1", "mlx5_1 mlx5_10"),
        ("=mlx5_1", "mlx5_1"),
        ("^mlx5_1", "mlx5_0"),
        ("^=mlx5_1", "mlx5_0 mlx5_10"),
        ("mlx5_0:1,mlx5_10:2", "mlx5_0"),
        ("mlx5_0:x", ""),
        ("^", ""),
        ("ib", ""),
    ],
)
def test_lists_of_devices(text: str, taken: str) -> None:
    selection = parse_selection(text)
    assert [name for name in ("mlx5_0", "mlx5_1", "mlx5_10") if selection.takes(name, 1)] == taken.split()


def test_lines_of_a_file() -> None:
    text = "# NCCL_ALGO=Tree\nNCCL_DEBUG=INFO\n NCCL_PROTO=LL\nnonsense\nNCCL_ALGO=a=b"
    assert list(parse_file(text)) == [("NCCL_DEBUG", "INFO"), (" NCCL_PROTO", "LL"), ("NCCL_ALGO", "a=b")]


def test_the_process_goes_before_the_home_and_that_before_the_system() -> None:
    simulation = site()
    write(simulation, "dgx-01", "/etc/nccl.conf", "NCCL_ALGO=Tree\nNCCL_ALGO=Ring\nNCCL_PROTO=LL\nNCCL_DEBUG=WARN\n")
    write(simulation, "dgx-01", "/home/priya/.nccl.conf", "NCCL_PROTO=Simple\nNCCL_DEBUG=VERSION\n")
    rank = ranks(1, environment={"NCCL_DEBUG": "INFO"})[0]
    found = environment_of(simulation.world, rank)
    assert [found.text(f"NCCL_{name}") for name in ("ALGO", "PROTO", "DEBUG")] == ["Tree", "Simple", "INFO"]
    assert environment_of(simulation.world, ranks(2)[0]).text("NCCL_ALGO") is None


def test_another_file_takes_the_place_of_the_home_s() -> None:
    simulation = site()
    write(simulation, "dgx-01", "/home/priya/.nccl.conf", "NCCL_PROTO=LL\n")
    write(simulation, "dgx-01", "/data/nccl.conf", "NCCL_ALGO=Tree\n")
    found = environment_of(simulation.world, ranks(1, environment={"NCCL_CONF_FILE": "/data/nccl.conf"})[0])
    assert found.text("NCCL_ALGO") == "Tree" and found.text("NCCL_PROTO") is None


def test_a_line_in_the_file_of_a_node_slows_a_job_down() -> None:
    simulation = site()
    healthy = communicator(simulation.world, ranks(1, 2), time=0).bus_bandwidth("all_reduce", 1 << 34)
    for host in ("dgx-01", "dgx-02"):
        write(simulation, host, "/etc/nccl.conf", "NCCL_P2P_DISABLE=1\n")
    slowed = communicator(simulation.world, ranks(1, 2), time=0).bus_bandwidth("all_reduce", 1 << 34)
    assert slowed < healthy / 10


def test_known_names_are_told_from_unknown_ones() -> None:
    assert not WITH_EFFECT & WITHOUT_EFFECT
    rank = ranks(1, environment={"NCCL_IB_TC": "106", "NCCL_ALGO": "Ring", "NCCL_ALGOS": "Ring", "PATH": "/bin"})[0]
    assert list(environment_of(site().world, rank).names()) == ["NCCL_ALGO", "NCCL_IB_TC"]
