"""The panel of hints."""

from __future__ import annotations

from tests.support.drills import Panels, Played, play
from tui.widgets.hints_panel import HintsPanel


def test_hints_stand_there_with_what_they_cost() -> None:
    async def act(played: Played[None]) -> None:
        panel = HintsPanel(played.live)
        await played.open(Panels(panel))
        assert "0 of 3 taken (next costs 3)" in played.screen
        assert "NCCL errors" not in played.screen
        for _ in range(3):
            await played.live.move(":hint")
        panel.show_session()
        await played.settle()
        assert "3 of 3 taken (no more)" in played.screen
        assert "NCCL errors" in played.screen
        assert "cost 10 points" in played.screen

    play(act, size=(80, 36))
