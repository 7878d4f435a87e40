"""A GPU's registration with the NVLink fabric, as the driver tells it.

Boards with NVSwitches register (Hopper and later: nvml.h) when the fabric manager has programmed them: `In Progress`
for as long as it has not come up, `Completed` from then on, also after the fabric manager was stopped in good order
(the switches keep their routes until a reset). Single-node systems have clique 0 and an all-zero cluster.
"""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.control import nvlink_fabric
from engine.world.inventory import stable_hexadecimal

CLUSTER = "00000000-0000-0000-0000-000000000000"
_NO_PLACE = "Insufficient Resources"


def on_fabric(device: Device) -> bool:
    """Whether the GPU registers with NVSwitches of its board."""
    return architecture(device.product).registers and bool(device.world.node(device.gpu.node).nvswitches)


def registered(device: Device) -> bool:
    """Whether the fabric manager has programmed the GPU's routes."""
    return nvlink_fabric.registered(device.world, device.gpu.node)


def state(device: Device) -> str:
    if not on_fabric(device):
        return "N/A"
    return "Completed" if registered(device) else "In Progress"


def status(device: Device) -> str:
    if not on_fabric(device) or not registered(device):
        return "N/A"
    return _NO_PLACE if nvlink_fabric.refused(device.world, device.gpu.id) else "Success"


def clique(device: Device) -> str:
    return "0" if on_fabric(device) and registered(device) else "N/A"


def cluster(device: Device) -> str:
    return CLUSTER if on_fabric(device) and registered(device) else "N/A"


def guid(device: Device) -> str:
    """The GPU's identifier on the fabric."""
    return "0x" + stable_hexadecimal(16, "fabric", device.state.uuid)


def peer_type(device: Device) -> str:
    """How the platform says that NVLink peers are reached (boards before Blackwell do not know: captures)."""
    return "Switch Connected" if _tells_platform(device) else "Direct Connected"


def platform_guid(device: Device) -> str:
    """The GPU's identifier as the platform tells it."""
    return guid(device) if _tells_platform(device) else "0x0000000000000000"


def summary(device: Device) -> str | None:
    """The health of the fabric as a whole, which boards since Blackwell tell."""
    return "Healthy" if _tells_health(device) else None


def access_timeout(device: Device) -> str | None:
    return "False" if _tells_health(device) else None


def _tells_health(device: Device) -> bool:
    return _tells_platform(device) and registered(device)


def _tells_platform(device: Device) -> bool:
    return architecture(device.product).tells_platform and on_fabric(device)
