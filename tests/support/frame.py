"""Screens of the full-screen program as text and as pictures."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from rich.style import Style
from textual.app import App


def strips(app: App[Any]) -> list[list[tuple[str, Style]]]:
    """What is painted, row by row, as pieces of text with their styles. The one place that looks into Textual's
    compositor.
    """
    rows = app.screen._compositor.render_strips()
    return [[(segment.text, segment.style or Style.null()) for segment in row] for row in rows]


def frame(app: App[Any]) -> list[str]:
    """What is painted, row by row, without trailing blanks."""
    return ["".join(text for text, _ in row).rstrip() for row in strips(app)]


def shown(app: App[Any]) -> str:
    """The same as one text."""
    return "\n".join(frame(app))


def can_draw() -> bool:
    """Whether `draw` works on this machine."""
    return shutil.which("rsvg-convert") is not None


def draw(app: App[Any], path: Path) -> Path:
    """A picture (PNG) of what is painted, for a person to look at. Needs rsvg-convert."""
    drawing = path.with_suffix(".svg")
    # Blanks at the beginning of a piece of text are kept only like this.
    svg = app.export_screenshot().replace("<text ", '<text xml:space="preserve" ').replace("&#160;", " ")
    drawing.write_text(svg, "utf-8")
    subprocess.run(["rsvg-convert", str(drawing), "-o", str(path)], check=True)
    drawing.unlink()
    return path
