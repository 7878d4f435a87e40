"""Faults of GPU nodes that hide from the usual checks: what shows them, what does not, and what mends them."""

from __future__ import annotations

from functools import cache

import pytest

from engine.control import driver, nvlink_fabric, systemd
from engine.control.dcgm import daemon, exporter, fields
from engine.control.dcgm.readings import read
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics import thermal
from engine.physics.gpu_memory import uncorrected
from engine.physics.paths import nvlink
from engine.physics.paths.nvlink import working
from engine.simulation import open_site
from engine.workloads import cuda
from engine.world.records import BusState, RecoveryAction
from engine.world.world import World
from tests.engine.control.node_scene import kernel_log
from tests.engine.faults.test_gpu_errors import numbers, reboot, reset
from tests.support.run import run_command

Sim = Simulation[World]
BUSY, GPU = "dgx-01", "dgx-01/gpu3"
IDLE, IDLE_GPU = "dgx-04", "dgx-04/gpu3"
PROFILING = (1001, 1002, 1004)


@cache
def _site() -> Sim:
    simulation = open_site("dgx-h100-4")
    simulation.advance(5 * MINUTE)
    return simulation


@pytest.fixture
def site() -> Sim:
    return _site().fork()


def fault(simulation: Sim, line: str, after: int = MINUTE) -> None:
    simulation.apply(parse_fault(line))
    simulation.advance(after)


def output(simulation: Sim, line: str, host: str = IDLE, user: str = "root") -> str:
    result = run_command(simulation, host, user, line)
    return result.stdout + result.stderr


@pytest.mark.parametrize(
    ("xid", "chain", "recovery"),
    [
        ("61", [61], RecoveryAction.NONE),
        ("62", [62, 154], RecoveryAction.RESET),
        ("140", [140, 154], RecoveryAction.RESET),
        ("143", [143, 154], RecoveryAction.RESET),
    ],
)
def test_a_rare_xid_does_what_the_catalogue_says(
    site: Sim, xid: str, chain: list[int], recovery: RecoveryAction
) -> None:
    fault(site, f"gpu.reports_xid target={IDLE_GPU} xid={xid}")
    assert numbers(site, IDLE_GPU) == chain
    assert site.world.gpus[IDLE_GPU].recovery is recovery
    assert any("GPU3 _kgspRpcGspEventPmuHalted" in text for text in kernel_log(site, IDLE)) == (xid == "62")
    assert reset(site, IDLE_GPU) is None
    assert site.world.gpus[IDLE_GPU].recovery is RecoveryAction.NONE


def test_an_uncontained_error_leaves_nothing_but_the_wish_for_a_reset(site: Sim) -> None:
    fault(site, f"gpu.uncontained_error target={IDLE_GPU}")
    state = site.world.gpus[IDLE_GPU]
    assert (uncorrected(state.volatile), uncorrected(state.aggregate), state.remap.uncorrectable) == (0, 0, 0)
    assert state.recovery is RecoveryAction.RESET and numbers(site, IDLE_GPU) == [95, 154]
    gpu = site.world.inventory.gpu(IDLE_GPU)
    with pytest.raises(cuda.CudaError) as refused:
        cuda.make_context(site.world, gpu)
    assert refused.value.code == 46
    assert "software                  | Pass" in output(site, "dcgmi diag -r 1")
    assert reset(site, IDLE_GPU) is None
    cuda.make_context(site.world, gpu)


def test_a_gpu_that_does_not_come_up_is_told_of_without_an_xid(site: Sim) -> None:
    fault(site, f"gpu.missing_at_boot target={IDLE_GPU} cause=seating holds=3h")
    assert "GPU 7:" in output(site, "nvidia-smi -L") and kernel_log(site, IDLE) == []
    reboot(site, IDLE)
    listed = output(site, "nvidia-smi -L")
    assert "GPU 6:" in listed and "GPU 7:" not in listed and "Unable" not in listed
    log = output(site, "dmesg")
    assert "fallen off the bus and is not responding to commands" in log and "Xid" not in log
    assert "inval" in output(site, "sinfo", host="head-01")
    site.apply(OrderHands("reseat", IDLE_GPU, "alex"))
    site.advance(2 * HOUR)
    assert "GPU 7:" in output(site, "nvidia-smi -L")


