"""`dcgmi profile`: profiling metrics of a GPU, and giving them up to other tools. Texts: dcgmi/DcgmiProfile.cpp of DCGM
4.4.2; which metrics can be read together on Hopper follows a listing made with its layout code.
"""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, BadEntities, Client, Return, entities
from engine.commands.dcgm._dcgmi.output import Columns
from engine.control.dcgm import fields, host_engine, modules

SUBSYSTEM = Subsystem(
    "profile",
    "shows the profiling metrics that GPUs have.",
    (
        HOST,
        JSON,
        Argument("i", "entity-id", "entityIds", "the first GPU of a list"),
        Argument("g", "group-id", "groupId", "the first GPU of a group"),
    ),
    (
        Argument("l", "list", None, "show the metrics of a GPU"),
        Argument("", "pause", None, "stop profiling, so that nsys or ncu can"),
        Argument("", "resume", None, "profile again"),
    ),
)
_GROUPS = (
    ("A.1", (1002, 1003, 1004, 1007)), ("A.2", (1006,)), ("A.3", (1008,)), ("B.0", (1005,)), ("C.0", (1009, 1010)),
    ("D.0", (1001,)), ("E.0", (1011, 1012)),
)  # fmt: skip


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    if "group-id" in parsed and "entity-id" in parsed:
        raise refusal("Both entity and group IDs specified. Please use only one at a time")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if "list" in parsed:
        return _list(client, parsed)
    paused = "pause" in parsed
    word = "pause" if paused else "resume"
    if not client.need(modules.PROFILING):
        failed = Return.MODULE_NOT_LOADED
        raise failed.ends(f"Error: unable to {word} profiling metrics: {failed.text}.\n")
    client.ctx.simulation.apply(host_engine.PauseProfiling(client.host, paused))
    client.ctx.line(f"Successfully {word}d profiling.")
    return OK


def _list(client: Client, parsed: Parsed) -> int:
    _need_gpu(client, parsed)
    if not client.need(modules.PROFILING):
        failed = Return.MODULE_NOT_LOADED
        raise failed.ends(f"Error: Unable to Get supported metric groups: {failed.text}.\n")
    table = Columns(((16, "Group.Subgroup"), (10, "Field ID"), (54, "Field Tag")))
    for name, numbers in _GROUPS:
        for number in numbers:
            table.add(name, str(number), fields.table()[number].tag)
    client.ctx.write(table.json() if "json" in parsed else table.text())
    return OK


def _need_gpu(client: Client, parsed: Parsed) -> None:
    """Raises Ended where what is named holds no GPU."""
    failed = Return.BAD_PARAMETER
    if "entity-id" in parsed:
        try:
            found = entities(client, parsed.text("entity-id"))
        except BadEntities as error:
            raise failed.ends(f"{error}\n") from None
        if not any(kind == host_engine.GPU and number < len(client.gpus()) for kind, number in found):
            raise failed.ends("Error: No GPUs found in the provided entity list.\n")
    elif "group-id" in parsed:
        text = parsed.text("group-id")
        if not text[:1].isdigit() and text != "all_gpus":
            raise failed.ends(f"Error: Expected a numerical groupId. Instead got '{text}'\n")
        number = host_engine.ALL_GPUS if text == "all_gpus" else int(text)
        group = client.group(number)
        if group is None:
            said = f"Error: Unable to retrieve information about group {number}. Return: {GROUP_NOT_FOUND}.\n"
            raise Return.NOT_CONFIGURED.ends(said)
        if not client.gpus_of(group):
            raise failed.ends(f"There were no GPUs in group {text}\n")
    elif not client.gpus():
        raise Return.NOT_SUPPORTED.ends("Error: dcgmGetAllSupportedDevices() returned 0 devices\n")
