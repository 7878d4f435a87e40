"""A terminal's text as a file in the data folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from tui.paths import transcripts_folder
from tui.terminal.page import Page

_MOST_TRIES = 100


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of it, to tell."""

    done: bool
    message: str


def text_of_page(page: Page) -> str:
    """Everything that a page holds."""
    return "\n".join(page.text(number).rstrip() for number in range(page.kept.first, page.end))


def save_text(text: str, host: str) -> Saved:
    """Write a text to a new file named after the host and the time."""
    folder = transcripts_folder()
    name = f"{re.sub(r'[^A-Za-z0-9.-]', '_', host)}-{datetime.now():%Y%m%d-%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, _MOST_TRIES):
            path = folder / (f"{name}.txt" if number == 1 else f"{name}-{number}.txt")
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(text if text.endswith("\n") else f"{text}\n")
            except FileExistsError:
                continue
            return Saved(True, f"Saved {text.count(chr(10)) + 1:,} lines in {path}.")
    except OSError as error:
        return Saved(False, f"The text can't be saved: {error.strerror} ({folder}).")
    return Saved(False, f"The text can't be saved: there are too many files {name}*.txt in {folder}.")
