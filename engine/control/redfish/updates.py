"""Redfish's UpdateService: the firmware inventory. Uploading firmware is not modelled."""

from __future__ import annotations

from engine.control import firmware
from engine.control.redfish.resource import ROOT, Resource, collection, link, status
from engine.world.world import World

_PATH = f"{ROOT}/UpdateService/FirmwareInventory"


def _service(world: World, host: str, now: int) -> Resource:
    return {
        "@odata.type": "#UpdateService.v1_11_1.UpdateService",
        "Id": "UpdateService",
        "Name": "Update Service",
        "ServiceEnabled": True,
        "FirmwareInventory": link(_PATH),
        "Status": status(),
    }


def _inventory(world: World, host: str, now: int) -> Resource:
    names = [component.name for component in firmware.inventory(world, host)]
    return collection("SoftwareInventory", "SoftwareInventory Collection", _PATH, names)


def _component(world: World, host: str, now: int, name: str) -> Resource | None:
    version = firmware.version(world, host, name)
    if not version:
        return None
    return {
        "@odata.type": "#SoftwareInventory.v1_8_0.SoftwareInventory",
        "Id": name,
        "Name": "Software Inventory",
        "Updateable": True,
        "Version": version,
        "Status": status(),
    }


ROUTES = (
    ("UpdateService", _service),
    ("UpdateService/FirmwareInventory", _inventory),
    (r"UpdateService/FirmwareInventory/(?P<name>\w+)", _component),
)
