"""NVMe controllers in sysfs, by Linux 6.8's drivers/nvme/host/sysfs.c; strings are padded as Identify Controller
pads them.
"""

from __future__ import annotations

from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.world.inventory import Drive

SECTOR = 512
NVME_MAJOR, BLOCK_MAJOR = 240, 259


def below_function(drive: Drive) -> dict[str, Node]:
    """What the driver puts below the PCI function of a drive."""
    return {f"nvme/{drive.name}": directory(_controller(drive))}


def number(drive: Drive) -> int:
    """3 of nvme3."""
    return int(drive.name.removeprefix("nvme"))


def _controller(drive: Drive) -> Children:
    texts = {
        "address": drive.address,
        "cntlid": "1",
        "dev": f"{NVME_MAJOR}:{number(drive)}",
        "firmware_rev": f"{drive.firmware:<8}",
        "model": f"{drive.model:<40}",
        "queue_count": "129",
        "serial": f"{drive.serial:<20}",
        "state": "live",
        "transport": "pcie",
    }
    return {
        **{name: file(f"{text}\n", 0o444) for name, text in texts.items()},
        "device": link(f"../../../{drive.address}"),
        f"{drive.name}n1": directory(_namespace(drive)),
    }


def _namespace(drive: Drive) -> Children:
    return {
        "dev": file(f"{BLOCK_MAJOR}:{number(drive)}\n", 0o444),
        "size": file(f"{drive.bytes // SECTOR}\n", 0o444),
        "ro": file("0\n", 0o444),
        "removable": file("0\n", 0o444),
        "queue/rotational": file("0\n"),
        "queue/logical_block_size": file(f"{SECTOR}\n", 0o444),
        "queue/scheduler": file("[none] mq-deadline\n"),
        "device": link(f"../../{drive.name}"),
    }
