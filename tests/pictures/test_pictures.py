"""The pictures of the README can be taken: they show what they are to show, and fetch nothing."""

from __future__ import annotations

from pathlib import Path

from tests.pictures.take import FOLDER, PICTURES, taken

README = Path(__file__).parents[2] / "README.md"


def test_the_workspace_shows_the_lost_gpu() -> None:
    text = taken(PICTURES[0]).replace("&#160;", " ")
    assert "(rev ff)" in text and "Briefing" in text


def test_what_the_readme_shows_is_there_and_asks_nobody() -> None:
    shown = {f"docs/pictures/{picture.name}.svg" for picture in PICTURES}
    told = README.read_text(encoding="utf-8")
    assert {path for path in shown if path in told} >= {"docs/pictures/workspace.svg", "docs/pictures/fabric.svg"}
    for picture in PICTURES:
        svg = (FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert "url(http" not in svg and "url('http" not in svg and "@font-face" not in svg
