"""nvfwupd 2.0: the firmware that a system runs, asked for at its BMC over Redfish. Updating is not modelled.

Form of `show_version`: published outputs of the tool (System Model, Connection Status, the table of AP names). Errors
are guesses in its manner.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, UsageError, option_lines
from engine.control import bmc, firmware
from engine.control.bmc_identity import account
from engine.control.host_names import owner
from engine.kernel.units import SECOND

_OPTIONS = (
    Option("t", "target", "KEY=VALUE...", help="ip=ADDRESS user=NAME password=WORD of the BMC"),
    Option("c", "config", "FILE", help="(not modelled) targets from a file"),
    Option("v", "verbose", help="(not modelled) say more"),
    Option("h", "help", help="print this text"),
)
_VERBS = ("show_version", "update_fw", "force_update", "show_update_progress", "activate_fw", "show_pkg_content")
_NO_ANSWER = 10 * SECOND


async def run(ctx: Context) -> int:
    """Show the versions of one or more targets."""
    words = list(ctx.arguments)
    if not words or "-h" in words or "--help" in words:
        _usage(ctx)
        return 0
    if words == ["--version"]:
        ctx.line("nvfwupd version 2.0.4")
        return 0
    verb = next((word for word in words if word in _VERBS), None)
    if verb is None:
        raise UsageError("Error: no command given; see nvfwupd --help\n", 1)
    target = _target(words)
    if verb != "show_version" or {"-c", "--config", "-p", "--package", "-j", "--json"} & set(words):
        return ctx.not_modelled(f"nvfwupd {' '.join(words)}")
    return await _show(ctx, target)


def _target(words: list[str]) -> dict[str, str]:
    """What follows -t, as names and values."""
    start = next((place for place, word in enumerate(words) if word in ("-t", "--target")), None)
    if start is None:
        return {}
    pairs: dict[str, str] = {}
    for word in words[start + 1 :]:
        if "=" not in word:
            break
        name, _, value = word.partition("=")
        pairs[name] = value
    return pairs


async def _show(ctx: Context, target: dict[str, str]) -> int:
    address = target.get("ip", "")
    what, host = owner(ctx.world, address) or ("", "")
    if what != "bmc" or not bmc.answers(ctx.world, host, ctx.now, network=True):
        await ctx.sleep(_NO_ANSWER)
        ctx.error(f"Error: failed to connect to {address or 'the target'}")
        return 1
    if account(ctx.world, host, target.get("user", "")) is None or not target.get("password"):
        ctx.error(f"Error: authentication failed for {address}")
        return 1
    node = ctx.world.node(host)
    ctx.line(f"System Model: {node.product_name}")
    ctx.line("Part number: ")
    ctx.line(f"Serial number: {node.serial}")
    ctx.line("Packages: []")
    ctx.line("Connection Status: Successful\n")
    ctx.line("Firmware Devices:")
    heads = ("AP Name", "Sys Version", "Pkg Version", "Up-To-Date")
    for cells in (heads, tuple("-" * len(head) for head in heads)):
        ctx.line(_row(*cells).rstrip())
    for component in firmware.inventory(ctx.world, host):
        ctx.line(_row(component.name, component.version, "N/A", "No        "))
    ctx.line("-" * 120)
    return 0


def _row(name: str, running: str, packaged: str, current: str) -> str:
    return f"{name:<40} {running:<30} {packaged:<30} {current}"


def _usage(ctx: Context) -> None:
    head = "Usage: nvfwupd [ global options ] <command>\n\nGlobal options:"
    ctx.line("\n".join([head, *option_lines(_OPTIONS), "", "Commands: " + ", ".join(_VERBS)]))


COMMAND = Command(
    "nvfwupd",
    "NVIDIA firmware update tool",
    run,
    "nvfwupd -t ip=ADDRESS user=NAME password=WORD show_version",
    _OPTIONS,
    "Compare two machines: nvfwupd -t ip=dgx-01-bmc user=admin password=WORD show_version.",
)
