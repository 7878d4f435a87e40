"""Text patterns of evidence: what they find, what they refuse, and that no pattern or text takes long."""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise
from typing import Any

import pydantic
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.kernel.documents import DocumentError, read_document
from engine.kernel.validation import StrictModel, validate
from scenarios.patterns import MATCHES_PER_LINE, PatternError, Span, TextPattern, plain_text

VALUES = {"gpu.index": "1", "gpu.bus_id": "0000:1b:00.0", "node": "dgx-02", "port": "1", "odd": "a.b*(c)[d]|\\"}


def found(source: object, text: str) -> list[str]:
    return [span.line_text[span.start : span.end] for span in TextPattern.parse(source).find(text, VALUES)]


def refusal(source: object) -> str:
    with pytest.raises(PatternError) as caught:
        TextPattern.parse(source)
    return caught.value.message


def test_a_literal_is_found_where_it_stands() -> None:
    text = "first\n[12.3] NVRM: GPU at 0000:1b:00.0: fallen\nNVRM: GPU at 0000:1b:00.0: fallen"
    assert TextPattern.parse("GPU at {gpu.bus_id}: fallen").find(text, VALUES) == [
        Span(2, 13, 40, "[12.3] NVRM: GPU at 0000:1b:00.0: fallen"),
        Span(3, 6, 33, "NVRM: GPU at 0000:1b:00.0: fallen"),
    ]


def test_a_literal_has_no_special_characters_but_braces() -> None:
    assert found("a.b*(c)[d]|\\ ^$+?", "a.b*(c)[d]|\\ ^$+?") == ["a.b*(c)[d]|\\ ^$+?"]
    assert found("a.b", "axb") == []
    assert found('{{"node": "{node}"}}', '{"node": "dgx-02"}') == ['{"node": "dgx-02"}']
    assert found("{{{node}}}", "{dgx-02}") == ["{dgx-02}"]
    assert found("{odd}", "x a.b*(c)[d]|\\ y") == ["a.b*(c)[d]|\\"]
    assert found("naïve ●", "● naïve ●") == ["naïve ●"]


def test_runs_of_spaces_and_tabs_match_each_other_on_one_line() -> None:
    assert found("State:  Active", "State:\t Active") == ["State:\t Active"]
    assert found("State: Active", "State:      Active") == ["State:      Active"]
    assert found("State: Active", "State:Active\nState:\nActive") == []


def test_a_name_at_the_end_of_a_literal_is_a_whole_word() -> None:
    text = "mlx5_1 mlx5_10 mlx5_1: mlx5_11"
    assert found("mlx5_{port}", text) == ["mlx5_1", "mlx5_1"]
    assert found("{port} GPUs", "11 GPUs") == []
    assert found("{port} GPUs", "1 GPUs") == ["1 GPUs"]
    assert found("0{port}:", "001:") == ["01:"]


def test_an_expression_is_matched_line_by_line() -> None:
    assert found({"regex": r"^Xid.*: (79|119)\b"}, "x Xid: 79\nXid (PCI): 79, pid\nXid\n: 79") == ["Xid (PCI): 79"]
    assert found({"regex": "^b$"}, "a\nb\nc") == ["b"]
    assert found({"regex": "a[^x]b|a\\sb|(?s)a.b"}, "a\nb") == []
    assert found({"regex": r"x{2,3}\{1\}\x{41}\p{Greek}"}, "xxx{1}Aα") == ["xxx{1}Aα"]
    assert found({"regex": '{"a": 1}'}, '{"a": 1}') == ['{"a": 1}']


def test_a_name_in_an_expression_stands_for_its_literal_value() -> None:
    assert found({"regex": "^{odd}{2}$"}, "a.b*(c)[d]|\\" * 2) == ["a.b*(c)[d]|\\" * 2]
    assert found({"regex": "{gpu.bus_id}.*rev ff"}, "0000:1b:00.0 3D (rev ff)\n0000x1b:00.0 rev ff") == [
        "0000:1b:00.0 3D (rev ff"
    ]
    assert found({"regex": r"\{node\}"}, "{node} dgx-02") == ["{node}"]


