"""A GPU's registration with the NVLink fabric, as the driver tells it.

Boards with NVSwitches register when the fabric manager has programmed them: `In Progress` for as long as it has not
come up, `Completed` from then on, also after the fabric manager was stopped in good order (the switches keep their
routes until a reset). Single-node systems have clique 0 and an all-zero cluster.
"""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.control import service_state

FABRIC_MANAGER = "nvidia-fabricmanager.service"
CLUSTER = "00000000-0000-0000-0000-000000000000"


def on_fabric(device: Device) -> bool:
    """Whether the GPU's board has NVSwitches."""
    return bool(device.world.node(device.gpu.node).nvswitches)


def registered(device: Device) -> bool:
    """Whether the fabric manager has programmed the GPU's routes."""
    service = service_state.service(device.world, device.gpu.node, FABRIC_MANAGER)
    has_run = bool(service.pid)
    return service.active or (has_run and not service.failed)


def state(device: Device) -> str:
    if not on_fabric(device):
        return "N/A"
    return "Completed" if registered(device) else "In Progress"


def status(device: Device) -> str:
    return "Success" if on_fabric(device) and registered(device) else "N/A"


def clique(device: Device) -> str:
    return "0" if on_fabric(device) and registered(device) else "N/A"


def cluster(device: Device) -> str:
    return CLUSTER if on_fabric(device) and registered(device) else "N/A"
