"""The briefing panel."""

from __future__ import annotations

import pytest

from scenarios.journal import Entry
from tests.support.drills import SIZES, Panels, Played, play
from tui.widgets.briefing_panel import BriefingPanel, reflowed


def test_paragraphs_are_one_line_each_and_lists_stay() -> None:
    assert reflowed("One\ntwo.\n\n- a\n- b\n\nThree\n") == ["One two.", "", "- a", "- b", "", "Three"]


@pytest.mark.parametrize("size", SIZES)
def test_the_ticket_is_told(size: tuple[int, int]) -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(BriefingPanel(played.live)))
        assert "llama-sft stopped by itself" in played.screen
        assert "ticket from Priya Nair (research)" in played.screen
        assert "before lunch." in played.screen

    play(act, size=size)


def test_a_message_that_comes_later_is_marked_and_in_view() -> None:
    async def act(played: Played[None]) -> None:
        panel = BriefingPanel(played.live)
        await played.open(Panels(panel))
        now = played.live.simulation.now
        for text in ("First [of] two", "Are you there?"):
            played.live.session.journal.add(Entry("message", now, now, text, words=("dana",)))
        panel.show_session()
        await played.settle()
        assert "dana (latest)" in played.screen
        assert "Are you there?" in played.screen
        assert played.screen.count("(latest)") == 1
        assert "First [of] two" in played.screen

    play(act, size=(40, 24))
