"""ps of procps-ng 4.0.4: what runs. Formats compared with procps-ng 4.0.2's."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.process_columns import COLUMNS, UNLIMITED, Column, cell
from engine.commands.linux._support.processes import Row, own_terminal, rows
from engine.commands.options import Option, UsageError, option_lines
from engine.control.accounts import accounts

SYNOPSIS = "ps [OPTION]..."
_FORMATS = {
    "default": "pid,tname,time,ucmd",
    "full": "user=UID,pid,ppid,c,stime,tname,time,cmd",
    "extra": "user=UID,pid,ppid,c,sz,rss,psr,stime,tname,time,cmd",
    "threads": "user=UID,pid,ppid,lwp,c,nlwp,stime,tname,time,cmd",
    "long": "f,s,uid,pid,ppid,c,opri=PRI,ni,addr,sz,wchan,tname,time,ucmd",
    "jobs": "pid,pgid,sid,tname,time,ucmd",
    "bsd": "pid,tname,stat,bsdtime,args",
    "bsd_user": "user,pid,pcpu,pmem,vsz,rss,tname,stat,start_time,bsdtime,args",
    "bsd_long": "f,uid,pid,ppid,priority,ni,vsz,rss,wchan,stat,tname,bsdtime,args",
    "bsd_jobs": "ppid,pid,pgid,sid,tname,stat,uid,bsdtime,args",
}
_SORT_NAMES = {"+pid": "pid", "cpu": "pcpu", "mem": "pmem", "start": "lstart", "tty": "tty", "cmd": "args"}
_TAKES_VALUE = {"o": "format", "O": "format", "p": "pid", "q": "pid", "u": "user", "U": "user", "C": "command",
                "t": "tty", "g": "group", "G": "group", "s": "session"}  # fmt: skip
_BSD_VALUES = {"o": "format", "p": "pid", "q": "pid", "U": "user", "t": "tty", "k": "sort", "O": "format"}
_LONG_VALUES = {"format": "format", "pid": "pid", "quick-pid": "pid", "user": "user", "User": "user", "sort": "sort",
                "ppid": "ppid", "tty": "tty", "cols": "columns", "columns": "columns", "width": "columns",
                "group": "group", "Group": "group", "sid": "session", "rows": "rows", "lines": "rows"}  # fmt: skip
Test = Callable[[Row], bool]


@dataclass
class _Request:
    """What the command line asked for."""

    shape: str = ""
    columns: list[tuple[str, str | None, int | None]] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    sort: list[str] = field(default_factory=list)
    everything: bool = False
    bsd: set[str] = field(default_factory=set)
    forest: bool = False
    headers: bool = True
    wide: int = 0
    width: int | None = None
    negate: bool = False


def run(ctx: Context) -> int:
    """Print the processes asked for."""
    if "--help" in ctx.arguments:
        ctx.write(_usage())
        return 0
    if "--version" in ctx.arguments or "-V" in ctx.arguments or "V" in ctx.arguments:
        ctx.line("ps from procps-ng 4.0.4")
        return 0
    request = _Reader(ctx).read()
    chosen = _selected(ctx, request)
    _print(ctx, request, _ordered(request, chosen))
    return 0 if chosen else 1


def _usage() -> str:
    options = [
        Option("e", None, help="everything; -A too"), Option("f", None, help="full: with users, parents and arguments"),
        Option("F", None, help="extra full"), Option("l", None, help="long"), Option("L", None, help="threads"),
        Option("p", None, "PIDS", help="these processes"), Option("u", None, "USERS", help="of these users"),
        Option("C", None, "NAMES", help="of these names"), Option("t", None, "TERMINALS", help="at these terminals"),
        Option(None, "ppid", "PIDS", help="children of these"), Option("o", None, "COLUMNS", help="these columns"),
        Option(None, "sort", "COLUMNS", help="in this order; -COLUMN reverses"), Option("H", None, help="as a tree"),
        Option(None, "forest", help="as a tree with lines"), Option(None, "no-headers", help="no header"),
        Option("N", None, help="all but those"), Option("w", None, help="wide; twice for no limit"),
    ]  # fmt: skip
    lines = [f"Usage: {SYNOPSIS}", "Show what runs. BSD style: ps aux (everything, by user), ps axf (as a tree).", ""]
    return "\n".join([*lines, *option_lines(options), "", "The manual: man ps", ""])


class _Reader:
    """Reads a command line, in which Unix (-ef), BSD (aux) and GNU (--sort) options may be mixed."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.queue = list(ctx.arguments)
        self.request = _Request()

    def read(self) -> _Request:
        """The request. Raises UsageError."""
        while self.queue:
            word = self.queue.pop(0)
            if word.startswith("--"):
                self._long(word[2:])
            elif word.startswith("-") and len(word) > 1:
                self._letters(word[1:], _TAKES_VALUE, self._unix)
            elif word[:1].isdigit():
                self._take("pid", word)
            else:
                self._letters(word, _BSD_VALUES, self._bsd)
        return self.request

    def refuse(self, text: str) -> UsageError:
        return UsageError(f"error: {text}\n\n{_usage()}")

    def _letters(self, letters: str, takes: dict[str, str], act: Callable[[str], None]) -> None:
        while letters:
            letter, letters = letters[0], letters[1:]
            if letter not in takes:
                act(letter)
                continue
            value = letters or (self.queue.pop(0) if self.queue else "")
            if not value:
                raise self.refuse(f"list of {takes[letter]}s must follow -{letter}" if letter != "o"
                                  else "format specification must follow -o")  # fmt: skip
            self._take(takes[letter], value)
            letters = ""

    def _unix(self, letter: str) -> None:
        request = self.request
        shapes = {"f": "full", "F": "extra", "l": "long", "j": "jobs"}
        if letter in ("e", "A"):
            request.everything = True
        elif letter in ("a", "d"):
            request.tests.append(lambda row: row.tty != "?" if letter == "a" else True)
        elif letter in shapes:
            request.shape = "threads" if request.shape == "lwp" and letter == "f" else shapes[letter]
        elif letter in ("L", "T"):
            request.shape = "threads" if request.shape == "full" else "lwp"
        elif letter == "N":
            request.negate = True
        elif letter == "H":
            request.forest = True
        elif letter == "w":
            request.wide += 1
        elif letter not in "cmyMPZ":
            raise self.refuse("unsupported SysV option")

    def _bsd(self, letter: str) -> None:
        request = self.request
        shapes = {"u": "bsd_user", "l": "bsd_long", "j": "bsd_jobs"}
        if letter in shapes:
            request.shape = shapes[letter]
        elif letter == "f":
            request.forest = True
        elif letter == "w":
            request.wide += 1
        elif letter == "h":
            request.headers = False
        elif letter == "r":
            request.tests.append(lambda row: row.state[0] in "RD")
        elif letter in "axgT":
            request.bsd.add(letter)
        elif letter not in "ecmnSsvX":
            raise self.refuse("unsupported option (BSD syntax)")
        request.shape = request.shape or "bsd"

    def _long(self, text: str) -> None:
        name, equals, value = text.partition("=")
        if name in ("forest", "no-headers", "no-heading", "headers", "deselect", "cumulative"):
            self.request.forest |= name == "forest"
            self.request.negate |= name == "deselect"
            self.request.headers &= not name.startswith("no-")
            return
        if name not in _LONG_VALUES:
            raise self.refuse("unknown gnu long option")
        if not equals:
            if not self.queue:
                raise self.refuse(f"missing argument after --{name}")
            value = self.queue.pop(0)
        self._take(_LONG_VALUES[name], value)

    def _take(self, kind: str, value: str) -> None:
        request = self.request
        if kind == "format":
            request.columns += self._columns(value)
        elif kind == "sort":
            request.sort += value.split(",")
            for key in request.sort:
                if _sort_column(key) is None:
                    raise self.refuse("unknown sort specifier")
        elif kind == "columns":
            request.width = int(value) if value.isdigit() else None
        elif kind != "rows":
            request.tests.append(self._test(kind, re.split(r"[,\s]+", value.strip())))

    def _columns(self, text: str) -> list[tuple[str, str | None, int | None]]:
        """`pid,user:20,args=WHAT`: name, header, width. A header with = takes the rest of the text."""
        found: list[tuple[str, str | None, int | None]] = []
        rest = text
        while rest:
            match = re.match(r"[,\s]*([^,=:\s]+)(?::(\d+))?", rest)
            if not match:
                break
            name, width = match[1], int(match[2]) if match[2] else None
            rest = rest[match.end() :]
            header: str | None = None
            if rest.startswith("="):
                header, rest = rest[1:], ""
                if re.search(r",\s*[\w%]+=", header) or header.startswith(","):
                    header, _, rest = header.partition(",")
            if name.lower() not in COLUMNS:
                raise self.refuse(f'unknown user-defined format specifier "{name}"')
            found.append((name.lower(), header, width))
        return found

    def _test(self, kind: str, values: list[str]) -> Test:
        if kind in ("pid", "ppid", "session"):
            if not all(value.isdigit() for value in values):
                raise self.refuse("process ID list syntax error")
            numbers = {int(value) for value in values}
            if kind == "ppid":
                return lambda row: row.process.parent in numbers
            return lambda row: row.process.pid in numbers
        if kind == "user":
            return self._user_test(values)
        if kind == "group":
            return lambda row: str(row.uid) in values or row.process.user in values
        if kind == "tty":
            names = {value.removeprefix("/dev/") for value in values}
            return lambda row: row.tty in names
        return lambda row: row.name in {value[:15] for value in values}

    def _user_test(self, values: list[str]) -> Test:
        known = {account.name: account.uid for account in accounts(self.ctx.inventory)}
        for value in values:
            if value not in known and not value.isdigit():
                raise self.refuse("user name does not exist")
        numbers = {known.get(value, int(value) if value.isdigit() else -1) for value in values}
        return lambda row: row.uid in numbers


