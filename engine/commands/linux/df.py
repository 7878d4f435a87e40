"""df of GNU coreutils 9.4: how full file systems are. Formats compared with coreutils 9.1's."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.commands.linux._support.disks import Usage, containing, usages
from engine.commands.linux._support.program import program
from engine.commands.linux._support.sizes import human, parse_size
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.mounts import Mount
from engine.hostfs.tree import FileError
from engine.kernel.units import KIB

_FIELDS = {
    "source": "Filesystem", "fstype": "Type", "itotal": "Inodes", "iused": "IUsed", "iavail": "IFree", "ipcent":
    "IUse%", "size": "Size", "used": "Used", "avail": "Avail", "pcent": "Use%", "file": "File", "target": "Mounted on",
}  # fmt: skip
_LEFT = ("source", "fstype", "file", "target")


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the table."""
    if "output" in parsed and any(key in parsed for key in ("print_type", "inodes", "portability")):
        key = next(key for key in ("inodes", "print_type", "portability") if key in parsed)
        option = {"inodes": "-i", "print_type": "-T", "portability": "-P"}[key]
        raise gnu.refuse(ctx, f"options {option} and --output are mutually exclusive")
    everything = usages(ctx)
    chosen, status = _chosen(ctx, parsed, everything)
    if not chosen and status == 0:
        ctx.error("df: no file systems processed")
        return 1
    fields = _fields(ctx, parsed)
    if chosen:
        rows = [[_cell(parsed, field, usage, name) for field in fields] for usage, name in chosen]
        if "total" in parsed:
            rows.append([_cell(parsed, field, _total([usage for usage, _ in chosen]), "-") for field in fields])
        header = [_header(parsed, field) for field in fields]
        for line in _aligned(fields, [header, *rows]):
            ctx.line(line)
    return status


def _chosen(ctx: Context, parsed: Parsed, everything: list[Usage]) -> tuple[list[tuple[Usage, str]], int]:
    """File systems with the operand that asked for each, and the exit status."""
    if not parsed.operands:
        shown = [usage for usage in everything if _listed(parsed, usage)]
        return [(usage, "-") for usage in shown], 0
    found, status = [], 0
    for operand in parsed.operands:
        try:
            paths.look(ctx, operand)
        except FileError as error:
            ctx.error(f"df: {operand}: {error.text}")
            status = 1
            continue
        place = paths.tree(ctx).real_path(paths.absolute(ctx, operand))
        device = next((each for each in everything if each.mount.source == place), None)
        found.append((device or containing(everything, place), operand))
    return found, status


def _listed(parsed: Parsed, usage: Usage) -> bool:
    kind = usage.mount.kind
    if "type" in parsed and kind not in parsed.all("type"):
        return False
    if kind in parsed.all("exclude_type") or ("local" in parsed and kind.startswith("nfs")):
        return False
    return "all" in parsed or usage.total > 0


def _fields(ctx: Context, parsed: Parsed) -> list[str]:
    if "output" in parsed:
        wanted = [field for text in parsed.all("output") for field in text.split(",") if field]
        for field in wanted:
            if field not in _FIELDS:
                text = f"option --output: field {word(ctx.environment, field)} unknown"
                raise gnu.refuse(ctx, text)
        return wanted or list(_FIELDS)
    amounts = ["itotal", "iused", "iavail", "ipcent"] if "inodes" in parsed else ["size", "used", "avail", "pcent"]
    return ["source", *(["fstype"] if "print_type" in parsed else []), *amounts, "target"]


def _header(parsed: Parsed, field: str) -> str:
    scaled = "human_readable" in parsed or "si" in parsed
    if field == "size" and not scaled:
        return _block_header(parsed)
    if field == "avail" and not scaled:
        return "Avail" if "output" in parsed else "Available"
    if field == "pcent" and "portability" in parsed:
        return "Capacity"
    return _FIELDS[field]


