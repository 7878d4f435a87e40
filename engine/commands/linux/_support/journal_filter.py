"""Which entries journalctl shows: the options that choose, read into one filter (systemd 255)."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.journal import FACILITIES, Entry, entries, priority_number, with_boots
from engine.commands.linux._support.patterns import PatternError, compile_pattern, smart_case
from engine.commands.linux._support.timestamps import parse_timestamp
from engine.commands.options import Parsed, UsageError
from engine.control import journald
from engine.control.units import full_name
from engine.world.records import LogEntry

Test = Callable[[Entry], bool]
_BOOT = re.compile(r"([0-9a-f]{32})?([+-]?\d+)?")
_FIELD = re.compile(r"([A-Z0-9_]+)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Filter:
    """The entries wanted: between two times, and passing every test."""

    start: int | None
    end: int | None
    kernel: bool
    tests: tuple[Test, ...]

    def entries(self, ctx: Context) -> list[Entry]:
        """What the journal holds of them, oldest first."""
        found = entries(ctx.world, ctx.host, start=self.start, end=self.end, kernel=self.kernel)
        return [entry for entry in found if all(test(entry) for test in self.tests)]

    def among(self, ctx: Context, logs: list[LogEntry]) -> list[Entry]:
        """Those of some new entries."""
        chosen = [log for log in logs if not self.kernel or log.source == "kernel"]
        chosen = [log for log in chosen if self.end is None or log.time <= self.end]
        return [entry for entry in with_boots(ctx.world, ctx.host, chosen) if all(test(entry) for test in self.tests)]


def read_filter(ctx: Context, parsed: Parsed) -> Filter:
    """The filter that the options ask for. Raises UsageError."""
    kernel = "dmesg" in parsed
    named = parsed.all("boot")
    boot = named[-1] if named else "" if kernel else None
    start, end = _boot_span(ctx, boot) if boot is not None and boot != "all" else (None, None)
    since, until = _time(ctx, parsed["since"]), _time(ctx, parsed["until"])
    tests = [*_unit_tests(parsed), *_identifier_tests(parsed), *_priority_tests(parsed), *_facility_tests(parsed)]
    tests += [*_pattern_tests(parsed), *_match_tests(parsed.operands)]
    return Filter(_latest(start, since), _earliest(end, until), kernel, tuple(tests))


def _latest(one: int | None, other: int | None) -> int | None:
    return max(one, other) if one is not None and other is not None else one if other is None else other


def _earliest(one: int | None, other: int | None) -> int | None:
    return min(one, other) if one is not None and other is not None else one if other is None else other


def _time(ctx: Context, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return ctx.moment_of(parse_timestamp(text, clock.timezone(ctx), ctx.epoch))
    except (ValueError, OverflowError):
        raise UsageError(f"Failed to parse timestamp: {text}\n") from None


def is_boot(text: str) -> bool:
    """Whether a word names a boot: an offset, an id, both, or `all`."""
    return text == "all" or bool(text and _BOOT.fullmatch(text))


def _boot_span(ctx: Context, text: str) -> tuple[int, int | None]:
    match = _BOOT.fullmatch(text)
    if not match:
        raise UsageError(f"Failed to parse boot descriptor '{text}'\n")
    boots = journald.boots(ctx.world, ctx.host)
    identifier, offset = match[1], int(match[2] or 0)
    base = len(boots) - 1
    if identifier:
        known = [index for index, boot in enumerate(boots) if boot.id == identifier]
        base = known[0] if known else -1
    place = base + offset if offset <= 0 or identifier else offset - 1
    if base < 0 or not 0 <= place < len(boots):
        raise UsageError(
            f"Data from the specified boot ({text or '+0'}) is not available: No such boot ID in journal\n"
        )
    boot = boots[place]
    after = boots[place + 1].start - 1 if place + 1 < len(boots) else None
    return boot.start, after if boot.end is not None else None


def _unit_tests(parsed: Parsed) -> list[Test]:
    names = parsed.all("unit")
    if not names:
        return []
    patterns = [name if any(sign in name for sign in "*?[") else full_name(name) for name in names]
    return [lambda entry: any(fnmatch.fnmatchcase(unit, pattern) for unit in entry.units for pattern in patterns)]


def _identifier_tests(parsed: Parsed) -> list[Test]:
    names = parsed.all("identifier")
    return [lambda entry: entry.identifier in names] if names else []


def _priority_tests(parsed: Parsed) -> list[Test]:
    text = parsed["priority"]
    if text is None:
        return []
    low, dots, high = text.partition("..")
    first, last = priority_number(low), priority_number(high) if dots else 0
    if first is None or last is None:
        raise UsageError(f"Unknown log level {text}\n")
    bounds = sorted((first, last))
    return [lambda entry: bounds[0] <= entry.log.priority.value <= bounds[1]]


def _facility_tests(parsed: Parsed) -> list[Test]:
    words = [word for text in parsed.all("facility") for word in text.split(",")]
    for word in words:
        if word not in FACILITIES and not word.isdigit():
            raise UsageError(f'Bad --facility= argument "{word}".\n')
    numbers = {str(FACILITIES.get(word, word)) for word in words}
    return [lambda entry: entry.fields["SYSLOG_FACILITY"] in numbers] if words else []


def _pattern_tests(parsed: Parsed) -> list[Test]:
    text = parsed["grep"]
    if text is None:
        return []
    wanted = parsed["case_sensitive"]
    ignore = smart_case(text) if wanted is None else wanted in ("no", "0", "false", "n", "f", "off")
    try:
        pattern = compile_pattern(text, ignore)
    except PatternError as error:
        raise UsageError(f'Bad pattern "{text}": {error}\n') from None
    return [lambda entry: pattern.search(entry.log.text) is not None]


def _match_tests(operands: list[str]) -> list[Test]:
    """FIELD=VALUE words: the same field is or, different fields are and, `+` is or."""
    groups: list[dict[str, set[str]]] = [{}]
    for word in operands:
        match = _FIELD.fullmatch(word)
        if word == "+":
            groups.append({})
        elif word.startswith("/"):
            groups[-1].setdefault("_EXE", set()).add(word)
        elif match:
            groups[-1].setdefault(match[1], set()).add(match[2])
        else:
            raise UsageError(f"Failed to add match '{word}': Invalid argument\n")
    wanted = [group for group in groups if group]

    def test(entry: Entry) -> bool:
        fields = entry.fields
        return any(all(fields.get(name) in values for name, values in group.items()) for group in wanted)

    return [test] if wanted else []