def test_colours_and_carriage_returns_are_not_part_of_the_text() -> None:
    coloured = "\x1b[1;31mGPU\x1b[0m \x1b]0;title\x07lo\x1b[Kst\r\nnext \x1b(Bline\r\n"
    assert plain_text(coloured) == "GPU lost\nnext line\n"
    assert TextPattern.parse("GPU lost").find(coloured, {}) == [Span(1, 0, 8, "GPU lost")]


def test_places_count_characters() -> None:
    assert TextPattern.parse("b").find("é\n€é\ud800b", {}) == [Span(2, 3, 4, "€é?b")]


def test_matches_per_line_are_limited() -> None:
    spans = TextPattern.parse("a").find("a" * 1000 + "\na", {})
    assert [span.line_number for span in spans] == [1] * MATCHES_PER_LINE + [2]


def test_unknown_names_are_refused_with_the_nearest() -> None:
    pattern = TextPattern.parse("GPU {gpu.idnex} on {node}")
    assert pattern.names == ("gpu.idnex", "node")
    with pytest.raises(PatternError, match=r'unknown name "gpu\.idnex"; did you mean "gpu\.index"'):
        pattern.find("", VALUES)
    with pytest.raises(PatternError, match=r"gpu\.idnex"):
        pattern.require(VALUES)
    TextPattern.parse("{node}").require(VALUES)


@pytest.mark.parametrize("value", ["", "x" * 1001])
def test_a_value_that_cannot_be_sought_is_refused(value: str) -> None:
    with pytest.raises(PatternError, match='the name "node" stands for'):
        TextPattern.parse("{node} is down").find("is down", {"node": value})


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("a\nb", "one line"),
        ("a\x1b[31m", "one line"),
        ("x" * 1001, "longer than 1000"),
        ("{ }", "{{ and }}"),
        ("{}", "{{ and }}"),
        ("{a b}", "{{ and }}"),
        ("{a", "single brace"),
        ("a}", "single brace"),
        ({"regex": "(a"}, "missing )"),
        ({"regex": "a)"}, "unexpected )"),
        ({"regex": r"(a)\1"}, "invalid escape"),
        ({"regex": "(?=a)b"}, "(?="),
        ({"regex": "a\\"}, "RE2"),
        ({"regex": "x*"}, "everywhere"),
        ({"regex": "{node}?"}, "everywhere"),
        ({"regex": "^"}, "everywhere"),
        ({"regex": r"\Aa"}, "^ for the start"),
        ({"regex": r"a\z"}, "$ for the end"),
        ({"regex": r"a\C"}, ". for a character"),
        ({"regex": r"\Q{node}\E"}, "backslash"),
        ({"regex": r"(\pL\pN){2}"}, "complex"),
        ({"regex": "((a{100}){100}){100}"}, "repetition"),
        ({"regex": 3}, "regex: '...'"),
        ({}, "regex: '...'"),
        ({"regx": "a"}, 'unknown key "regx"; did you mean "regex"?'),
        ({"regex": "a", "flags": "i"}, 'unknown key "flags"'),
        (3, "regex: '...'"),
        (None, "regex: '...'"),
    ],
)
def test_refused_with_a_reason(source: object, said: str) -> None:
    assert said in refusal(source)


CATASTROPHIC = [
    "(x+x+)+y",
    "(a*)*b",
    "(a|a)*b",
    "(.*)(.*)(.*)(.*)[^a]q",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(a|b)*a(a|b){9}c",
]


@pytest.mark.parametrize("regex", CATASTROPHIC)
def test_expressions_that_stall_backtracking_engines_end(regex: str) -> None:
    assert found({"regex": regex}, "a" * 200_000 + "\n" + "x" * 200_000) == []


def test_many_matches_with_long_looks_ahead_end() -> None:
    assert len(found({"regex": "a.*b|a"}, "a" * 200_000)) == MATCHES_PER_LINE
    assert len(found({"regex": r"\b(zz)?"}, "a " * 100_000)) == 0


