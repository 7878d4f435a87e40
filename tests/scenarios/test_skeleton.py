"""What `breakfix author new drill` writes is a scenario."""

from __future__ import annotations

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.load import load
from scenarios.skeleton import skeleton

UUID = "00000000-0000-4000-8000-000000000002"


def test_the_skeleton_is_a_whole_scenario() -> None:
    drill = load(skeleton("my-drill", UUID), "my-drill.yaml", "my-drill")
    assert (drill.id, drill.uuid, drill.kind) == ("my-drill", UUID, "drill")


@pytest.mark.parametrize("identifier", ["", "My-Drill", "a b", "a--b", "ä", "../x"])
def test_ids_that_files_cannot_have_are_refused(identifier: str) -> None:
    with pytest.raises(BreakfixError, match="is no id"):
        skeleton(identifier, UUID)
