"""Reporting Xids: lines by release, those that die, chains, and the recovery action that is asked for."""

from __future__ import annotations

import pytest

from engine.control import driver
from engine.control.xid import demand_recovery, main_process, report, report_sxid
from engine.kernel.simulation import Simulation
from engine.physics.load import gpu_processes
from engine.world.records import BusState, RecoveryAction
from engine.world.world import World
from tests.engine.control.node_scene import GPU, NODE, kernel_log, node_simulation, run_training

SLOT = "NVRM: Xid (PCI:0000:c3:00): "


@pytest.fixture
def simulation() -> Simulation[World]:
    made = node_simulation()
    run_training(made)
    return made


def xids(simulation: Simulation[World]) -> list[str]:
    return [line.removeprefix(SLOT) for line in kernel_log(simulation) if line.startswith(SLOT)]


def holders(simulation: Simulation[World], gpu: str = GPU) -> list[int]:
    return [process.pid for process in gpu_processes(simulation.world, gpu)]


def test_an_error_that_all_die_of_tells_each_of_the_first(simulation: Simulation[World]) -> None:
    (pid,) = holders(simulation)
    registers = "0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0"
    report(simulation, GPU, 74, {"link": 3, "registers": registers}, form="fatal")
    assert xids(simulation) == [
        f"74, NVLink: fatal error detected on link 3({registers})",
        f"45, pid={pid}, name=python3, Ch 00000008 caused by previous Xid 74",
        "154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
    ]
    assert holders(simulation) == [] and len(holders(simulation, f"{NODE}/gpu4")) == 1
    fatal = simulation.world.gpus[GPU].fatal
    assert fatal is not None and (fatal.number, fatal.cuda_error, fatal.pids) == (74, 220, (pid,))


def test_memory_errors_name_the_channels_that_they_end(simulation: Simulation[World]) -> None:
    (pid,) = holders(simulation)
    report(simulation, GPU, 95, {"partition": 2, "slice": 1}, previous=48)
    assert xids(simulation)[:2] == [
        "95, Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No",
        f"95, pid={pid}, name=python3, Ch 00000008",
    ]
    fatal = simulation.world.gpus[GPU].fatal
    assert fatal is not None and (fatal.number, fatal.cuda_error) == (48, 214)


def test_a_contained_error_ends_the_process_that_met_it(simulation: Simulation[World]) -> None:
    report(simulation, GPU, 94, {"unit": "SM", "code": 1}, process=main_process(simulation.world, GPU))
    assert holders(simulation) == []
    assert simulation.world.gpus[GPU].recovery is RecoveryAction.NONE


def test_what_is_only_told_changes_nothing(simulation: Simulation[World]) -> None:
    before = simulation.world.gpus[GPU], holders(simulation)
    report(simulation, GPU, 74, {"link": 3, "remote": "0000:05:00"}, form="training", harmless=True)
    assert xids(simulation) == ["74, NVLink: Failed to train link 3 to remote PCI:0000:05:00"]
    assert (simulation.world.gpus[GPU], holders(simulation)) == before


def test_the_strongest_action_stays(simulation: Simulation[World]) -> None:
    for action in (RecoveryAction.DRAIN_AND_RESET, RecoveryAction.RESET, RecoveryAction.DRAIN_P2P):
        demand_recovery(simulation, GPU, action)
    assert simulation.world.gpus[GPU].recovery is RecoveryAction.RESET
    assert [line for line in xids(simulation) if line.startswith("154")] == [
        "154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)",
        "154, GPU recovery action changed from 0x4 (Drain and Reset) to 0x1 (GPU Reset Required)",
    ]


def test_an_old_driver_names_an_unknown_process_and_no_action() -> None:
    simulation = node_simulation(driver_version="550.127.05")
    run_training(simulation)
    report(simulation, GPU, 95, {"partition": 2, "slice": 1})
    text = "Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No"
    assert xids(simulation)[0] == f"95, pid='<unknown>', name=<unknown>, {text}"
    assert not any(line.startswith("154") for line in xids(simulation))


def test_nothing_is_heard_of_a_gpu_that_the_driver_does_not_hold(simulation: Simulation[World]) -> None:
    simulation.world.gpus.update(GPU, bus=BusState.LOST)
    report(simulation, GPU, 63, {"address": 64})
    assert kernel_log(simulation) == [] and len(holders(simulation)) == 1


def test_a_reset_begins_without_an_action_and_without_a_line(simulation: Simulation[World]) -> None:
    report(simulation, GPU, 95, {"partition": 2, "slice": 1})
    simulation.world.gpus.update(GPU, persistence=False)
    simulation.world.systems.update(NODE, processes=())
    before = kernel_log(simulation)
    driver.attach(simulation, NODE)
    assert simulation.world.gpus[GPU].recovery is RecoveryAction.NONE
    assert kernel_log(simulation) == before


def test_an_nvswitch_reports_in_three_lines(simulation: Simulation[World]) -> None:
    report_sxid(simulation, simulation.world.node(NODE), 3, 60, 22013)
    address = simulation.world.node(NODE).nvswitches[3].address
    start = f"nvidia-nvswitch3: SXid (PCI:{address}): 22013, "
    lines = kernel_log(simulation)
    assert lines[:2] == [
        f"{start}Non-fatal, Link 60 Minion Link DLREQ interrupt",
        f"{start}Severity 0 Engine instance 60 Sub-engine instance 00",
    ]
    assert lines[2].startswith(f"{start}Data {{0x")
