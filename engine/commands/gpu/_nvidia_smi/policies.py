"""`nvidia-smi compute-policy` and `boost-slider`: settings that the driver keeps until it is loaded again.

The values of both (timeslice 0 to 3 by NVIDIA's resource driver, video boost 0 to 4 on H100) are documented; the boxes
and the words of success are from memory, of which scripts confirm that a slider's row ends in its present value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    NO_PERMISSION,
    OK,
    answering,
    open_library,
    refuse,
    select,
)
from engine.commands.gpu._nvidia_smi.words import HELP, INVALID_COMBINATION, Switch, parse, section_help
from engine.control import driver
from engine.control.gpu_settings import GpuAction

TIMESLICES = ("Default", "Short", "Medium", "Long")
HIGHEST_BOOST = 4

_ID = Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas.")
_LIST = Switch("list", ("-l", "--list"), None, "What is set.")
_TIMESLICE = Switch("set", ("--set-timeslice",), "VALUE", "0/DEFAULT, 1/SHORT, 2/MEDIUM or 3/LONG (as root).")
_BOOST = Switch("set", ("--vboost",), "VALUE", f"The position, 0 to {HIGHEST_BOOST} (as root).")

_Given = Mapping[str, str | None]


async def compute_policy(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi compute-policy`."""
    about = ("compute-policy", "How long a process has the GPU before the next one's turn.")
    return await _run(context, words, about, _TIMESLICE, _timeslice, _timeslice_lines)


async def boost_slider(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi boost-slider`."""
    about = ("boost-slider", "More clock for one unit, less for others.")
    return await _run(context, words, about, _BOOST, _boost, _boost_lines)


async def _run(
    context: Context,
    words: Sequence[str],
    about: tuple[str, str],
    switch: Switch,
    change: Callable[[Context, Device, str], tuple[GpuAction, str]],
    lines: Callable[[Sequence[Device]], Iterator[str]],
) -> int:
    switches = (HELP, _ID, _LIST, switch)
    given = parse(context, switches, words, about[0])
    if "help" in given or not given:
        context.write("\n".join(section_help(*about, switches)) + "\n")
        return OK
    if ("list" in given) == ("set" in given):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    if "list" in given:
        context.write("".join(f"{line}\n" for line in lines(devices)))
        return OK
    for device in devices:
        action, text = change(context, device, (given["set"] or "").upper())
        if not context.is_root:
            raise refuse(
                context, f"Failed to set {about[0]} for GPU {device.bus_id}: Insufficient Permissions", NO_PERMISSION
            )
        context.simulation.apply(action)
        context.line(text)
    return OK


def _timeslice(context: Context, device: Device, value: str) -> tuple[GpuAction, str]:
    words = [word.upper() for word in TIMESLICES]
    if value not in words and value not in tuple("0123"):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    number = int(value) if value.isdecimal() else words.index(value)
    action = driver.SetTimeslice(context.host, device.index, number, context.identity.name)
    return action, f"Successfully set timeslice policy to {TIMESLICES[number]} for GPU {device.bus_id}."


def _boost(context: Context, device: Device, value: str) -> tuple[GpuAction, str]:
    if not value.isdecimal() or int(value) > HIGHEST_BOOST:
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    action = driver.SetBoost(context.host, device.index, int(value), context.identity.name)
    return action, f"Successfully set vboost slider to {int(value)} for GPU {device.bus_id}."


def _box(title: str, head: str, rows: Sequence[str]) -> Iterator[str]:
    width = len(head) - 2
    rule = f"+{'-' * width}+"
    yield from (rule, f"|{' ' + title:<{width}}|", head, f"|{'=' * width}|")
    for row in rows:
        yield from (row, rule)


def _timeslice_lines(devices: Sequence[Device]) -> Iterator[str]:
    head = "| GPU     Name                          Value                                  |"
    rows = [f"| {device.index:>3}     {'Timeslice':<30}{TIMESLICES[device.state.timeslice]:<39}|" for device in devices]
    return _box("GPU compute policies:", head, rows)


def _boost_lines(devices: Sequence[Device]) -> Iterator[str]:
    head = "| GPU    Boost Slider    Max Value    Current Value    |"
    rows = [f"| {device.index:>3}    {'vboost':<16}{HIGHEST_BOOST:<13}{device.state.boost:<17}|" for device in devices]
    return _box("GPU Boost Slider", head, rows)
