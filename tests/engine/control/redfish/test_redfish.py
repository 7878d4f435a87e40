"""Redfish: who may ask, what is told, what can be done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.control import bmc
from engine.control.redfish import service
from engine.control.redfish.resource import Answer, Asked
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import gpu_bus
from engine.simulation import open_site
from engine.world.records import Power
from engine.world.world import World

NODE = "dgx-03"
ROOT = "/redfish/v1"


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4")
    opened.advance(MINUTE)
    return opened


def ask(
    simulation: Simulation[World],
    path: str,
    method: str = "GET",
    body: object = None,
    user: str | None = "admin",
    host: str = NODE,
) -> Answer:
    text = "" if body is None else json.dumps(body)
    return service.answer(simulation, Asked(host, method, path, user, "secret" if user else None, text))


def got(simulation: Simulation[World], path: str) -> dict[str, Any]:
    answer = ask(simulation, path)
    assert answer.status == 200 and answer.body is not None
    return answer.body


def test_every_link_leads_somewhere(simulation: Simulation[World]) -> None:
    pending, seen = [f"{ROOT}/"], set()
    while pending:
        path = pending.pop()
        if path in seen or "#" in path:
            continue
        seen.add(path)
        pending += links(got(simulation, path))
    assert len(seen) > 150


def links(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["@odata.id"]] if "@odata.id" in value else []
        return own + [path for each in value.values() for path in links(each)]
    return [path for each in value for path in links(each)] if isinstance(value, list) else []


def test_the_root_is_open_and_the_rest_is_not(simulation: Simulation[World]) -> None:
    assert ask(simulation, ROOT, user=None).status == 200
    refused = ask(simulation, f"{ROOT}/Systems", user=None)
    assert refused.status == 401 and refused.body is not None
    assert refused.body["error"]["code"] == "Base.1.12.NoValidSession"
    assert ask(simulation, f"{ROOT}/Systems", user="nobody").status == 401
    assert ask(simulation, f"{ROOT}/Systems", user="monitor").status == 200
    reset = f"{ROOT}/Systems/DGX/Actions/ComputerSystem.Reset"
    assert ask(simulation, reset, "POST", {"ResetType": "ForceOff"}, user="monitor").status == 403
    assert simulation.world.nodes[NODE].power is Power.ON


def test_what_is_not_there_is_named(simulation: Simulation[World]) -> None:
    missing = ask(simulation, f"{ROOT}/Systems/Other")
    assert missing.status == 404 and missing.body is not None
    assert missing.body["error"]["@Message.ExtendedInfo"][0]["MessageArgs"] == [f"{ROOT}/Systems/Other"]


def test_power_shows_what_the_sensors_show(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault("power.strip_fuse target=R02/pdu-b/1"))
    power = got(simulation, f"{ROOT}/Chassis/DGX/Power")
    lines = [each["LineInputStatus"] for each in power["PowerSupplies"]]
    assert lines == ["Normal", "Normal", "LossOfInput", "LossOfInput", "Normal", "Normal"]
    for psu, shown in enumerate(power["PowerSupplies"]):
        sensor = next(s for s in bmc.sensors(simulation.world, NODE, simulation.now) if s.name == f"PWR_PSU{psu}")
        assert abs(shown["PowerInputWatts"] * 1000 - (sensor.value or 0)) <= 1000
    assert power["Redundancy"][0]["MinNumNeeded"] == 4


def test_a_gpu_that_is_gone_is_offline(simulation: Simulation[World]) -> None:
    gpu_bus.drop(simulation, f"{NODE}/gpu5")
    shown = got(simulation, f"{ROOT}/Systems/HGX_Baseboard_0/Processors/GPU_SXM_6")
    assert shown["Status"]["State"] == "UnavailableOffline"
    assert got(simulation, f"{ROOT}/Systems/HGX_Baseboard_0/Processors/GPU_SXM_5")["Status"]["State"] == "Enabled"


def test_the_brake_is_a_throttle_reason(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"power.brake_stuck target={NODE}"))
    metrics = got(simulation, f"{ROOT}/Systems/HGX_Baseboard_0/Processors/GPU_SXM_1/ProcessorMetrics")
    assert metrics["Oem"]["Nvidia"]["ThrottleReasons"] == ["HWPowerBrake"]


def test_fans_by_hand_are_told(simulation: Simulation[World]) -> None:
    assert got(simulation, f"{ROOT}/Chassis/DGX/Thermal")["Oem"]["Nvidia"] == {"FanMode": "Auto"}
    simulation.apply(parse_fault(f"cooling.fans_manual target={NODE} percent=31"))
    shown = got(simulation, f"{ROOT}/Chassis/DGX/Thermal")["Oem"]["Nvidia"]
    assert shown == {"FanMode": "Manual", "DutyPercent": 31}


def test_resets(simulation: Simulation[World]) -> None:
    reset = f"{ROOT}/Systems/DGX/Actions/ComputerSystem.Reset"
    assert ask(simulation, reset, "POST", {"ResetType": "Sideways"}).status == 400
    assert ask(simulation, reset, "POST", {"ResetType": "ForceOff"}).status == 204
    assert simulation.world.nodes[NODE].power is Power.OFF
    assert ask(simulation, reset, "POST", {"ResetType": "ForceRestart"}).status == 409
    assert ask(simulation, f"{ROOT}/Managers/BMC/Actions/Manager.Reset", "POST", {}).status == 204
    assert not bmc.answers(simulation.world, NODE, simulation.now, network=True)


def test_bios_attributes_wait_for_the_next_start(simulation: Simulation[World]) -> None:
    path = f"{ROOT}/Systems/DGX/Bios"
    assert ask(simulation, f"{path}/SD", "PATCH", {"Attributes": {"SriovSupport": "Disabled"}}).status == 204
    assert got(simulation, path)["Attributes"]["SriovSupport"] == "Enabled"
    assert got(simulation, f"{path}/SD")["Attributes"] == {"SriovSupport": "Disabled"}
    ask(simulation, f"{ROOT}/Systems/DGX/Actions/ComputerSystem.Reset", "POST", {"ResetType": "ForceRestart"})
    assert got(simulation, path)["Attributes"]["SriovSupport"] == "Disabled"
    assert got(simulation, f"{path}/SD")["Attributes"] == {}
    assert ask(simulation, f"{path}/SD", "PATCH", {"Attributes": {"Nonsense": "x"}}).status == 400


def test_the_log_is_the_one_that_ipmi_shows(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"power.supply_failed target={NODE}/psu3"))
    entries = got(simulation, f"{ROOT}/Systems/DGX/LogServices/SEL/Entries")
    assert entries["Members@odata.count"] == len(bmc.sel(simulation.world, NODE))
    assert "STATUS_PSU3: Failure detected" in [entry["Message"] for entry in entries["Members"]]
    clear = f"{ROOT}/Systems/DGX/LogServices/SEL/Actions/LogService.ClearLog"
    assert ask(simulation, clear, "POST", {}).status == 204
    assert got(simulation, f"{ROOT}/Systems/DGX/LogServices/SEL/Entries")["Members@odata.count"] == 1


def test_settings_of_the_system(simulation: Simulation[World]) -> None:
    path = f"{ROOT}/Systems/DGX"
    assert ask(simulation, path, "PATCH", {"PowerRestorePolicy": "AlwaysOff"}).status == 204
    assert got(simulation, path)["PowerRestorePolicy"] == "AlwaysOff"
    assert ask(simulation, path, "PATCH", {"PowerRestorePolicy": "Never"}).status == 400
    malformed = service.answer(simulation, Asked(NODE, "PATCH", path, "admin", "x", "{"))
    assert malformed.status == 400 and malformed.body is not None
    assert malformed.body["error"]["code"].endswith("MalformedJSON")


def test_a_server_without_gpus_has_its_own_names(simulation: Simulation[World]) -> None:
    answer = ask(simulation, f"{ROOT}/Systems/Self", host="head-01")
    assert answer.status == 200
    assert ask(simulation, f"{ROOT}/Systems/DGX", host="head-01").status == 404
