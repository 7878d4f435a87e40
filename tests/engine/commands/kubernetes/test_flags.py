"""Command lines as cobra reads them, and what it says of wrong ones."""

from __future__ import annotations

import pytest

from engine.commands.kubernetes._kubectl.flags import Flag, FlagError, duration, flags, read
from engine.kernel.units import HOUR, MINUTE, SECOND

KNOWN = (
    Flag("namespace", "n"), Flag("output", "o"), Flag("tail", kind="int"), Flag("timeout", kind="duration"),
    Flag("dry-run", bare="unchanged"), *flags("bool", "A/all-namespaces i/stdin t/tty watch"), Flag("for", kind="list"),
)  # fmt: skip


def test_options_and_operands_mix() -> None:
    line = read(KNOWN, ["pods", "-n", "lab", "-owide", "--tail=3", "a", "-it", "--", "-n", "x"])
    assert line.operands == ["pods", "a"] and line.after == ["-n", "x"]
    assert (line.text("namespace"), line.text("output"), line.number("tail", -1)) == ("lab", "wide", 3)
    assert line.on("stdin") and line.on("tty") and not line.on("all-namespaces")


def test_flags_take_a_value_only_with_an_equals_sign() -> None:
    line = read(KNOWN, ["--watch=false", "--watch", "x", "--dry-run", "y", "-n=lab"])
    assert line.operands == ["x", "y"] and line.on("watch")
    assert line.text("dry-run") == "unchanged" and line.text("namespace") == "lab"
    assert not read(KNOWN, ["--watch=false"]).on("watch", True)


def test_lists_keep_every_value() -> None:
    line = read(KNOWN, ["--for=a,b", "--for", "c"])
    assert line.all("for") == ["a", "b", "c"] and line.raw("for") == ["a,b", "c"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--foo", "unknown flag: --foo"),
        ("-iz", "unknown shorthand flag: 'z' in -z"),
        ("--namespace", "flag needs an argument: --namespace"),
        ("-tn", "flag needs an argument: 'n' in -n"),
        ("--tail=x", 'invalid argument "x" for "--tail" flag: strconv.ParseInt: parsing "x": invalid syntax'),
        ("-i=x", 'invalid argument "x" for "-i, --stdin" flag: strconv.ParseBool: parsing "x": invalid syntax'),
        ("--timeout=5", 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"'),
        ("--timeout=x", 'invalid argument "x" for "--timeout" flag: time: invalid duration "x"'),
        ("---x", "bad flag syntax: ---x"),
    ],
)  # fmt: skip
def test_refusals(words: str, text: str) -> None:
    with pytest.raises(FlagError) as refused:
        read(KNOWN, words.split())
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("90s", 90 * SECOND), ("1h30m", HOUR + 30 * MINUTE), ("1.5s", 3 * SECOND // 2)]
)
def test_durations(text: str, value: int) -> None:
    assert duration(text) == value
