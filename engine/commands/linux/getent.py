"""getent of glibc 2.39: the host's databases of users, groups, hosts and services, from its files.

The form of services and of protocols is compared with glibc 2.36.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths, services
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed, UsageError

_SUITE = Suite(
    "getent (Ubuntu GLIBC 2.39-0ubuntu8.3) 2.39",
    trailer="Try `getent --help' or `getent --usage' for more information.",
    status=64,
)
_FILES = {"passwd": "/etc/passwd", "group": "/etc/group", "shadow": "/etc/shadow", "services": "/etc/services",
          "protocols": "/etc/protocols"}  # fmt: skip
_NUMBERED = ("services", "protocols")
_UNKNOWN, _MISSING = 1, 2


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the entries asked for, or all."""
    if not parsed.operands:
        raise UsageError(f"getent: wrong number of arguments\n{_SUITE.trailer}\n", 64)
    database, *keys = parsed.operands
    if database in ("hosts", "ahosts", "ahostsv4"):
        return _hosts(ctx, keys, repeated=database != "hosts")
    if database not in _FILES:
        ctx.error(f"Unknown database: {database}\n{_SUITE.trailer}")
        return _UNKNOWN
    if database in _NUMBERED:
        return _numbered(ctx, services.rows(ctx, _FILES[database]), keys)
    lines = paths.read_or(ctx, _FILES[database]).splitlines()
    if not keys:
        for line in lines:
            ctx.line(line)
        return 0
    status = 0
    for key in keys:
        found = next((line for line in lines if _is(database, line, key)), None)
        if found is None:
            status = _MISSING
        else:
            ctx.line(found)
    return status


def _is(database: str, line: str, key: str) -> bool:
    fields = line.split(":")
    return fields[0] == key or (database in ("passwd", "group") and len(fields) > 2 and fields[2] == key)


def _numbered(ctx: Context, rows: list[list[str]], keys: list[str]) -> int:
    status = 0
    for key in keys:
        row = next((words for words in rows if services.answers(words, key)), None)
        if row is None:
            status = _MISSING
        else:
            _row(ctx, row)
    for words in [] if keys else rows:
        _row(ctx, words)
    return status


def _row(ctx: Context, words: list[str]) -> None:
    ctx.line(f"{words[0]:<21} {' '.join(words[1:])}")


def _hosts(ctx: Context, keys: list[str], repeated: bool) -> int:
    resolver = Resolver(ctx)
    if not keys:
        for words in resolver.lines:
            ctx.line(f"{words[0]:<15} {' '.join(words[1:])}")
        return 0
    status = 0
    for key in keys:
        address = resolver.address_of(key)
        if address is None:
            status = _MISSING
            continue
        names = next(
            (words[1:] for words in resolver.lines if words[0] == address and key in [address, *words[1:]]), [key]
        )
        if repeated:
            for kind in ("STREAM", "DGRAM", "RAW"):
                ctx.line(f"{address:<15} {kind:<6} {names[0] if kind == 'STREAM' else ''}".rstrip())
        else:
            ctx.line(f"{address:<15} {' '.join(names)}")
    return status


COMMAND = program(
    "getent",
    "look something up in the host's databases",
    run,
    suite=_SUITE,
    synopsis="getent [OPTION]... DATABASE [KEY]...",
    options=(
        Option("i", "no-idn", help="names as they are"),
        Option("s", "service", "CONFIG", help="from another source"),
    ),
    manual="Databases: passwd, group, shadow, hosts, services, protocols. Status 2 if a key was not found.",
)
