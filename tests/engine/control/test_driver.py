"""The driver: versions, GPUs that it holds, what it says of a lost one, settings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.control import driver, processes, xid
from engine.control.modules import LoadModule, UnloadModule
from engine.control.packages import Upgrade
from engine.kernel.units import MINUTE, SECOND
from engine.physics import gpu_bus, thermal
from engine.world.events import ModuleChanged, ServiceChanged
from engine.world.records import BusState, EccCounts, RecoveryAction, RowRemap
from tests.engine.control.node_scene import ADDRESS, GPU, NODE, kernel_log, node_simulation, ring_buffer, run_training

XID_LINE = re.compile(r"NVRM: Xid \(PCI:(0000:[0-9a-f]{2}:00)\): (\d+), (.*)", re.S)


def xids(lines: list[str]) -> list[tuple[str, int]]:
    return [(found[1], int(found[2])) for line in lines if (found := XID_LINE.fullmatch(line))]


def lose_gpu(simulation) -> list[str]:
    gpu_bus.drop(simulation, GPU)
    return kernel_log(simulation)


def test_the_library_follows_the_packages_and_the_module_does_not() -> None:
    simulation = node_simulation()
    assert driver.nvml(simulation.world, NODE) == driver.NvmlState(driver.NvmlStatus.OK, "590.48.01", "590.48.01")
    simulation.apply(Upgrade(NODE, "libnvidia-compute-590", "590.52.01", "root", "apt upgrade"))
    assert driver.nvml(simulation.world, NODE) == driver.NvmlState(driver.NvmlStatus.MISMATCH, "590.48.01", "590.52.01")
    assert driver.nvml(simulation.world, "dgx-01").status is driver.NvmlStatus.OK


def test_a_program_that_meets_a_mismatch_is_named_in_the_kernel_log() -> None:
    simulation = node_simulation()
    assert simulation.apply(driver.OpenDriver(NODE, "nvidia-smi", 4242)).status is driver.NvmlStatus.OK
    assert kernel_log(simulation) == []
    simulation.apply(Upgrade(NODE, "libnvidia-compute-590", "590.52.01", "root", "apt upgrade"))
    simulation.apply(driver.OpenDriver(NODE, "nvidia-smi", 4242))
    (text,) = kernel_log(simulation)
    assert text.splitlines()[:3] == [
        "NVRM: API mismatch: the client 'nvidia-smi' (pid 4242)",
        "NVRM: has the version 590.52.01, but this kernel module has",
        "NVRM: the version 590.48.01.  Please make sure that this",
    ]


def test_a_host_without_gpus_has_no_driver() -> None:
    simulation = node_simulation()
    assert driver.nvml(simulation.world, "head-01").status is driver.NvmlStatus.NO_LIBRARY
    assert driver.bound_gpus(simulation.world, "head-01") == []


def test_a_lost_idle_gpu_wants_a_reset_and_only_it_is_named() -> None:
    simulation = node_simulation()
    lines = lose_gpu(simulation)
    state = simulation.world.gpus[GPU]
    assert lines[-6:] == [
        "NVRM: Xid (PCI:0000:c3:00): 79, GPU has fallen off the bus.",
        "NVRM: GPU 0000:c3:00.0: GPU has fallen off the bus.",
        f"NVRM: GPU 0000:c3:00.0: GPU serial number is {state.serial}.",
        "NVRM: krcRcAndNotifyAllChannels_IMPL: RC all channels for critical error 79.",
        "NVRM: A GPU crash dump has been created. If possible, please run\n"
        "NVRM: nvidia-bug-report.sh as root to collect this data before\n"
        "NVRM: the NVIDIA kernel module is unloaded.",
        "NVRM: Xid (PCI:0000:c3:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
    ]
    assert {bus for bus, _ in xids(lines)} == {"0000:c3:00"}
    assert state.recovery is RecoveryAction.RESET
    assert driver.is_lost(simulation.world, GPU)


def test_a_gpu_lost_at_work_ends_its_processes_and_wants_a_reboot_of_all() -> None:
    simulation = node_simulation()
    run_training(simulation)
    (victim,) = [process.pid for process, _ in driver.compute_processes(simulation.world, GPU)]
    found = xids(lose_gpu(simulation))
    assert found[0] == ("0000:c3:00", 79)
    assert [number for bus, number in found if bus == "0000:c3:00"] == [79, 45, 154]
    assert [number for bus, number in found if bus != "0000:c3:00"] == [154] * 7
    assert f"45, pid={victim}, name=python3, Ch 00000008 caused by previous Xid 79" in "\n".join(kernel_log(simulation))
    assert driver.compute_processes(simulation.world, GPU) == []
    assert all(simulation.world.gpus[f"{NODE}/gpu{index}"].recovery is RecoveryAction.REBOOT for index in range(8))
    assert kernel_log(simulation, "dgx-01") == []


@pytest.mark.parametrize(
    ("version", "first", "teller"),
    [
        ("550.90.07", "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", None),
        ("570.158.01", "79, GPU has fallen off the bus.", "kgspRcAndNotifyAllChannels_IMPL"),
        ("590.48.01", "79, GPU has fallen off the bus.", "krcRcAndNotifyAllChannels_IMPL"),
    ],
)
def test_each_release_speaks_in_its_own_words(version: str, first: str, teller: str | None) -> None:
    simulation = node_simulation(driver_version=version)
    lines = lose_gpu(simulation)
    assert f"NVRM: Xid (PCI:0000:c3:00): {first}" in lines
    told = [line for line in lines if "RC all channels" in line]
    assert told == ([f"NVRM: {teller}: RC all channels for critical error 79."] if teller else [])
    assert (154 in [number for _, number in xids(lines)]) == (teller is not None)


def test_a_gpu_is_introduced_once_before_its_first_xid() -> None:
    simulation = node_simulation()
    lines = lose_gpu(simulation)
    state = simulation.world.gpus[GPU]
    introduction = [f"NVRM: GPU at PCI:0000:c3:00: {state.uuid}", f"NVRM: GPU Board Serial Number: {state.serial}"]
    assert sum(line in introduction for line in ring_buffer(simulation)) == 2
    driver.xid(simulation, GPU, 43, "Ch 00000008", 17, "python3")
    assert sum(line in introduction for line in ring_buffer(simulation)) == 2
    assert kernel_log(simulation)[-1] == "NVRM: Xid (PCI:0000:c3:00): 43, pid=17, name=python3, Ch 00000008"
    assert len(kernel_log(simulation)) == len(lines) + 1


def test_the_switches_notice_each_link_of_a_lost_gpu_some_seconds_later() -> None:
    simulation = node_simulation()
    lose_gpu(simulation)
    simulation.advance(10 * SECOND)
    assert not any("SXid" in line for line in kernel_log(simulation))
    simulation.advance(5 * SECOND)
    faults = [line for line in kernel_log(simulation) if "Fatal, Link" in line]
    assert len(faults) == len(set(faults)) == 18
    assert {line.partition(":")[0] for line in faults} == {f"nvidia-nvswitch{number}" for number in range(4)}
    assert all(
        re.fullmatch(r"nvidia-nvswitch\d: SXid \(PCI:0000:0[5-8]:00\.0\): 20034, Fatal, Link \d\d LTSSM Fault Up", line)
        for line in faults
    )
    assert sum("SXid" in line for line in kernel_log(simulation)) == 54


def test_gpus_of_a_node_use_different_ports_of_the_switches() -> None:
    node = node_simulation().world.node(NODE)
    ports = [port for gpu in node.gpus for port in xid.switch_ports(node, gpu.product, gpu.module)]
    assert len(ports) == len(set(ports)) == 8 * 18
    assert all(0 <= port < 64 for _, port in ports)


def test_a_gpu_that_the_driver_does_not_hold_is_lost_in_silence() -> None:
    simulation = node_simulation()
    simulation.world.systems.update(NODE, modules={"nvidia": None})
    assert lose_gpu(simulation) == []


def test_loading_the_module_takes_the_gpus_that_answer_and_tells_of_the_dead_one_without_an_xid() -> None:
    simulation = node_simulation()
    lose_gpu(simulation)
    before = len(kernel_log(simulation))
    simulation.publish(ModuleChanged(NODE, "nvidia", loaded=True))
    new = kernel_log(simulation)[before:]
    assert new == [
        "NVRM: The NVIDIA GPU 0000:c3:00.0\n"
        "NVRM: (PCI ID: 10de:2330) installed in this system has\n"
        "NVRM: fallen off the bus and is not responding to commands.",
        "NVRM: The NVIDIA probe routine failed for 1 device(s).",
    ]
    assert [gpu.index for gpu in driver.bound_gpus(simulation.world, NODE)] == [0, 1, 2, 3, 4, 6, 7]
    assert not driver.is_lost(simulation.world, GPU)


def test_a_gpu_that_was_not_enumerated_is_not_spoken_of() -> None:
    simulation = node_simulation()
    simulation.world.gpus.update(GPU, bus=BusState.ABSENT)
    driver.attach(simulation, NODE)
    assert kernel_log(simulation) == []
    assert len(driver.bound_gpus(simulation.world, NODE)) == 7


def test_reloading_mends_a_mismatch_once_nobody_uses_the_driver() -> None:
    simulation = node_simulation()
    simulation.apply(Upgrade(NODE, "libnvidia-compute-590", "590.52.01", "root", "apt upgrade"))
    assert "in use" in simulation.apply(UnloadModule(NODE, "nvidia"))
    simulation.world.systems.update(NODE, modules={"nvidia": None})
    assert simulation.apply(LoadModule(NODE, "nvidia")) is None
    assert driver.nvml(simulation.world, NODE) == driver.NvmlState(driver.NvmlStatus.OK, "590.52.01", "590.52.01")


def test_settings_end_with_the_module() -> None:
    simulation = node_simulation()
    simulation.apply(driver.SetPowerLimit(NODE, 0, 400_000, "root"))
    simulation.apply(driver.LockClocks(NODE, 0, 210, 1200, "root"))
    simulation.apply(driver.SetComputeMode(NODE, 0, "Prohibited", "root"))
    driver.attach(simulation, NODE)
    state = simulation.world.gpus[f"{NODE}/gpu0"]
    assert (state.power_limit, state.locked_clock, state.compute_mode) == (700_000, None, "Default")


def test_a_power_limit_is_refused_outside_what_the_board_allows_and_slows_work_otherwise() -> None:
    simulation = node_simulation()
    run_training(simulation)
    assert simulation.apply(driver.SetPowerLimit(NODE, 0, 900_000, "root")) == driver.OUT_OF_RANGE
    assert simulation.apply(driver.SetPowerLimit(NODE, 0, 400_000, "root")) is None
    assert thermal.average_power(simulation.world, f"{NODE}/gpu0", 0) == 400_000
    assert thermal.reasons(simulation.world, f"{NODE}/gpu0") == 0x4


def test_locked_clocks_hold_until_they_are_reset() -> None:
    simulation = node_simulation()
    run_training(simulation)
    simulation.apply(driver.LockClocks(NODE, 0, 210, 1200, "root"))
    assert 1170 <= thermal.sm_clock(simulation.world, f"{NODE}/gpu0", 0) <= 1200
    simulation.apply(driver.ResetClocks(NODE, 0, "root"))
    assert thermal.sm_clock(simulation.world, f"{NODE}/gpu0", 0) == 1980
    assert simulation.apply(driver.LockClocks(NODE, 0, 900, 600, "root")) == driver.OUT_OF_RANGE


def test_a_reset_is_refused_while_anybody_has_the_gpu_open() -> None:
    simulation = node_simulation()
    run_training(simulation, gpus=[0])
    simulation.world.gpus.update(
        GPU, volatile=EccCounts(dram_corrected=7), remap=RowRemap(uncorrectable=1, pending=True)
    )
    assert simulation.apply(driver.ResetGpu(NODE, 0, "root")) == driver.IN_USE
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) == driver.IN_USE
    simulation.world.systems.update(NODE, services={"nvidia-dcgm.service": _stopped(simulation)})
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) == driver.IN_USE
    simulation.apply(driver.SetPersistence(NODE, 5, False, "root"))
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) is None
    state = simulation.world.gpus[GPU]
    assert state.volatile == EccCounts()
    assert state.remap == RowRemap(uncorrectable=1, pending=False)


def _stopped(simulation):
    from dataclasses import replace

    from engine.control import service_state

    return replace(service_state.service(simulation.world, NODE, "nvidia-dcgm"), active=False)


def test_a_lost_gpu_takes_no_orders() -> None:
    simulation = node_simulation()
    lose_gpu(simulation)
    assert simulation.apply(driver.ResetGpu(NODE, 5, "root")) == driver.LOST
    assert simulation.apply(driver.SetPersistence(NODE, 5, False, "root")) == driver.LOST
    assert simulation.apply(driver.SetEcc(NODE, 99, False, "root")) == driver.NOT_FOUND
    assert not driver.is_lost(simulation.world, f"{NODE}/gpu4")


def test_ecc_mode_waits_for_a_load() -> None:
    simulation = node_simulation()
    simulation.apply(driver.SetEcc(NODE, 0, False, "root"))
    assert simulation.world.gpus[f"{NODE}/gpu0"].ecc_enabled
    driver.attach(simulation, NODE)
    assert not simulation.world.gpus[f"{NODE}/gpu0"].ecc_enabled


def test_the_persistence_daemon_sets_the_mode() -> None:
    simulation = node_simulation()
    simulation.publish(ServiceChanged(NODE, "nvidia-persistenced.service", active=False))
    assert not any(simulation.world.gpus[gpu.id].persistence for gpu in driver.bound_gpus(simulation.world, NODE))
    simulation.publish(ServiceChanged(NODE, "nvidia-persistenced.service", active=True))
    assert all(simulation.world.gpus[gpu.id].persistence for gpu in driver.bound_gpus(simulation.world, NODE))


def test_memory_on_a_gpu_is_what_its_processes_hold() -> None:
    simulation = node_simulation()
    run_training(simulation, gpus=[5])
    pid = processes.start(
        simulation, NODE, user="wei", command="python3 eval.py", gpus=[5, 6], gpu_memory=900, workload="inference"
    )
    assert [(process.pid == pid, mib) for process, mib in driver.compute_processes(simulation.world, GPU)] == [
        (False, 60_000),
        (True, 900),
    ]
    assert [process.pid for process, _ in driver.compute_processes(simulation.world, f"{NODE}/gpu6")] == [pid]


def test_a_lost_gpu_cools_down_and_draws_nothing() -> None:
    simulation = node_simulation()
    run_training(simulation)
    lose_gpu(simulation)
    simulation.advance(30 * MINUTE)
    assert thermal.average_power(simulation.world, GPU, simulation.now) == 0
    assert thermal.regime(simulation.world, GPU).temperature.value(simulation.now) < 27_000
    assert ADDRESS in "\n".join(kernel_log(simulation))


def masked(text: str) -> str:
    """A kernel message without its time, and with addresses, identifiers and numbers of parts taken out."""
    text = re.sub(r"^\[ *\d+\.\d+\] ", "", text)
    for pattern, mask in (
        (r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}(\.0)?", "ADDRESS"),
        (r"GPU-[0-9a-f-]{36}", "UUID"),
        (r"\d{13}", "SERIAL"),
        (r"nvswitch\d", "nvswitchN"),
        (r"(Link|instance) \d\d LTSSM|Engine instance \d\d", "PORT"),
        (r"10de:[0-9a-f]{4}", "IDS"),
        (r"\b\d{3}\.\d+\.\d+", "VERSION"),
        (r"pid \d+", "pid N"),
    ):
        text = re.sub(pattern, mask, text)
    return text


def test_a_lost_gpu_reads_like_the_capture(shared: Path) -> None:
    capture = (shared / "corpus/dmesg-xid/xid-79-with-sxid-20034.txt").read_text("utf-8").splitlines()
    simulation = node_simulation(driver_version="550.90.07")
    lose_gpu(simulation)
    simulation.advance(20 * SECOND)
    ours = [masked(line) for line in ring_buffer(simulation)]
    theirs = [masked(line) for line in capture]
    assert set(theirs) <= set(ours)
    begin = ours.index(theirs[2])
    assert ours[begin : begin + 3] == theirs[2:5]


@pytest.mark.parametrize("name", ["fallen-off-bus-probe-no-xid", "api-mismatch-nvrm"])
def test_messages_of_several_lines_read_like_the_captures(shared: Path, name: str) -> None:
    text = (shared / f"corpus/dmesg-xid/{name}.txt").read_text("utf-8")
    theirs = {masked(line).strip() for line in text.splitlines() if "loading NVIDIA" not in line}
    simulation = node_simulation()
    lose_gpu(simulation)
    driver.attach(simulation, NODE)
    simulation.apply(Upgrade(NODE, "libnvidia-compute-590", "590.52.01", "root", "apt upgrade"))
    simulation.apply(driver.OpenDriver(NODE, "nvidia-smi", 12345))
    assert theirs <= {masked(line) for message in kernel_log(simulation) for line in message.splitlines()}
