"""The fact language: what it reads, what it refuses and how it says so."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.facts.fact import Fact, View, declared, fact
from engine.facts.facts import Facts
from engine.facts.kinds import TYPES, Gpu, Host, Job
from engine.facts.parser import DEPTH_LIMIT
from engine.facts.syntax import LENGTH_LIMIT, FactError
from engine.facts.values import COUNT, DURATION, TEXT, Duration, Temperature, Value, read_number
from engine.kernel.errors import BreakfixError
from engine.kernel.units import HOUR, MINUTE
from engine.sites.build import load_site
from engine.world.world import World


@fact("gpu.present")
def present(view: View, gpu: Gpu) -> bool:
    """Whether it is there."""
    return gpu != "dgx-02/gpu5"


@fact("gpu.temperature")
def temperature(view: View, gpu: Gpu) -> Temperature | None:
    """How hot it is."""
    return Temperature(60_000 + 1000 * int(gpu[-1])) if present(view, gpu) else None


@fact("gpu.slowed")
def slowed(view: View, gpu: Gpu, reason: Literal["heat", "power"]) -> bool:
    """Whether it is slowed."""
    return reason == "heat"


@fact("node.name")
def name(view: View, host: Host) -> str:
    """Its name, in capitals."""
    return host.upper()


@fact("node.uptime")
def uptime(view: View, host: Host) -> Duration:
    """How long it has been up."""
    return Duration(view.now)


@fact("job.number")
def number(view: View, job: Job) -> int:
    """The job's number."""
    return int(job)


FACTS: dict[str, Fact] = {one.name: one for one in map(declared, (present, temperature, slowed, name, uptime, number))}
WORLD = World(load_site("dgx-h100-4"), 1)


def ask(text: str, **names: Value) -> Value:
    return Facts(FACTS).evaluate(WORLD, 90 * MINUTE, text, names)


def refusal(text: str, **names: Value) -> str:
    with pytest.raises(FactError) as caught:
        ask(text, **names)
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("gpu.present(dgx-02/gpu4)", True),
        ("gpu.present(dgx-02/gpu5)", False),
        ("not gpu.present(dgx-02/gpu5)", True),
        ("not not gpu.present(dgx-02/gpu5)", False),
        ("true or false and false", True),
        ("(true or false) and false", False),
        ("not false and false", False),
        ("gpu.temperature(dgx-01/gpu3) == 63C", True),
        ("gpu.temperature(dgx-01/gpu3) > 62.5 C", True),
        ("gpu.temperature(dgx-01/gpu3) >= 63001mC", False),
        ("node.uptime(head-01) == 1h30m", True),
        ("node.uptime(head-01) < 2h", True),
        ("node.name(dgx-01) == DGX-01", True),
        ("node.name(dgx-01) != 'dgx-01'", True),
        ('node.name(dgx-01) contains "X-0"', True),
        ("all gpu in dgx-02 where gpu.present(gpu)", False),
        ("all gpu in dgx-01 where gpu.present(gpu)", True),
        ("any gpu where not gpu.present(gpu)", True),
        ("(count gpu in dgx-02 where gpu.present(gpu)) == 7", True),
        ("count gpu", 32),
        ("count node", 4),
        ("count host", 5),
        ("count fan in dgx-01", 12),
        ("count port in leaf-01", 64),
        ("all gpu as other in dgx-02 where other == dgx-02/gpu5 or gpu.present(other)", True),
        ("all node where any gpu in node where gpu.present(gpu)", True),
        ("job.number(4711) == 4711", True),
        ("gpu.slowed(dgx-01/gpu0, heat)", True),
    ],
)
def test_it_says_what_holds(text: str, value: Value) -> None:
    assert ask(text.replace(" C", "C")) == value


def test_names_stand_for_what_was_chosen() -> None:
    assert ask("gpu.present(broken)", broken="dgx-02/gpu5") is False
    assert ask("all gpu as one in place where one == broken or gpu.present(one)", place="dgx-02", broken="dgx-02/gpu5")
    assert ask("wanted == 8 and 8 == wanted", wanted=8) is True


def test_a_quantified_name_hides_an_outer_one_only_inside() -> None:
    assert ask("(any gpu in dgx-01 where gpu.present(gpu)) and gpu == dgx-02/gpu5", gpu="dgx-02/gpu5") is True


