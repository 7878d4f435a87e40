"""lsblk of util-linux 2.39.3: block devices. Compared with util-linux 2.38."""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.linux._support import disks, paths
from engine.commands.linux._support.block_devices import Block, block_devices
from engine.commands.linux._support.columns import Column, Item, Value, chosen, form_of, lines
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.sizes import util_linux
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError
from engine.kernel.units import KIB

_COLUMNS = {
    column.name: column
    for column in (
        *(
            Column(name)
            for name in ("NAME", "KNAME", "PKNAME", "PATH", "MAJ:MIN", "TYPE", "MOUNTPOINT", "FSTYPE", "FSVER")
        ),
        *(
            Column(name)
            for name in ("LABEL", "UUID", "MODEL", "SERIAL", "REV", "TRAN", "OWNER", "GROUP", "MODE", "STATE")
        ),
        *(Column(name, right=True, least=5) for name in ("SIZE", "FSSIZE", "FSUSED", "FSAVAIL", "FSUSE%")),
        *(Column(name, right=True, kind="boolean") for name in ("RM", "RO", "ROTA", "HOTPLUG")),
        *(Column(name, right=True, kind="number") for name in ("LOG-SEC", "PHY-SEC")),
        Column("MOUNTPOINTS", kind="array"),
    )
}
_USUAL = ("NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS")
_SETS = {
    "fs": ("NAME", "FSTYPE", "FSVER", "LABEL", "UUID", "FSAVAIL", "FSUSE%", "MOUNTPOINTS"),
    "perms": ("NAME", "SIZE", "OWNER", "GROUP", "MODE"),
    "nvme": ("NAME", "TYPE", "MODEL", "SERIAL", "REV", "TRAN", "SIZE"),
}
_NOT_A_DEVICE = 32
_UNMODELLED = ("topology", "discard", "zoned", "inverse", "merge", "output-all")


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the devices asked for."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"lsblk --{key}")
    if "scsi" in parsed:
        return 0
    usual = next((names for key, names in _SETS.items() if key in parsed), _USUAL)
    columns = chosen(ctx, parsed, _COLUMNS, usual)
    devices, status = _asked(ctx, parsed)
    items = [item for block in devices for item in _items(ctx, parsed, block, "")]
    form = form_of(ctx, parsed, "blockdevices")
    if "sort" in parsed and parsed["sort"].upper() in _COLUMNS:
        items = sorted(_all(items), key=lambda item: _sort_key(item.values[parsed["sort"].upper()]))
        items = [Item(item.values) for item in items]
    if items or form.kind == "json":
        ctx.write("".join(line + "\n" for line in lines(columns, items, form)))
    return status


def _asked(ctx: Context, parsed: Parsed) -> tuple[list[Block], int]:
    everything = block_devices(ctx)
    if not parsed.operands:
        return everything, 0
    known = {block.name: block for block in _walk(everything)}
    found, status = [], 0
    for operand in parsed.operands:
        try:
            real = paths.tree(ctx).real_path(paths.absolute(ctx, operand))
        except FileError:
            real = operand
        block = known.get(real.removeprefix("/dev/"))
        if block:
            found.append(block)
        else:
            ctx.error(f"lsblk: {operand}: not a block device")
            status = _NOT_A_DEVICE
    return found, status