def _selected(ctx: Context, request: _Request) -> list[Row]:
    found = rows(ctx)
    terminal = own_terminal(ctx)
    bsd = request.bsd & {"a", "x", "g"}
    if request.everything or {"a", "x"} <= bsd:
        return [] if request.negate else found
    tests = list(request.tests)
    if "x" in bsd:
        tests.append(lambda row: row.uid == ctx.identity.uid)
    if "a" in bsd:
        tests.append(lambda row: row.tty != "?")
    if not tests:
        tests.append(lambda row: row.uid == ctx.identity.uid and row.tty == (terminal or "?"))
    return [row for row in found if any(test(row) for test in tests) != request.negate]


def _sort_column(key: str) -> Column | None:
    name = key.lstrip("+-").lower()
    return COLUMNS.get(_SORT_NAMES.get(name, name))


def _ordered(request: _Request, chosen: list[Row]) -> list[tuple[str, Row]]:
    """Rows with the branch that is drawn before their command."""
    for key in reversed(request.sort):
        column = _sort_column(key)
        assert column is not None
        value = column.key or (lambda row, column=column: column.value(None, row))  # type: ignore[misc]
        chosen = sorted(chosen, key=value, reverse=key.startswith("-"))
    if not request.forest:
        return [("", row) for row in chosen]
    pids = {row.process.pid for row in chosen}
    below: dict[int, list[Row]] = {}
    for row in chosen:
        parent = row.process.parent if row.process.parent in pids else -1
        below.setdefault(parent, []).append(row)
    return list(_tree(below, -1, ""))


