"""/opt: software that comes without a package: CUDA's link, firmware images of network cards, the benchmarks' place."""

from __future__ import annotations

from engine.control.adapter_firmware import image_name, image_of
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file


def _images(machine: Machine) -> Children:
    """One firmware image for each kind of card; its bytes are no more than its name and version."""
    found = {image_name(machine.inventory, hca): image_of(machine.inventory, hca) for hca in machine.node.hcas}
    return {name: file(f"{name} {version}\n") for name, version in sorted(found.items())}


DIRECTORY = directory(
    {"nvidia": directory(), "mellanox": directory({"mlnx-fw-updater": directory({"firmware": directory(_images)})})}
)
