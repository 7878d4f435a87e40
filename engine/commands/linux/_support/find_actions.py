"""find's actions: -print, -print0, -printf, -ls, -exec, -ok, -delete, -prune, -quit (findutils 4.9)."""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.linux._support.find_expression import ActionMaker, Evaluator, PendingBatch, Reader, Visit, plain
from engine.commands.linux._support.listing import HALF_A_YEAR
from engine.commands.linux._support.words import word
from engine.hostfs.tree import FileError, FileKind
from engine.kernel.units import SECOND

_DIRECTIVE = re.compile(r"%([-0 +#]*)(\d*)(?:\.(\d+))?([ATC].|.)|\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "0": "\0"}
_TYPE_LETTERS = {FileKind.FILE: "f", FileKind.DIRECTORY: "d", FileKind.SYMLINK: "l", FileKind.CHARACTER_DEVICE: "c",
                 FileKind.BLOCK_DEVICE: "b"}  # fmt: skip


def _print(end: str) -> ActionMaker:
    def make(reader: Reader, _: str) -> Evaluator:
        def act(visit: Visit) -> bool:
            reader.ctx.write(visit.path + end)
            return True

        return plain(act)

    return make


def _printf(reader: Reader, predicate: str) -> Evaluator:
    pattern = reader.argument(predicate)

    def act(visit: Visit) -> bool:
        reader.ctx.write(formatted(reader.ctx, visit, pattern))
        return True

    return plain(act)


def formatted(ctx: Context, visit: Visit, pattern: str) -> str:
    """-printf's text for a file."""

    def fill(match: re.Match[str]) -> str:
        flags, width, _precision, letter, escape = match.groups()
        if escape is not None:
            return _ESCAPES.get(escape) or (chr(int(escape, 8)) if escape.isdigit() else match[0])
        value = _value(ctx, visit, letter)
        if value is None:
            return match[0]
        if "-" in flags:
            return value.ljust(int(width or 0))
        return value.rjust(int(width or 0), "0" if "0" in flags else " ")

    return _DIRECTIVE.sub(fill, pattern)


def _value(ctx: Context, visit: Visit, letter: str) -> str | None:
    stat = visit.stat
    if len(letter) == 2:
        return _time(ctx, stat.modified, letter[1])
    if letter in ("t", "a", "c"):
        return clock.shown(ctx, stat.modified, "%a %b %e %H:%M:%S.%N") + "0 " + clock.shown(ctx, stat.modified, "%Y")
    if letter == "l":
        return paths.tree(ctx).read_link(visit.place) if stat.kind is FileKind.SYMLINK else ""
    above = visit.path.rpartition("/")
    values = {
        "%": "%",
        "p": visit.path,
        "f": visit.name,
        "h": above[0] if above[1] else ".",
        "H": visit.start,
        "P": visit.path.removeprefix(visit.start).lstrip("/"),
        "s": str(stat.size),
        "b": str(paths.blocks(stat) * 2),
        "k": str(paths.blocks(stat)),
        "m": f"{stat.mode:o}",
        "M": paths.mode_text(stat),
        "u": paths.owner(ctx, stat),
        "g": paths.group(ctx, stat),
        "U": str(stat.uid),
        "G": str(stat.gid),
        "n": str(stat.links),
        "i": str(stat.inode),
        "d": str(visit.depth),
        "y": _TYPE_LETTERS[stat.kind],
        "Y": _TYPE_LETTERS[stat.kind],
        "D": "66306",
        "F": "ext4",
        "S": "1",
    }
    return values.get(letter)


def _time(ctx: Context, modified: int, letter: str) -> str:
    if letter == "@":
        return f"{modified // SECOND}.{modified % SECOND:09d}0"
    if letter == "+":
        return clock.shown(ctx, modified, "%Y-%m-%d+%H:%M:%S.%N") + "0"
    if letter in ("S", "T"):
        return clock.shown(ctx, modified, f"%{letter}.%N") + "0"
    return clock.shown(ctx, modified, f"%{letter}")


def _list(reader: Reader, _: str) -> Evaluator:
    def act(visit: Visit) -> bool:
        stat, ctx = visit.stat, reader.ctx
        recent = ctx.epoch - HALF_A_YEAR < stat.modified <= ctx.epoch
        when = clock.shown(ctx, stat.modified, "%b %e %H:%M" if recent else "%b %e  %Y")
        target = f" -> {paths.tree(ctx).read_link(visit.place)}" if stat.kind is FileKind.SYMLINK else ""
        owner, group = paths.owner(ctx, stat), paths.group(ctx, stat)
        name = visit.path.replace("\\", "\\\\").replace(" ", "\\ ")
        size = f"{stat.device[0]}, {stat.device[1]:>3}" if stat.device else str(stat.size)
        ctx.line(
            f"{stat.inode:>9} {paths.blocks(stat):>6} {paths.mode_text(stat)} {stat.links:>3} "
            f"{owner:<8} {group:<8} {size:>8} {when} {name}{target}"
        )
        return True

    return plain(act)


def _execute(reader: Reader, predicate: str) -> Evaluator:
    words, batch = _command(reader, predicate)
    in_directory = predicate.endswith("dir")
    if batch:
        pending = PendingBatch(words)
        reader.settings.pending.append(pending)

        def collect(visit: Visit) -> bool:
            pending.found.append(f"./{visit.name}" if in_directory else visit.path)
            return True

        return plain(collect)
    asks = predicate.startswith("-ok")

    async def act(visit: Visit) -> bool:
        name = f"./{visit.name}" if in_directory else visit.path
        filled = [text.replace("{}", name) for text in words]
        if asks and not await _agreed(reader.ctx, filled, name):
            return False
        return await run(reader.ctx, filled, _above(visit) if in_directory else None) == 0

    return act


def _command(reader: Reader, predicate: str) -> tuple[list[str], bool]:
    """The words of -exec, and whether it ends with `{} +`."""
    words: list[str] = []
    while (text := reader.next()) is not None:
        if text == ";":
            if not words:
                raise reader.wrong(f"invalid argument `;' to `{predicate}'")
            return words, False
        if text == "+" and words[-1:] == ["{}"] and not predicate.startswith("-ok"):
            return words[:-1], True
        words.append(text)
    raise reader.wrong(f"missing argument to `{predicate}'")


def _above(visit: Visit) -> str:
    return visit.place.rpartition("/")[0] or "/"


async def _agreed(ctx: Context, words: list[str], name: str) -> bool:
    prompt = f"< {words[0]} ... {name} > ? "
    if ctx.terminal is None:
        ctx.stderr.write(prompt.encode())
        return False
    answer = await ctx.terminal.ask(prompt)
    return (answer or "").lower().startswith("y")


async def run(ctx: Context, words: list[str], directory: str | None = None) -> int:
    """Run a command that an action names."""
    await ctx.flush()
    place = ctx.elsewhere(directory=directory) if directory else ctx.place
    return await ctx.runner.run(words, place)


async def finish(ctx: Context, batches: list[PendingBatch]) -> int:
    """Run what -exec ... + collected. Returns 1 if one failed."""
    status = 0
    for batch in batches:
        if batch.found and await run(ctx, [*batch.words, *batch.found]) != 0:
            status = 1
    return status


def _delete(reader: Reader, _: str) -> Evaluator:
    reader.settings.depth_first = True

    def act(visit: Visit) -> bool:
        if visit.path in (".", ".."):
            return True
        try:
            paths.tree(reader.ctx).remove(visit.place, False)
        except FileError as error:
            reader.ctx.error(f"find: cannot delete {word(reader.ctx.environment, visit.path)}: {error.text}")
            reader.settings.status = 1
            return False
        return True

    return plain(act)


def _prune(reader: Reader, _: str) -> Evaluator:
    def act(visit: Visit) -> bool:
        visit.prune = True
        return True

    return plain(act)


def _quit(reader: Reader, _: str) -> Evaluator:
    def act(visit: Visit) -> bool:
        reader.settings.stopped = True
        return True

    return plain(act)


ACTIONS: dict[str, ActionMaker] = {
    "-print": _print("\n"),
    "-print0": _print("\0"),
    "-printf": _printf,
    "-ls": _list,
    **dict.fromkeys(("-exec", "-execdir", "-ok", "-okdir"), _execute),
    "-delete": _delete,
    "-prune": _prune,
    "-quit": _quit,
}
