"""Redfish by curl, and JSON set out by python3."""

from __future__ import annotations

import json

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HEAD, URL = "head-01", "https://dgx-03-bmc/redfish/v1"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")


def test_a_certificate_that_nobody_signed_is_refused(simulation: Simulation[World]) -> None:
    refused = run_command(simulation, HEAD, "alex", f"curl -s -S {URL}")
    assert refused.status == 60 and "SSL certificate problem: self-signed certificate" in refused.stderr


def test_resources_by_name_and_password(simulation: Simulation[World]) -> None:
    told = run_command(simulation, HEAD, "alex", f"curl -sk -u admin:secret {URL}/Systems/DGX")
    assert told.status == 0 and json.loads(told.stdout)["HostName"] == "dgx-03"
    refused = run_command(simulation, HEAD, "alex", f"curl -sk {URL}/Systems/DGX")
    assert "NoValidSession" in refused.stdout
    assert run_command(simulation, HEAD, "alex", f"curl -skf {URL}/Systems/DGX").status == 22
    head = run_command(simulation, HEAD, "alex", f"curl -skI -u admin:secret {URL}/Systems/DGX")
    assert head.stdout.startswith("HTTP/1.1 200 OK\r\n") and "HostName" not in head.stdout
    inside = run_command(simulation, HEAD, "alex", "curl -sk https://admin:secret@dgx-03-bmc/redfish/v1/Managers/BMC")
    assert json.loads(inside.stdout)["ManagerType"] == "BMC"


def test_changes_go_by_method_and_body(simulation: Simulation[World]) -> None:
    ask = "curl -sk -u admin:secret -w '%{http_code}'"
    line = f"""{ask} -X PATCH -d '{{"IndicatorLED":"Blinking"}}' {URL}/Systems/DGX"""
    assert run_command(simulation, HEAD, "alex", line).stdout == "204"
    assert simulation.world.bmcs["dgx-03"].light_until > simulation.now
    post = f"""curl -sk -u admin:secret -d '{{"ResetType":"x"}}' {URL}/Systems/DGX/Actions/ComputerSystem.Reset"""
    assert "PropertyValueNotInList" in run_command(simulation, HEAD, "alex", post).stdout


def test_pages_for_people_are_not_modelled(simulation: Simulation[World]) -> None:
    assert run_command(simulation, HEAD, "alex", "curl -sk https://dgx-03-bmc/").status == 125


def test_json_tool(simulation: Simulation[World]) -> None:
    shown = run_command(simulation, HEAD, "alex", "python3 -m json.tool", stdin=b'{"a": [1, {"b": null}]}')
    assert shown.stdout == '{\n    "a": [\n        1,\n        {\n            "b": null\n        }\n    ]\n}\n'
    broken = run_command(simulation, HEAD, "alex", "python3 -m json.tool", stdin=b"nothing")
    assert (broken.status, broken.stderr) == (1, "Expecting value: line 1 column 1 (char 0)\n")
