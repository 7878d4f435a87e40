"""Documents checked against models: each mistake with its line and what to write."""

from __future__ import annotations

import enum
import json
from typing import Annotated, Any, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.documents import DocumentError, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.validation import StrictModel, validate


class Tier(enum.Enum):
    LEAF = "leaf"
    SPINE = "spine"


class Reseat(StrictModel):
    act: Literal["reseat"]
    target: str


class Wait(StrictModel):
    act: Literal["wait"]
    minutes: int


class Expression(StrictModel):
    regex: str


class Node(StrictModel):
    name: str = pydantic.Field(description="the host name", min_length=2, pattern="^[a-z]")
    gpus: int = pydantic.Field(default=8, ge=0, le=16)
    inlet: float = 22.0


class Site(StrictModel):
    version: str = "1"
    tier: Tier = Tier.LEAF
    managed: bool = True
    nodes: tuple[Node, ...] = ()
    by_name: dict[str, Node] = pydantic.Field(default_factory=dict)
    acts: tuple[Annotated[Reseat | Wait, pydantic.Field(discriminator="act")], ...] = ()
    pattern: str | Expression = ""
    limit: Literal["auto"] | int = "auto"
    source: str = pydantic.Field(default="", alias="from")
    few: tuple[int, ...] = pydantic.Field(default=(), max_length=2)

    @pydantic.field_validator("version")
    @classmethod
    def known_version(cls, version: str) -> str:
        if version == "0":
            raise ValueError("version 0 was never released; write 1")
        return version

    @pydantic.model_validator(mode="after")
    def names_differ(self) -> Site:
        if len({node.name for node in self.nodes}) < len(self.nodes):
            raise ValueError("two nodes have one name")
        return self


def said(text: str, model: type[pydantic.BaseModel] = Site) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        validate(read_document(text, "s.yaml"), model)
    assert isinstance(caught.value, BreakfixError)
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    return [str(problem) for problem in caught.value.problems]


