"""/sys/devices/virtual: interfaces without a device, and what the firmware tells about the machine (SMBIOS by
drivers/firmware/dmi-id.c).
"""

from __future__ import annotations

from engine.control import firmware
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, file
from engine.hostfs.views import _sys_net
from engine.world.inventory import uuid_text

SECRET = ("product_serial", "product_uuid", "board_serial", "chassis_serial")
RACK_MOUNT = 23


def devices(machine: Machine) -> Children:
    """All of them."""
    return {**_sys_net.virtual(machine), **_dmi(machine)}


def _dmi(machine: Machine) -> dict[str, Node]:
    node = machine.node
    texts = {
        "bios_vendor": "American Megatrends International, LLC.",
        "bios_version": firmware.bios(machine.world, machine.host),
        "board_name": node.product_name,
        "board_serial": node.serial,
        "board_vendor": node.vendor,
        "chassis_serial": node.serial,
        "chassis_type": str(RACK_MOUNT),
        "chassis_vendor": node.vendor,
        "product_name": node.product_name,
        "product_serial": node.serial,
        "product_uuid": uuid_text(machine.inventory.name, machine.host, "smbios"),
        "sys_vendor": node.vendor,
    }
    return {f"dmi/id/{name}": file(f"{text}\n", 0o400 if name in SECRET else 0o444) for name, text in texts.items()}
