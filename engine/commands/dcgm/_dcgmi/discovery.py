"""`dcgmi discovery`: the GPUs, NVSwitches and instances that the host engine holds, and attributes of GPUs.

Texts: dcgmi/Query.cpp of DCGM 4.4.2. From 4.5 on a GPU's count and row say that it is active (capture of an H100 node);
3.x has no ConnectX table. A value that cannot be read is DCGM's blank, as in captures of nodes with lost GPUs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from engine.commands.dcgm._dcgmi.arguments import HOST, VERBOSE, Argument, Parsed, Subsystem, not_negative, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Columns, Tree, fitted, rule
from engine.control.dcgm import fields, host_engine, modules
from engine.control.dcgm.readings import Reading
from engine.control.mig.profiles import profile
from engine.physics.gpu_power import CLOCK_STEP
from engine.world.records import EntityGroup

BLANK = "<<<NULL>>>"
SAME = "**** Non-homogenous settings across group. Use with \u2013v flag to see details.\n"
_DIFFERENT = "****"
_TAGS = "aptcw"
_WIDTHS = (26, 49)
_MOST_DEVICES = 7
_ACTIVE_FROM, _CONNECTX_FROM = (4, 5), (4, 0)

SUBSYSTEM = Subsystem(
    "discovery",
    "shows the GPUs of this host, and what is known of them.",
    (
        Argument("", "gpuid", "gpuId", "one GPU", int),
        Argument("g", "group", "groupId", "the GPUs of a group", int),
        Argument("", "cpuid", "cpuId", "one NVIDIA CPU", int),
        VERBOSE,
        HOST,
    ),
    (
        Argument("l", "list", None, "show all GPUs, NVSwitches and NVIDIA CPUs"),
        Argument("i", "info", "flags", "a: device, p: power limits, t: thermal limits, c: clocks, w: power profiles"),
        Argument("c", "compute-hierarchy", None, "show MIG's GPU instances and compute instances"),
    ),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "gpuid", "group", "cpuid")
    if "group" in parsed and ("gpuid" in parsed or "cpuid" in parsed):
        raise refusal("Both GPU and Group specified at command line")
    if "compute-hierarchy" in parsed and ("group" in parsed or "gpuid" in parsed):
        raise refusal("For now, hierarchy must be used by itself")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if "list" in parsed:
        return _list(client)
    if "compute-hierarchy" in parsed:
        return _hierarchy(client)
    tags = parsed.text("info", "atp")
    if "gpuid" in parsed:
        return _one(client, parsed.number("gpuid"), tags)
    if "cpuid" in parsed:
        raise Return.MODULE_NOT_LOADED.ends(
            f"Unable to get CPU hierarchy. Error: {Return.MODULE_NOT_LOADED.number}: {Return.MODULE_NOT_LOADED.text}\n"
        )
    return _group(client, parsed.number("group", host_engine.ALL_GPUS), tags, "verbose" in parsed)


def _hierarchy(client: Client) -> int:
    """GPU instances and their compute instances. DCGM numbers both from a GPU's number times the most devices that a
    GPU can be cut into, instances by their size.
    """
    tree = Tree(20, 70, separate=True)
    tree.headers = ["Instance Hierarchy"]
    for gpu in client.gpus():
        found = client.world.mig[gpu.gpu.id].instances if gpu.state.mig_enabled and not gpu.lost else ()
        if not found:
            continue
        box = tree.at(f"GPU {gpu.index}")
        box.value = f"GPU {gpu.state.uuid} (EntityID: {gpu.index})"
        parts = count(gpu.index * _MOST_DEVICES)
        by_size = sorted(found, key=lambda each: (profile(gpu.product, each.profile).slices, each.id))
        for number, instance in enumerate(by_size, start=gpu.index * _MOST_DEVICES):
            inner = box.at(f"I {gpu.index}/{instance.id}")
            inner.value = f"GPU Instance (EntityID: {number})"
            for part in instance.compute:
                name = f"CI {gpu.index}/{instance.id}/{part.id}"
                inner.at(name).value = f"Compute Instance (EntityID: {next(parts)})"
    client.ctx.write(tree.text())
    return OK


def _list(client: Client) -> int:
    if not host_engine.answers_driver(client.world, client.host):
        failed = Return.NO_NVML
        text = f"Error: Cannot get devices from remote node. Return: {failed.text}\n"
        raise failed.ends(f"{text}Error: Cannot get GPU list from remote node. Return: {failed.text}\n")
    gpus = client.gpus()
    word = " (Active)" if client.release >= _ACTIVE_FROM else ""
    client.ctx.line(f"{len(gpus)} GPU{'' if len(gpus) == 1 else 's'} found{word}.")
    table = Columns(((8, "GPU ID"), (70, "Device Information")), separate=True)
    for gpu in gpus:
        name, bus, uuid = (_text(gpu, number) for number in (50, 57, 54))
        table.add(str(gpu.index), [f"Name: {name}", f"PCI Bus ID: {bus}", f"Device UUID: {uuid}"])
    client.ctx.write(table.text())
    _list_others(client)
    return OK


def _list_others(client: Client) -> None:
    """NVSwitches, ConnectX devices (which DCGM counts on other systems only) and NVIDIA CPUs."""
    if modules.state(client.world, client.host, modules.NVSWITCH) is modules.State.DENYLISTED:
        failed = Return.MODULE_NOT_LOADED
        raise failed.ends(f"Error: Cannot get NvSwitch list from remote node. Return: {failed.text}\n")
    found = host_engine.switches(client.world, client.host)
    client.ctx.line(f"{len(found)} NvSwitch{'' if len(found) == 1 else 'es'} found.")
    table = Columns(((11, "Switch ID"),))
    for number in found:
        table.add(str(number))
    client.ctx.write(table.text())
    if client.release >= _CONNECTX_FROM:
        client.ctx.line("0 ConnectX found.")
        client.ctx.write(Columns(((10, "ConnectX"),)).text())
    client.ctx.line("0 CPUs found.")
    client.ctx.write(Columns(((8, "CPU ID"), (70, "Device Information")), separate=True).text())


def _text(gpu: Reading, number: int) -> str:
    found = fields.value(gpu, fields.table()[number])
    return BLANK if found is None else str(found)


def _checked(tags: str) -> str:
    """The letters of -i, if they are such. Raises Ended."""
    failed, example = Return.BAD_PARAMETER, "\n Example:./dcgmi discovery --gpuid 1 -i apt\n"
    end = f"Error: Invalid flags detected. Return: {failed.text}\n"
    if len(tags) > len(_TAGS):
        raise failed.ends(f"Error: Invalid input. Please include only one of each valid tag.{example}{end}")
    if any(tag in _TAGS and tags.count(tag) > 1 for tag in tags):
        raise failed.ends(f"Error: Invalid input. Please include only one of each tag.{example}{end}")
    if not set(tags) <= set(_TAGS):
        more = "\n Example:./dcgmi discovery --gpuid 1 -i a \n Type ./dcgmi discovery -h for more help.\n"
        raise failed.ends(f"Invalid input. Please include only valid tags.{more}{end}")
    return tags


def _one(client: Client, number: int, tags: str) -> int:
    _checked(tags)
    gpu = client.gpu(number)
    if gpu is None:
        raise Return.BAD_PARAMETER.ends(f"Error: Unable to get GPU info. Return: {Return.BAD_PARAMETER.text}\n")
    client.ctx.write("".join(f"{line}\n" for line in _report(f"GPU ID: {number}", [gpu], tags)))
    return OK


def _group(client: Client, number: int, tags: str, verbose: bool) -> int:
    group: EntityGroup | None = client.group(number)
    if group is None:
        text = f"Error: Cannot get group info from remote node. Return: {GROUP_NOT_FOUND}\n"
        raise Return.NOT_CONFIGURED.ends(text)
    if not group.members:
        client.ctx.line("No devices in group.")
        return OK
    gpus = client.gpus_of(group)
    if verbose:
        client.ctx.line("Device info: ")
        for kind, identifier in group.members:
            if kind == host_engine.GPU:
                _one(client, identifier, tags)
            else:
                client.ctx.line(f"{kind} id: {identifier}")
        return OK
    _checked(tags)
    lines = _report(f"Group of {len(group.members)} GPUs", gpus, tags)
    client.ctx.write("".join(f"{line}\n" for line in lines) + SAME)
    return OK


def _report(title: str, gpus: Sequence[Reading], tags: str) -> Iterator[str]:
    yield rule("-", _WIDTHS)
    yield f"| {fitted(title, 24)} | {'Device Information':<47} |"
    yield rule("=", _WIDTHS)
    for tag in tags:
        yield from (f"| {fitted(name, 25)}| {fitted(text, 48)}|" for name, text in _SECTIONS[tag](gpus))
        yield rule("-", _WIDTHS)


Rows = Iterator[tuple[str, str]]


def _common(gpus: Sequence[Reading], show: Callable[[Reading], str], *, unique: bool = False) -> str:
    """What all GPUs have in common; stars where they differ."""
    texts = {show(gpu) for gpu in gpus}
    return next(iter(texts)) if len(texts) == 1 and not (unique and len(gpus) > 1) else _DIFFERENT


def _field(number: int) -> Callable[[Reading], str]:
    def show(gpu: Reading) -> str:
        found = fields.value(gpu, fields.table()[number])
        if found is None:
            return "Not Specified"
        return f"{found:.0f}" if isinstance(found, float) else str(found)

    return show


def _device(gpus: Sequence[Reading]) -> Rows:
    names = (("Device Name", 50), ("PCI Bus ID", 57), ("UUID", 54), ("Serial Number", 53))
    for name, number in (*names, ("InfoROM Version", 82), ("VBIOS", 85)):
        yield name, _common(gpus, _field(number), unique=number in (54, 57))


def _power(gpus: Sequence[Reading]) -> Rows:
    for word, number in (("Current", 160), ("Default", 163), ("Max", 162), ("Min", 161), ("Enforced", 164)):
        yield f"{word} Power Limit (W)", _common(gpus, _field(number))


def _thermal(gpus: Sequence[Reading]) -> Rows:
    yield "Shutdown Temperature (C)", _common(gpus, _field(159))
    yield "Slowdown Temperature (C)", _common(gpus, _field(158))


def _clocks(gpus: Sequence[Reading]) -> Rows:
    yield "Supported Clocks (MHz)", "Memory Clock, SM Clock"
    product = gpus[0].product
    for clock in range(product.clock_graphics_max, product.clock_graphics_min - 1, -CLOCK_STEP):
        yield "", f"{product.clock_memory},{clock}"


def _profiles(gpus: Sequence[Reading]) -> Rows:
    """Workload power profiles; Hopper has none."""
    for name in ("Supported Profiles", "Requested Profiles", "Enforced Profiles"):
        yield name, "Not Supported"


_SECTIONS: dict[str, Callable[[Sequence[Reading]], Rows]] = {
    "a": _device,
    "p": _power,
    "t": _thermal,
    "c": _clocks,
    "w": _profiles,
}
