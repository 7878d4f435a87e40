"""ls of GNU coreutils 9.4: names in columns on a terminal, one a line elsewhere. Layouts compared with coreutils 9.1's.

The file system keeps only the time of modification; times of access and change are shown as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from engine.commands.context import Context
from engine.commands.linux._support import listing, paths
from engine.commands.linux._support.collation import sort_key, version_key
from engine.commands.linux._support.gnu import file_error, refuse
from engine.commands.linux._support.listing import Entry, Style
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError, FileKind

_FORMATS = {"long": "long", "verbose": "long", "commas": "commas", "horizontal": "across", "across": "across",
            "vertical": "columns", "single-column": "one"}  # fmt: skip
_LAYOUT_KEYS = {"long": "long", "owner_only": "long", "group_only": "long", "numeric": "long", "full_time": "long",
                "one": "one", "columns": "columns", "across": "across", "commas": "commas"}  # fmt: skip
_SORT_KEYS = {"by_time": "time", "by_size": "size", "by_extension": "extension", "by_version": "version",
              "unsorted": "none", "everything": "none"}  # fmt: skip


def run(ctx: Context, parsed: Parsed) -> int:
    """List the operands, or the current directory."""
    return _Listing(ctx, parsed).run()


class _Listing:
    def __init__(self, ctx: Context, parsed: Parsed) -> None:
        self.ctx, self.parsed = ctx, parsed
        self.style = _style(ctx, parsed)
        self.status = 0
        self.printed = False

    def run(self) -> int:
        files: list[Entry] = []
        directories: list[tuple[str, str]] = []
        for operand in self.parsed.operands or ["."]:
            self._sort_in(operand, files, directories)
        if files:
            self._print(self._sorted(files))
        titled = len(self.parsed.operands) > 1 or "recursive" in self.parsed
        ordered = self._sorted([Entry(name, paths.tree(self.ctx).stat(place)) for name, place in directories])
        places = dict(directories)
        for entry in ordered:
            self._directory(entry.name, places[entry.name], titled or bool(files), top=True)
        return self.status

    def _sort_in(self, operand: str, files: list[Entry], directories: list[tuple[str, str]]) -> None:
        """Put an operand among the files or the directories to list."""
        parsed, style = self.parsed, self.style
        place = paths.absolute(self.ctx, operand)
        plain = style.layout == "long" or style.indicator == "classify" or "directory" in parsed
        follow = "dereference" in parsed or "dereference_arguments" in parsed or not plain
        try:
            try:
                stat = paths.look(self.ctx, operand, follow=follow)
            except FileError:
                stat = paths.look(self.ctx, operand, follow=False)
        except FileError as error:
            file_error(self.ctx, "cannot access", operand, error)
            self.status = 2
            return
        if stat.kind is FileKind.DIRECTORY and "directory" not in parsed:
            directories.append((operand, place))
        else:
            files.append(listing.entry_of(self.ctx, place, operand, stat))

    def _directory(self, title: str, place: str, titled: bool, top: bool) -> None:
        try:
            found = paths.tree(self.ctx).entries(place)
        except FileError as error:
            file_error(self.ctx, "cannot open directory", title, error)
            self.status = max(self.status, 2 if top else 1)
            return
        entries = [self._entry(place, name) for name in self._names(place, [name for name, _ in found])]
        entries = self._sorted(entries)
        if self.printed:
            self.ctx.line()
        if titled:
            self.ctx.line(f"{_title(title, self.style)}:")
        if self.style.layout == "long" or self.style.blocks:
            self.ctx.line(listing.total_line(entries, self.style))
        self._print(entries)
        self.printed = True
        if "recursive" in self.parsed:
            for entry in entries:
                if entry.stat and entry.stat.kind is FileKind.DIRECTORY and entry.name not in (".", ".."):
                    self._directory(paths.join(title, entry.name), paths.join(place, entry.name), True, top=False)

    def _names(self, place: str, names: list[str]) -> list[str]:
        parsed = self.parsed
        everything = "all" in parsed or "everything" in parsed
        hidden = [] if everything or "almost_all" in parsed else [".*", *parsed.all("hide")]
        ignored = [*hidden, *parsed.all("ignore"), *(["*~", ".*~"] if "ignore_backups" in parsed else [])]
        kept = [name for name in names if not any(_matches(name, pattern) for pattern in ignored)]
        return [".", "..", *kept] if everything else kept

    def _entry(self, place: str, name: str) -> Entry:
        path = paths.absolute(self.ctx, f"{place}/{name}")
        files = paths.tree(self.ctx)
        try:
            follow = "dereference" in self.parsed and (self.style.layout == "long" or files.exists(path))
            stat = files.stat(path) if follow else files.lstat(path)
        except FileError as error:
            file_error(self.ctx, "cannot access", paths.join(place, name), error)
            self.status = max(self.status, 1)
            return Entry(name, None)
        return listing.entry_of(self.ctx, path, name, stat)

    def _print(self, entries: Sequence[Entry]) -> None:
        for line in listing.lines(self.ctx, entries, self.style):
            self.ctx.write(line + ("\0" if "zero" in self.parsed else "\n"))
        self.printed = self.printed or bool(entries)

    def _sorted(self, entries: list[Entry]) -> list[Entry]:
        wanted = _sort_order(self.ctx, self.parsed)
        key = sort_key(self.ctx.environment)
        if wanted != "none":
            entries = sorted(entries, key=lambda entry: key(entry.name))
        if wanted == "time":
            entries.sort(key=lambda entry: -(entry.stat.modified if entry.stat else 0))
        elif wanted == "size":
            entries.sort(key=lambda entry: -(entry.stat.size if entry.stat else 0))
        elif wanted == "extension":
            entries.sort(key=lambda entry: entry.name.rpartition(".")[2] if "." in entry.name else "")
        elif wanted == "version":
            entries.sort(key=lambda entry: version_key(entry.name))
        if "reverse" in self.parsed:
            entries = entries[::-1]
        if "group_directories_first" in self.parsed:
            entries.sort(key=lambda entry: not _is_directory(entry))
        return entries


def _is_directory(entry: Entry) -> bool:
    stat = entry.leads_to or entry.stat
    return stat is not None and stat.kind is FileKind.DIRECTORY


def _title(title: str, style: Style) -> str:
    from engine.commands.linux._support.words import listed

    return listed(title) if style.quoting == "shell" else title


def _matches(name: str, pattern: str) -> bool:
    """fnmatch with FNM_PERIOD: a leading period is matched only by a period."""
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return fnmatchcase(name, pattern)


def _style(ctx: Context, parsed: Parsed) -> Style:
    shown = ctx.terminal is not None
    wish = [(key, value) for key, value in parsed.given if key in _LAYOUT_KEYS or key == "format"]
    layout = "columns" if shown else "one"
    for key, value in wish:
        layout = _choice(ctx, "format", value, _FORMATS) if key == "format" else _LAYOUT_KEYS[key]
        if key == "one" and any(other in _LAYOUT_KEYS and _LAYOUT_KEYS[other] == "long" for other, _ in wish):
            layout = "long"
    if "zero" in parsed:
        layout = "long" if layout == "long" else "one"
    return Style(
        layout=layout,
        columns=_columns(ctx, parsed),
        human=1024 if "human_readable" in parsed else 1000 if "si" in parsed else 0,
        inode="inode" in parsed,
        blocks="size" in parsed,
        numeric="numeric" in parsed,
        owner="group_only" not in parsed,
        group="owner_only" not in parsed and "no_group" not in parsed,
        author="author" in parsed,
        indicator=_indicator(ctx, parsed, shown),
        quoting=_quoting(ctx, parsed, shown),
        colour=_colour(ctx, parsed, shown),
        time_style=_time_style(ctx, parsed) if layout == "long" else "locale",
    )


def _columns(ctx: Context, parsed: Parsed) -> int:
    width = parsed["width"]
    if width is not None:
        if not width.isdigit():
            raise UsageError(f"ls: invalid line width: {word(ctx.environment, width)}\n", 2)
        return int(width) or 1 << 30
    if ctx.environment.get("COLUMNS", "").isdigit():
        return int(ctx.environment["COLUMNS"]) or 80
    return ctx.terminal.columns if ctx.terminal else 80


def _indicator(ctx: Context, parsed: Parsed, shown: bool) -> str:
    if "classify_always" in parsed:
        return "classify"
    if "classify" in parsed:
        return "classify" if _when(ctx, "classify", parsed["classify"], shown) else ""
    if "indicator_style" in parsed:
        known = {"none": "", "slash": "slash", "file-type": "file-type", "classify": "classify"}
        return _choice(ctx, "indicator-style", parsed["indicator_style"], known)
    return "file-type" if "file_type" in parsed else "slash" if "slash" in parsed else ""


def _quoting(ctx: Context, parsed: Parsed, shown: bool) -> str:
    known = {"literal": "literal", "shell": "shell", "shell-always": "shell", "shell-escape": "shell",
             "shell-escape-always": "shell", "c": "c", "c-maybe": "c", "escape": "escape", "locale": "c"}  # fmt: skip
    if "zero" in parsed:
        return "literal"
    for key, value in reversed(parsed.given):
        if key == "quoting_style":
            return _choice(ctx, "quoting-style", value, known)
        if key in ("quote_name", "escape", "literal"):
            return {"quote_name": "c", "escape": "escape", "literal": "visible" if shown else "literal"}[key]
    return "shell" if shown else "literal"


def _colour(ctx: Context, parsed: Parsed, shown: bool) -> bool:
    if "color" not in parsed:
        return False
    known = ctx.environment.get("LS_COLORS") or ctx.environment.get("COLORTERM") or ctx.environment.get("TERM", "")
    return _when(ctx, "color", parsed["color"], shown) and known not in ("", "dumb")


def _when(ctx: Context, option: str, value: str, shown: bool) -> bool:
    """always, never or auto; the option without a word means always."""
    names = {"always": "yes", "yes": "yes", "force": "yes", "never": "no", "no": "no", "none": "no", "auto": "auto",
             "tty": "auto", "if-tty": "auto"}  # fmt: skip
    meaning = _choice(ctx, option, value or "always", names)
    return meaning == "yes" or (meaning == "auto" and shown)


def _time_style(ctx: Context, parsed: Parsed) -> str:
    if "full_time" in parsed and "time_style" not in parsed:
        return "full-iso"
    value = parsed["time_style"] or ctx.environment.get("TIME_STYLE", "locale")
    value = value.removeprefix("posix-")
    if value.startswith("+") or value in ("full-iso", "long-iso", "iso", "locale"):
        return str(value)
    text = f"invalid argument {word(ctx.environment, value)} for {word(ctx.environment, 'time style')}"
    known = "\n".join(f"  - [posix-]{name}" for name in ("full-iso", "long-iso", "iso", "locale"))
    extra = "  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n"
    tail = "Try 'ls --help' for more information.\n"
    raise UsageError(f"ls: {text}\nValid arguments are:\n{known}\n{extra}{tail}", 2)


def _sort_order(ctx: Context, parsed: Parsed) -> str:
    known = {"none": "none", "time": "time", "size": "size", "extension": "extension", "version": "version",
             "width": "name"}  # fmt: skip
    for key, value in reversed(parsed.given):
        if key in _SORT_KEYS:
            return _SORT_KEYS[key]
        if key == "sort":
            return _choice(ctx, "sort", value, known)
    return "name"


def _choice(ctx: Context, option: str, value: str, known: dict[str, str]) -> str:
    """The meaning of one of a few words, which may be cut short."""
    near = [name for name in known if name.startswith(value)]
    if value in known or len({known[name] for name in near}) == 1:
        return known[value] if value in known else known[near[0]]
    lines = [f"invalid argument {word(ctx.environment, value)} for {word(ctx.environment, '--' + option)}"]
    groups: dict[str, list[str]] = {}
    for name, meaning in known.items():
        groups.setdefault(meaning, []).append(word(ctx.environment, name))
    lines += ["Valid arguments are:", *("  - " + ", ".join(names) for names in groups.values())]
    raise refuse(ctx, "\n".join(lines))


OPTIONS = (
    Option("a", "all", help="with the names that begin with a period"),
    Option("A", "almost-all", help="the same, without . and .."),
    Option(None, "author", help="with -l, print the author"),
    Option("b", "escape", help="C escapes for characters that do not print"),
    Option("B", "ignore-backups", help="leave out names that end with ~"),
    Option("c", None, name="by_time_unless_long", help="sort by, and show, the time of change"),
    Option("C", None, name="columns", help="in columns"),
    Option(None, "color", "WHEN", optional=True, help="colours: always, auto or never"),
    Option("d", "directory", help="directories themselves, not what is in them"),
    Option("f", None, name="everything", help="everything, unsorted"),
    Option("F", None, name="classify_always", help="mark kinds: / directory, @ link, * program"),
    Option(None, "classify", "WHEN", optional=True, help="the same: always, auto or never"),
    Option(None, "file-type", help="the same without *"),
    Option(None, "format", "WORD", help="across, commas, long, single-column, vertical"),
    Option(None, "full-time", help="like -l --time-style=full-iso"),
    Option("g", None, name="group_only", help="like -l without the owner"),
    Option(None, "group-directories-first", help="directories before files"),
    Option("G", "no-group", help="with -l, without the group"),
    Option("h", "human-readable", help="sizes such as 1.5K, 23M, 2G"),
    Option(None, "si", help="the same in powers of 1000"),
    Option("H", "dereference-command-line", name="dereference_arguments", help="follow links among the arguments"),
    Option(None, "hide", "PATTERN", help="leave out names that match, unless -a or -A"),
    Option(None, "indicator-style", "WORD", help="none, slash, file-type or classify"),
    Option("i", "inode", help="print inode numbers"),
    Option("I", "ignore", "PATTERN", help="leave out names that match"),
    Option("k", "kibibytes", help="blocks of 1024 bytes, as is usual"),
    Option("l", None, name="long", help="long: mode, links, owner, group, size, time, name"),
    Option("L", "dereference", help="what links lead to, not the links"),
    Option("m", None, name="commas", help="names with commas between"),
    Option("n", "numeric-uid-gid", name="numeric", help="like -l with numbers for owner and group"),
    Option("N", "literal", help="names as they are"),
    Option("o", None, name="owner_only", help="like -l without the group"),
    Option("p", None, name="slash", help="mark directories with /"),
    Option("q", "hide-control-chars", help="? for characters that do not print"),
    Option("Q", "quote-name", help="names in double quotes"),
    Option(None, "quoting-style", "WORD", help="literal, shell, shell-escape, c, escape"),
    Option("r", "reverse", help="the other way round"),
    Option("R", "recursive", help="directories below too"),
    Option("s", "size", help="with the space taken, in blocks"),
    Option("S", None, name="by_size", help="largest first"),
    Option(None, "sort", "WORD", help="none, size, time, version, extension or name"),
    Option(None, "time", "WORD", help="which time: atime, ctime, mtime, birth"),
    Option(None, "time-style", "STYLE", help="full-iso, long-iso, iso, locale or +FORMAT"),
    Option("t", None, name="by_time", help="newest first"),
    Option("u", None, name="by_access", help="by the time of access"),
    Option("U", None, name="unsorted", help="as the directory has them"),
    Option("v", None, name="by_version", help="numbers in names by value"),
    Option("w", "width", "COLS", help="width of the output"),
    Option("x", None, name="across", help="in columns, sorted across"),
    Option("X", None, name="by_extension", help="by extension"),
    Option("1", None, name="one", help="one name a line"),
    Option(None, "zero", help="end lines with NUL"),
)  # fmt: skip

COMMAND = program(
    "ls",
    "list directory contents",
    run,
    synopsis="ls [OPTION]... [FILE]...",
    options=OPTIONS,
    status=2,
    manual="""
    Lists files, and what is in directories; the current one if none is named. Names are sorted as the locale sorts
    them. On a terminal names stand in columns, and those that a shell would misread are quoted.

    Status: 0 all right, 1 something below could not be read, 2 an argument could not be accessed.
    """,
)
