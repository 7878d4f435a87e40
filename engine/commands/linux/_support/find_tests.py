"""find's tests: names, kinds, sizes, ages, owners, permissions (findutils 4.9). Ages are told by the time of
modification.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable

from engine.commands.linux._support import clock, ownership, paths
from engine.commands.linux._support.find_expression import ActionMaker, Evaluator, Reader, Visit, plain
from engine.commands.linux._support.modes import parse_mode
from engine.commands.linux._support.parse_date import DateError, parse_date
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.words import word
from engine.hostfs.tree import FileError, FileKind
from engine.kernel.units import DAY, MINUTE

_TYPES = {"f": FileKind.FILE, "d": FileKind.DIRECTORY, "l": FileKind.SYMLINK, "c": FileKind.CHARACTER_DEVICE,
          "b": FileKind.BLOCK_DEVICE}  # fmt: skip
_SIZES = {"b": 512, "c": 1, "w": 2, "k": 1024, "M": 1 << 20, "G": 1 << 30}


def _compared(reader: Reader, predicate: str, text: str) -> Callable[[int], bool]:
    """A comparison with +N (more), -N (less) or N."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if not digits.isdigit():
        if predicate == "-size":
            raise reader.wrong(f"invalid -size type `{text[-1:]}'")
        raise reader.wrong(f"invalid argument `{text}' to `{predicate}'")
    number = int(digits)
    return lambda value: value > number if sign == "+" else value < number if sign == "-" else value == number


def _name(reader: Reader, predicate: str) -> Evaluator:
    pattern = reader.argument(predicate)
    ignore = predicate.startswith("-i")
    whole = predicate.endswith("path") or predicate.endswith("wholename")
    fold = str.lower if ignore else str
    return plain(lambda visit: fnmatch.fnmatchcase(fold(visit.path if whole else visit.name), fold(pattern)))


def _link_name(reader: Reader, predicate: str) -> Evaluator:
    pattern = reader.argument(predicate)

    def test(visit: Visit) -> bool:
        if visit.stat.kind is not FileKind.SYMLINK:
            return False
        return fnmatch.fnmatchcase(paths.tree(reader.ctx).read_link(visit.place), pattern)

    return plain(test)