def test_a_loose_cooler_heats_one_gpu(site: Sim) -> None:
    fault(site, f"gpu.cooler_loose target={GPU} resistance=300", after=20 * MINUTE)
    hot = thermal.temperature(site.world, GPU, site.now)
    others = [thermal.temperature(site.world, f"{BUSY}/gpu{number}", site.now) for number in (0, 1, 2, 4, 5, 6, 7)]
    assert hot > max(others) + 15_000 and thermal.sm_clock(site.world, GPU, site.now) < 1900
    site.apply(OrderHands("reseat", GPU, "alex"))
    site.advance(2 * HOUR)
    assert site.world.gpus[GPU].contact_permille == 1000


@pytest.mark.parametrize("cause", ["chance", "board"])
def test_untrained_links_pass_a_quick_diagnostic(site: Sim, cause: str) -> None:
    fault(site, f"nvlink.untrained target={IDLE_GPU} links=5 cause={cause}")
    assert working(site.world, IDLE_GPU) == 13 and numbers(site, IDLE_GPU) == []
    assert output(site, "nvidia-smi nvlink -s -i 3").count("<inactive>") == 5
    assert "Fail" not in output(site, "dcgmi diag -r 2")
    reset(site, IDLE_GPU)
    assert working(site.world, IDLE_GPU) == (18 if cause == "chance" else 13)
    assert numbers(site, IDLE_GPU) == ([] if cause == "chance" else [74] * 5)


def test_a_gpu_without_a_place_in_the_fabric_is_registered_all_the_same(site: Sim) -> None:
    fault(site, f"nvlink.fabric_refused target={IDLE_GPU}")
    world = site.world
    report = output(site, "nvidia-smi -q -i 3")
    assert "Completed" in report and "Insufficient Resources" in report
    assert "Insufficient Resources" not in output(site, "nvidia-smi -q -i 2")
    assert nvlink.joined(world, IDLE_GPU, f"{IDLE}/gpu0") == 0 and nvlink.joined(world, *_two(IDLE)) == 18
    (reading,) = [each for each in read(world, IDLE, site.now) if each.index == 3]
    assert [fields.value(reading, fields.table()[number]) for number in (170, 171)] == [4, 23]
    assert "GPU3: Fail" in output(site, "dcgmi diag -r 1")
    reset(site, IDLE_GPU)
    assert nvlink_fabric.refused(site.world, IDLE_GPU), "the fabric manager has no room yet"
    site.apply(systemd.RestartUnit(IDLE, FABRIC_MANAGER, "root"))
    assert nvlink_fabric.refused(site.world, IDLE_GPU), "the GPU has not registered anew yet"
    reset(site, IDLE_GPU)
    assert not nvlink_fabric.refused(site.world, IDLE_GPU)
    assert nvlink.joined(site.world, IDLE_GPU, f"{IDLE}/gpu0") == 18


def _two(node: str) -> tuple[str, str]:
    return f"{node}/gpu0", f"{node}/gpu1"


def test_a_restart_of_the_node_gives_every_gpu_its_place(site: Sim) -> None:
    fault(site, f"nvlink.fabric_refused target={IDLE_GPU}")
    reboot(site, IDLE)
    assert not nvlink_fabric.refused(site.world, IDLE_GPU)


def test_a_restarted_fabric_manager_needs_every_gpu_reset(site: Sim) -> None:
    fault(site, f"fabric_manager.restarted target={IDLE}")
    assert nvlink_fabric.registered(site.world, IDLE) and not site.world.nvlink_fabric[IDLE].multicast
    for number in range(8):
        assert not site.world.nvlink_fabric[IDLE].multicast
        reset(site, f"{IDLE}/gpu{number}")
    assert site.world.nvlink_fabric[IDLE].multicast