def _walk(blocks: list[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _walk(block.children)


def _all(items: list[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from _all(item.children)


def _items(ctx: Context, parsed: Parsed, block: Block, above: str) -> Iterator[Item]:
    children = (
        []
        if "nodeps" in parsed
        else [item for each in block.children for item in _items(ctx, parsed, each, block.name)]
    )
    if "nvme" in parsed and block.drive is None:
        return
    yield Item(_values(ctx, parsed, block, above), children)


def _values(ctx: Context, parsed: Parsed, block: Block, above: str) -> dict[str, Value]:
    path = f"/dev/{block.name}"
    stat = paths.tree(ctx).stat(path) if ctx.files.exists(path) else None
    drive = block.drive
    usage = next((each for each in disks.usages(ctx) if each.mount.source == path), None)
    size = str if "bytes" in parsed else util_linux
    aligned = not any(key in parsed for key in ("json", "pairs", "raw"))
    major, minor = stat.device if stat and stat.device else (0, 0)
    return {
        "NAME": path if "paths" in parsed else block.name,
        "KNAME": block.name,
        "PKNAME": above,
        "PATH": path,
        "MAJ:MIN": (f"{major:3d}:{minor:<3d}" if aligned else f"{major}:{minor}") if stat else "",
        "RM": "0",
        "RO": "0",
        "ROTA": "0",
        "HOTPLUG": "0",
        "SIZE": size(block.size),
        "TYPE": block.kind,
        "MOUNTPOINT": block.mounted,
        "MOUNTPOINTS": [block.mounted] if block.mounted else [],
        "FSTYPE": block.filesystem,
        "FSVER": block.version,
        "LABEL": block.label,
        "UUID": block.uuid,
        "FSSIZE": size(usage.total * KIB) if usage else "",
        "FSUSED": size(usage.used * KIB) if usage else "",
        "FSAVAIL": size(usage.available * KIB) if usage else "",
        "FSUSE%": f"{usage.used * 100 // usage.total}%" if usage and usage.total else "",
        "MODEL": drive.model if drive else "",
        "SERIAL": drive.serial if drive else "",
        "REV": drive.firmware if drive else "",
        "TRAN": "nvme" if block.name.startswith("nvme") else "",
        "STATE": "live" if drive else "",
        "LOG-SEC": "512",
        "PHY-SEC": "512",
        "OWNER": paths.owner(ctx, stat) if stat else "",
        "GROUP": paths.group(ctx, stat) if stat else "",
        "MODE": paths.mode_text(stat) if stat else "",
    }


def _sort_key(value: Value) -> tuple[int, str]:
    text = value if isinstance(value, str) else "".join(value)
    return (int(text), "") if text.strip().isdigit() else (0, text)


COMMAND = program(
    "lsblk",
    "list block devices",
    run,
    suite=UTIL_LINUX,
    section=8,
    synopsis="lsblk [OPTION]... [DEVICE]...",
    options=(
        Option("a", "all", help="empty devices too"),
        Option("b", "bytes", help="sizes in bytes"),
        Option("d", "nodeps", help="only the devices themselves"),
        Option("D", "discard", help="what the devices can discard"),
        Option("e", "exclude", "LIST", help="leave out devices of these major numbers"),
        Option("f", "fs", help="file systems"),
        Option("i", "ascii", help="draw the tree with ASCII characters"),
        Option("I", "include", "LIST", help="only devices of these major numbers"),
        Option("J", "json", help="as JSON"),
        Option("l", "list", help="as a list"),
        Option("T", "tree", "COLUMN", optional=True, help="as a tree"),
        Option("m", "perms", help="owners and modes"),
        Option("M", "merge", help="draw what has several parents once"),
        Option("n", "noheadings", help="no header"),
        Option("N", "nvme", help="NVMe drives"),
        Option("o", "output", "LIST", help="these columns; +LIST adds to the usual ones"),
        Option("O", "output-all", help="all columns"),
        Option("p", "paths", help="whole paths"),
        Option("P", "pairs", help='as KEY="value"'),
        Option("r", "raw", help="without alignment"),
        Option("s", "inverse", help="the other way round"),
        Option("S", "scsi", help="SCSI devices"),
        Option("t", "topology", help="topology"),
        Option("v", "virtio", name="scsi", help="virtio devices"),
        Option("w", "width", "NUMBER", help="width of the output"),
        Option("x", "sort", "COLUMN", help="sort by COLUMN, as a list"),
        Option("z", "zoned", help="zones"),
    ),
    manual="""
    Shows drives, partitions and arrays as a tree. Columns for -o are NAME, PATH, MAJ:MIN, SIZE, TYPE, MOUNTPOINTS,
    FSTYPE, UUID, FSAVAIL, FSUSE%, MODEL, SERIAL, REV, TRAN, OWNER, GROUP, MODE and others.
    """,
)
