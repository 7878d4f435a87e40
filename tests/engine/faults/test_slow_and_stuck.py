"""Faults without a message: low clocks and limits, hangs, stopped processes, settings left behind, missing modules."""

from __future__ import annotations

import pytest

from engine.control import driver, files, limits, modules, processes
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import thermal
from engine.physics.load import gpu_load
from engine.world.world import World
from tests.engine.control.node_scene import GPU, NODE, kernel_log, node_simulation, run_training


@pytest.fixture
def simulation() -> Simulation[World]:
    made = node_simulation()
    run_training(made)
    made.advance(5 * MINUTE)
    return made


def fault(simulation: Simulation[World], line: str) -> None:
    simulation.apply(parse_fault(line))
    simulation.advance(5 * MINUTE)


def clock(simulation: Simulation[World], gpu: str = GPU) -> int:
    return thermal.sm_clock(simulation.world, gpu, simulation.now)


def test_locked_clocks_slow_one_gpu_until_they_are_reset(simulation: Simulation[World]) -> None:
    before = clock(simulation)
    fault(simulation, f"gpu.clocks_locked target={GPU} clock=990")
    assert clock(simulation) == 990 < before == clock(simulation, f"{NODE}/gpu4")
    assert kernel_log(simulation) == []
    assert simulation.apply(driver.ResetClocks(NODE, 5, "alex")) is None
    simulation.advance(MINUTE)
    assert clock(simulation) == before


def test_a_low_power_limit_holds_power_and_clock_down(simulation: Simulation[World]) -> None:
    fault(simulation, f"gpu.power_capped target={GPU} watts=250")
    assert thermal.power(simulation.world, GPU, simulation.now) < 260_000
    assert clock(simulation) < 1500 < clock(simulation, f"{NODE}/gpu4")
    limit = simulation.world.inventory.gpu(GPU).product.power_limit
    assert simulation.apply(driver.SetPowerLimit(NODE, 5, limit, "alex")) is None
    simulation.advance(MINUTE)
    assert clock(simulation) > 1500


def test_limits_of_the_board_bound_what_a_fault_can_set(simulation: Simulation[World]) -> None:
    product = simulation.world.inventory.gpu(GPU).product
    fault(simulation, f"gpu.power_capped target={GPU} watts=50")
    assert simulation.world.gpus[GPU].power_limit == product.power_limit_min
    fault(simulation, f"gpu.clocks_locked target={GPU} clock=3000")
    assert simulation.world.gpus[GPU].locked_clock == product.clock_graphics_max


def test_a_hung_gpu_spins_at_little_power_and_says_nothing(simulation: Simulation[World]) -> None:
    fault(simulation, f"gpu.hung target={GPU}")
    assert gpu_load(simulation.world, GPU).sm == 100
    assert thermal.power(simulation.world, GPU, simulation.now) < 200_000
    assert thermal.power(simulation.world, f"{NODE}/gpu4", simulation.now) > 500_000
    assert kernel_log(simulation) == []


def test_what_waits_for_a_hung_gpu_cannot_be_killed_and_a_new_driver_frees_it(simulation: Simulation[World]) -> None:
    fault(simulation, f"gpu.hung target={GPU}")
    (holder,) = [each for each in simulation.world.systems[NODE].processes if each.gpus == (5,)]
    (other,) = [each for each in simulation.world.systems[NODE].processes if each.gpus == (4,)]
    for pid in (holder.pid, other.pid):
        assert simulation.apply(processes.Kill(NODE, pid, 9, "root")) is None
    left = [each.pid for each in simulation.world.systems[NODE].processes]
    assert holder.pid in left and other.pid not in left
    driver.attach(simulation, NODE)
    assert not simulation.world.gpus[GPU].hung


def test_a_stopped_process_goes_on_when_it_is_told(simulation: Simulation[World]) -> None:
    fault(simulation, f"job.rank_stopped target={GPU}")
    states = {each.gpus: (each.pid, each.state) for each in simulation.world.systems[NODE].processes}
    assert [state for gpus, (_, state) in states.items() if gpus == (5,)] == ["T"]
    assert {state for gpus, (_, state) in states.items() if gpus != (5,)} == {"S"}
    simulation.apply(processes.Kill(NODE, states[5,][0], 18, "root"))
    assert {each.state for each in simulation.world.systems[NODE].processes} == {"S"}


def test_nothing_is_stopped_where_nothing_runs() -> None:
    idle = node_simulation()
    before = idle.world.systems[NODE]
    idle.apply(parse_fault(f"job.rank_stopped target={GPU}"))
    assert idle.world.systems[NODE] == before


@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("nccl.ib_disabled", "NCCL_IB_DISABLE=1"),
        ("nccl.p2p_disabled", "NCCL_P2P_DISABLE=1"),
        ("nccl.wrong_interface", "NCCL_SOCKET_IFNAME=eth0"),
        ("nccl.wrong_hca adapters=mlx5_0,mlx5_1", "NCCL_IB_HCA=mlx5_0,mlx5_1"),
        ("nccl.wrong_gid_index index=9", "NCCL_IB_GID_INDEX=9"),
    ],
)
def test_settings_are_lines_of_a_file(simulation: Simulation[World], line: str, setting: str) -> None:
    name, _, parameters = line.partition(" ")
    fault(simulation, f"{name} target={NODE} {parameters}")
    assert files.text(simulation.world, NODE, "/etc/nccl.conf", "") == f"{setting}\n"
    assert files.text(simulation.world, "dgx-01", "/etc/nccl.conf", "") == ""


def test_settings_add_up_and_the_last_value_of_one_stands(simulation: Simulation[World]) -> None:
    for line in ("ib_disabled target=dgx-02", "wrong_hca target=dgx-02", "wrong_hca target=dgx-02 adapters=mlx5_1"):
        fault(simulation, f"nccl.{line}")
    assert files.text(simulation.world, NODE, "/etc/nccl.conf", "") == "NCCL_IB_DISABLE=1\nNCCL_IB_HCA=mlx5_1\n"


def test_missing_modules_come_back_with_modprobe(simulation: Simulation[World]) -> None:
    fault(simulation, f"rdma.modules_missing target={NODE}")
    assert not modules.is_loaded(simulation.world, NODE, "ib_uverbs")
    assert modules.is_loaded(simulation.world, NODE, "mlx5_core") and modules.is_loaded(
        simulation.world, NODE, "nvidia"
    )
    assert simulation.apply(modules.LoadModule(NODE, "mlx5_ib")) is None
    assert modules.is_loaded(simulation.world, NODE, "ib_uverbs")


def test_a_hardening_rule_limits_what_logins_may_lock_but_not_root(simulation: Simulation[World]) -> None:
    assert limits.memory_lock(simulation.world, NODE, "alex") is None
    fault(simulation, f"limits.memory_lock_low target={NODE} kib=64")
    assert limits.memory_lock(simulation.world, NODE, "alex") == 64
    assert limits.memory_lock(simulation.world, NODE, "root") != 64
    assert limits.memory_lock(simulation.world, "dgx-01", "alex") is None