def _tree(below: dict[int, list[Row]], parent: int, indent: str) -> list[tuple[str, Row]]:
    found: list[tuple[str, Row]] = []
    children = below.get(parent, [])
    for index, row in enumerate(children):
        top = parent == -1
        found.append(("" if top else indent + " \\_ ", row))
        more = "" if top else indent + (" |  " if index < len(children) - 1 else "    ")
        found += _tree(below, row.process.pid, more)
    return found


def _print(ctx: Context, request: _Request, ordered: list[tuple[str, Row]]) -> None:
    chosen = request.columns or _columns_of(request.shape or "default")
    layout = [(COLUMNS[name], header, width) for name, header, width in chosen]
    limit = _limit(ctx, request)
    widths = [_width(column, header, width) for column, header, width in layout]
    if request.headers and any(header != "" for _, header, _ in layout):
        titles = [_title(column, header, width) for (column, header, _), width in zip(layout, widths, strict=True)]
        ctx.line(" ".join(titles).rstrip()[:limit])
    line = _line_of(ctx, [column for column, _, _ in layout], widths)
    ctx.write("".join(line(row, branch)[:limit] + "\n" for branch, row in ordered))


def _line_of(ctx: Context, columns: list[Column], widths: list[int]) -> Callable[[Row, str], str]:
    """What makes a row's line. The last column is not padded where it may be as long as it is."""
    last = len(columns) - 1
    fitted = [
        (column, 0 if index == last and not column.right and not column.cut else width)
        for index, (column, width) in enumerate(zip(columns, widths, strict=True))
    ]
    branching = [(column, width, column.header in ("COMMAND", "CMD")) for column, width in fitted]

    def line(row: Row, branch: str) -> str:
        cells = [cell(ctx, column, row, width, branch if grows else "") for column, width, grows in branching]
        return " ".join(cells).rstrip()

    return line


def _width(column: Column, header: str | None, width: int | None) -> int:
    if width is not None:
        return width
    title = column.header if header is None else header
    return max(column.width, len(title)) if column.width != UNLIMITED else max(len(title), 27)


def _title(column: Column, header: str | None, width: int) -> str:
    title = column.header if header is None else header
    return title.rjust(width) if column.right else title.ljust(width)


def _limit(ctx: Context, request: _Request) -> int | None:
    """Columns of the terminal; no limit elsewhere or with -ww."""
    if request.width is not None:
        return request.width
    if ctx.terminal is None or request.wide > 1:
        return None
    return 132 if request.wide else ctx.terminal.columns


def _columns_of(shape: str) -> list[tuple[str, str | None, int | None]]:
    """The columns of one of the named formats."""
    text = "pid,lwp,tname,time,ucmd" if shape == "lwp" else _FORMATS[shape]
    parts = [part.partition("=") for part in text.split(",")]
    return [(name, header or None, None) for name, _, header in parts]


COMMAND = Command(
    "ps",
    "show what runs",
    run,
    SYNOPSIS,
    manual="""Without options, your processes at this terminal. `ps aux` and `ps -ef` show everything, `-o` chooses
columns: pid ppid user pcpu pmem rss vsz stat tty time etime lstart comm args psr nlwp cgroup unit. `--sort=-pcpu` puts
the busiest first. STAT begins with R (running), S (sleeping), D (waiting in the kernel), T (stopped), Z (zombie) or I
(idle kernel thread).""",
)
