"""What the packaged items say about exhibits that are another one at every seed."""

from __future__ import annotations

import pytest

from exams.catalogue import packaged
from exams.item import Item, Option

ITEMS = {item.id: item for item in packaged("nca-aiio").items}
JUDGED = [(item, one) for item in ITEMS.values() for one in getattr(item, "options", ()) if one.fact]


@pytest.mark.parametrize(("item", "option"), JUDGED, ids=[f"{item.id}-{one.id}" for item, one in JUDGED])
def test_an_option_that_a_seed_judges_is_not_explained_as_if_it_were_so(item: Item, option: Option) -> None:
    assert not option.because.lstrip().startswith("Then ")


@pytest.mark.parametrize(
    ("id", "option", "says"),
    [
        ("what-slurm-still-offers", "offered-though-broken", "On such a node the driver lists seven GPUs"),
        ("what-slurm-still-offers", "in-order", "On such a node the driver lists eight GPUs"),
        ("nvidia-smi-complains", "lost-gpu", "On such a node"),
        ("event-log-of-the-bmc", "inlet", "This shows as entries of TEMP_AMBIENT"),
        ("event-log-of-the-bmc", "fan", "This shows as entries of fans"),
    ],
)
def test_it_is_told_what_such_a_state_looks_like(id: str, option: str, says: str) -> None:
    [because] = [one.because for one in getattr(ITEMS[id], "options", ()) if one.id == option]
    assert because.startswith(says)
