"""Columns, times, amounts, YAML and JSON as Kubernetes' programs write them."""

from __future__ import annotations

import pytest

from engine.commands.kubernetes._kubectl import json_text, quantities, spans, tab_writer, yaml_text
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND


def test_a_column_ends_where_a_line_has_no_cell() -> None:
    text = "Name:\ta\nLongest name:\tb\nEvents:\n  Type\tAge\n  Warning\t5s\n"
    assert tab_writer.aligned(text) == ("Name:          a\nLongest name:  b\nEvents:\n  Type     Age\n  Warning  5s\n")


def test_tables_have_room_and_remember_widths() -> None:
    widths: list[int] = []
    assert tab_writer.table([["NAME", "AGE"], ["a", "5s"]], widths) == "NAME   AGE\na      5s\n"
    assert tab_writer.table([["longer-name", "6s"]], widths) == "longer-name   6s\n"
    assert tab_writer.table([["a", "7s"]], widths) == "a             7s\n"


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0s"), (119 * SECOND, "119s"), (120 * SECOND, "2m"), (209 * SECOND, "3m29s"), (10 * MINUTE, "10m"),
        (179 * MINUTE, "179m"), (3 * HOUR, "3h"), (5 * HOUR + 20 * MINUTE, "5h20m"), (8 * HOUR + MINUTE, "8h"),
        (47 * HOUR, "47h"), (2 * DAY + HOUR, "2d1h"), (6 * DAY, "6d"), (17 * DAY + HOUR, "17d"), (800 * DAY, "2y70d"),
        (-SECOND // 2, "0s"), (-5 * SECOND, "<invalid>"),
    ],
)  # fmt: skip
def test_ages(span: int, text: str) -> None:
    assert spans.human(span) == text


def test_times_of_the_api() -> None:
    moment = spans.parse("2026-11-30T14:09:45Z")
    assert moment == 1_796_047_785 * SECOND
    assert spans.since("2026-11-30T14:09:45Z", moment + 14 * SECOND) == "14s"
    assert spans.since(None, 0) == "<unknown>"
    assert spans.long("2026-11-30T14:09:45Z") == "Mon, 30 Nov 2026 14:09:45 +0000"
    assert spans.parse("2026-11-30T14:09:45.250000Z") == moment + SECOND // 4


@pytest.mark.parametrize(
    ("text", "canonical", "milli", "value"),
    [
        ("1500m", "1500m", 1500, 2), ("2", "2", 2000, 2), ("0", "0", 0, 0), ("1.5", "1500m", 1500, 2),
        ("1024Ki", "1Mi", 1024**2 * 1000, 1024**2), ("1000Gi", "1000Gi", 1000 * 1024**3 * 1000, 1000 * 1024**3),
        ("2063916Mi", "2063916Mi", 2063916 * 1024**2 * 1000, 2063916 * 1024**2), ("2000", "2k", 2000000, 2000),
        ("1e3", "1k", 1000000, 1000), ("500Ki", "500Ki", 512000000, 512000), ("-5", "-5", -5000, -5),
    ],
)  # fmt: skip
def test_amounts(text: str, canonical: str, milli: int, value: int) -> None:
    amount = quantities.parse(text)
    assert (str(amount), amount.milli, amount.value) == (canonical, milli, value)


def test_a_sum_is_written_like_its_first_part() -> None:
    total = quantities.parse("256Gi") + quantities.parse("256Gi")
    assert str(total) == "512Gi"
    assert str(quantities.parse("0") + quantities.parse("1Ki")) == "1Ki"
    with pytest.raises(ValueError, match="regular expression"):
        quantities.parse("5 apples")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("true", '"true"'), ("8", '"8"'), ("2026-11-30T14:09:45Z", '"2026-11-30T14:09:45Z"'), ("y", '"y"'),
        ("foo: bar", "'foo: bar'"), ("", '""'), ("plain", "plain"), ("[a]", "'[a]'"), ("- x", "'- x'"), ("-x", "-x"),
        ("it's", "it's"), ("1.2.3", "1.2.3"), ("a #c", "'a #c'"), ("http://x:80/a?b", "http://x:80/a?b"),
        (None, "null"), (3, "3"), (True, "true"), ("a\nb\n", "|\n  a\n  b"), ("x: ", "'x: '"), ("0x1f", '"0x1f"'),
    ],
)  # fmt: skip
def test_yaml_quotes_what_it_must(value: object, text: str) -> None:
    assert yaml_text.dump({"a": value}) == f"a: {text}\n"


def test_yaml_of_lists_and_the_order_of_keys() -> None:
    assert yaml_text.dump({"b": [{"c": 1, "a": []}], "a": {}, "key10": 1, "key9": 2, "Z": 3}) == (
        "Z: 3\na: {}\nb:\n- a: []\n  c: 1\nkey9: 2\nkey10: 1\n"
    )


def test_yaml_folds_long_text() -> None:
    text = "0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 more"
    assert yaml_text.dump({"message": text}) == (
        "message: '0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane:\n"
        "  }, 3 more'\n"
    )


def test_json_escapes_what_html_takes() -> None:
    assert json_text.pretty({"b": "<&>", "a": [1]}) == (
        '{\n    "a": [\n        1\n    ],\n    "b": "\\u003c\\u0026\\u003e"\n}'
    )
    assert json_text.compact({"b": 1, "a": {}}) == '{"a":{},"b":1}'
