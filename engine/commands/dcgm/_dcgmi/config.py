"""`dcgmi config --get`: what is set on the GPUs of a group. Texts: dcgmi/Config.cpp of DCGM 4.4.2.

Targets are those that `config --set` gave, which is not modelled: nvidia-smi sets the same things.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, VERBOSE, Argument, Parsed, Subsystem, not_negative
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.discovery import SAME
from engine.commands.dcgm._dcgmi.output import Columns
from engine.control.dcgm import host_engine, modules
from engine.control.dcgm.readings import Reading

SUBSYSTEM = Subsystem(
    "config",
    "shows what is set on the GPUs of a group.",
    (
        Argument("g", "group", "groupId", "the group", int),
        VERBOSE,
        JSON,
        Argument("e", "eccmode", "0/1", "ECC on or off", int),
        Argument("s", "syncboost", "0/1", "sync boost on or off", int),
        Argument("a", "appclocks", "mem,proc", "applications clocks"),
        Argument("P", "powerlimit", "limit", "power limit in watts", int),
        Argument("c", "compmode", "mode", "compute mode", int),
        Argument("o", "workloadpowerprofile", "index", "workload power profile", int),
        Argument("w", "workloadpowerprofileaction", "action", "a, c or o"),
        HOST,
    ),
    (
        Argument("", "set", None, "set it (not modelled)"),
        Argument("", "get", None, "show what is set"),
        Argument("", "enforce", None, "set it again (not modelled)"),
    ),
)
_MODES = {"Default": "Unrestricted", "Prohibited": "Prohibited", "Exclusive_Process": "E. Process"}
_ROWS: tuple[tuple[str, Callable[[Reading], str]], ...] = (
    ("Compute Mode", lambda gpu: _MODES.get(gpu.state.compute_mode, "Unrestricted")),
    ("ECC Mode", lambda gpu: "Enabled" if gpu.state.ecc_enabled else "Disabled"),
    ("Sync Boost", lambda gpu: "Not Supported"),
    ("Memory Application Clock", lambda gpu: str(gpu.product.clock_memory)),
    ("SM Application Clock", lambda gpu: str(gpu.state.application_clock or gpu.product.clock_graphics_max)),
    ("Power Limit", lambda gpu: str(gpu.state.power_limit // 1000)),
    ("Power Profile", lambda gpu: "Not Supported"),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "powerlimit", "group", "compmode")


def run(client: Client, parsed: Parsed) -> int:
    """Show what is set."""
    if "get" not in parsed:
        return client.ctx.not_modelled(f"dcgmi config --{'set' if 'set' in parsed else 'enforce'}")
    group = client.group(parsed.number("group", host_engine.ALL_GPUS))
    if group is None or not client.need(modules.CONFIG):
        failed = Return.NOT_CONFIGURED if group is None else Return.MODULE_NOT_LOADED
        reason = GROUP_NOT_FOUND if group is None else failed.text
        raise failed.ends(f"Error: Unable to get group information. Return: {reason}\n")
    gpus, verbose = client.gpus_of(group), "verbose" in parsed
    for gpu in gpus if verbose else gpus[:1]:
        table = Columns(((30, "Field"), (30, "Target"), (30, "Current")))
        together = [gpu] if verbose else gpus
        table.headers = [f"GPU ID: {gpu.index}", gpu.product.name]
        if not verbose:
            table.headers = [group.name, f"Group of {len(gpus)} GPUs"]
        for name, show in _ROWS:
            texts = {show(each) for each in together}
            table.add(name, "Not Configured", texts.pop() if len(texts) == 1 else "****")
        client.ctx.write(table.json() if "json" in parsed else table.text())
    if not verbose:
        client.ctx.write(SAME)
    return OK
