"""The panel of what the learner has harmed."""

from __future__ import annotations

from tests.support.drills import Panels, Played, play
from tui.widgets.impact_panel import ImpactPanel


def test_no_harm_is_told_with_sign_and_words() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(ImpactPanel(played.live)))
        assert "● nothing harmed by you" in played.screen

    play(act)


def test_harm_is_told_with_what_and_by_what() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(ImpactPanel(played.live)))
        assert "✗ node taken down in service: dgx-02" in played.screen
        assert "reboot" in played.screen
        assert "nothing harmed" not in played.screen

    play(act, moves=["ssh dgx-02 sudo reboot"])
