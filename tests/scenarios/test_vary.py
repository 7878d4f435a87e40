"""What the seed chooses."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from engine.kernel.calendar import local
from engine.kernel.errors import BreakfixError
from engine.kernel.units import MINUTE
from scenarios.stage import Stage
from scenarios.vary import name_types
from tests.scenarios.drill import scenario
from tests.scenarios.fake import FakeTerminals


def stage(seed: int, **changes: object) -> Stage:
    return Stage.build(scenario(**changes), seed, FakeTerminals)


def test_the_same_seed_chooses_the_same_and_others_something_else() -> None:
    chosen = [stage(seed).choices.texts for seed in range(1, 9)]
    assert chosen == [stage(seed).choices.texts for seed in range(1, 9)]
    assert len({one["gpu"] for one in chosen}) > 3
    assert len({one["since"] for one in chosen}) > 3


def test_choices_meet_their_conditions_and_lie_in_their_place() -> None:
    for seed in range(1, 13):
        texts = stage(seed).choices.texts
        assert texts["node"] in ("dgx-01", "dgx-02")
        assert texts["gpu"].startswith(texts["node"] + "/gpu")
        assert 5 * MINUTE <= stage(seed).choices.facts["since"] <= 20 * MINUTE  # type: ignore[operator]


def test_attributes_belong_to_what_was_chosen() -> None:
    one = stage(3)
    gpu = one.base.world.inventory.gpu(one.choices.texts["gpu"])
    texts = one.choices.texts
    assert texts["gpu.index"] == str(gpu.index)
    assert f"{texts['gpu.pci']}.0" == gpu.address
    assert texts["gpu.bus_id"] == f"0000{gpu.address}".upper()
    assert (texts["gpu.uuid"], texts["gpu.serial"]) == (gpu.uuid, gpu.serial)
    assert texts["job.name"] == "llama-sft"


def test_every_name_that_is_promised_to_authors_is_there() -> None:
    choices = stage(1).choices
    assert set(name_types(scenario())) == set(choices.texts) == set(choices.facts)


def varied(**changes: object) -> dict[str, object]:
    """The drill's choices with some changed."""
    choices: dict[str, object] = {
        "node": {"kind": "node", "where": "jobs.running(node) > 0"},
        "gpu": {"kind": "gpu", "in": "node"},
        "job": {"kind": "job", "in": "node"},
        "since": {"kind": "time", "low": "10m", "high": "10m"},
    }
    return {**choices, **changes}


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_time_has_the_time_of_day_at_which_it_happened(seed: int) -> None:
    one = stage(seed, vary=varied(since={"kind": "time", "low": "10m30s", "high": "10m30s"}))
    inventory = one.base.world.inventory
    happened = local(inventory.timezone, inventory.start + one.time("-{since}"))
    assert one.choices.texts["since.clock"] == happened.strftime("%H:%M") in ("09:19", "09:20")
    assert one.choices.texts["since.before"] == (happened - timedelta(minutes=1)).strftime("%H:%M")


def test_a_condition_that_nothing_meets_is_told() -> None:
    with pytest.raises(BreakfixError, match="no gpu fits `gpu` at seed 1"):
        stage(1, vary=varied(gpu={"kind": "gpu", "in": "node", "where": "gpu.replaced(gpu)"}))


def test_words_and_numbers() -> None:
    one = stage(2, vary=varied(rank={"kind": "number", "low": 3, "high": 3}, tone={"kind": "word", "of": ["rude"]}))
    assert (one.fill("{rank} {tone}"), one.choices.facts["rank"]) == ("3 rude", 3)


def test_worlds_at_the_arrival_differ_by_their_faults_alone() -> None:
    async def digests() -> tuple[str, str, str]:
        one = stage(1)
        return (await one.real()).state_digest(), (await one.twin()).state_digest(), (await one.real()).state_digest()

    real, twin, again = asyncio.run(digests())
    assert real == again != twin


def test_what_others_did_before_is_done_and_harm_before_does_not_count() -> None:
    one = stage(1)
    world = asyncio.run(one.twin()).world
    assert world.slurm_nodes["dgx-04"].reason == "maintenance"
    assert world.blast_radius[""].harms == ()


def test_a_time_before_the_site_is_told() -> None:
    with pytest.raises(BreakfixError, match="lies before the site's start"):
        asyncio.run(stage(1, lead="3m").real())
