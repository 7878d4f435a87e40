"""The panel of notes and work orders."""

from __future__ import annotations

from tests.support.drills import Panels, Played, play
from tui.widgets.notes_panel import NotesPanel


def test_nothing_yet() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(NotesPanel(played.live)))
        assert "Nothing written down, no work ordered." in played.screen

    play(act)


def test_notes_and_orders_with_their_state() -> None:
    async def act(played: Played[None]) -> None:
        panel = NotesPanel(played.live)
        await played.open(Panels(panel))
        assert "gpu4 [off] the bus" in played.screen
        assert "order 1: replace dgx-01/gpu4, under way, due 11:20:00" in played.screen
        await played.live.move(":wait 2h")
        panel.show_session()
        await played.settle()
        assert "order 1: replace dgx-01/gpu4, done 11:20:00" in played.screen
        assert "Replaced the GPU module" in played.screen

    play(act, moves=[":note gpu4 [off] the bus", ":hands replace target=dgx-01/gpu4"])
