"""mlxfwreset of MFT 4.30: resets a card without a restart of the machine, so that new settings and firmware run.

Texts: mstfwreset.py of mstflint and a run on a ConnectX-7. Level 3 restarts the driver: the card's links go down and
come back; level 4 is a restart of the machine. Levels 0 and 1 are refused, as for a ConnectX-7 whose firmware image
needs a full load.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.commands.mellanox._mft.arguments import Refused, Words, read
from engine.commands.mellanox._mft.asking import agreed, answer
from engine.commands.options import Option
from engine.control.adapter_firmware import ResetAdapter
from engine.kernel.units import SECOND
from engine.world.inventory import Hca

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "device", "DEVICE", help="the device"),
    Option("l", "level", "LEVEL", help="3 (driver and PCI) or 4 (warm reboot)"),
    Option("t", "type", "TYPE", help="0 (full chip), 1 (keep the port)"),
    Option("y", "yes", help="ask nothing"),
    Option("s", "skip_driver", help="(not modelled) leave the driver alone"),
)
_LEVELS = (
    (0, 'Driver, PCI link, network link will remain up ("live-Patch")', False),
    (1, 'Only ARM side will not remain up ("Immediate reset").', False),
    (3, "Driver restart and PCI reset", True),
    (4, "Warm Reboot", True),
)
_TYPES = (
    (0, "Full chip reset", True), (1, "Phy-less reset (keep network port active during reset)", False),
    (2, "NIC only reset (for SoC devices)", False), (3, "ARM only reset", False), (4, "ARM OS shut down", False),
)  # fmt: skip
_DEFAULT_LEVEL = "3"
_STEPS = (
    ("Sending Reset Command To Fw", SECOND // 2), ("Stopping Driver", 4 * SECOND), ("Resetting PCI", 2 * SECOND),
    ("Starting Driver", 5 * SECOND), ("Restarting MST", SECOND),
)  # fmt: skip


async def run(context: Context) -> int:
    """Query what can be reset, or reset."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        context.error(f"mlxfwreset: error: unrecognized arguments: {refused}")
        return 2
    if "help" in words:
        context.write(_USAGE)
        return 0
    if not context.is_root:
        context.line("-E- Only root user can run this tool.")
        return 1
    if "skip_driver" in words:
        return context.not_modelled("mlxfwreset --skip_driver")
    verb = words.operands[0] if words.operands else ""
    if verb not in ("query", "q", "reset", "r") or "device" not in words:
        missing = "-d/--device" if verb else "command"
        context.error(f"mlxfwreset: error: the following arguments are required: {missing}")
        return 2
    hca = devices.opened(context, words["device"])
    if hca is None:
        context.line(f"-E- Failed to open device {words['device']}.")
        return 1
    if verb in ("query", "q"):
        return _query(context)
    return await _reset(context, words, hca)


def _query(context: Context) -> int:
    context.line("Reset-levels:")
    for level, text, able in _LEVELS:
        context.line(_row(level, text, able, level == int(_DEFAULT_LEVEL)))
    context.line("\nReset-types (relevant only for reset-levels 1,3,4):")
    for kind, text, able in _TYPES:
        context.line(_row(kind, text, able, kind == 0))
    context.line("\nReset-sync (relevant only for reset-level 3):")
    context.line(_row(0, "Tool is the owner", True, True))
    context.line(_row(1, "Driver is the owner", True, False))
    context.line()
    return 0


def _row(number: int, text: str, able: bool, default: bool) -> str:
    return f"{number}: {text:<62}-{'Supported' if able else 'Not supported':<14}{'(default)' if default else ''}"


async def _reset(context: Context, words: Words, hca: Hca) -> int:
    level = words["level"] or _DEFAULT_LEVEL
    chosen = next((row for row in _LEVELS if str(row[0]) == level), None)
    if chosen is None:
        context.error(f"mlxfwreset: error: argument --level/-l: invalid choice: {level} (choose from 0, 1, 3, 4)")
        return 2
    if not chosen[2]:
        context.line(f"-E- Reset-level '{level}' is not supported in the current state of this device.")
        return 1
    context.line(f"The reset level for device, {words['device']} is:\n\n{chosen[0]}: {chosen[1]}")
    said = await answer(context, "Continue with reset?[y/N] ", assumed="y" if "yes" in words else None)
    if not agreed(said):
        context.line("Aborted by user")
        return 1
    if chosen[0] != int(_DEFAULT_LEVEL):
        return context.not_modelled("mlxfwreset --level 4 (restart the machine with reboot)")
    for step, takes in _STEPS:
        context.write(f"-I- {step:<40}-")
        if step == "Resetting PCI":
            context.simulation.apply(ResetAdapter(hca.id))
        await context.sleep(takes)
        context.line("Done" if step != "Restarting MST" or devices.started(context) else "Skipped")
    context.line("-I- FW was loaded successfully.")
    return 0


_USAGE = """\
usage: mlxfwreset -d DEVICE [-h] [-v] [-l {0,1,3,4}] [-t TYPE] [-y] {query,q,reset,r}

Resets a network card, so that new settings and firmware run. Level 3 takes its links down for a moment.
"""
COMMAND = Command(
    "mlxfwreset",
    "reset a network card, to load new settings and firmware",
    run,
    synopsis="mlxfwreset -d DEVICE [-l LEVEL] [-y] {query | reset}",
    options=_OPTIONS,
    manual="`query` tells which levels the card takes, `reset` does it. Links of the card go down and come back:\n"
    "what runs over them fails or waits.",
)
