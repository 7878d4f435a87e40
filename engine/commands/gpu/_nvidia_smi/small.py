"""Subcommands of nvidia-smi about what these boards do not have: c2c, vgpu, power-hint, conf-compute, clocks.

Texts: a transcript of `vgpu` on a host without virtual GPUs (its status is a guess) and of `conf-compute -f` where it
is on. Guesses: what `c2c` and `power-hint` say of boards that lack it (made after nvlink's words), the other lines of
`conf-compute`. Options that are not named here are not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.library import NOT_SUPPORTED, OK, answering, open_library, refuse, select
from engine.commands.gpu._nvidia_smi.listing import gpu_line
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help

_ID = Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas.")
_CONFIDENTIAL = (
    HELP,
    Switch("feature", ("-f", "--get-cc-feature"), None, "Whether it is on."),
    Switch("tools", ("-d", "--get-devtools-mode"), None, "Whether developers' tools are let in."),
    Switch("ready", ("-grs", "--get-gpus-ready-state"), None, "Whether GPUs take work."),
)


async def c2c(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi c2c`."""
    switches = (HELP, _ID, Switch("status", ("-s", "--status"), None, "The speed of each link."))
    given = parse(context, switches, words, "c2c")
    if "help" in given or not given:
        context.write("\n".join(section_help("c2c", "Chip-to-chip links between GPU and CPU.", switches)) + "\n")
        return OK
    library = await open_library(context)
    for device in await answering(context, library, select(context, library, given.get("id"))):
        context.line(gpu_line(device))
        context.line("Device does not have or support C2C")
    return OK


async def vgpu(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi vgpu`."""
    switches = (HELP, _ID, Switch("query", ("-q", "--query"), None, "All about the virtual GPUs."))
    given = parse(context, switches, words, "vgpu")
    if "help" in given:
        context.write("\n".join(section_help("vgpu", "Virtual GPUs.", switches)) + "\n")
        return OK
    await open_library(context)
    raise refuse(context, "No supported devices in vGPU mode", NOT_SUPPORTED)


async def power_hint(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi power-hint`."""
    switches = (HELP, _ID, Switch("list", ("-l", "--list-info"), None, "What can be asked."))
    given = parse(context, switches, words, "power-hint")
    if "help" in given or not given:
        context.write("\n".join(section_help("power-hint", "What a kind of work would draw.", switches)) + "\n")
        return OK
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    raise refuse(context, f"Power hint is not supported for GPU {devices[0].bus_id}.", NOT_SUPPORTED)


async def conf_compute(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi conf-compute`."""
    given = parse(context, _CONFIDENTIAL, words, "conf-compute")
    if "help" in given or not given:
        context.write("\n".join(section_help("conf-compute", "Confidential computing.", _CONFIDENTIAL)) + "\n")
        return OK
    await open_library(context)
    lines = {
        "feature": "CC status: OFF",
        "tools": "DevTools Mode: OFF",
        "ready": "Confidential Compute GPUs Ready state: not-ready",
    }
    context.write("".join(f"{text}\n" for key, text in lines.items() if key in given))
    return OK


async def clocks(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi clocks`, of which only the help is modelled."""
    if words and words[0] not in HELP.names:
        return context.not_modelled("nvidia-smi clocks")
    context.write("\n".join(section_help("clocks", "Clocks in step with those of another system.", (HELP,))) + "\n")
    return OK
