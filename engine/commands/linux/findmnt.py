"""findmnt of util-linux 2.39.3: mounted file systems. Compared with util-linux 2.38."""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import disks, paths
from engine.commands.linux._support.columns import Column, Item, Value, chosen, form_of, lines
from engine.commands.linux._support.disks import Usage
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.sizes import util_linux
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError
from engine.kernel.units import KIB

_COLUMNS = {
    column.name: column
    for column in (
        *(Column(name) for name in ("TARGET", "SOURCE", "FSTYPE", "OPTIONS", "VFS-OPTIONS", "FS-OPTIONS")),
        *(Column(name, right=True, least=5) for name in ("SIZE", "USED", "AVAIL")),
        *(Column(name, right=True) for name in ("USE%",)),
    )
}
_USUAL = ("TARGET", "SOURCE", "FSTYPE", "OPTIONS")
_AS_DF = ("SOURCE", "FSTYPE", "SIZE", "USED", "AVAIL", "USE%", "TARGET")
_UNMODELLED = ("fstab", "mtab", "tab-file", "poll", "verify", "evaluate", "uniq", "notruncate-tree")


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the file systems asked for. Status 1 if there are none."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"findmnt --{key}")
    columns = chosen(ctx, parsed, _COLUMNS, _AS_DF if "df" in parsed else _USUAL)
    everything = disks.usages(ctx)
    found = _asked(ctx, parsed, everything)
    if "first-only" in parsed:
        found = found[:1]
    if not found:
        return 1
    narrowed = any(key in parsed for key in ("types", "source", "target", "options", "df", "first-only"))
    whole = not narrowed and (not parsed.operands or "submounts" in parsed)
    form = form_of(ctx, parsed, "filesystems")
    tops = _tree(parsed, found) if whole and form.tree else [Item(_values(parsed, each)) for each in found]
    ctx.write("".join(line + "\n" for line in lines(columns, tops, form)))
    return 0


def _asked(ctx: Context, parsed: Parsed, everything: Sequence[Usage]) -> list[Usage]:
    found = [each for each in everything if _wanted(parsed, each)]
    if "target" in parsed:
        place = _real(ctx, parsed["target"])
        holder = disks.containing(list(everything), place).mount.target
        found = [each for each in found if each.mount.target == holder]
    if parsed.operands:
        names = {parsed.operands[0].rstrip("/") or "/", _real(ctx, parsed.operands[0])}
        named = [each for each in found if {each.mount.target, each.mount.source} & names]
        if "submounts" in parsed and named:
            top = named[0].mount.target
            named = [each for each in found if _below(each.mount.target, top)]
        found = named
    if "df" in parsed:
        found = [each for each in found if each.total or each.mount.kind == "tmpfs"]
    return found


def _wanted(parsed: Parsed, each: Usage) -> bool:
    mount = each.mount
    if "types" in parsed:
        kinds = parsed["types"].split(",")
        denied = kinds[0].startswith("no")
        if (mount.kind in [kind.removeprefix("no") if denied else kind for kind in kinds]) == denied:
            return False
    if "source" in parsed and mount.source != parsed["source"]:
        return False
    return "options" not in parsed or set(parsed["options"].split(",")) <= set(mount.options.split(","))


def _real(ctx: Context, path: str) -> str:
    try:
        return paths.tree(ctx).real_path(paths.absolute(ctx, path))
    except FileError:
        return path


def _below(path: str, top: str) -> bool:
    return top in ("/", path) or path.startswith(f"{top}/")


def _tree(parsed: Parsed, found: Sequence[Usage]) -> list[Item]:
    """Each file system below the one that its mount point lies on."""
    items = {each.mount.target: Item(_values(parsed, each)) for each in found}
    tops = []
    for target, item in items.items():
        above = [other for other in items if other != target and _below(target, other)]
        if above:
            items[max(above, key=len)].children.append(item)
        else:
            tops.append(item)
    return tops


def _values(parsed: Parsed, each: Usage) -> dict[str, Value]:
    mount = each.mount
    size = str if "bytes" in parsed else _human
    general = ("rw", "ro", "nosuid", "nodev", "noexec", "relatime", "noatime")
    options = mount.options.split(",")
    return {
        "TARGET": mount.target,
        "SOURCE": mount.source,
        "FSTYPE": mount.kind,
        "OPTIONS": mount.options,
        "VFS-OPTIONS": ",".join(option for option in options if option in general),
        "FS-OPTIONS": ",".join(option for option in options if option not in general[2:]),
        "SIZE": size(each.total * KIB),
        "USED": size(each.used * KIB),
        "AVAIL": size(each.available * KIB),
        "USE%": f"{each.used * 100 // each.total}%" if each.total else "0%",
    }


def _human(number: int) -> str:
    return util_linux(number) if number else "0"


COMMAND = program(
    "findmnt",
    "list mounted file systems",
    run,
    suite=UTIL_LINUX,
    section=8,
    synopsis="findmnt [OPTION]... [DEVICE|MOUNTPOINT]",
    options=(
        Option("b", "bytes", help="sizes in bytes"),
        Option("D", "df", help="sizes, as df has them"),
        Option("f", "first-only", name="first-only", help="only the first one found"),
        Option("i", "ascii", help="draw the tree with ASCII characters"),
        Option("J", "json", help="as JSON"),
        Option("k", "kernel", help="from the kernel's table, as is usual"),
        Option("l", "list", help="as a list"),
        Option("m", "mtab", help="from /etc/mtab"),
        Option("n", "noheadings", help="no header"),
        Option("o", "output", "LIST", help="these columns; +LIST adds to the usual ones"),
        Option("O", "options", "LIST", help="only with these mount options"),
        Option("P", "pairs", help='as KEY="value"'),
        Option("p", "poll", "LIST", optional=True, help="wait for changes"),
        Option("r", "raw", help="without alignment"),
        Option("R", "submounts", help="with what is mounted below"),
        Option("s", "fstab", help="from /etc/fstab"),
        Option("S", "source", "DEVICE", help="only of this source"),
        Option("T", "target", "PATH", help="the one that PATH lies on"),
        Option("t", "types", "LIST", help="only of these kinds"),
        Option("u", "notruncate", help="do not shorten columns"),
        Option("v", "nofsroot", help="sources without [/directory]"),
        Option("x", "verify", help="check /etc/fstab"),
        Option("A", "all", help="everything"),
    ),
    manual="Columns for -o: TARGET, SOURCE, FSTYPE, OPTIONS, VFS-OPTIONS, FS-OPTIONS, SIZE, USED, AVAIL, USE%.",
)
