"""Choosing processes as pgrep and pkill do (procps-ng 4.0.4). Texts compared with procps-ng 4.0.2.

Process groups and sessions are not modelled: every process leads its own, as /proc/PID/stat shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.commands.context import Context
from engine.commands.linux._support import tasks
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.usage import try_help
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError
from engine.world.records import Process

Wanted = Callable[[Process], bool]
_WRONG = 2
_UNMODELLED = ("cgroup", "ns", "nslist", "logpidfile")

OPTIONS = (
    Option("c", "count", help="print how many processes match"),
    Option("f", "full", help="compare with the whole command line, not the name alone"),
    Option("g", "pgroup", "PGID,...", help="in one of these process groups"),
    Option("G", "group", "GID,...", help="of one of these groups"),
    Option("i", "ignore-case", help="capitals are the same as small letters"),
    Option("n", "newest", help="only the one that began last"),
    Option("o", "oldest", help="only the one that began first"),
    Option("O", "older", "SECONDS", help="only what is older than this"),
    Option("P", "parent", "PPID,...", help="only children of one of these"),
    Option("s", "session", "SID,...", help="in one of these sessions"),
    Option("t", "terminal", "TTY,...", help="on one of these terminals"),
    Option("u", "euid", "ID,...", help="of one of these users"),
    Option("U", "uid", "ID,...", help="the same"),
    Option("x", "exact", help="the whole name (or line) must match"),
    Option("F", "pidfile", "FILE", help="only processes whose ids are in FILE"),
    Option("L", "logpidfile", help="FILE must be locked"),
    Option("r", "runstates", "STATE", help="only processes in one of these states (D, S, Z, ...)"),
    Option("A", "ignore-ancestors", help="not those above this one"),
    Option(None, "cgroup", "GRP,...", help="in one of these cgroups"),
    Option(None, "ns", "PID", help="in the same namespaces as PID"),
    Option(None, "nslist", "NS,...", help="which namespaces --ns looks at"),
)


def matching(ctx: Context, parsed: Parsed) -> list[Process] | int:
    """The processes asked for, by id; a number is the status to end with instead. Raises UsageError."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"{ctx.name} --{key}")
    _check(ctx, parsed)
    wanted = _criteria(ctx, parsed)
    invert = "inverse" in parsed
    found = [each for each in tasks.tasks(ctx) if all(test(each) for test in wanted) != invert]
    if found and "newest" in parsed:
        found = [tasks.newest(found)]
    if found and "oldest" in parsed:
        found = [tasks.oldest(found)]
    pattern = parsed.operands[0] if parsed.operands else ""
    if not found and "full" not in parsed and len(pattern) > tasks.LONGEST_NAME:
        ctx.error(
            f"{ctx.name}: pattern that searches for process name longer than 15 characters will result in zero "
            f"matches\nTry `{ctx.name} -f' option to match against the complete command line."
        )
    return found


def _check(ctx: Context, parsed: Parsed) -> None:
    from engine.commands.linux._support.usage import usage_error

    if len(parsed.operands) > 1:
        raise try_help(ctx, "only one pattern can be provided", _WRONG, "`'")
    if sum(key in parsed for key in ("newest", "oldest", "inverse")) > 1:
        raise usage_error(ctx, status=_WRONG)
    narrowed = any(key in parsed for key in (*_NUMBERS, *_NAMED, "terminal", "pidfile", "runstates", "older"))
    if not parsed.operands and not narrowed:
        raise try_help(ctx, "no matching criteria specified", _WRONG, "`'")


def _criteria(ctx: Context, parsed: Parsed) -> list[Wanted]:
    tests: list[Wanted] = []
    if parsed.operands:
        tests.append(_pattern(ctx, parsed, parsed.operands[0]))
    for key, value in _NUMBERS.items():
        if key in parsed:
            tests.append(_among(_numbers(ctx, parsed[key]), value))
    for key, (what, look_up, of) in _NAMED.items():
        if key in parsed:
            tests.append(_named(ctx, parsed[key], what, look_up, of))
    if "terminal" in parsed:
        names = parsed["terminal"].split(",")
        tests.append(lambda each: (each.terminal or "") in [name.removeprefix("/dev/") for name in names])
    if "runstates" in parsed:
        states = parsed["runstates"]
        tests.append(lambda each: each.state[:1] in states)
    if "older" in parsed:
        least = _seconds(ctx, parsed["older"])
        tests.append(lambda each: tasks.age(ctx, each) > least)
    if "pidfile" in parsed:
        tests.append(_among([_pid_in(ctx, parsed["pidfile"])], lambda each: each.pid))
    return tests


def _pattern(ctx: Context, parsed: Parsed, text: str) -> Wanted:
    try:
        pattern = compile_pattern(f"^(?:{text})$" if "exact" in parsed else text, "ignore-case" in parsed)
        compile_pattern(text)
    except PatternError:
        raise UsageError(f"{ctx.name}: regex error: Invalid regular expression\n", _WRONG) from None
    full = "full" in parsed
    return lambda each: bool(pattern.search(each.command if full else tasks.name(each)))


def _among(values: Sequence[int], value: Callable[[Process], int]) -> Wanted:
    return lambda each: value(each) in values


def _named(
    ctx: Context,
    text: str,
    what: str,
    look_up: Callable[[Context, str], int | None],
    of: Callable[[Context, Process], int],
) -> Wanted:
    numbers = {word: look_up(ctx, word) for word in text.split(",")}
    wrong = next((word for word, number in numbers.items() if number is None), None)
    if wrong is not None:
        raise UsageError(f"{ctx.name}: invalid {what} name: {wrong}\n", _WRONG)
    return lambda each: of(ctx, each) in numbers.values()


def _numbers(ctx: Context, text: str) -> list[int]:
    for word in text.split(","):
        if not word.isdigit():
            raise UsageError(f"{ctx.name}: not a number: {word}\n", _WRONG)
    return [int(word) for word in text.split(",")]


def _seconds(ctx: Context, text: str) -> int:
    if not text.isdigit():
        raise UsageError(f"{ctx.name}: not a number: {text}\n", _WRONG)
    return int(text)


def _pid_in(ctx: Context, path: str) -> int:
    from engine.commands.linux._support import paths

    try:
        text = paths.read(ctx, path).decode("ascii", "replace").strip()
    except FileError:
        text = ""
    if not text.isdigit():
        raise try_help(ctx, "pidfile not valid", 1, "`'")
    return int(text)


_NUMBERS: dict[str, Callable[[Process], int]] = {
    "parent": lambda each: each.parent,
    "pgroup": lambda each: each.pid,
    "session": lambda each: each.pid,
}
_NAMED: dict[str, tuple[str, Callable[[Context, str], int | None], Callable[[Context, Process], int]]] = {
    "euid": ("user", tasks.user_number, tasks.uid),
    "uid": ("user", tasks.user_number, tasks.uid),
    "group": ("group", tasks.group_number, tasks.gid),
}
