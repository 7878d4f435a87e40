"""Which keys do what: the actions' defaults, what the manner of keys changes (`tui/manners.py`), and what the learner's
keymap file changes.

The file is TOML: an action's id and its sequences, `"drill.pin" = ["f9", "prefix p"]`; an empty list takes an action's
keys away. `prefix` names the prefix key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tui.actions import Action, Offer, every_action
from tui.keys import PREFIX, TAKEN, shown
from tui.manners import MANNERS

DEFAULT_PREFIX = "ctrl+b"


@dataclass
class Keymap:
    """Sequences by action id where they differ from those of the manner, the prefix key, and the manner."""

    prefix: str = DEFAULT_PREFIX
    changed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    manner: str = "usual"

    def keys(self, action: Action) -> tuple[str, ...]:
        """The sequences of an action."""
        return self.changed.get(action.id, MANNERS[self.manner].get(action.id, action.keys))

    def shown(self, action: Action) -> str:
        """An action's first key as people read it; one that nobody else takes comes first."""
        keys = sorted(self.keys(action), key=lambda sequence: sequence in TAKEN)
        return shown(keys[0], self.prefix) if keys else ""

    def all_shown(self, action: Action) -> str:
        """All keys of an action as people read them."""
        return ", ".join(shown(sequence, self.prefix) for sequence in self.keys(action))

    def shown_sequence(self, sequence: str) -> str:
        """A sequence as people read it."""
        return shown(sequence, self.prefix)

    def find(self, sequence: str, offers: Iterable[Offer]) -> Offer | None:
        """The innermost action that has this sequence and can be done now."""
        return next((one for one in offers if sequence in self.keys(one.action) and one.enabled), None)


def load_keymap(path: Path) -> tuple[Keymap, list[str]]:
    """The keymap of a file, and what is wrong in it (what can be used is used)."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Keymap(), []
    except (OSError, ValueError, RecursionError) as error:
        return Keymap(), [f"{path}: {error}; the default keys are used"]
    known = {one.id for one in every_action()}
    changed: dict[str, tuple[str, ...]] = {}
    wrong = []
    prefix = data.pop("prefix", DEFAULT_PREFIX)
    if not isinstance(prefix, str):
        wrong.append(f'{path}: prefix is the name of a key, such as "{DEFAULT_PREFIX}"')
        prefix = DEFAULT_PREFIX
    for id, keys in data.items():
        if id not in known:
            wrong.append(f'{path}: there is no action "{id}"')
        elif not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            wrong.append(f'{path}: "{id}" takes a list of keys, such as ["f9", "{PREFIX} p"]')
        else:
            changed[id] = tuple(keys)
    return Keymap(prefix, changed), wrong


def keymap_text(keymap: Keymap) -> str:
    """The keymap file with every action: the changed ones as they are, the others as comments."""
    lines = [
        "# Keys of breakfix's full-screen program. Take the # away before a line to change it; [] takes keys away.",
        '# A sequence is one key ("f9", "ctrl+r", "?") or the prefix and another ("prefix p").',
        "",
        f'{"" if keymap.prefix != DEFAULT_PREFIX else "# "}prefix = "{keymap.prefix}"',
    ]
    for one in every_action():
        keys = ", ".join(f'"{_quoted(key)}"' for key in keymap.keys(one))
        mark = "" if one.id in keymap.changed else "# "
        lines += ["", f"# {one.title}: {one.doc.splitlines()[0]}", f'{mark}"{one.id}" = [{keys}]']
    return "\n".join(lines) + "\n"


def _quoted(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')
