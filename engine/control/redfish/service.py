"""The Redfish service of a BMC: who may ask, which resource is meant, how it says what is wrong.

Paths and names of a DGX H100 (Systems/DGX, Chassis/DGX, Managers/BMC, HGX_GPU_SXM_1 ...) follow NVIDIA's stand-in BMC
for its infrastructure controller and the DGX user guides; other boards have Systems/Self and Chassis/Self, as MegaRAC
firmware names them. Error bodies follow the Redfish specification (DSP0266, section "Error responses") with the
messages of the Base registry 1.12. Nobody at these sites has a password that the simulator would know: any password is
let in with the name of an account.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.control import bmc_identity
from engine.control.redfish import actions, chassis, managers, systems, updates
from engine.control.redfish.resource import ROOT, Answer, Asked, Resource, collection, error
from engine.kernel.simulation import Simulation
from engine.world.world import World

_Route = tuple[str, Callable[..., Resource | None]]


def answer(simulation: Simulation[World], asked: Asked) -> Answer:
    """What the BMC of `asked.host` answers."""
    path = asked.path.partition("?")[0].rstrip("/") or "/"
    if path == "/redfish" and asked.method == "GET":
        return Answer(200, {"v1": f"{ROOT}/"})
    if path == ROOT and asked.method == "GET":
        return Answer(200, _root(simulation.world, asked.host))
    refused = _refused(simulation.world, asked)
    if refused is not None:
        return refused
    if asked.method in ("POST", "PATCH"):
        return actions.perform(simulation, asked, path)
    if asked.method != "GET":
        return error(405, "GeneralError", "The HTTP method is not allowed on this resource.")
    found = _resource(simulation.world, asked.host, path, simulation.now)
    if found is None:
        text = f"The resource at the URI '{path}' was not found."
        return error(404, "ResourceMissingAtURI", text, [path], "Place a valid resource at the URI or correct the URI "
                     "and resubmit the request.")  # fmt: skip
    return Answer(200, {"@odata.id": path, **found})


def _refused(world: World, asked: Asked) -> Answer | None:
    """Who has no session or too few rights."""
    known = bmc_identity.account(world, asked.host, asked.user or "")
    if known is None or not asked.password:
        text = "There is no valid session established with the implementation."
        return error(401, "NoValidSession", text, [], "Establish a session before attempting any operations.")
    if asked.method != "GET" and known.privilege != "ADMINISTRATOR":
        text = (
            "There are insufficient privileges for the account or credentials associated with the current session to "
        )
        return error(403, "InsufficientPrivilege", text + "perform the requested operation.")
    return None


def _root(world: World, host: str) -> Resource:
    names = ("Chassis", "Managers", "Systems", "UpdateService", "AccountService", "SessionService", "Fabrics")
    return {
        "@odata.id": f"{ROOT}/",
        "@odata.type": "#ServiceRoot.v1_13_0.ServiceRoot",
        "Id": "RootService",
        "Name": "Root Service",
        "Product": "AMI Redfish Server" if world.node(host).gpus else "Redfish Server",
        "RedfishVersion": "1.15.0",
        "UUID": systems.uuid(world, host),
        **{name: {"@odata.id": f"{ROOT}/{name}"} for name in names},
        "Vendor": world.node(host).vendor,
    }


def _accounts(world: World, host: str, now: int) -> Resource:
    return {
        "@odata.type": "#AccountService.v1_11_1.AccountService",
        "Id": "AccountService",
        "Name": "Account Service",
        "Accounts": {"@odata.id": f"{ROOT}/AccountService/Accounts"},
        "ServiceEnabled": True,
    }


def _account_list(world: World, host: str, now: int) -> Resource:
    numbers = [str(each.number) for each in bmc_identity.accounts(world, host)]
    return collection("ManagerAccount", "Account Collection", f"{ROOT}/AccountService/Accounts", numbers)


def _account(world: World, host: str, now: int, number: str) -> Resource | None:
    found = next((each for each in bmc_identity.accounts(world, host) if str(each.number) == number), None)
    if found is None:
        return None
    return {
        "@odata.type": "#ManagerAccount.v1_8_0.ManagerAccount",
        "Id": number,
        "Name": "User Account",
        "UserName": found.name,
        "RoleId": {"ADMINISTRATOR": "Administrator", "USER": "ReadOnly"}.get(found.privilege, "Operator"),
        "Enabled": True,
    }


def _sessions(world: World, host: str, now: int) -> Resource:
    """Sessions are not kept: whoever asks sends name and password each time."""
    return {
        "@odata.type": "#SessionService.v1_1_8.SessionService",
        "Id": "SessionService",
        "Name": "Session Service",
        "ServiceEnabled": True,
    }


_ROUTES: tuple[_Route, ...] = (
    ("AccountService", _accounts),
    ("AccountService/Accounts", _account_list),
    (r"AccountService/Accounts/(?P<number>\d+)", _account),
    ("SessionService", _sessions),
    *systems.ROUTES,
    *chassis.ROUTES,
    *managers.ROUTES,
    *updates.ROUTES,
)


def _resource(world: World, host: str, path: str, now: int) -> Resource | None:
    for pattern, make in _ROUTES:
        match = re.fullmatch(f"{ROOT}/{pattern}", path)
        if match:
            return make(world, host, now, **match.groupdict())
    return None
