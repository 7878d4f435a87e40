"""Firmware images that MLNX_OFED's updater brings: one file for each kind of card, with the version of the site.

Name of a file: after NVIDIA's downloads, `fw-ConnectX7-rel-28_43_2026-MT_0000000838.bin` (they name the part and the
boot ROMs as well). Place: /opt/mellanox/mlnx-fw-updater/firmware of MLNX_OFED.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.control.adapter_firmware import image_name, image_of
from engine.world.inventory import Hca

PLACE = "/opt/mellanox/mlnx-fw-updater/firmware"


def image_file(context: Context, hca: Hca) -> str:
    """The path of the image for a card."""
    return f"{PLACE}/{image_name(context.inventory, hca)}"


def version_in(context: Context, hca: Hca, name: str) -> str | None:
    """The version in an image that fits the card; None if the file is not there or for another card."""
    full = name if name.startswith("/") else f"{context.directory.rstrip('/')}/{name}"
    return image_of(context.inventory, hca) if full == image_file(context, hca) else None


def exists(context: Context, name: str) -> bool:
    """Whether a file is an image for one of the host's cards."""
    return any(version_in(context, hca, name) for hca in devices.first_functions(context))