def test_b200_needs_its_subnet_manager() -> None:
    site = open_site("dgx-h100-4", 1, {"hardware.gpu": "b200-sxm6-180gb"})
    fault(site, f"fabric_manager.nvlsm_missing target={IDLE}")
    assert not nvlink_fabric.registered(site.world, IDLE)
    assert "NV_WARN_NOTHING_TO_DO" in output(site, "journalctl -u nvidia-fabricmanager -n 20 --no-pager")
    output(site, "apt-get install -y nvlsm")
    site.apply(systemd.RestartUnit(IDLE, FABRIC_MANAGER, "root"))
    assert nvlink_fabric.registered(site.world, IDLE)


def test_older_boards_have_no_subnet_manager_to_lose(site: Sim) -> None:
    fault(site, f"fabric_manager.nvlsm_missing target={IDLE}")
    assert nvlink_fabric.registered(site.world, IDLE)
    assert "no packages found" in output(site, "dpkg -l nvlsm")


def _profiled(site: Sim, gpu: int) -> list[fields.Value]:
    (reading,) = [each for each in read(site.world, BUSY, site.now) if each.index == gpu]
    return [fields.value(reading, fields.table()[number]) for number in PROFILING]


@pytest.mark.parametrize(
    ("how", "state", "mend"),
    [
        ("paused", "Paused", "dcgmi profile --resume"),
        ("denied", "Denylisted", "systemctl restart nvidia-dcgm"),
        ("profiler", "Not loaded", ""),
    ],
)
def test_profiling_fields_can_be_missing_alone(site: Sim, how: str, state: str, mend: str) -> None:
    fault(site, f"dcgm.profiling_unavailable target={BUSY} how={how}")
    (reading,) = [each for each in read(site.world, BUSY, site.now) if each.index == 3]
    assert fields.value(reading, fields.table()[203]) and _profiled(site, 3) == [None, None, None]
    assert "DCGM_FI_PROF_" not in exporter.metrics(site.world, BUSY, site.now)
    modules = output(site, "dcgmi modules -l", host=BUSY).splitlines()
    assert any("Profiling" in line and state in line for line in modules)
    told = output(site, f"journalctl -u {exporter.UNIT} --no-pager", host=BUSY)
    assert ("Not collecting DCP metrics" in told) == (how != "paused")
    if mend:
        output(site, mend, host=BUSY)
    else:
        assert "unrecoverable error" in output(site, "dcgmi dmon -e 1001 -c 1", host=BUSY)
        (process,) = [each for each in site.world.systems[BUSY].processes if "ncu" in each.command]
        output(site, f"kill {process.pid}", host=BUSY)
    assert None not in _profiled(site, 3)


def test_a_broken_profiling_session_reads_0_while_the_gpu_works(site: Sim) -> None:
    fault(site, f"dcgm.profiling_broken target={GPU}")
    assert _profiled(site, 3) == [0.0, 0.0, 0.0] and all(_profiled(site, 2))
    assert numbers(site, GPU) == [31]
    site.apply(systemd.RestartUnit(BUSY, daemon.UNIT, "root"))
    assert all(_profiled(site, 3))


def test_a_host_engine_that_is_not_root_cannot_profile(site: Sim) -> None:
    site.apply(systemd.StopUnit(IDLE, daemon.UNIT, "root"))
    from engine.control.dcgm import host_engine, modules

    site.apply(host_engine.StartDaemon(IDLE, "nv-hostengine -n", "priya"))
    assert modules.state(site.world, IDLE, modules.PROFILING) is modules.State.FAILED


def test_a_host_engine_started_by_hand_has_the_gpus_open(site: Sim) -> None:
    site.apply(systemd.StopUnit(IDLE, daemon.UNIT, "root"))
    site.world.gpus.update(IDLE_GPU, persistence=False)
    gpu = site.world.inventory.gpu(IDLE_GPU)
    assert not driver.in_use(site.world, gpu)
    from engine.control.dcgm import host_engine

    site.apply(host_engine.StartDaemon(IDLE, "nv-hostengine"))
    assert driver.in_use(site.world, gpu)
    assert site.apply(driver.ResetGpu(IDLE, 3, "root")) == driver.IN_USE
    assert site.world.gpus[IDLE_GPU].bus is BusState.PRESENT
