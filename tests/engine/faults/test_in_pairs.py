"""Every fault of GPUs and NVLinks alone and in pairs, with remedies in any order: nothing breaks, no two commands
contradict each other, and no counter falls but by a reset.
"""

from __future__ import annotations

import re
from dataclasses import astuple
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import boot, driver, processes, systemd
from engine.control.dcgm import fields, links
from engine.control.dcgm.readings import read
from engine.control.gsp import GIVES_UP_AFTER
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.control.slurm.submission import SubmitJob
from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, HOUR, MINUTE
from engine.simulation import open_site
from engine.world.records import BootPhase
from engine.world.world import World
from tests.engine.control.node_scene import ring_buffer
from tests.support.run import run_command

Sim = Simulation[World]
NODE, GPU, OTHER = "dgx-04", "dgx-04/gpu3", "dgx-04/gpu6"

FAULTS = (
    f"gpu.memory_uncorrectable target={GPU} every=20m when=always",
    f"gpu.memory_uncorrectable target={OTHER} spread=uncontained every=30m",
    f"gpu.row_remap_failure target={GPU} when=always",
    f"gpu.sram_errors target={GPU} every=15m when=always",
    f"gpu.memory_slow target={GPU} when=always errors=1500",
    f"gpu.gsp_timeout target={GPU} every=1h",
    f"gpu.gsp_timeout target={OTHER} how=crash",
    f"gpu.program_errors target={GPU} xid=13 every=20m",
    f"gpu.context_timeout target={GPU} stuck=yes every=30m",
    f"nvlink.link_down target={GPU} link=2 every=30m when=always",
    f"nvlink.link_down target={OTHER} link=17 cause=seating",
    f"nvlink.errors target={GPU} link=5 when=always",
    f"nvlink.partition_stale target={NODE}",
    f"nvswitch.fatal target={NODE}/nvswitch2",
    f"fabric_manager.stopped target={NODE}",
    f"fabric_manager.version_mismatch target={NODE}",
    f"gpu.fell_off_bus target={OTHER} cause=board holds=40m",
    f"gpu.hung target={GPU}",
    f"gpu.reports_xid target={GPU}",
    f"gpu.uncontained_error target={OTHER}",
    f"gpu.missing_at_boot target={GPU} cause=seating holds=30m",
    f"gpu.cooler_loose target={OTHER}",
    f"nvlink.untrained target={OTHER} links=4 cause=seating",
    f"nvlink.fabric_refused target={GPU}",
    f"fabric_manager.restarted target={NODE}",
    f"dcgm.profiling_broken target={OTHER}",
    f"dcgm.profiling_unavailable target={NODE} how=denied",
)
TRAINING: dict[str, Any] = {"user": "wei", "name": "mine", "host": "head-01", "directory": "/home/wei/run",
                            "time_limit": DAY, "nodes": 1, "gpus_per_node": 8,
                            "script": "#!/bin/bash\nsrun python train.py\n"}  # fmt: skip
REMEDIES = ("work", "wait", "reset", "reset others", "reboot", "reseat", "replace", "fabric manager", "clear")

FIELDS = (
    "index,ecc.errors.corrected.volatile.total,ecc.errors.uncorrected.volatile.total,"
    "ecc.errors.corrected.aggregate.total,ecc.errors.uncorrected.aggregate.total,remapped_rows.correctable,"
    "remapped_rows.uncorrectable,remapped_rows.pending,remapped_rows.failure,gpu_recovery_action"
)
SAME_IN_DCGM = (310, 311, 312, 313, 394, 393, 396, 395)
"""DCGM's fields for those between the index and the recovery action."""


@cache
def _site() -> Sim:
    simulation = open_site("dgx-h100-4")
    simulation.advance(MINUTE)
    return simulation


def remedy(simulation: Sim, name: str) -> bool:
    """Do something that people try. Gives whether it may set counters to zero."""
    if name == "work":
        simulation.apply(SubmitJob(**TRAINING))
    elif name == "reboot":
        simulation.apply(boot.Reboot(NODE, "root"))
    elif name in ("reseat", "replace"):
        simulation.apply(OrderHands(name, GPU if name == "replace" else OTHER, "alex"))
    elif name == "fabric manager":
        simulation.apply(systemd.RestartUnit(NODE, FABRIC_MANAGER, "root"))
    elif name == "clear":
        simulation.apply(driver.ClearEccCounts(NODE, 3, False, "root"))
    elif name.startswith("reset"):
        _reset(simulation, [3] if name == "reset" else [0, 1, 2, 4, 5, 6, 7])
    hands = name in ("reseat", "replace")
    simulation.advance(3 * HOUR if hands else 12 * MINUTE)
    return hands or name in ("reboot", "reset", "reset others", "clear")


def _reset(simulation: Sim, indices: list[int]) -> None:
    """As one does it: stop who has the GPUs open, then reset them."""
    simulation.apply(systemd.StopUnit(NODE, driver.HOST_ENGINE, "root"))
    held = [each.pid for each in simulation.world.systems[NODE].processes if set(each.gpus) & set(indices)]
    for pid in held:
        simulation.apply(processes.Kill(NODE, pid, 9, "root"))
    for index in indices:
        simulation.apply(driver.SetPersistence(NODE, index, False, "root"))
        simulation.apply(driver.ResetGpu(NODE, index, "root"))
    simulation.apply(systemd.StartUnit(NODE, driver.HOST_ENGINE, "root"))


