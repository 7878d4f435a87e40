"""GPUs and MIG devices as NVIDIA's plugin offers them to a kubelet, by MIG strategy (k8s-device-plugin 0.17).

`none`: whole GPUs, whatever their MIG mode. `single`: one kind of thing on the node as nvidia.com/gpu: all GPUs whole,
or all cut into instances of one profile. `mixed`: whole GPUs as nvidia.com/gpu, instances as nvidia.com/mig-1g.10gb and
so on. Refusals: internal/rm/device_map.go. Under `single` an empty or mixed geometry is refused as a whole, and the
plugin ends.
"""

from __future__ import annotations

from engine.control import driver
from engine.control.mig.devices import MigDevice, devices
from engine.world.inventory import Gpu
from engine.world.records import KubeDevice
from engine.world.world import World

GPU = "nvidia.com/gpu"
NONE, SINGLE, MIXED = "none", "single", "mixed"
Offers = dict[str, tuple[KubeDevice, ...]]
_INVALID = "invalid MIG configuration: "


class Invalid(ValueError):
    """The node's geometry does not fit the strategy."""


def answering(world: World, node: str) -> list[Gpu]:
    """The GPUs that NVML shows on a node, in its order."""
    if driver.nvml(world, node).status is not driver.NvmlStatus.OK:
        return []
    return [gpu for gpu in driver.bound_gpus(world, node) if not driver.is_lost(world, gpu.id)]


def instances(world: World, node: str) -> list[MigDevice]:
    """The MIG devices of a node that are whole GPU instances, in the driver's order."""
    found = [each for gpu in answering(world, node) for each in devices(world, gpu) if world.gpus[gpu.id].mig_enabled]
    return [each for each in found if each.name == each.profile.name.partition("+")[0]]


def offers(world: World, node: str, strategy: str) -> Offers:
    """Devices by resource. Raises Invalid."""
    gpus = answering(world, node)
    whole = [gpu for gpu in gpus if strategy == NONE or not world.gpus[gpu.id].mig_enabled]
    parts = [] if strategy == NONE else instances(world, node)
    if strategy == SINGLE:
        problem = mismatch(world, node)
        if problem:
            raise Invalid(problem)
    found: dict[str, list[str]] = {}
    for gpu in whole:
        found.setdefault(GPU, []).append(world.gpus[gpu.id].uuid)
    for each in parts:
        resource = GPU if strategy == SINGLE else f"nvidia.com/mig-{each.name}"
        found.setdefault(resource, []).append(each.uuid)
    return {resource: tuple(map(KubeDevice, names)) for resource, names in sorted(found.items())}


def mismatch(world: World, node: str) -> str:
    """Why the strategy `single` refuses a node's geometry, "" where it fits."""
    cut = [gpu for gpu in answering(world, node) if world.gpus[gpu.id].mig_enabled]
    for place, gpu in enumerate(answering(world, node)):
        if gpu in cut and not devices(world, gpu):
            empty = f"device {place} has an invalid MIG configuration"
            return f"{_INVALID}at least one device with migEnabled=true was not configured correctly: {empty}"
    if len({each.name for each in instances(world, node)}) > 1:
        return f"{_INVALID}more than one MIG device type present on node"
    if cut and len(cut) < len(answering(world, node)):
        return "all devices on the node must be configured with the same migEnabled value"
    return ""


def invalid_labels(world: World, node: str) -> str:
    """The same in gpu-feature-discovery's words (internal/lm/mig-strategy.go), "" where it fits."""
    problem = mismatch(world, node)
    if "was not configured correctly" in problem:
        return "at least one MIG device is enabled but empty"
    if "same migEnabled" in problem:
        return "devices with MIG enabled and disable detected"
    return problem.removeprefix(_INVALID)


def place(world: World, node: str, identifier: str) -> tuple[Gpu, tuple[int, int] | None] | None:
    """The GPU behind a device's id (or that of its replica under time-slicing) and, of a MIG device, the ids of its
    instances; None for one that is not there.
    """
    identifier = identifier.partition("::")[0]
    for gpu in world.node(node).gpus:
        if world.gpus[gpu.id].uuid == identifier:
            return gpu, None
        if identifier.startswith("MIG-"):
            for each in devices(world, gpu):
                if each.uuid == identifier:
                    return gpu, (each.instance.id, each.compute.id)
    return None
