"""Exhibits of seeded worlds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from exams.exhibits import Exhibits, Shown
from tests.exams import bank
from tests.support.sessions import last


def shown(id: str, seed: int, exhibits: Exhibits | None = None) -> Shown:
    return asyncio.run((exhibits or Exhibits()).show(bank.course().item(id), seed))


def test_it_stands_as_on_a_terminal() -> None:
    one = shown("lost-gpu", 3)
    node = one.choices.texts["gpu.node"]
    assert one.lines[0] == f"alex@head-01:~$ ssh {node} nvidia-smi -L"
    assert one.lines[1].startswith("GPU 0: NVIDIA H100")
    assert [one.lines[number - 1].startswith("alex@head-01:~$ ") for number in one.typed] == [True, True]
    assert "7" in one.lines and not any("\x1b" in line for line in one.lines)


def test_the_same_seed_shows_the_same_and_others_something_else() -> None:
    assert shown("lost-gpu", 3).lines == shown("lost-gpu", 3).lines
    assert len({shown("lost-gpu", seed).lines for seed in range(1, 7)}) > 3


def test_facts_are_asked_of_the_world_that_is_shown() -> None:
    for seed in range(1, 5):
        one = shown("lost-gpu", seed)
        assert one.holds("gpu.lost(gpu)") and one.value("driver.gpus(node)")[0] == 7
        assert one.fill("{gpu.node}") in one.lines[0]


def test_an_exhibit_is_kept_and_its_world_stays_as_it_was() -> None:
    exhibits = Exhibits()
    one = shown("lost-gpu", 3, exhibits)
    before = one.world().state_digest()
    assert last(one.world(), [f"sudo scontrol update nodename={one.fill('{node}')} state=drain reason=x"]) == ""
    again = shown("lost-gpu", 3, exhibits)
    assert again is one and again.world().state_digest() == before


def test_its_world_can_be_opened_in_a_shell_where_it_ends() -> None:
    one = shown("lost-gpu", 3)
    assert last(one.world(), [one.lines[0].removeprefix("alex@head-01:~$ ")]).splitlines()[:7] == list(one.lines[1:8])


def test_only_the_last_ones_are_kept() -> None:
    exhibits = Exhibits(keep=1)
    one = shown("idle-node", 1, exhibits)
    shown("idle-node", 2, exhibits)
    assert shown("idle-node", 1, exhibits) is not one


def test_a_text_is_shown_as_it_is_and_has_no_world() -> None:
    one = shown("fixed-exhibit", 1)
    assert one.lines == ("<script>alert({name})</script>", "second line")
    with pytest.raises(BreakfixError, match="there is no cluster behind it"):
        one.world()


def changed(id: str, **exhibit: Any) -> Any:
    item = bank.course().item(id)
    assert item.exhibit is not None
    return item.model_copy(update={"exhibit": item.exhibit.model_copy(update=exhibit)})


def test_too_much_output_is_refused() -> None:
    with pytest.raises(BreakfixError, match="shows more than 2000 lines"):
        asyncio.run(Exhibits().show(changed("idle-node", lines=("seq 3000",)), 1))


def test_tabs_are_columns() -> None:
    one = asyncio.run(Exhibits().show(changed("idle-node", lines=("printf 'a\\tb\\n'",)), 1))
    assert one.lines[-1] == "a       b"


def test_a_line_that_does_not_end_is_ended() -> None:
    one = asyncio.run(Exhibits().show(changed("idle-node", lines=("sleep 10d", "echo after")), 1))
    assert one.lines[-1] == "after"


def test_a_fault_before_the_site_is_told() -> None:
    with pytest.raises(BreakfixError, match="lies before the site's start"):
        asyncio.run(Exhibits().show(changed("lost-gpu", lead="5m"), 1))