def test_a_good_document_becomes_the_model() -> None:
    text = "tier: spine\nnodes:\n  - name: dgx-01\n    inlet: 21\nacts:\n  - {act: wait, minutes: 3}\nfrom: x\n"
    site = validate(read_document(text, "s.yaml"), Site)
    assert (site.tier, site.source, site.limit) == (Tier.SPINE, "x", "auto")
    assert site.nodes == (Node(name="dgx-01", inlet=21.0),)
    assert site.acts == (Wait(act="wait", minutes=3),)
    with pytest.raises(pydantic.ValidationError):
        site.version = "2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n- 1", "s.yaml:2: the file must be a mapping of keys to values, found a list of 1"),
        ("", "s.yaml:1: the file must be a mapping of keys to values, found nothing"),
        ("version: 24.10", 's.yaml:1: version must be text, found the number 24.10; write it in quotes: "24.10"'),
        ("version: true", 's.yaml:1: version must be text, found true; write it in quotes: "true"'),
        ("version: [a]", "s.yaml:1: version must be text, found a list of 1"),
        ("\nversion:", "s.yaml:2: version must be text, found nothing"),
        ("managed: yes", 's.yaml:1: managed must be true or false, found the text "yes"'),
        ("nodes: 3", "s.yaml:1: nodes must be a list, found the number 3"),
        ("nodes:\n  - x", 's.yaml:2: nodes[0] must be a mapping of keys to values, found the text "x"'),
        ("nodes: [{name: aa,\n  gpus: '8'}]", 's.yaml:2: nodes[0].gpus must be a whole number, found the text "8"'),
        ("nodes: [{name: aa, gpus: 8.0}]", "s.yaml:1: nodes[0].gpus must be a whole number, found the number 8.0"),
        ("nodes: [{name: aa, gpus: 17}]", "s.yaml:1: nodes[0].gpus must be at most 16, found the number 17"),
        ("nodes: [{name: a}]", 's.yaml:1: nodes[0].name must be at least 2 characters long, found the text "a"'),
        ("nodes: [{name: 1a}]", 's.yaml:1: nodes[0].name must be of the form ^[a-z], found the text "1a"'),
        ("few: [1, 2, 3]", "s.yaml:1: few must be at most 2 entries long, found a list of 3"),
        ("nodes:\n- gpus: 8", 's.yaml:2: nodes[0]: the key "name" is missing; add `name: ...` (the host name)'),
        ("form: x", 's.yaml:1: unknown key "form"; did you mean "from"?'),
        ("source: x", 's.yaml:1: unknown key "source"; choose from acts, by_name, few, from, limit, managed, nodes, '
                      "pattern, tier, version"),
        ("by_name:\n  n1:\n    name: aa\n    gpu: 1", 's.yaml:4: by_name.n1: unknown key "gpu"; did you mean "gpus"?'),
        ("by_name: {'a b': 1}", 's.yaml:1: by_name["a b"] must be a mapping of keys to values, found the number 1'),
        ("tier: leef", 's.yaml:1: tier must be leaf or spine, found the text "leef"; did you mean leaf?'),
        ("limit: many", 's.yaml:1: limit must be auto or a whole number, found the text "many"'),
        ("pattern: 3", "s.yaml:1: pattern must be text or a mapping of keys to values, found the number 3; "
                       'write it in quotes: "3"'),
        ("acts: [{act: wiat}]", 's.yaml:1: acts[0].act must be reseat or wait, found the text "wiat"; '
                                "did you mean wait?"),
        ("acts: [{minutes: 3}]", 's.yaml:1: acts[0]: the key "act" is missing; add `act: ...`'),
        ("acts: [{act: wait, minutes: x}]", 's.yaml:1: acts[0].minutes must be a whole number, found the text "x"'),
        ("\nversion: '0'", "s.yaml:2: version: version 0 was never released; write 1"),
        ("nodes: [{name: aa}, {name: aa}]", "s.yaml:1: two nodes have one name"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_sentence(text: str, expected: str) -> None:
    assert said(text) == [expected]


def test_a_union_speaks_of_the_branch_that_got_further() -> None:
    assert said("pattern: {regx: a}") == [
        's.yaml:1: pattern: the key "regex" is missing; add `regex: ...`',
        's.yaml:1: pattern: unknown key "regx"; did you mean "regex"?',
    ]


def test_a_tagged_union_suggests_keys_of_the_branch_that_was_tagged() -> None:
    problems = said("acts:\n  - act: wait\n    minuts: 3\n  - act: reseat\n    targte: x\n")
    assert [problem for problem in problems if "unknown" in problem] == [
        's.yaml:3: acts[0]: unknown key "minuts"; did you mean "minutes"?',
        's.yaml:5: acts[1]: unknown key "targte"; did you mean "target"?',
    ]


def test_all_mistakes_at_once_in_the_order_of_lines() -> None:
    problems = said("zone: 1\nnodes:\n  - name: 5\n    gpus: 99\n  - inlet: hot\nmanaged: no\ntier: 3\n")
    assert [problem.split(" ")[0] for problem in problems] == [f"s.yaml:{line}:" for line in (1, 3, 4, 5, 5, 6, 7)]


def test_long_values_are_cut() -> None:
    assert all(len(problem) < 300 for problem in said(f"tier: {'x' * 100_000}\n{'k' * 100_000}: 1\n"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["leaf", "wait", "auto"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*Site.model_fields, *Node.model_fields, "act", "regex", "target", "x"]), inner
        )
    ),
)


@given(JSON)
def test_any_data_is_the_model_or_located_problems(data: Any) -> None:
    try:
        document = read_document(json.dumps(data), "s.yaml")
        assert isinstance(validate(document, Site), Site)
    except DocumentError as error:
        assert error.problems
        assert all(problem.location.line == 1 and "\n" not in problem.text for problem in error.problems)
