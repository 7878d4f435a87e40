"""What a session's journal takes back: its own entries, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.journal import Entry, decode, encode


def test_an_entry_comes_back_as_it_was_written() -> None:
    entry = Entry("diagnose", 5, 5, words=("dgx-01/gpu1", "gpu.fell_off_bus"), user="alex")
    assert decode(encode(entry)) == entry


@pytest.mark.parametrize(
    "damaged",
    [
        {"kind": "diagnose", "started": 1, "ended": 1, "words": []},
        {"kind": "hands", "started": 1, "ended": 1, "words": ["replace"]},
        {"kind": "nonsense", "started": 1, "ended": 1},
        {"kind": "wait", "started": 1, "ended": "soon"},
        {"kind": "wait", "started": 1.5, "ended": 2},
    ],
)
def test_a_damaged_entry_is_refused_with_a_sentence(damaged: dict[str, Any]) -> None:
    with pytest.raises(BreakfixError, match="broken entry"):
        decode(damaged)
