"""`nvidia-smi topo -c`, `-n`, `-p`, `-C`, `-M` and `-gnid`: what is near.

Texts: transcripts of `-c` (DGX), `-p` and `-C`; `-M` from scripts that read it. Guesses: the words of `-n` (made after
those of `-p`, with the help's names of paths), of `-gnid`, and those for wrong ids. NVLinks do not count here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, refuse
from engine.commands.gpu._nvidia_smi.words import INVALID_COMBINATION
from engine.physics.paths import topology
from engine.physics.paths.near import numa_of
from engine.world.inventory import Node

_PATHS = (
    ("", "a single PCIe switch on a dual GPU board"),
    (topology.SAME_BRIDGE, "a single PCIe switch"),
    (topology.BRIDGES, "multiple PCIe switches"),
    (topology.HOST_BRIDGE, "a PCIe host bridge"),
    (topology.SAME_NUMA, "an on-CPU interconnect link between PCIe host bridges"),
    (topology.SYSTEM, "an SMP interconnect link between NUMA nodes"),
)
"""The relation and the tool's words of each path, by its number in `-n`."""


def near_lines(context: Context, given: Mapping[str, str | None], devices: Sequence[Device]) -> Iterator[str]:
    """What was asked for. Raises Refused where GPUs are not named as they should be."""
    if "cpu" in given:
        return iter(_near_cpu(context, given["cpu"] or "", devices))
    named = len(devices) if "id" in given else 0
    if "near" in given and named == 1:
        return iter(_as_far_as(context, given["near"] or "", devices[0]))
    if "path" in given and named == 2:
        return iter((_path(context.node, *devices),))
    if named == 1 and not {"near", "path"} & set(given):
        return _numa_lines(given, devices[0])
    raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)


def _near_cpu(context: Context, text: str, devices: Sequence[Device]) -> tuple[str, str]:
    cpu = context.node.cpu
    if not text.isdecimal() or int(text) >= cpu.sockets * cpu.cores * cpu.threads:
        raise refuse(context, f"Invalid CPU number: {text}", INVALID_ARGUMENT)
    numa = numa_of(context.node, int(text))
    near = [str(device.index) for device in devices if device.gpu.numa == numa]
    return f"The GPUs that have an affinity with CPU {int(text)} are:", ", ".join(near)


def _as_far_as(context: Context, text: str, device: Device) -> tuple[str, str]:
    if text not in tuple("012345"):
        raise refuse(context, f"Invalid traversal path: {text}", INVALID_ARGUMENT)
    from engine.commands.gpu._nvidia_smi.library import look

    relation, words = _PATHS[int(text)]
    others = [other for other in look(context) if other.index != device.index]
    found = [str(other.index) for other in others if _relation(context.node, device, other) == relation]
    return f"Device {device.index} is connected to the following devices by way of {words}:", ", ".join(found)


def _path(node: Node, first: Device, second: Device) -> str:
    words = dict(_PATHS)[_relation(node, first, second)]
    return f"Device {first.index} is connected to device {second.index} by way of {words}."


def _relation(node: Node, first: Device, second: Device) -> str:
    return topology.relation(node, first.gpu.address, second.gpu.address)


def _numa_lines(given: Mapping[str, str | None], device: Device) -> Iterator[str]:
    if "cpu_numa" in given:
        yield f"NUMA IDs of closest CPU: {device.gpu.numa}"
    if "memory_numa" in given:
        yield f"NUMA IDs of closest memory: {device.gpu.numa}"
    if "own_numa" in given:
        yield "GPU NUMA ID: N/A"
