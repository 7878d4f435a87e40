"""What Redfish lets people do: reset the system or the BMC, clear the log, set BIOS attributes for the next start, the
power restore policy and the blue light.
"""

from __future__ import annotations

import json
from typing import Any

from engine.control import bmc
from engine.control.boot import ChassisPower
from engine.control.redfish.managers import manager_id
from engine.control.redfish.resource import ROOT, Answer, Asked, error, success
from engine.control.redfish.systems import BIOS_DEFAULTS, RESETS, system_id
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.world import World

_POLICIES = {"LastState": "previous", "AlwaysOn": "always-on", "AlwaysOff": "always-off"}


@dataclass(frozen=True, slots=True)
class SetBios(Action):
    """Set BIOS attributes for the next start of the node."""

    host: str
    attributes: tuple[tuple[str, str], ...]
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        pending = dict(simulation.world.bmcs[self.host].bios_pending) | dict(self.attributes)
        simulation.world.bmcs.update(self.host, bios_pending=tuple(sorted(pending.items())))


def perform(simulation: Simulation[World], asked: Asked, path: str) -> Answer:
    """Do what a POST or PATCH asks for."""
    try:
        body = json.loads(asked.body) if asked.body else {}
    except ValueError:
        text = "The request body submitted was malformed JSON and could not be parsed by the receiving service."
        return error(400, "MalformedJSON", text)
    if not isinstance(body, dict):
        return error(400, "UnrecognizedRequestBody", "The service detected a malformed request body.")
    system = f"{ROOT}/Systems/{system_id(simulation.world, asked.host)}"
    manager = f"{ROOT}/Managers/{manager_id(simulation.world, asked.host)}"
    known = {
        ("POST", f"{system}/Actions/ComputerSystem.Reset"): _reset_system,
        ("POST", f"{manager}/Actions/Manager.Reset"): _reset_manager,
        ("POST", f"{system}/LogServices/SEL/Actions/LogService.ClearLog"): _clear,
        ("PATCH", f"{system}/Bios/SD"): _set_bios,
        ("PATCH", f"{system}/Bios"): _set_bios,
        ("PATCH", system): _set_system,
    }
    done = known.get((asked.method, path))
    if done is None:
        return error(405, "GeneralError", "The HTTP method is not allowed on this resource.")
    return done(simulation, asked, body)


def _reset_system(simulation: Simulation[World], asked: Asked, body: dict[str, Any]) -> Answer:
    wanted = str(body.get("ResetType", ""))
    if wanted not in RESETS:
        return _wrong("ResetType", wanted)
    refusal = simulation.apply(ChassisPower(asked.host, RESETS[wanted], asked.user or ""))
    if refusal:
        return error(409, "ResourceInStandby", "The request could not be performed because the resource is in standby.")
    return success()


def _reset_manager(simulation: Simulation[World], asked: Asked, body: dict[str, Any]) -> Answer:
    wanted = str(body.get("ResetType", "ForceRestart"))
    if wanted not in ("ForceRestart", "GracefulRestart"):
        return _wrong("ResetType", wanted)
    simulation.apply(bmc.ResetBmc(asked.host, wanted == "ForceRestart", asked.user or ""))
    return success()


def _clear(simulation: Simulation[World], asked: Asked, body: dict[str, Any]) -> Answer:
    simulation.apply(bmc.ClearSel(asked.host, asked.user or ""))
    return success()


def _set_bios(simulation: Simulation[World], asked: Asked, body: dict[str, Any]) -> Answer:
    given = body.get("Attributes")
    if not isinstance(given, dict) or not given:
        text = "The create operation failed because the required property Attributes was missing from the request."
        return error(400, "PropertyMissing", text, ["Attributes"])
    for name, value in given.items():
        if name not in BIOS_DEFAULTS:
            text = f"The property {name} is not in the list of valid properties for the resource."
            return error(400, "PropertyUnknown", text, [str(name)])
        if not isinstance(value, str):
            return _wrong(str(name), str(value))
    simulation.apply(SetBios(asked.host, tuple(sorted(given.items())), asked.user or ""))
    return success()


def _set_system(simulation: Simulation[World], asked: Asked, body: dict[str, Any]) -> Answer:
    orders: list[Action] = []
    for name, value in body.items():
        if name == "PowerRestorePolicy" and value in _POLICIES:
            orders.append(bmc.SetPolicy(asked.host, _POLICIES[str(value)], asked.user or ""))
        elif name == "IndicatorLED" and value in ("Off", "Blinking", "Lit"):
            orders.append(bmc.ShineLight(asked.host, 0 if value == "Off" else 10**6 * DAY, asked.user or ""))
        elif name in ("PowerRestorePolicy", "IndicatorLED"):
            return _wrong(name, str(value))
        else:
            text = f"The property {name} is not in the list of valid properties for the resource."
            return error(400, "PropertyUnknown", text, [str(name)])
    for order in orders:
        simulation.apply(order)
    return success()


def _wrong(name: str, value: str) -> Answer:
    text = f"The value '{value}' for the property {name} is not in the list of acceptable values."
    hint = "Choose a value from the enumeration list that the implementation can support and resubmit the request."
    return error(400, "PropertyValueNotInList", text, [value, name], hint)