def _block_header(parsed: Parsed) -> str:
    if "portability" in parsed:
        return f"{_block(parsed)[0]}-blocks"
    size, suffix = _block(parsed)
    named = {1 << 10: "1K", 1 << 20: "1M", 1 << 30: "1G", 1: "1B", 1 << 40: "1T"}
    return f"{named.get(size, f'{size}B')}-blocks" if suffix or size in named else f"{size}-blocks"


def _block(parsed: Parsed) -> tuple[int, str]:
    """(block size, unit to print after numbers)."""
    for key, value in reversed(parsed.given):
        if key == "mebi":
            return 1 << 20, ""
        if key == "kibi":
            return KIB, ""
        if key == "block_size":
            text = value if value[:1].isdigit() else f"1{value}"
            size = parse_size(text)
            if not size:
                raise UsageError(f"df: invalid --block-size argument '{value}'\n")
            return size, "" if value[:1].isdigit() else value
    return KIB, ""


def _cell(parsed: Parsed, field: str, usage: Usage, name: str) -> str:
    mount = usage.mount
    texts = {"source": mount.source, "fstype": mount.kind, "file": name, "target": mount.target}
    if field in texts:
        return texts[field]
    if field == "pcent":
        return _percent(usage.used, usage.used + usage.available)
    if field == "ipcent":
        return _percent(usage.inodes_used, usage.inodes)
    inodes = {"itotal": usage.inodes, "iused": usage.inodes_used, "iavail": usage.inodes - usage.inodes_used}
    if field in inodes:
        return _scaled(parsed, inodes[field]) or str(inodes[field])
    kib = {"size": usage.total, "used": usage.used, "avail": usage.available}[field]
    block, suffix = _block(parsed)
    return _scaled(parsed, kib * KIB) or f"{-(-kib * KIB // block)}{suffix if kib else ''}"


def _scaled(parsed: Parsed, number: int) -> str:
    if "human_readable" in parsed:
        return human(number)
    return human(number, 1000) if "si" in parsed else ""


def _percent(used: int, total: int) -> str:
    return f"{-(-used * 100 // total)}%" if total else "-"


def _total(found: list[Usage]) -> Usage:
    mount = Mount("total", "-", "-", "")
    local = {usage.mount.source: usage for usage in found}.values()
    figures = [
        sum(values)
        for values in zip(*((u.total, u.used, u.available, u.inodes, u.inodes_used) for u in local), strict=True)
    ]
    return Usage(mount, *figures)


def _aligned(fields: list[str], rows: list[list[str]]) -> list[str]:
    least = {"source": 14, "fstype": 4, "pcent": 4, "size": 5, "used": 5, "avail": 5}
    widths = [max(least.get(field, 0), *(len(row[column]) for row in rows)) for column, field in enumerate(fields)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if field in _LEFT else cell.rjust(width)
            for field, cell, width in zip(fields, row, widths, strict=True)
        ]
        lines.append(" ".join(cells).rstrip())
    return lines


COMMAND = program(
    "df",
    "show how full file systems are",
    run,
    synopsis="df [OPTION]... [FILE]...",
    options=(
        Option("a", "all", help="with those that hold nothing"),
        Option("B", "block-size", "SIZE", help="in units of SIZE: K, M, G"),
        Option("h", "human-readable", help="sizes such as 1.5G"),
        Option("H", "si", help="the same in powers of 1000"),
        Option("i", "inodes", help="inodes, not room"),
        Option("k", None, name="kibi", help="in KiB, as is usual"),
        Option("m", None, name="mebi", help="in MiB"),
        Option("l", "local", help="only on this host"),
        Option(None, "no-sync", help="do not write buffers first"),
        Option(None, "sync", help="write buffers first"),
        Option(None, "output", "FIELDS", optional=True, help="these columns"),
        Option("P", "portability", help="as POSIX wants it"),
        Option(None, "total", help="with a sum"),
        Option("t", "type", "TYPE", help="only this kind"),
        Option("T", "print-type", help="with the kind"),
        Option("x", "exclude-type", "TYPE", help="not this kind"),
        Option("v", None, name="ignored", help="ignored"),
    ),
    manual="With FILE, only the file system that it lies on. /home and /data of compute nodes lie on the head node.",
)