def test_no_comparison_holds_with_a_value_that_is_not_there() -> None:
    for sign in ("==", "!=", "<", ">"):
        assert ask(f"gpu.temperature(dgx-02/gpu5) {sign} 60C") is False


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("gpu.presnt(dgx-01/gpu0)", 1, 'unknown fact "gpu.presnt"; did you mean "gpu.present"?'),
        ("true and gpu.present(dgx-02/gpu9)", 22, 'unknown gpu "dgx-02/gpu9"; did you mean'),
        ("gpu.present", 1, "gpu.present needs its arguments: gpu.present(gpu)"),
        ("gpu.present(dgx-01/gpu0, 3)", 1, "wrong number of arguments; write gpu.present(gpu)"),
        ("gpu.temperature(dgx-01/gpu0) > 60", 30, "a temperature needs a unit (C, mC), such as 80C"),
        ("gpu.temperature(dgx-01/gpu0) > 60W", 30, "a temperature cannot be compared with a power"),
        ("gpu.present(dgx-01/gpu0) > true", 26, "> needs numbers"),
        ("count gpu where gpu.present(gpu) == 7", 34, "put a count in parentheses"),
        ("gpu.slowed(dgx-01/gpu0, cold)", 25, 'gpu.slowed takes heat or power, found "cold"'),
        ("1 < 2 < 3", 7, "comparisons cannot be chained"),
        ("true true", 6, "expected and, or or the end"),
        ("gpu.present(dgx-01/gpu0", 24, "expected ), found the end"),
        ("", 1, "expected a fact or a value, found the end"),
        ("true = true", 6, "write == for equality"),
        ("'abc", 1, "the closing quote is missing"),
        ("{gpu}", 1, "write names without braces here"),
        ("all gpus where true", 1, 'unknown kind of component "gpus"; did you mean "gpu"'),
        ("all gpu in nowhere where true", 12, 'unknown host or switch "nowhere"'),
        ("all gpu in dgx-01", 18, "expected where"),
        ("not 3", 5, "not needs something true or false, found a number"),
        ("8 parsecs == 3", 3, "expected and, or or the end"),
        ("8parsecs == 3", 1, "8parsecs has no unit that is known here"),
        ("node.name(dgx-01) contains 3", 19, "a text cannot be compared with a number"),
    ],
)
def test_mistakes_are_told_with_their_column(text: str, column: int, words: str) -> None:
    message = refusal(text)
    assert message.startswith(f"column {column}: ")
    assert words in message


def test_a_component_of_another_kind_is_refused_before_any_world_is_asked() -> None:
    types = {"gpu": TYPES["gpu"], "node": TYPES["node"], "since": DURATION, "count_of": COUNT, "word": TEXT}
    facts = Facts(FACTS)
    with pytest.raises(FactError, match="takes a gpu"):
        facts.check("gpu.present(node)", types)
    with pytest.raises(FactError, match="takes a host"):
        facts.check("node.uptime(since)", types)
    assert facts.check("node.uptime(node) > since", types).type is not TEXT


def test_a_statement_must_be_true_or_false() -> None:
    with pytest.raises(FactError, match="compare it with something"):
        Facts(FACTS).check_truth("gpu.temperature(dgx-01/gpu0)")


@pytest.mark.parametrize(
    "text", ["(" * 500, "gpu.present(" * 150, "not " * 400 + "true", "all gpu where " * 100 + "true"]
)
def test_depth_is_bounded(text: str) -> None:
    try:
        assert ask(text) is True
    except FactError as error:
        assert f"nested more than {DEPTH_LIMIT} deep" in error.message


def test_a_question_that_asks_too_much_is_given_up() -> None:
    assert "asks about more than" in refusal("any gpu as a where " * 5 + "gpu.present(a) and false")


def test_length_is_bounded() -> None:
    assert f"longer than {LENGTH_LIMIT}" in refusal("true" + " and true" * 300)


@given(st.text(alphabet="()<>=!,.\"'\\ abgpu0123459 notrall where{}-/_", max_size=60))
def test_any_text_gives_a_value_or_a_fact_error(text: str) -> None:
    try:
        ask(text)
    except FactError as error:
        assert error.column >= 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("85C", 85_000),
        ("12.5kW", 12_500_000),
        ("50%", 500),
        ("1.5h", 90 * MINUTE),
        ("2h", 2 * HOUR),
        ("400Gb/s", 400),
    ],
)
def test_quantities_are_exact(text: str, value: int) -> None:
    read, kind = read_number(text)
    assert read == value
    assert kind.show(value)


@pytest.mark.parametrize("text", ["0.0005C", "1.5", "9" * 40, "3furlongs"])
def test_quantities_that_the_model_cannot_hold_are_refused(text: str) -> None:
    with pytest.raises(BreakfixError):
        read_number(text)


def test_values_are_shown_with_their_unit() -> None:
    assert read_number("85C")[1].show(84_500) == "84.5C"
    assert DURATION.show(90 * MINUTE) == "1h30m"
    assert TEXT.show(None) == "no answer"


def test_types_of_kinds_are_equal_everywhere() -> None:
    assert isinstance(TYPES, MappingProxyType)
    assert TYPES["gpu"] == TYPES["gpu"] != TYPES["node"]
