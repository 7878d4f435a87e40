"""mlxconfig of MFT 4.30: shows and sets the settings in a card's non-volatile memory, which the next reset loads.

Texts: mstflint's mlxcfg_ui.cpp and mlxcfg_generic_commander.cpp; columns as in captures of MFT 4.2x to 4.30 on
ConnectX-5 to -7 (value in column 52, `-e` with Default, Current and Next Boot). Raw TLVs, backups and other hosts'
settings are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.commands.mellanox._mft.arguments import Refused, Words, read
from engine.commands.mellanox._mft.asking import agreed, answer
from engine.commands.options import Option
from engine.control.adapter_firmware import StoreSettings, state
from engine.control.adapter_settings import Setting, settings, values
from engine.world.inventory import Hca

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "dev", "DEVICE", help="the device; all of mst's if it is not given"),
    Option("e", "show_default", help="show factory and current values, too"),
    Option("y", "yes", help="ask nothing"),
    Option("b", "db", "FILE", help="(not modelled) another list of settings"),
    Option("f", "file", "FILE", help="(not modelled) raw settings"),
    Option("a", "all_attrs", help="(not modelled) all attributes"),
)
_QUERY, _SET, _RESET = ("query", "q"), ("set", "s"), ("reset", "r")
_NOT_MODELLED = (
    "set_raw", "get_raw", "clear_semaphore", "show_confs", "i", "gen_tlvs_file", "t", "gen_xml_template", "x",
    "create_conf", "apply", "backup", "xml2raw", "raw2xml", "clr_sem",
)  # fmt: skip
_REBOOT = "-I- Please reboot machine to load new configurations."
_NAME, _HEADING, _VALUE = 44, 57, 20
Row = tuple[Setting, Sequence[int]]


async def run(context: Context) -> int:
    """Query, set or reset."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        return _fail(context, f"Unknown command: {refused}")
    if "help" in words:
        context.write(_USAGE)
        return 0
    if "version" in words:
        version = context.inventory.software.get("mft", "4.30.1")
        context.line(f"mlxconfig, mft {version}-139, built on Nov 20 2024, 10:48:51. Git SHA Hash: N/A")
        return 0
    if lacking := next((name for name in ("db", "file", "all_attrs") if name in words), None):
        return context.not_modelled(f"mlxconfig --{lacking}")
    verb, *rest = words.operands or [""]
    if verb in _NOT_MODELLED:
        return context.not_modelled(f"mlxconfig {verb}")
    if verb not in (*_QUERY, *_SET, *_RESET):
        return _fail(context, f"Unknown command: {verb}" if verb else "No command found. For more information please "
                     "use the -h | --help flag.")  # fmt: skip
    found = _devices(context, words)
    if not found:
        return _fail(context, "Failed to open the device" if "dev" in words else "No devices found, please verify "
                     "that the mst driver is loaded.")  # fmt: skip
    if verb in _QUERY:
        return _query(context, words, found, rest)
    if verb in _SET:
        return await _set(context, words, found[0], rest)
    return await _reset(context, words, found)


def _devices(context: Context, words: Words) -> list[tuple[Hca, str]]:
    """The cards that are meant, each with its name as it was given."""
    if "dev" in words:
        hca = devices.opened(context, words["dev"])
        return [(hca, words["dev"])] if hca else []
    if not (context.is_root and devices.started(context)):
        return []
    return [(hca, devices.path(context, hca)) for hca in devices.first_functions(context)]


def _query(context: Context, words: Words, found: list[tuple[Hca, str]], names: list[str]) -> int:
    for number, (hca, name) in enumerate(found, 1):
        known = {each.name: each for each in settings(context.world, hca)}
        unknown = next((wanted for wanted in names if wanted.upper() not in known), None)
        if unknown is not None:
            return _fail(context, f"The Device doesn't support {unknown} parameter")
        chosen = [known[wanted.upper()] for wanted in names] or list(known.values())
        _open(context, hca, name, number)
        kept = state(context.world, hca)
        tables = [values(context.world, hca, changed) for changed in ((), kept.running, kept.stored)]
        columns = ("Default", "Current", "Next Boot") if "show_default" in words else ("Next Boot",)
        _table(context, columns, ((each, [table[each.name] for table in tables[-len(columns) :]]) for each in chosen))
    return 0


