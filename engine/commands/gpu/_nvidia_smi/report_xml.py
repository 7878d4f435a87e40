"""`nvidia-smi -q -x`: the report as XML.

Made of the same tree as the text: every line becomes an element, named after its label unless xml_names says
otherwise. Captures: H100 and B200 under 580.105.08, A100 under 570.148.08 and 535.54.03 (with MIG devices), L40S under
595. Where XML tells more or otherwise than the text (processes, retired pages, clocks, MIG devices) stands below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from xml.sax.saxutils import escape

from engine.commands.gpu._nvidia_smi.csv_query import supported_graphics_clocks
from engine.commands.gpu._nvidia_smi.devices import Device, instance_ids, process_name
from engine.commands.gpu._nvidia_smi.formats import date_line
from engine.commands.gpu._nvidia_smi.library import Versions
from engine.commands.gpu._nvidia_smi.report import Line, Node
from engine.commands.gpu._nvidia_smi.report_mig import mig_lines
from engine.commands.gpu._nvidia_smi.xml_names import tag_of
from engine.kernel.units import MILLISECOND
from engine.world.inventory import Inventory

SCHEMA_13_FROM = 580


@dataclass(slots=True)
class Element:
    """An element: text, or parts below it."""

    tag: str
    text: str | None = None
    parts: list[Element] = field(default_factory=list)

    def lines(self, depth: int) -> Iterator[str]:
        """As nvidia-smi writes it, a tab a level."""
        indent = "\t" * depth
        if self.text is not None:
            yield f"{indent}<{self.tag}>{escape(self.text)}</{self.tag}>"
            return
        yield f"{indent}<{self.tag}>"
        for part in self.parts:
            yield from part.lines(depth + 1)
        yield f"{indent}</{self.tag.partition(' ')[0]}>"


def report_lines(
    inventory: Inventory, now: int, versions: Versions, tree: Sequence[Node], devices: Sequence[Device]
) -> Iterator[str]:
    """The whole document."""
    number = 13 if versions.release >= SCHEMA_13_FROM else 12
    yield '<?xml version="1.0" ?>'
    yield f'<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v{number}.dtd">'
    yield "<nvidia_smi_log>"
    head = (
        ("timestamp", date_line(inventory, now)),
        ("driver_version", versions.kernel),
        ("cuda_version", versions.cuda),
        ("attached_gpus", str(devices[0].attached)),
    )
    yield from (f"\t<{tag}>{text}</{tag}>" for tag, text in head)
    for device in devices:
        yield from Element(f'gpu id="{device.bus_id}"', parts=_gpu(tree, device, versions.release)).lines(1)
        yield ""
    yield "</nvidia_smi_log>"


def _gpu(tree: Sequence[Node], device: Device, release: int) -> list[Element]:
    found: list[Element] = []
    for node in tree:
        if node.label in _BEFORE:
            found += _BEFORE[node.label](device)
        if node.label in _INSTEAD:
            found += _INSTEAD[node.label](device)
        elif not node.sampled:
            made = _elements(list(node.rendered(device, release, 1)), "")
            found += _with_power_state(made) if node.label in _WITH_POWER_STATE else made
        if node.label in _AFTER:
            found += _AFTER[node.label](device)
    return found


def _elements(lines: Sequence[Line], parent: str) -> list[Element]:
    """Lines of one level with those below them. A line with a value keeps those below it beside it."""
    found: list[Element] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        end = number + 1
        while end < len(lines) and lines[end].depth > line.depth:
            end += 1
        below = lines[number + 1 : end]
        tag = tag_of(parent, line.label)
        if line.value is None:
            inside = f"{parent} {line.label}" if parent == "MIG Device" else line.label
            found.append(Element(tag, parts=_elements(below, inside)))
        else:
            found += [Element(tag, _value(tag, line.value)), *_elements(below, parent)]
        number = end
    return found


def _value(tag: str, value: str) -> str:
    """Numbers of the PCI block come without 0x."""
    return value.removeprefix("0x") if tag.startswith("pci_") else value


class _Bare(Element):
    """Text on a line of its own."""

    def lines(self, depth: int) -> Iterator[str]:
        yield "\t" * depth + self.tag


def _mig_devices(device: Device) -> list[Element]:
    return [Element("mig_devices", parts=_elements(list(mig_lines(device)), "") or [_Bare("None")])]


def _retired(device: Device) -> list[Element]:
    def retirement(tag: str) -> Element:
        return Element(tag, parts=[Element("retired_count", "N/A"), Element("retired_pagelist", "N/A")])

    parts = [retirement("multiple_single_bit_retirement"), retirement("double_bit_retirement")]
    parts += [Element(f"pending_{name}", "N/A") for name in ("blacklist", "retirement")]
    return [Element("retired_pages", parts=parts)]


def _target_temperature(device: Device) -> list[Element]:
    parts = [Element(f"gpu_target_temp_{name}", "N/A") for name in ("min", "max")]
    return [Element("supported_gpu_target_temp", parts=parts)]


def _supported_clocks(device: Device) -> list[Element]:
    clocks = [Element("supported_graphics_clock", f"{clock} MHz") for clock in supported_graphics_clocks(device)]
    memory = Element("value", f"{device.product.clock_memory} MHz")
    return [Element("supported_clocks", parts=[Element("supported_mem_clock", parts=[memory, *clocks])])]


def _processes(device: Device) -> list[Element]:
    found = []
    for process, used in device.processes:
        instance, compute = instance_ids(process)
        values = (
            ("gpu_instance_id", instance),
            ("compute_instance_id", compute),
            ("pid", str(process.pid)),
            ("type", "C"),
            ("process_name", process_name(process)),
            ("used_memory", f"{used} MiB"),
        )
        found.append(Element("process_info", parts=[Element(tag, text) for tag, text in values]))
    return [Element("processes", parts=found)]


def _accounted(device: Device) -> list[Element]:
    found = []
    for process in device.state.accounted:
        values = (
            ("pid", str(process.pid)),
            ("gpu_util", f"{process.gpu_busy} %"),
            ("memory_util", f"{process.memory_busy} %"),
            ("max_memory_usage", f"{process.memory_most} MiB"),
            ("time", f"{(process.ended - process.started) // MILLISECOND} ms"),
            ("is_running", "0"),
        )
        found.append(Element("accounted_process_info", parts=[Element(tag, text) for tag, text in values]))
    return [Element("accounted_processes", parts=found)]


def _with_power_state(elements: list[Element]) -> list[Element]:
    return [Element(each.tag, parts=[Element("power_state", "P0"), *each.parts]) for each in elements]


_WITH_POWER_STATE = ("GPU Power Readings", "Module Power Readings")

_Make = Callable[[Device], list[Element]]

_INSTEAD: Mapping[str, _Make] = MappingProxyType(
    {"MIG Device": _mig_devices, "Retired Pages": _retired, "Processes": _processes}
)
_BEFORE: Mapping[str, _Make] = MappingProxyType({"Processes": _supported_clocks})
_AFTER: Mapping[str, _Make] = MappingProxyType({"Temperature": _target_temperature, "Processes": _accounted})
