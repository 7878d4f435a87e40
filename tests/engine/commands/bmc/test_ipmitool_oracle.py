"""Our ipmitool against the real one, which asks a BMC that answers from the same simulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.control import bmc
from engine.control.bmc import ClearSel
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import BusState, Power
from engine.world.world import World
from tests.support import ipmi_oracle
from tests.support.run import run_command

pytestmark = pytest.mark.skipif(not ipmi_oracle.installed(), reason="no ipmitool 1.8.19 here")

HOST = "dgx-02"
EVERY = (
    "sdr", "sdr list all", "sdr elist", "sdr elist all", "sdr elist event", "sdr type Temperature", "sdr type fan",
    "sdr type list", "sdr type nonsense", "sdr entity 10", "sdr entity 10.1", "sdr info", "sdr get TEMP_AMBIENT",
    "sdr get STATUS_PSU0 SPD_FAN_SYS3_F SEL_NV_BOOT TEMP_GPU_SXM_3", "-c sdr", "-c sdr elist all",
    "-c sdr get VOLT_12V", "sensor", "-c sensor list", "sensor get TEMP_CPU0 STATUS_PSU1 TEMP_GPU_SXM_3 SPD_FAN_SYS3_F",
    "sensor reading TEMP_AMBIENT VOLT_12V", "sel", "sel list", "sel elist", "-c sel list", "-c sel elist",
    "sel list 3", "sel list first 2", "sel elist last 4", "sel get 1 2", "sel get 3", "sel get 0xffff", "sel get 9999",
    "chassis status", "power status", "chassis power status", "mc info", "fru print", "fru print 0", "lan print 1",
    "user list 1", "-c user list 1", "user summary 1", "-c user summary", "sel time get", "-v sdr",
    "-v sensor", "-v sel list", "-v sel elist", "-v -c sdr",
)  # fmt: skip
LOG = ("sel", "sel list", "sel elist", "-c sel elist", "sel get 1")
CHANGING = (
    *LOG, "sdr", "sdr elist", "-c sdr elist", "sensor", "-c sensor", "sel get 0xffff", "chassis status",
    "sensor get TEMP_CPU0 STATUS_PSU1 TEMP_GPU_SXM_3 SPD_FAN_SYS3_F", "sdr get SPD_FAN_SYS3_F TEMP_GPU_SXM_3",
)  # fmt: skip


def calm(simulation: Simulation[World]) -> None:
    """Nothing has happened."""


def damaged(simulation: Simulation[World]) -> None:
    """A fan stands, a supply has no input, a GPU is gone; the log tells of it."""
    world = simulation.world
    node = world.node(HOST)
    world.fans.update(node.fans[3].id, failed=True)
    world.psus.update(node.psus[1].id, input_lost=True)
    world.gpus.update(node.gpus[2].id, bus=BusState.LOST)
    for asserted in (True, False):
        detail = "Reading 0 < Threshold 2000 RPM"
        event = "Lower Critical going low "
        bmc.add_sel(simulation, HOST, "Fan", "SPD_FAN_SYS3_F", event, asserted=asserted, detail=detail)
    bmc.add_sel(simulation, HOST, "Temperature", "TEMP_AMBIENT", "Upper Non-critical going high",
                detail="Reading 37 > Threshold 35 degrees C")  # fmt: skip


def dark(simulation: Simulation[World]) -> None:
    """The chassis is off."""
    simulation.world.nodes.update(HOST, power=Power.OFF)


def cleared(simulation: Simulation[World]) -> None:
    """The log was cleared a while ago."""
    simulation.apply(ClearSel(HOST, "alex"))


@pytest.mark.parametrize(
    ("condition", "commands"),
    [(calm, EVERY), (damaged, CHANGING), (dark, CHANGING), (cleared, LOG)],
    ids=["calm", "damaged", "dark", "cleared"],
)
def test_as_the_real_tool(
    condition: Callable[[Simulation[World]], None],
    commands: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulation = open_site("dgx-h100-4", 1)
    condition(simulation)
    real = bmc.sensors
    monkeypatch.setattr(bmc, "sensors", lambda *words: [ipmi_oracle.quantized(each) for each in real(*words)])
    oracle = ipmi_oracle.Oracle(ipmi_oracle.session(simulation, HOST), tmp_path)
    for line in commands:
        ours = run_command(simulation, HOST, "root", f"ipmitool {line}")
        assert ours.stdout == oracle.ask(*line.split()), line
