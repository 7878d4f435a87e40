"""dmidecode 3.5: what the firmware tells about the machine (SMBIOS). Format after dmidecode's source and man page.

From /sys/class/dmi/id and the inventory: types 0 to 4, 16 and 17. Handles, locators and the SMBIOS version are guesses;
fields that the model does not know are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.hostfs.tree import FileError
from engine.kernel.units import GIB

_DMI = "/sys/class/dmi/id"
_VERSION = "SMBIOS 3.5.0 present."
_KEYWORDS = {
    "bios": (0, 13), "system": (1, 12, 15, 23, 32), "baseboard": (2, 10, 41), "chassis": (3,), "processor": (4,),
    "memory": (5, 6, 16, 17), "cache": (7,), "connector": (8,), "slot": (9,),
}  # fmt: skip
_STRINGS = {
    "bios-vendor": "bios_vendor", "bios-version": "bios_version", "system-manufacturer": "sys_vendor",
    "system-product-name": "product_name", "system-serial-number": "product_serial", "system-uuid": "product_uuid",
    "baseboard-manufacturer": "board_vendor", "baseboard-product-name": "board_name",
    "baseboard-serial-number": "board_serial", "chassis-manufacturer": "chassis_vendor", "chassis-type": "chassis_type",
    "chassis-serial-number": "chassis_serial",
}  # fmt: skip
_OF_PROCESSOR = ("processor-family", "processor-manufacturer", "processor-version", "processor-frequency")
_UNKNOWN_STRINGS = (
    "bios-release-date", "bios-revision", "firmware-revision", "system-version", "system-sku-number", "system-family",
    "baseboard-version", "baseboard-asset-tag", "chassis-version", "chassis-asset-tag",
)  # fmt: skip
_CHASSIS_TYPES = {"23": "Rack Mount Chassis", "17": "Main Server Chassis"}
_OPTIONS = (
    Option("t", "type", "TYPE", help="only this type: a number or keyword, several with commas"),
    Option("s", "string", "KEYWORD", help="only this string"),
    Option("q", "quiet", help="less output"),
    Option("H", "handle", "HANDLE", help="only this handle"),
    Option("u", "dump", help="raw bytes"),
    Option(None, "dump-bin", "FILE", help="the table as a file"),
    Option(None, "from-dump", "FILE", help="read such a file"),
    Option(None, "no-sysfs", help="not from sysfs"),
    Option("h", "help", help="print this text"),
    Option("V", "version", help="print the version"),
)
_LARGEST_TYPE = 255
Fields = Sequence[tuple[str, str]]


async def run(ctx: Context) -> int:
    """Print the structures asked for."""
    parsed = parse("dmidecode", _OPTIONS, ctx.arguments, status=2)
    if "help" in parsed:
        ctx.write("\n".join(["Usage: dmidecode [OPTION]...", "Options are:", *option_lines(_OPTIONS), ""]))
        return 0
    if "version" in parsed:
        ctx.line("3.5")
        return 0
    for key in ("dump", "dump_bin", "from_dump", "handle", "no_sysfs"):
        if key in parsed:
            return ctx.not_modelled(f"dmidecode --{key.replace('_', '-')}")
    types = [number for text in parsed.all("type") for number in _types(text)]
    keyword = _keyword(parsed)
    if not ctx.is_root:
        return await _refuse(ctx, parsed)
    return _string(ctx, keyword) if keyword else _tables(ctx, parsed, types)


def _types(text: str) -> list[int]:
    found: list[int] = []
    for word in text.split(","):
        if word.lower() in _KEYWORDS:
            found += _KEYWORDS[word.lower()]
        elif word.isdigit() and int(word) <= _LARGEST_TYPE:
            found.append(int(word))
        elif word.isdigit():
            raise UsageError(f"Invalid type number: {word}\n", 2)
        else:
            known = "".join(f"  {keyword}\n" for keyword in _KEYWORDS)
            raise UsageError(f"Invalid type keyword: {word}\nValid type keywords are:\n{known}", 2)
    return found


def _keyword(parsed: Parsed) -> str | None:
    keyword: str | None = parsed["string"]
    known = (*_STRINGS, *_OF_PROCESSOR, *_UNKNOWN_STRINGS)
    if keyword is not None and keyword not in known:
        listed = "".join(f"  {name}\n" for name in sorted(known))
        raise UsageError(f"Invalid string keyword: {keyword}\nValid string keywords are:\n{listed}", 2)
    return keyword


async def _refuse(ctx: Context, parsed: Parsed) -> int:
    told = "quiet" not in parsed and "string" not in parsed
    if told:
        ctx.line("# dmidecode 3.5")
    ctx.error("/sys/firmware/dmi/tables/smbios_entry_point: Permission denied")
    await ctx.flush()
    if told:
        ctx.line("Scanning /dev/mem for entry point.")
        await ctx.flush()
    ctx.error("/dev/mem: Permission denied")
    return 1


def _dmi(ctx: Context, name: str) -> str:
    try:
        return paths.tree(ctx).read(f"{_DMI}/{name}").decode("utf-8", "replace").strip()
    except FileError:
        return "Not Specified"


def _string(ctx: Context, keyword: str) -> int:
    if keyword in _STRINGS:
        value = _dmi(ctx, _STRINGS[keyword])
        ctx.line(_CHASSIS_TYPES.get(value, value) if keyword == "chassis-type" else value)
        return 0
    if keyword in _OF_PROCESSOR:
        cpu = ctx.node.cpu
        values = {
            "processor-family": "Xeon" if "Xeon" in cpu.model else "Other",
            "processor-manufacturer": _MAKERS.get(cpu.vendor, cpu.vendor),
            "processor-version": cpu.model,
            "processor-frequency": f"{cpu.mhz_max} MHz",
        }
        for _ in range(cpu.sockets):
            ctx.line(values[keyword])
        return 0
    return ctx.not_modelled(f"dmidecode --string {keyword}")


def _tables(ctx: Context, parsed: Parsed, types: list[int]) -> int:
    if "quiet" not in parsed:
        ctx.line(f"# dmidecode 3.5\nGetting SMBIOS data from sysfs.\n{_VERSION}\n")
    found, handle = False, 0
    for number, title, length, make in _STRUCTURES:
        for fields in make(ctx):
            if not types or number in types:
                found = True
                head = "" if "quiet" in parsed else f"Handle 0x{handle:04X}, DMI type {number}, {length} bytes\n"
                ctx.line(f"{head}{title}\n" + "".join(f"\t{name}: {value}\n" for name, value in fields))
            handle += 1
    known = {number for number, _, _, _ in _STRUCTURES}
    missing = set(types) - known if len(set(types)) == 1 else set()
    if missing or (types and not found):
        return ctx.not_modelled(f"DMI type {', '.join(map(str, sorted(set(types) - known)))}")
    if not types:
        ctx.error("breakfix: not modelled: DMI types other than 0 to 4, 16 and 17")
    return 0


def _bios(ctx: Context) -> list[Fields]:
    return [(("Vendor", _dmi(ctx, "bios_vendor")), ("Version", _dmi(ctx, "bios_version")))]


def _system(ctx: Context) -> list[Fields]:
    return [
        (
            ("Manufacturer", _dmi(ctx, "sys_vendor")),
            ("Product Name", _dmi(ctx, "product_name")),
            ("Serial Number", _dmi(ctx, "product_serial")),
            ("UUID", _dmi(ctx, "product_uuid")),
            ("Wake-up Type", "Power Switch"),
        )
    ]


def _board(ctx: Context) -> list[Fields]:
    return [
        (
            ("Manufacturer", _dmi(ctx, "board_vendor")),
            ("Product Name", _dmi(ctx, "board_name")),
            ("Serial Number", _dmi(ctx, "board_serial")),
        )
    ]


def _chassis(ctx: Context) -> list[Fields]:
    kind = _dmi(ctx, "chassis_type")
    return [
        (
            ("Manufacturer", _dmi(ctx, "chassis_vendor")),
            ("Type", _CHASSIS_TYPES.get(kind, kind)),
            ("Serial Number", _dmi(ctx, "chassis_serial")),
        )
    ]


def _processors(ctx: Context) -> list[Fields]:
    cpu = ctx.node.cpu
    return [
        (
            ("Socket Designation", f"CPU{socket}"),
            ("Type", "Central Processor"),
            ("Manufacturer", _MAKERS.get(cpu.vendor, cpu.vendor)),
            ("Signature", f"Type 0, Family {cpu.family}, Model {cpu.model_number}, Stepping {cpu.stepping}"),
            ("Version", cpu.model),
            ("Max Speed", f"{cpu.mhz_max} MHz"),
            ("Status", "Populated, Enabled"),
            ("Core Count", str(cpu.cores)),
            ("Core Enabled", str(cpu.cores)),
            ("Thread Count", str(cpu.cores * cpu.threads)),
        )
        for socket in range(cpu.sockets)
    ]


def _memory_arrays(ctx: Context) -> list[Fields]:
    return [
        (
            ("Location", "System Board Or Motherboard"),
            ("Use", "System Memory"),
            ("Error Correction Type", "Multi-bit ECC"),
            ("Number Of Devices", str(ctx.node.dimms)),
        )
    ]


def _memory_devices(ctx: Context) -> list[Fields]:
    size = ctx.node.memory_bytes // max(1, ctx.node.dimms) // GIB
    sockets = ctx.node.cpu.sockets
    return [
        (
            ("Size", f"{size} GB"),
            ("Form Factor", "DIMM"),
            ("Locator", f"DIMM_P{number * sockets // ctx.node.dimms}_{number % (ctx.node.dimms // sockets)}"),
        )
        for number in range(ctx.node.dimms)
    ]


_MAKERS = {"GenuineIntel": "Intel(R) Corporation", "AuthenticAMD": "Advanced Micro Devices, Inc."}
_STRUCTURES: tuple[tuple[int, str, int, Callable[[Context], list[Fields]]], ...] = (
    (0, "BIOS Information", 26, _bios),
    (1, "System Information", 27, _system),
    (2, "Base Board Information", 15, _board),
    (3, "Chassis Information", 22, _chassis),
    (4, "Processor Information", 48, _processors),
    (16, "Physical Memory Array", 23, _memory_arrays),
    (17, "Memory Device", 92, _memory_devices),
)

COMMAND = Command(
    "dmidecode",
    "show what the firmware tells about the machine",
    run,
    "dmidecode [OPTION]...",
    _OPTIONS,
    "Only root may read it. Keywords for -t: bios, system, baseboard, chassis, processor, memory. Keywords for -s are\n"
    "such as system-serial-number, system-product-name and bios-version.",
    path="/usr/sbin",
    section=8,
)
