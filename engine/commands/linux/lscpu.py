"""lscpu of util-linux 2.39.3. Layout compared with lscpu 2.38.1; vulnerabilities are those that the kernel's own files
show.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.sizes import util_linux
from engine.commands.linux._support.tables import table
from engine.commands.options import Option, Parsed, UsageError
from engine.control import kernel_image
from engine.hostfs.tree import FileError
from engine.kernel.units import KIB

_VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities"
_EXTENDED = ("CPU", "NODE", "SOCKET", "CORE", "L1d:L1i:L2:L3", "ONLINE", "MAXMHZ", "MINMHZ", "MHZ")
_COLUMNS = (*_EXTENDED, "BOGOMIPS")


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the summary, or a table of CPUs."""
    if "caches" in parsed:
        return ctx.not_modelled("lscpu --caches")
    if "parse" in parsed:
        return _parseable(ctx)
    if "extended" in parsed:
        return _extended(ctx, parsed)
    found = _summary(ctx)
    if "json" in parsed:
        ctx.line(_json(found))
        return 0
    for line in _lines(ctx, parsed, found):
        ctx.line(line)
    return 0


def _lines(ctx: Context, parsed: Parsed, found: Sequence[tuple[str, str]]) -> list[str]:
    """The summary flat, or in groups as a terminal gets it."""
    wish = parsed["hierarchic"] or ("always" if "hierarchic" in parsed else "auto")
    grouped = wish == "always" or (wish == "auto" and ctx.terminal is not None)
    named = _grouped(found) if grouped else [(f"{name}:", value) for name, value in found]
    width = max(len(name) for name, _ in named) + 1
    return [f"{name:<{width}}{value}".rstrip() for name, value in named]


