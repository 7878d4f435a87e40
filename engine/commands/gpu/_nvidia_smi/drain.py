"""`nvidia-smi drain`: the driver lets go of a GPU, or takes it back.

Text: a transcript of a GPU that is made to drain, after which nvidia-smi no longer shows it. Guesses: the words for the
present state, for somebody without the right and for a GPU that is in use (persistence mode counts, as instructions to
switch it off first say).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    NO_PERMISSION,
    NOT_FOUND,
    OK,
    UNKNOWN_ERROR,
    bus_numbers,
    open_library,
    refuse,
)
from engine.commands.gpu._nvidia_smi.words import HELP, INVALID_COMBINATION, Switch, parse, section_help
from engine.control import driver
from engine.world.inventory import Gpu

SWITCHES = (
    HELP,
    Switch("pci", ("-p", "--pciid"), "BUS_ID", "The GPU, as domain:bus:device.function."),
    Switch("query", ("-q", "--query"), None, "Whether it is draining."),
    Switch("modify", ("-m", "--modify"), "STATE", "0: not draining, 1: draining (as root)."),
    Switch("remove", ("-r", "--remove"), None, "Take it off the bus.", modelled=False),
    Switch("discover", ("-d", "--discover"), None, "Look for it on the bus.", modelled=False),
)


async def drain(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi drain`."""
    given = parse(context, SWITCHES, words, "drain")
    if "help" in given or not given:
        text = "Take GPUs away from the driver and give them back."
        context.write("\n".join(section_help("drain", text, SWITCHES)) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi drain {missing.names[0]}")
    if "pci" not in given or ("query" in given) == ("modify" in given) or given.get("modify", "0") not in ("0", "1"):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    await open_library(context)
    gpu = _find(context, given["pci"] or "")
    if "query" in given:
        context.line(
            f"The current drain state of GPU {_bus_id(gpu)} is: {_word(not context.world.gpus[gpu.id].bound)}."
        )
        return OK
    return _modify(context, gpu, given["modify"] == "1")


def _find(context: Context, text: str) -> Gpu:
    """The GPU with that address, held by the driver or not. Raises Refused."""
    wanted = bus_numbers(text)
    found = next((gpu for gpu in context.node.gpus if bus_numbers(gpu.address) == wanted), None)
    if wanted is None or found is None:
        raise refuse(context, "No devices were found", NOT_FOUND)
    return found


def _bus_id(gpu: Gpu) -> str:
    return f"0000{gpu.address}".upper()


def _word(draining: bool) -> str:
    return "draining" if draining else "not draining"


def _modify(context: Context, gpu: Gpu, wanted: bool) -> int:
    who = context.identity.name
    failed = f"Failed to set GPU {_bus_id(gpu)} drain state to: {_word(wanted)}"
    if not context.is_root:
        raise refuse(context, f"{failed}: Insufficient Permissions", NO_PERMISSION)
    reason: str | None = None
    bound = [each.id for each in driver.bound_gpus(context.world, context.host)]
    if wanted and gpu.id in bound:
        reason = context.simulation.apply(driver.DrainGpu(context.host, bound.index(gpu.id), who))
    elif not wanted:
        reason = context.simulation.apply(driver.UndrainGpu(context.host, gpu.id, who))
    if reason is not None:
        raise refuse(context, f"{failed}: {reason}", UNKNOWN_ERROR)
    context.line(f"Successfully set GPU {_bus_id(gpu)} drain state to: {_word(wanted)}.")
    return OK
