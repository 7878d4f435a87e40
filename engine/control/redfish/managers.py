"""Redfish's Managers: the BMC itself."""

from __future__ import annotations

from engine.control import bmc, bmc_identity, firmware
from engine.control.redfish.resource import ROOT, Resource, collection, link, status
from engine.control.redfish.systems import moment
from engine.world.world import World


def manager_id(world: World, host: str) -> str:
    """The id of the server's own BMC."""
    return "BMC" if world.node(host).gpus else "Self"


def _managers(world: World, host: str, now: int) -> Resource:
    return collection("Manager", "Manager Collection", f"{ROOT}/Managers", [manager_id(world, host)])


def _manager(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != manager_id(world, host):
        return None
    path = f"{ROOT}/Managers/{name}"
    return {
        "@odata.type": "#Manager.v1_15_0.Manager",
        "Id": name,
        "Name": "Manager",
        "ManagerType": "BMC",
        "FirmwareVersion": firmware.bmc(world, host),
        "DateTime": moment(world, bmc.clock(world, host, now)),
        "EthernetInterfaces": link(f"{path}/EthernetInterfaces"),
        "Status": status(),
        "Actions": {
            "#Manager.Reset": {
                "target": f"{path}/Actions/Manager.Reset",
                "ResetType@Redfish.AllowableValues": ["ForceRestart", "GracefulRestart"],
            }
        },
    }


def _interfaces(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != manager_id(world, host):
        return None
    path = f"{ROOT}/Managers/{name}/EthernetInterfaces"
    return collection("EthernetInterface", "Ethernet Interface Collection", path, ["bond0"])


def _interface(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != manager_id(world, host):
        return None
    own = bmc_identity.lan(world, host)
    address = {"Address": own.address, "SubnetMask": own.netmask, "Gateway": own.gateway, "AddressOrigin": "Static"}
    return {
        "@odata.type": "#EthernetInterface.v1_8_0.EthernetInterface",
        "Id": "bond0",
        "Name": "Manager Ethernet Interface",
        "MACAddress": own.mac,
        "IPv4Addresses": [address],
        "Status": status(),
    }


_NAME = r"Managers/(?P<name>\w+)"
ROUTES = (
    ("Managers", _managers),
    (_NAME, _manager),
    (f"{_NAME}/EthernetInterfaces", _interfaces),
    (f"{_NAME}/EthernetInterfaces/bond0", _interface),
)
