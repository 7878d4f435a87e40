"""What a diagnosis and an order may name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from scenarios.components import require_cause, require_component
from tests.support import large_site
from tui.drills import scenario_named
from tui.live.choices import Choice, action_words, actions, causes, components, matching, targets
from tui.live.drill import LiveDrill, begin


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveDrill]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BREAKFIX_HOME", str(tmp_path_factory.mktemp("home")))
        live = asyncio.run(begin(scenario_named("gpu-off-the-bus"), "gpu-off-the-bus", 1))
        yield live
        live.close()


def values(choices: tuple[Choice, ...]) -> list[str]:
    return [one.value for one in choices]


def test_every_cause_of_the_vocabulary_is_there_under_its_part(drill: LiveDrill) -> None:
    found = causes(drill, "")
    assert sorted(values(found.choices)) == sorted(drill.session.vocabulary)
    assert {one.group for one in found.choices if one.value.startswith("cooling.")} == {"cooling"}


def test_typed_words_narrow_causes_down_by_title_and_id(drill: LiveDrill) -> None:
    assert values(causes(drill, "falls PCIe GPU").choices) == ["gpu.fell_off_bus"]
    assert values(causes(drill, "fan_f").choices) == ["cooling.fan_failed"]
    none = causes(drill, "flux capacitor")
    assert (none.found, none.of, none.choices) == (0, len(drill.session.vocabulary), ())


def test_an_exact_value_shows_all_so_that_another_can_be_picked(drill: LiveDrill) -> None:
    found = causes(drill, "gpu.fell_off_bus")
    assert found.exact
    assert len(found.choices) == found.of


def test_machines_switches_and_nothing(drill: LiveDrill) -> None:
    chosen = values(components(drill, "").choices)
    assert {"none", "head-01", "dgx-04", "dgx-04/", "leaf-01", "spine-02"} <= set(chosen)
    assert components(drill, "").of == 12


def test_parts_after_the_slash_with_a_way_back(drill: LiveDrill) -> None:
    found = components(drill, "dgx-01/gpu")
    assert values(found.choices) == ["", *(f"dgx-01/gpu{number}" for number in range(8))]
    assert "leaf-01/17" in values(components(drill, "leaf-01/").choices)
    assert values(components(drill, "dgx-09/").choices) == []


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("fan8", [f"dgx-0{number}/fan8" for number in range(1, 5)]),
        ("gpu5", [f"dgx-0{number}/gpu5" for number in range(1, 5)]),
        ("FAN8 dgx-02", ["dgx-02/fan8"]),
        ("03/fan8", ["dgx-03/fan8"]),
        ("fan99", []),
    ],
)
def test_parts_are_found_by_a_piece_of_their_id(drill: LiveDrill, typed: str, found: list[str]) -> None:
    matches = components(drill, typed)
    assert [value for value in values(matches.choices) if value.startswith("dgx")] == found
    assert matches.found == len(matches.choices)


def test_on_a_large_site_the_list_is_bounded_and_no_node_is_made_for_it() -> None:
    site = large_site.simulation()
    known: Any = SimpleNamespace(simulation=site)
    before = set(site.world.inventory._nodes)
    found = components(known, "gpu5")
    assert (len(found.choices), found.found) == (300, large_site.NODES)
    assert len(set(site.world.inventory._nodes) - before) <= 2
    assert values(components(known, "2000/fan8").choices) == ["dgx-2000/fan8"]


def test_a_part_is_found_with_its_ports(drill: LiveDrill) -> None:
    assert {"dgx-01/mlx5_3", "dgx-04/mlx5_3/1"} <= set(values(components(drill, "mlx5_3").choices))


def test_a_machines_name_does_not_bring_its_parts(drill: LiveDrill) -> None:
    assert values(components(drill, "dgx-02").choices)[-1] != "dgx-02/nvme7"
    assert not any("/gpu" in value for value in values(components(drill, "dgx").choices))


def test_parts_as_targets_are_those_that_the_action_is_for(drill: LiveDrill) -> None:
    assert values(targets(drill, "replace", "fan8").choices)[0].endswith("/fan8")
    assert values(targets(drill, "reseat", "fan8").choices) == []


def test_what_is_offered_can_be_said(drill: LiveDrill) -> None:
    world = drill.simulation.world
    for typed in ("", "noth", "dgx-02/", "leaf-01/", "fan8", "1"):
        for one in components(drill, typed).choices:
            if not one.opens:
                assert require_component(world, one.value) == one.value
    for one in causes(drill, "").choices:
        assert require_cause(drill.session.vocabulary, one.value)


def test_targets_follow_from_the_action(drill: LiveDrill) -> None:
    assert "dgx-01" in values(targets(drill, "clean-filter", "").choices)
    assert "dgx-01/" not in values(targets(drill, "clean-filter", "").choices)
    fans = values(targets(drill, "replace", "dgx-01/fan").choices)
    assert "dgx-01/fan11" in fans
    assert not values(targets(drill, "reseat", "dgx-01/fan").choices)[1:]
    assert targets(drill, "", "").choices == ()


def test_actions_say_what_they_are_for() -> None:
    found = {one.value: one.text for one in actions("").choices}
    assert found["replace"] == "Replace a part by a spare (gpu, fan, psu, strip, port)"
    assert "Takes 10m to 1h15m." in action_words("replace")
    assert action_words("sing") == ""


def test_of_very_many_only_some_are_listed_and_the_exact_one_is_among_them() -> None:
    many = [Choice(f"node-{number:04}") for number in range(2048)]
    assert len(matching(many, "").choices) < 2048
    found = matching(many, "node-1999")
    assert found.choices[0].value == "node-1999"
    assert matching(many, "199").found == sum("199" in one.value for one in many)
