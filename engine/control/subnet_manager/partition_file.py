"""partitions.conf as opensm reads it.

    NAME = KEY, FLAG[=VALUE], ... : MEMBER[=MEMBERSHIP], ... ;

Grammar, abbreviations and errors of opensm 3.3.23 (osm_prtn_config.c): a statement ends with `;` and may go over
several lines; a line that begins with `mgid=` in place of members makes a multicast group. Words may be cut short
(`AL`, `lim`). What it does not understand among flags it passes over; a definition or member that it cannot read ends
the reading, and then all of the file counts for nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FULL, LIMITED = "full", "limited"
_MEMBERSHIPS = (FULL, "both", LIMITED)
_GROUP_FLAGS = ("mtu", "rate", "scope", "Q_Key", "TClass", "sl", "FlowLabel")
_NUMBER = re.compile(r"\s*(?:(0[xX][0-9a-fA-F]+)|(0[0-7]*)|([1-9]\d*))")
_BLANKS = " \t\n"
DEFAULT_RATE, DEFAULT_MTU = 3, 4
"""Numbers of 10 Gb/s and 2048 bytes: those of a broadcast group without flags (osm_base.h)."""


@dataclass(slots=True)
class Definition:
    """A statement: name, key (0: none given), flags and members as (selector, full or limited), in order."""

    name: str = ""
    key: int = 0
    ipoib: bool = False
    first: bool = False
    membership: str = LIMITED
    rate: int = DEFAULT_RATE
    mtu: int = DEFAULT_MTU
    level: int = 0
    members: list[tuple[str, str]] = field(default_factory=list)


class Unreadable(Exception):
    """What opensm says of a statement that it cannot read."""


def definitions(text: str) -> tuple[list[Definition], str | None]:
    """The statements of a file, and what opensm logs if it can't read it: it then takes none of them."""
    found = list[Definition]()
    current: Definition | None = None
    for number, line in enumerate(text.splitlines(), 1):
        rest = line.partition("#")[0]
        while rest.strip(_BLANKS):
            piece, ends, rest = rest.partition(";")
            try:
                if current is None:
                    current, piece = _header(piece)
                    found.append(current)
                _members(current, piece)
            except Unreadable as problem:
                return found, f"parse_part_conf: PARSE ERROR: line {number}: {problem}"
            if not ends:
                break
            current = None
    return found, None


def _header(text: str) -> tuple[Definition, str]:
    """What stands before the colon, and the rest."""
    head, colon, rest = text.partition(":")
    if not colon:
        raise Unreadable("no partition definition found")
    made = Definition()
    first, *flags = head.split(",")
    name, value = _pair(first)
    if value is None and name[:1].isdigit():
        name, value = "", name
    made.name = name
    if value is not None:
        made.key = _whole(value) & 0x7FFF
    for flag in flags:
        _flag(made, *_pair(flag))
    return made, rest


def _flag(made: Definition, flag: str, value: str | None) -> None:
    """A flag that is not known, or whose value is none, counts for nothing."""
    group = next((name for name in _GROUP_FLAGS if name.startswith(flag)), None)
    if group:
        number = _leading(value or "")
        if group == "sl" and number is not None and number <= 15:
            made.level = number
        elif group == "rate":
            made.rate = number or 0
        elif group == "mtu":
            made.mtu = number or 0
    elif "ipoib".startswith(flag):
        made.ipoib = True
    elif "defmember".startswith(flag):
        chosen = next((word for word in _MEMBERSHIPS if word.startswith(value or "?")), None)
        made.membership = _plain(chosen) if chosen else made.membership
    elif flag == "indx0":
        made.first = True


def _members(made: Definition, text: str) -> None:
    for word in text.split(","):
        name, value = _pair(word)
        if name == "mgid":
            return
        if not name or "NONE".startswith(name):
            continue
        membership = made.membership
        if value is not None:
            membership = _plain(next((known for known in _MEMBERSHIPS if known.startswith(value)), LIMITED))
        made.members.append((_selector(name), membership))


def _selector(name: str) -> str:
    """ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF, or a port GUID in hexadecimal digits."""
    for known in ("ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"):
        if known.startswith(name):
            return known
    form = _NUMBER.fullmatch(name)
    guid = _value(form) if form else 0
    if not guid:
        raise Unreadable("bad PortGUID")
    return f"{guid:x}"


def _plain(membership: str) -> str:
    """Both counts as full where a port may have only one of the two keys (allow_both_pkeys, off by default)."""
    return LIMITED if membership == LIMITED else FULL


def _pair(text: str) -> tuple[str, str | None]:
    """`name = value`; None without `=`."""
    name, equals, value = text.partition("=")
    return name.strip(_BLANKS), value.strip(_BLANKS) if equals else None


def _whole(text: str) -> int:
    form = _NUMBER.fullmatch(text)
    if not form:
        raise Unreadable("bad partition definition")
    return _value(form)


def _leading(text: str) -> int | None:
    form = _NUMBER.match(text)
    return _value(form) if form else None


def _value(form: re.Match[str]) -> int:
    """As strtoul reads it with base 0."""
    if form[1]:
        return int(form[1], 16)
    return int(form[2], 8) if form[2] else int(form[3])
