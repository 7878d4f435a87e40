"""/etc/services and /etc/protocols as the C library reads them: a name, a number (`22/tcp`, `6`), other names."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths


def rows(ctx: Context, path: str) -> list[list[str]]:
    """The words of each entry, without comments."""
    lines = paths.read_or(ctx, path).splitlines()
    return [words for line in lines if len(words := line.partition("#")[0].split()) > 1]


def answers(words: list[str], key: str) -> bool:
    """Whether an entry is the one for a name or number, with or without `/tcp`."""
    wanted, slash, protocol = key.partition("/")
    name, (number, _, own) = words[0], words[1].partition("/")
    return wanted in (name, number, *words[2:]) and (not slash or protocol == own)


def tcp_service(ctx: Context, key: str) -> tuple[str, int] | None:
    """Name and port of the TCP service of this name or number, or None."""
    found = next((words for words in rows(ctx, "/etc/services") if answers(words, f"{key}/tcp")), None)
    return (found[0], int(found[1].partition("/")[0])) if found else None