def _regex(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    # find reads Emacs expressions, in which \( \) \| are the operators and ( ) | are plain.
    swapped = text.replace("\\(", "\0(").replace("\\)", "\0)").replace("\\|", "\0|")
    for character in "(){}|":
        swapped = swapped.replace(character, "\\" + character) if f"\0{character}" not in swapped else swapped
    try:
        pattern = compile_pattern(swapped.replace("\0\\", "").replace("\0", ""), predicate == "-iregex")
    except PatternError as error:
        raise reader.wrong(f"failed to compile regular expression '{text}': {error}") from None
    return plain(lambda visit: pattern.fullmatch(visit.path) is not None)


def _type(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    kinds = []
    for letter in text.split(","):
        if letter not in _TYPES and letter not in ("p", "s", "D"):
            raise reader.wrong(f"Unknown argument to {predicate}: {letter}")
        kinds.append(_TYPES.get(letter))
    return plain(lambda visit: visit.stat.kind in kinds)


def _size(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    unit = _SIZES.get(text[-1:], 0)
    compare = _compared(reader, predicate, text[:-1] if unit else text)
    block = unit or 512
    return plain(lambda visit: compare(-(-visit.stat.size // block)))


def _empty(reader: Reader, predicate: str) -> Evaluator:
    def test(visit: Visit) -> bool:
        if visit.stat.kind is FileKind.DIRECTORY:
            try:
                return not paths.tree(reader.ctx).entries(visit.place)
            except FileError:
                return False
        return visit.stat.kind is FileKind.FILE and visit.stat.size == 0

    return plain(test)


def _age(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    compare = _compared(reader, predicate, text)
    unit = MINUTE if predicate.endswith("min") else DAY
    now = reader.ctx.epoch
    if reader.daystart:
        now = parse_date("tomorrow 00:00", clock.timezone(reader.ctx), now)
    if unit == MINUTE and text[:1] == "-":
        return plain(lambda visit: now - visit.stat.modified < int(text[1:]) * MINUTE)
    if unit == MINUTE and text[:1] == "+":
        return plain(lambda visit: now - visit.stat.modified > int(text[1:]) * MINUTE)
    if unit == MINUTE:
        return plain(lambda visit: compare(-(-(now - visit.stat.modified) // MINUTE)))
    return plain(lambda visit: compare((now - visit.stat.modified) // unit))


def _newer(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    if predicate.endswith("t"):
        try:
            limit = parse_date(text, clock.timezone(reader.ctx), reader.ctx.epoch)
        except DateError:
            quoted = word(reader.ctx.environment, text)
            raise reader.wrong(f"I cannot figure out how to interpret {quoted} as a date or time") from None
    else:
        try:
            limit = paths.look(reader.ctx, text).modified
        except FileError as error:
            raise reader.wrong(f"{word(reader.ctx.environment, text)}: {error.text}") from None
    return plain(lambda visit: visit.stat.modified > limit)


def _user(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    number = ownership.user_id(reader.ctx, text)
    if number is None:
        quoted = word(reader.ctx.environment, text)
        raise reader.wrong(f"{quoted} is not the name of a known user")
    return plain(lambda visit: visit.stat.uid == number)


def _group(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    number = ownership.group_id(reader.ctx, text)
    if number is None:
        quoted = word(reader.ctx.environment, text)
        raise reader.wrong(f"{quoted} is not the name of an existing group")
    return plain(lambda visit: visit.stat.gid == number)


def _numbered(value: Callable[[Visit], int]) -> ActionMaker:
    def make(reader: Reader, predicate: str) -> Evaluator:
        compare = _compared(reader, predicate, reader.argument(predicate))
        return plain(lambda visit: compare(value(visit)))

    return make


def _unowned(reader: Reader, predicate: str) -> Evaluator:
    if predicate == "-nouser":
        return plain(lambda visit: paths.owner(reader.ctx, visit.stat).isdigit())
    return plain(lambda visit: paths.group(reader.ctx, visit.stat).isdigit())


def _permissions(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    kind, wanted = (text[0], text[1:]) if text[:1] in ("-", "/") else ("", text)
    change = parse_mode(wanted, 0)
    if change is None:
        raise reader.wrong(f"invalid mode {word(reader.ctx.environment, text)}")
    bits = change(0, False)
    if kind == "-":
        return plain(lambda visit: visit.stat.mode & bits == bits)
    if kind == "/":
        return plain(lambda visit: bits == 0 or bool(visit.stat.mode & bits))
    return plain(lambda visit: visit.stat.mode & 0o7777 == bits)


def _may(wanted: int) -> ActionMaker:
    return lambda reader, _: plain(lambda visit: paths.tree(reader.ctx).access(visit.place, wanted))


def _constant(value: bool) -> ActionMaker:
    return lambda _reader, _predicate: plain(lambda _visit: value)


def _depth_limit(reader: Reader, predicate: str) -> Evaluator:
    text = reader.argument(predicate)
    if not text.isdigit():
        quoted = word(reader.ctx.environment, text)
        raise reader.wrong(f"Expected a positive decimal integer argument to {predicate}, but got {quoted}")
    if predicate == "-maxdepth":
        reader.settings.max_depth = int(text)
    else:
        reader.settings.min_depth = int(text)
    return plain(lambda _visit: True)


def _depth_first(reader: Reader, predicate: str) -> Evaluator:
    reader.settings.depth_first = True
    return plain(lambda _visit: True)


def _day_start(reader: Reader, predicate: str) -> Evaluator:
    reader.daystart = True
    return plain(lambda _visit: True)


def _ignored_word(reader: Reader, predicate: str) -> Evaluator:
    reader.argument(predicate)
    return plain(lambda _visit: True)


def _same_file(reader: Reader, predicate: str) -> Evaluator:
    number = paths.look(reader.ctx, reader.argument(predicate)).inode
    return plain(lambda visit: visit.stat.inode == number)


_NEWER = [f"-newer{a}{b}" for a in "amcB" for b in "amcBt"]
TESTS: dict[str, ActionMaker] = {
    **dict.fromkeys(("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"), _name),
    "-lname": _link_name,
    "-regex": _regex,
    "-iregex": _regex,
    "-regextype": _ignored_word,
    "-type": _type,
    "-xtype": _type,
    "-size": _size,
    "-empty": _empty,
    **dict.fromkeys(("-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin"), _age),
    "-newer": _newer,
    "-anewer": _newer,
    "-cnewer": _newer,
    **dict.fromkeys(_NEWER, _newer),
    "-user": _user,
    "-group": _group,
    "-uid": _numbered(lambda visit: visit.stat.uid),
    "-gid": _numbered(lambda visit: visit.stat.gid),
    "-links": _numbered(lambda visit: visit.stat.links),
    "-inum": _numbered(lambda visit: visit.stat.inode),
    "-nouser": _unowned,
    "-nogroup": _unowned,
    "-perm": _permissions,
    "-readable": _may(4),
    "-writable": _may(2),
    "-executable": _may(1),
    "-true": _constant(True),
    "-false": _constant(False),
    "-maxdepth": _depth_limit,
    "-mindepth": _depth_limit,
    "-depth": _depth_first,
    "-d": _depth_first,
    "-daystart": _day_start,
    "-samefile": _same_file,
    **dict.fromkeys(
        ("-mount", "-xdev", "-noleaf", "-ignore_readdir_race", "-follow", "-warn", "-nowarn"), _constant(True)
    ),
}
