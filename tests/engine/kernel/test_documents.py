"""Reading files that people write: what is refused, what is understood, and where it is said to stand."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.kernel.documents import Document, DocumentError, Location, Problem, read_document
from engine.kernel.scalars import resolve


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers of PyYAML: the Python one is what machines without libyaml have."""
    if request.param == "python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return str(request.param)


def refusal(text: str | bytes, **limits: int) -> Problem:
    with pytest.raises(DocumentError) as caught:
        read_document(text, "f.yaml", **limits)
    (problem,) = caught.value.problems
    assert str(caught.value) == str(problem)
    assert "\n" not in str(problem)
    return problem


def data(text: str) -> Any:
    return read_document(text, "f.yaml").data


@pytest.mark.parametrize(
    ("word", "value"),
    [
        *[(word, word) for word in ("on", "off", "yes", "No", "y", "NO", "TRue")],
        *[(word, word) for word in ("2026-11-30", "12:30:00", "190:20:30", "2026-11-30T10:00:00Z")],
        *[(word, word) for word in ("0755", "0o17", "007", "00.5", "1_000", "0b11", "-0x1", "12:34", ".inf", ".nan")],
        *[(word, word) for word in ("1.2.3", "10.0.0.1", "--", "+", ".", "1e", "e5", "0x", "=", "0xfg", "5 GiB")],
        ("0", 0),
        ("-7", -7),
        ("+7", 7),
        ("0x1F", 31),
        ("24.10", 24.1),
        ("1e-12", 1e-12),
        ("1.5E+9", 1.5e9),
        (".5", 0.5),
        ("-1.", -1.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_a_plain_word_means_what_people_mean(word: str, value: object, parser: str) -> None:
    found = data(f"k: {word}")["k"]
    assert (found, type(found)) == (value, type(value))
    assert data(f'k: "{word}"') == {"k": word}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: &x 2\n", 2, "anchors"),
        ("a: &x [1]\nb: *x\n", 1, "anchors"),
        ("a:\n - *x\n", 2, "aliases"),
        ("*x : 1\n", 1, "aliases"),
        ("a: 1\nb: !!str 2\n", 2, "tags"),
        ("a: ! b\n", 1, "tags"),
        ("a: !!python/object/apply:os.system [x]\n", 1, "tags"),
        ("a: 1\nb: 2\na: 3\n", 3, 'the key "a" stands twice in one mapping, first on line 1'),
        ("x:\n  'a': 1\n  a: 2\n", 3, "twice"),
        ("a: 1\n<<: {b: 2}\n", 2, "merge keys"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("a: b\n2: c\n", 2, 'write it in quotes: "2"'),
        ("true: c\n", 1, "a key must be text"),
        ("a: 1\n? \n: c\n", 2, "a key must be text"),
        ("a: 1\nb: [2,\n 3\n\n", 2, "bracket"),
        ("a: |\n\tb\n", 2, "spaces, not tabs"),
        ("? [a]\n: b\n", 1, "a list or mapping stands in its place"),
        ("{a: 1}: b\n", 1, "a list or mapping stands in its place"),
        ("a: 1\nb: x\0\n", 2, "U+0000"),
        ("a: 1\nb: \x1b[31m\n", 2, "U+001B"),
        ("a\u2028b", 1, "U+2028"),
        ("a\ud800b", 1, "U+D800"),
        ('a: 1\r\nb: "\\e[31m"\r\n', 2, "U+001B"),
        ('a: "\\0"', 1, "U+0000"),
        (b"a: 1\nb: \xff\n", 2, "UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, "UTF-8"),
        ("a: 1\nb: " + "9" * 41, 2, "more than 40 digits"),
        ("a: 1\nb: 1e999", 2, "too large"),
        ("a: 1\n\tb: 2\n", 2, "spaces, not tabs"),
        ("a: b: c\n", 1, "needs quotes"),
        ("a: 1\nb: 'c\n", 2, "closing quote"),
        ("a: {gpu} lost\n", 1, "needs quotes"),
        ("a: [1\nb: 2\n", 2, "bracket"),
        ("a: @b\n", 1, "in quotes"),
        ("a:\n  - 1\n  b: 2\n", 3, "not YAML"),
    ],
)
def test_refused_with_line(text: str | bytes, line: int, said: str, parser: str) -> None:
    problem = refusal(text)
    assert problem.location.line == line
    assert said in problem.text
    assert str(problem).startswith(f"f.yaml:{line}: ")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "[[], "])
def test_deep_nesting_is_a_sentence(opening: str, parser: str) -> None:
    assert "levels" in refusal(opening * 100_000).text


def test_depth_has_a_limit_that_can_be_reached(parser: str) -> None:
    assert data("[" * 40 + "]" * 40)
    assert "40 levels" in refusal("[" * 41 + "]" * 41).text


def test_number_of_values_is_limited() -> None:
    assert len(data("- a\n" * 99_999)) == 99_999
    problem = refusal("- a\n" * 100_000)
    assert (problem.location.line, "100000 values" in problem.text) == (100_000, True)


def test_size_is_limited_in_bytes() -> None:
    assert "larger than 1048576 bytes" in refusal("#" * 1_048_577).text
    assert read_document("é", "f.yaml", size_limit=2).data == "é"
    assert "larger than 2 bytes" in refusal("éa", size_limit=2).text
    assert "larger than 2 bytes" in refusal("éa".encode(), size_limit=2).text


def test_growth_by_aliases_is_refused_at_its_first_anchor() -> None:
    lines = ["a0: &a0 [x, x, x, x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 20))]
    assert refusal("\n".join(lines)).location.line == 1


def test_empty_files_hold_nothing(parser: str) -> None:
    assert [data(text) for text in ("", "\n\n", "# only a comment\n", "---\n", "\ufeff")] == [None] * 5


def test_places_of_values(parser: str) -> None:
    document = read_document("a: 1\n\nb:\n  - x\n  - c: 24.10\n    d:\n      e\n", "dir/f.yaml")
    assert document.data == {"a": 1, "b": ["x", {"c": 24.1, "d": "e"}]}
    paths: list[tuple[str | int, ...]] = [(), ("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "c"), ("b", 1, "d")]
    places = [(document.locate(path).line, document.locate(path).column) for path in paths]
    assert places == [(1, 1), (1, 1), (3, 1), (4, 5), (5, 5), (5, 5), (6, 5)]
    assert document.locate(("b", 1, "missing", "deeper")) == document.locate(("b", 1))
    assert document.locate(("b", 7)) == document.locate(("b",))
    assert str(document.locate(("b", 1, "c"))) == "dir/f.yaml:5"
    assert (document.written(("b", 1, "c")), document.written(("b",))) == ("24.10", None)
    assert (document.value(("b", 1, "c")), document.value(("b", "no"))) == (24.1, None)


def test_line_ends_of_other_systems_count_as_editors_count_them(parser: str) -> None:
    for end in ("\n", "\r\n", "\r"):
        document = read_document(f"a: 1{end}b: 2{end}c: 3{end}", "f")
        assert document.locate(("c",)).line == 3


def test_problems_are_sorted_by_line_and_long_lists_cut() -> None:
    problems = [Problem(Location("f", line), "wrong") for line in range(200, 0, -1)]
    error = DocumentError(problems)
    assert [problem.location.line for problem in error.problems] == list(range(1, 201))
    assert str(error).splitlines()[0] == "f:1: wrong"
    assert str(error).splitlines()[-1] == "and 150 more problems"


TOKENS = r"""
a b:_ -_ ?_ [ ] { } ,_ &x_ *x_ !t_ |~ >-~ ' " \ \U00110000 \ud800 %YAML_9.9~ ---~ ...~ ~ ___ # :_ <<:_ 1e9 0x @ `
"""
YAMLISH = st.lists(
    st.sampled_from([*(token.replace("~", "\n").replace("_", " ") for token in TOKENS.split()), "\t", "\ufeff"]),
    max_size=40,
).map("".join)


@given(st.one_of(st.text(), YAMLISH, st.binary(), YAMLISH.map(str.encode)), st.booleans())
def test_any_input_is_a_document_or_a_located_problem(text: str | bytes, libyaml: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not libyaml:
            patch.delattr(yaml, "CSafeLoader", raising=False)
        try:
            assert isinstance(read_document(text, "f"), Document)
        except DocumentError as error:
            assert all(p.location.name == "f" and p.location.line >= 1 and p.text for p in error.problems)
            lines = re.split("\r\n|\r|\n", text if isinstance(text, str) else text.decode("latin-1"))
            assert all(p.location.line <= len(lines) for p in error.problems)


TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"], include_characters="\n\t"), max_size=20)
WORDS = st.text(string.ascii_letters + string.digits + "+-.:_~", max_size=8)
STRINGS = TEXTS | WORDS
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=20,
)


class Dumper(yaml.SafeDumper):
    """Dumps without aliases, and quotes what only YAML 1.2 takes for a number, such as `1e5`."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, data: str) -> yaml.Node:
        style = None if resolve(data) == data else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


Dumper.add_representer(str, Dumper.represent_text)


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(PLAIN, st.sampled_from([None, True, False]))
def test_plain_data_comes_back_as_it_was_dumped(value: Any, flow: bool | None) -> None:
    assume(depth(value) <= 40)
    text = yaml.dump(value, Dumper=Dumper, default_flow_style=flow, width=200)
    back = read_document(text, "f").data
    assert back == value
    assert repr(back) == repr(value) or isinstance(value, dict | list)


@given(st.dictionaries(st.text(string.ascii_lowercase, min_size=1, max_size=5), st.integers(0, 3), min_size=1))
def test_lines_are_those_of_the_text(gaps: dict[str, int]) -> None:
    lines: list[str] = []
    for key, gap in gaps.items():
        lines += ["# gap"] * gap + [f"k{key}: [1,", "  2]"]
    document = read_document("\n".join(lines), "f")
    for key in gaps:
        line = lines.index(f"k{key}: [1,") + 1
        assert document.locate((f"k{key}",)).line == line
        assert document.locate((f"k{key}", 1)) == Location("f", line + 1, 3)