def test_unfinished_escape_sequences_end() -> None:
    assert plain_text("\x1b[" * 100_000) == ""
    assert plain_text("\x1b[" + "0" * 200_000) == "0" * 200_000
    assert plain_text("\x1b]" * 100_000 + "x") == ""


def test_patterns_are_values() -> None:
    pattern = TextPattern.parse("{node} down")
    assert pattern == TextPattern.parse("{node} down") != TextPattern.parse({"regex": "{node} down"})
    pattern.find("dgx-02 down", VALUES)
    for twin in (copy.deepcopy(pattern), pickle.loads(pickle.dumps(pattern))):
        assert (twin, hash(twin)) == (pattern, hash(pattern))
        assert len(twin.find("dgx-02 down", VALUES)) == 1
    assert TextPattern.parse(pattern) is pattern


def test_one_pattern_serves_many_worlds() -> None:
    pattern = TextPattern.parse("{node} down")
    text = "\n".join(f"n{i} down" for i in range(200))
    numbers = [pattern.find(text, {"node": f"n{i}"})[0].line_number for i in [*range(200), 0]]
    assert numbers == [*range(1, 201), 1]


class Evidence(StrictModel):
    pattern: TextPattern
    refuted_by: TextPattern | None = None


def test_a_field_of_a_model() -> None:
    evidence = validate(read_document("pattern: 'GPU {node}'\nrefuted_by: {regex: 'a+'}", "e.yaml"), Evidence)
    assert evidence.pattern == TextPattern("GPU {node}")
    assert evidence.refuted_by == TextPattern("a+", is_regex=True)
    with pytest.raises(DocumentError) as caught:
        validate(read_document("pattern:\n  GPU {\nrefuted_by:\n  regx: a", "e.yaml"), Evidence)
    assert str(caught.value).splitlines() == [
        'e.yaml:1: pattern: the pattern "GPU {" has a single brace; write {{ and }} for braces',
        'e.yaml:3: refuted_by: unknown key "regx"; did you mean "regex"?',
    ]
    schema: dict[str, Any] = Evidence.model_json_schema()["properties"]["pattern"]
    assert [form["type"] for form in schema["anyOf"]] == ["string", "object"]
    assert pydantic.TypeAdapter(TextPattern).validate_python("a") == TextPattern("a")


TEXTS = st.text(st.characters(exclude_characters="\x1b\x9b\r"))


@given(TEXTS, TEXTS, st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20))
def test_an_escaped_literal_is_found_in_any_text_that_holds_it(before: str, after: str, literal: str) -> None:
    assume(literal.strip())
    pattern = TextPattern.parse(literal.replace("{", "{{").replace("}", "}}"))
    spans = pattern.find(before + "\n" + literal + after, {})
    own_line = before.count("\n") + 2
    assert any(span.line_number == own_line and span.start == 0 for span in spans)


@given(st.text(alphabet="ab.*+?|()[]{}\\^$ n1,x:-"), st.text(alphabet="ab 1\nx\x1b[m\r\ud800é"), st.booleans())
def test_any_pattern_finds_spans_of_its_lines_or_is_refused(source: str, text: str, regex: bool) -> None:
    try:
        spans = TextPattern(source, regex).find(text, {"a": "b", "b": "é"})
    except PatternError as error:
        assert error.message and "\n" not in error.message
        return
    lines = plain_text(text).encode("utf-8", "replace").decode().split("\n")
    for span in spans:
        assert span.line_text == lines[span.line_number - 1]
        assert 0 <= span.start < span.end <= len(span.line_text)
    assert spans == sorted(spans, key=lambda span: (span.line_number, span.start))
    assert all(a.line_number < b.line_number or a.end <= b.start for a, b in pairwise(spans))


@given(st.text())
def test_plain_text_is_plain(text: str) -> None:
    assert not set(plain_text(text)) & set("\x1b\x9b\r")
    assert plain_text(plain_text(text)) == plain_text(text)