def counters(simulation: Sim) -> dict[str, tuple[int, ...]]:
    """Everything that only grows, by what counts it; a board's own by its serial."""
    found: dict[str, tuple[int, ...]] = {}
    for gpu in simulation.world.node(NODE).gpus:
        state = simulation.world.gpus[gpu.id]
        found[f"volatile {state.serial}"] = astuple(state.volatile)
        found[f"aggregate {state.serial}"] = astuple(state.aggregate)
        rows = state.remap.correctable, state.remap.uncorrectable, int(state.remap.failure)
        found[f"remap {state.serial}"] = rows
        for link in simulation.world.nvlinks[gpu.id].errors:
            found[f"link {gpu.id} {link.link}"] = (link.replay, link.recovery, *link.crc)
    return found


def check_growth(before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]], cleared: bool) -> None:
    for name, counts in before.items():
        lasting = name.startswith(("aggregate", "remap"))
        if name in after and (lasting or not cleared):
            assert all(now >= then for then, now in zip(counts, after[name], strict=True)), name
        elif not cleared:
            assert name in after, name


def at_a_standstill(simulation: Sim) -> Sim:
    """A copy in which no command has to wait for a GPU, so that all look at the same moment."""
    copy = simulation.fork()
    for gpu in copy.world.node(NODE).gpus:
        stalled = copy.world.gpus[gpu.id].gsp_stalled
        copy.world.gpus.update(gpu.id, persistence=True, gsp_timeouts=GIVES_UP_AFTER if stalled else 0)
    return copy


def check_commands(simulation: Sim) -> None:
    """What different commands say of the same thing is the same."""
    if simulation.world.nodes[NODE].phase is not BootPhase.RUNNING:
        return
    simulation = at_a_standstill(simulation)
    asked = run_command(simulation, NODE, "alex", f"nvidia-smi --query-gpu={FIELDS} --format=csv,noheader")
    if asked.status != 0:
        return
    readings = {reading.index: reading for reading in read(simulation.world, NODE, simulation.now)}
    for line in asked.stdout.splitlines():
        if not re.match(r"\d+, ", line):
            continue
        index, *values, recovery = line.split(", ")
        reading = readings[int(index)]
        for number, value in zip(SAME_IN_DCGM, values, strict=True):
            told = fields.value(reading, fields.table()[number])
            assert told is None or str(told) == {"Yes": "1", "No": "0"}.get(value, value), (line, number)
        _check_report(simulation, index, values)
        _check_recovery(simulation, reading.gpu.address, recovery)
        _check_links(simulation, int(index), reading.gpu.id)


def _check_report(simulation: Sim, index: str, values: list[str]) -> None:
    """The long report: the counts of each kind add up to the totals."""
    text = run_command(simulation, NODE, "alex", f"nvidia-smi -q -i {index} -d ECC,ROW_REMAPPER").stdout
    if "ECC Errors" not in text:
        return
    for scope, corrected, uncorrected in (("Volatile", values[0], values[1]), ("Aggregate", values[2], values[3])):
        end = "\n        Aggregate" if scope == "Volatile" else "\n\n"
        part = text.partition(f"        {scope}\n")[2].partition(end)[0]
        told = dict(re.findall(r"^ {12}(\w.*?)\s+: (\d+)$", part.partition("Aggregate Unc")[0], re.M))
        assert sum(int(told[f"{kind} Correctable"]) for kind in ("SRAM", "DRAM")) == int(corrected)
        assert sum(int(count) for kind, count in told.items() if "Uncorrectable" in kind) == int(uncorrected)
    assert re.search(rf"Uncorrectable Error\s+: {values[5]}\n\s+Pending\s+: {values[6]}\n", text)


def _check_recovery(simulation: Sim, address: str, recovery: str) -> None:
    """The last Xid 154 since the driver was loaded or the GPU reset names the action that nvidia-smi shows."""
    start = f"NVRM: Xid (PCI:{address.rpartition('.')[0]}): 154, "
    told = [text for text in ring_buffer(simulation, NODE) if text.startswith(start)]
    if recovery != "None":
        words = {"Reset": "GPU Reset Required", "Reboot": "Node Reboot Required"}.get(recovery, recovery)
        assert told and told[-1].endswith(f"({words})"), (recovery, told[-1:])


def _check_links(simulation: Sim, index: int, gpu: str) -> None:
    text = run_command(simulation, NODE, "alex", f"nvidia-smi nvlink -s -i {index}").stdout
    down = [link for link, state in enumerate(links.of_gpu(simulation.world, simulation.world.inventory.gpu(gpu)))
            if state == links.DOWN]  # fmt: skip
    if text.count("Link ") == 18:
        assert [int(link) for link in re.findall(r"Link (\d+): <inactive>", text)] == down


def live_through(lines: list[str], remedies: list[str]) -> None:
    simulation = _site().fork()
    for line in lines:
        simulation.apply(parse_fault(line))
    for name in ("wait", *remedies):
        before = counters(simulation)
        boots = simulation.world.nodes[NODE].boots
        cleared = remedy(simulation, name) or simulation.world.nodes[NODE].boots != boots
        check_growth(before, counters(simulation), cleared)
        check_commands(simulation)


@pytest.mark.parametrize("line", FAULTS)
def test_each_alone(line: str) -> None:
    live_through([line], ["work", "reset", "reboot", "wait"])


@settings(max_examples=25)
@given(
    pair=st.lists(st.sampled_from(FAULTS), min_size=2, max_size=2, unique=True),
    remedies=st.lists(st.sampled_from(REMEDIES), min_size=2, max_size=4),
)
def test_pairs_with_remedies_in_any_order(pair: list[str], remedies: list[str]) -> None:
    live_through(pair, remedies)