def _grouped(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    shown: list[tuple[str, str]] = []
    for name, value in found:
        heading, short = _heading(name)
        if heading and (f"{heading}:", "") not in shown:
            shown.append((f"{heading}:", ""))
        shown.append((" " * (2 if heading else _INDENTS.get(name, 0)) + f"{short}:", value))
    return shown


_INDENTS = {
    **dict.fromkeys(("CPU op-mode(s)", "Address sizes", "Byte Order", "On-line CPU(s) list", "Model name"), 2),
    **dict.fromkeys(("CPU family", "Model", "Thread(s) per core", "Core(s) per socket", "Socket(s)", "Stepping"), 4),
    **dict.fromkeys(("CPU(s) scaling MHz", "CPU max MHz", "CPU min MHz", "BogoMIPS", "Flags"), 4),
}  # fmt: skip


def _heading(name: str) -> tuple[str, str]:
    """The group of a line, and its name there."""
    if name.startswith("Vulnerability "):
        return "Vulnerabilities", name.removeprefix("Vulnerability ").capitalize()
    if name.endswith(" cache"):
        return "Caches (sum of all)", name.removesuffix(" cache")
    if name.startswith("NUMA "):
        return "NUMA", name
    return ("Virtualization features", name) if name == "Virtualization" else ("", name)


def _summary(ctx: Context) -> list[tuple[str, str]]:
    cpu, count = ctx.node.cpu, kernel_image.cpus(ctx.node)
    cores = cpu.sockets * cpu.cores
    found = [
        ("Architecture", "x86_64"),
        ("CPU op-mode(s)", "32-bit, 64-bit"),
        ("Address sizes", "46 bits physical, 57 bits virtual"),
        ("Byte Order", "Little Endian"),
        ("CPU(s)", str(count)),
        ("On-line CPU(s) list", f"0-{count - 1}"),
        ("Vendor ID", cpu.vendor),
        ("Model name", cpu.model),
        ("CPU family", str(cpu.family)),
        ("Model", str(cpu.model_number)),
        ("Thread(s) per core", str(cpu.threads)),
        ("Core(s) per socket", str(cpu.cores)),
        ("Socket(s)", str(cpu.sockets)),
        ("Stepping", str(cpu.stepping)),
        ("CPU(s) scaling MHz", f"{100 * cpu.mhz_min // cpu.mhz_max}%"),
        ("CPU max MHz", f"{cpu.mhz_max}.0000"),
        ("CPU min MHz", f"{cpu.mhz_min}.0000"),
        ("BogoMIPS", cpu.bogomips),
        ("Flags", cpu.flags),
        ("Virtualization", "VT-x"),
        ("L1d cache", _cache(cpu.cache_l1d, cores)),
        ("L1i cache", _cache(cpu.cache_l1i, cores)),
        ("L2 cache", _cache(cpu.cache_l2, cores)),
        ("L3 cache", _cache(cpu.cache_l3, cpu.sockets)),
        ("NUMA node(s)", str(cpu.sockets)),
    ]
    found += [(f"NUMA node{node} CPU(s)", _cpus_of_node(ctx, node)) for node in range(cpu.sockets)]
    return found + _vulnerabilities(ctx)


def _cache(kib: int, instances: int) -> str:
    text = util_linux(kib * KIB * instances)
    return f"{text[:-1]} {text[-1]}iB ({instances} instance{'s' if instances != 1 else ''})"


def _cpus_of_node(ctx: Context, node: int) -> str:
    """First the cores' first threads, then their second ones, as Linux numbers them."""
    cpu = ctx.node.cpu
    starts = [thread * cpu.sockets * cpu.cores + node * cpu.cores for thread in range(cpu.threads)]
    return ",".join(f"{start}-{start + cpu.cores - 1}" for start in starts)


def _vulnerabilities(ctx: Context) -> list[tuple[str, str]]:
    try:
        names = [name for name, _ in paths.tree(ctx).entries(_VULNERABILITIES)]
    except FileError:
        return []
    found = [(name, paths.read_or(ctx, f"{_VULNERABILITIES}/{name}").strip()) for name in sorted(names)]
    return [("Vulnerability " + name.replace("_", " ").capitalize(), _plain(text)) for name, text in found]


def _plain(text: str) -> str:
    """The kernel's words, as lscpu shows them: `Mitigation: A; B: c` becomes `Mitigation; A; B c`."""
    word, colon, rest = text.partition(":")
    return f"{word};{rest.replace(':', '')}" if colon and word == "Mitigation" else text


def _json(found: Sequence[tuple[str, str]]) -> str:
    items = [
        f'      {{\n         "field": {json.dumps(name + ":")},\n         "data": {json.dumps(value)}\n      }}'
        for name, value in found
    ]
    return '{\n   "lscpu": [\n' + ",".join(items).replace("},      {", "},{") + "\n   ]\n}"


def _place(ctx: Context, number: int) -> tuple[int, int]:
    """(core, socket) of a CPU."""
    cpu = ctx.node.cpu
    core = number % (cpu.sockets * cpu.cores)
    return core, core // cpu.cores


def _extended(ctx: Context, parsed: Parsed) -> int:
    wanted = [name.upper() for name in (parsed["extended"] or ",".join(_EXTENDED)).split(",") if name]
    known = {name.upper(): name for name in _COLUMNS} | {"CACHE": "L1d:L1i:L2:L3"}
    for name in wanted:
        if name not in known:
            raise UsageError(f"lscpu: unknown column: {name.lower()}\n")
    columns = [known[name] for name in wanted]
    rows = [_extended_row(ctx, number, columns) for number in range(kernel_image.cpus(ctx.node))]
    right = [name for name in columns if name != "L1d:L1i:L2:L3"]
    for line in table(columns, rows, right=right):
        ctx.line(line.rstrip())
    return 0


def _extended_row(ctx: Context, number: int, columns: Sequence[str]) -> list[str]:
    cpu = ctx.node.cpu
    core, socket = _place(ctx, number)
    values = {
        "CPU": str(number), "NODE": str(socket), "SOCKET": str(socket), "CORE": str(core),
        "L1d:L1i:L2:L3": f"{core}:{core}:{core}:{socket}", "ONLINE": "yes", "MAXMHZ": f"{cpu.mhz_max}.0000",
        "MINMHZ": f"{cpu.mhz_min}.0000", "MHZ": f"{cpu.mhz_min}.0000", "BOGOMIPS": cpu.bogomips,
    }  # fmt: skip
    return [values[name] for name in columns]


def _parseable(ctx: Context) -> int:
    ctx.line("# The following is the parsable format, which can be fed to other")
    ctx.line("# programs. Each different item in every column has an unique ID")
    ctx.line("# starting usually from zero.")
    ctx.line("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3")
    for number in range(kernel_image.cpus(ctx.node)):
        core, socket = _place(ctx, number)
        ctx.line(f"{number},{core},{socket},{socket},,{core},{core},{core},{socket}")
    return 0


COMMAND = program(
    "lscpu",
    "show what processors there are",
    run,
    suite=UTIL_LINUX,
    options=(
        Option("a", "all", help="all CPUs, in the tables"),
        Option("b", "online", help="only those that are online"),
        Option("c", "offline", help="only those that are not"),
        Option("B", "bytes", help="sizes in bytes"),
        Option("C", "caches", "LIST", optional=True, help="a table of caches"),
        Option("e", "extended", "LIST", optional=True, help="a table of CPUs"),
        Option(None, "hierarchic", "WHEN", optional=True, help="in groups: always, never, or auto (on a terminal)"),
        Option("J", "json", help="as JSON"),
        Option("p", "parse", "LIST", optional=True, help="a table for programs"),
        Option("x", "hex", help="masks of CPUs"),
        Option("y", "physical", help="the hardware's own numbers"),
        Option(None, "output-all", help="all columns"),
    ),
    manual="NUMA nodes are the sockets. The second thread of a core has a number as much higher as there are cores.",
)