def _open(context: Context, hca: Hca, name: str, number: int) -> None:
    card = devices.printed(hca)
    context.line(f"\nDevice #{number}:\n----------\n")
    for label, value in (
        ("Device type:", devices.chip(hca)), ("Name:", card.part), ("Description:", card.description), ("Device:", name)
    ):  # fmt: skip
        context.line(f"{label:<20}{value:<20}")
    context.line()


def _table(context: Context, columns: Sequence[str], rows: Iterable[Row]) -> None:
    differ, fixed = False, False
    heads = "".join(f"{column:<{_VALUE}}" for column in columns)
    context.line(f"{'Configurations:':<{_HEADING}}{heads}".rstrip())
    for setting, found in rows:
        changed = len(columns) == len(("Default", "Current", "Next Boot")) and len(set(found)) > 1
        differ, fixed = differ or changed, fixed or setting.read_only
        mark = ("*" if changed else " ") + ("RO" if setting.read_only else "  ")
        texts = "".join(f"{setting.text(value):<{_VALUE}}" for value in found)
        context.line(f"{mark}     {setting.name:<{_NAME}}{texts}")
    if differ:
        context.line("The '*' shows parameters with next value different from default/current value.")
    if fixed:
        context.line("\nThe 'RO' shows parameters which are for read only and cannot be changed")


async def _set(context: Context, words: Words, found: tuple[Hca, str], texts: list[str]) -> int:
    """Show what becomes of the settings, ask, and write them."""
    hca, name = found
    if "dev" not in words:
        return _fail(context, "Set operation requires specifying a device")
    changes = _changes(context, hca, texts)
    if isinstance(changes, str):
        return _fail(context, changes)
    _open(context, hca, name, 1)
    now = values(context.world, hca, state(context.world, hca).stored)
    _table(context, ("Next Boot", "New"), ((each, (now[each.name], value)) for each, value in changes))
    if not await _agreed(context, words, "\n Apply new Configuration?"):
        return 1
    context.write("Applying... ")
    stored = tuple((each.name, value) for each, value in changes)
    context.simulation.apply(StoreSettings(hca.id, stored))
    context.line(f"Done!\n{_REBOOT}")
    return 0


def _changes(context: Context, hca: Hca, texts: list[str]) -> list[tuple[Setting, int]] | str:
    """What `NAME=VALUE` words mean, or what is wrong with them."""
    known = {each.name: each for each in settings(context.world, hca)}
    if not texts:
        return "Missing configuration arguments"
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value:
            return f"Invalid configuration argument: {text}"
        setting = known.get(name.upper())
        if setting is None:
            return f"The Device doesn't support {name} parameter"
        if setting.read_only:
            return f"Operation is not supported (Read only TLV: {setting.name})"
        number = setting.value(value)
        if number is None:
            return f"Failed to parse {name}={value} as {'Boolean' if setting.words else 'UNSIGNED'}"
        found.append((setting, number))
    return found


async def _reset(context: Context, words: Words, found: list[tuple[Hca, str]]) -> int:
    which = f"device {found[0][1]}" if "dev" in words else "all devices"
    if not await _agreed(context, words, f"\n Reset configuration for {which}?"):
        return 1
    context.write("Applying... ")
    for hca, _ in found:
        context.simulation.apply(StoreSettings(hca.id, (), clear=True))
    context.line(f"Done!\n{_REBOOT}")
    return 0


async def _agreed(context: Context, words: Words, question: str) -> bool:
    said = await answer(context, f"{question} (y/n) [n] : ", assumed="y" if "yes" in words else None)
    if not agreed(said):
        context.line("-E- Aborted by user.")
        return False
    return True


def _fail(context: Context, text: str) -> int:
    context.line(f"-E- {text}")
    return 3


_USAGE = """\
NAME:
    mlxconfig - settings of network cards in their non-volatile memory

SYNOPSIS:
    mlxconfig [-d DEVICE] [-y] [-e] query [NAME]... | set NAME=VALUE... | reset

OPTIONS:
    -d |--dev DEVICE        the device
    -e |--show_default      show factory and current values, too
    -y |--yes               ask nothing

New values are loaded by a restart of the machine, or by mlxfwreset.
"""
COMMAND = Command(
    "mlxconfig",
    "show and set the settings of a network card",
    run,
    synopsis="mlxconfig [-d DEVICE] [-e] [-y] {query [NAME]... | set NAME=VALUE... | reset}",
    options=_OPTIONS,
    manual="set writes what the next start of the card loads (`Next Boot`); with -e the values that run now stand\n"
    "beside it. LINK_TYPE_P1: IB(1) or ETH(2), what the port speaks.",
)
