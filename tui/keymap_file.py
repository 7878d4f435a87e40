"""Writing the keymap file, without touching what the learner has changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tui.keymap import Keymap, keymap_text

_ENTRY = re.compile(r'^#? *"(?P<id>[^"]+)" *=', re.MULTILINE)


def write_keymap(path: Path, keymap: Keymap) -> str:
    """Write the file of every action's keys, or add to it what is not in it yet. Returns what to tell."""
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        text = extended(before, keymap_text(keymap)) if before.strip() else keymap_text(keymap)
        if text == before:
            return f"{path} has every action already; it was left as it is."
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        return f"{path} can't be written: {reason}."
    return f"Written: {path}. Edit it, then start breakfix again."


def extended(before: str, fresh: str) -> str:
    """A keymap file with the actions that it does not name yet added at its end; every line of it stays."""
    known = {found["id"] for found in _ENTRY.finditer(before)}
    added = [text for id, text in _entries(fresh) if id not in known]
    return before if not added else before.rstrip("\n") + "\n\n" + "\n\n".join(added) + "\n"


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Id, and comment and line, of each action in a keymap file."""
    for block in text.split("\n\n"):
        found = _ENTRY.search(block)
        if found:
            yield found["id"], block.strip("\n")
