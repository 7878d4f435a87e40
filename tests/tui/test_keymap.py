"""Keys, actions and the keymap file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tui.actions import Action, Acts, action, every_action
from tui.keymap import DEFAULT_PREFIX, Keymap, keymap_text, load_keymap
from tui.keys import PREFIX, TAKEN, UNSEEN, named, shown
from tui.manners import MANNERS

# Plain keys that need no prefix: where they act, nothing types text (tests/tui/test_every_screen.py looks at that).
SEQUENCE = re.compile(rf"({PREFIX} )?\S+$")


@pytest.mark.parametrize("one", every_action(), ids=lambda one: one.id)
def test_an_action_says_what_it_does_and_can_be_reached(one: Action) -> None:
    assert re.fullmatch(r"[a-z_]+(\.[a-z_]+)+", one.id)
    assert one.doc.endswith("."), "the first docstring of an action is its help"
    assert one.title
    assert one.keys, "an action without a key cannot be reached"
    assert all(SEQUENCE.match(key) for key in one.keys)
    assert any(key not in TAKEN and key not in UNSEEN for key in one.keys), "browsers or terminals take its only key"


def test_ids_and_titles_of_a_scope_are_unique() -> None:
    ids = [one.id for one in every_action()]
    assert len(ids) == len(set(ids))


def test_the_keymap_file_lists_every_action_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "keymap.toml"
    path.write_text(keymap_text(Keymap()), encoding="utf-8")
    assert load_keymap(path) == (Keymap(), [])
    assert all(f'# "{one.id}" = [' in path.read_text(encoding="utf-8") for one in every_action())


def test_the_keymap_file_keeps_what_was_changed(tmp_path: Path) -> None:
    path = tmp_path / "keymap.toml"
    path.write_text('prefix = "ctrl+a"\n"app.help" = ["f6", "prefix \\""]\n"app.quit" = []\n', encoding="utf-8")
    keymap, wrong = load_keymap(path)
    assert not wrong
    assert keymap.prefix == "ctrl+a"
    assert keymap.changed == {"app.help": ("f6", 'prefix "'), "app.quit": ()}
    path.write_text(keymap_text(keymap), encoding="utf-8")
    assert load_keymap(path) == (keymap, [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prefix = 5", "prefix is the name of a key"),
        ('"no.such" = ["f2"]', 'there is no action "no.such"'),
        ('"app.help" = "f2"', "takes a list of keys"),
        ('"app.help" = = 5\n"app.quit" = []', "at line 1"),
        ("\udcff", "can't decode"),
    ],
)
def test_mistakes_are_told_and_the_rest_is_used(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "keymap.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    keymap, wrong = load_keymap(path)
    assert keymap == Keymap(DEFAULT_PREFIX, {})
    assert len(wrong) == 1
    assert str(path) in wrong[0]
    assert said in wrong[0]


@pytest.mark.parametrize(
    ("sequence", "text"),
    [("prefix m", "^B m"), ("f2", "F2"), ("ctrl+r", "^R"), ("prefix |", "^B |"), ("escape", "Esc"), ("alt+b", "M-b"),
     ("prefix space", "^B Space"), ("?", "?")],
)  # fmt: skip
def test_sequences_as_people_read_them(sequence: str, text: str) -> None:
    assert shown(sequence) == text


def test_keys_are_named_by_what_they_type() -> None:
    assert named("question_mark", "?") == "?"
    assert named("M", "M") == "M"
    assert named("space", " ") == "space"
    assert named("ctrl+b", "\x02") == "ctrl+b"
    assert named("up", None) == "up"


def test_the_key_shown_is_one_that_nobody_else_takes() -> None:
    class Thing(Acts):
        @action("thing.help", "Help", "f1", "prefix ?")
        def help(self) -> None:
            """Help."""

    assert Keymap().shown(Thing.actions()[0]) == "^B ?"
    assert Keymap().all_shown(Thing.actions()[0]) == "F1, ^B ?"


INSTEAD = {"drill.answer", "drill.debrief", "drill.diagnose"}
"""Of these one at most can be done."""
INNER = ({"app.copy", "terminal.copy"},)
"""The inner one counts."""


@pytest.mark.parametrize("manner", MANNERS)
def test_no_two_actions_of_the_workspace_share_a_key_in_any_manner(manner: str) -> None:
    keymap = Keymap(manner=manner)
    there = [one for one in every_action() if one.id.startswith(("workspace.", "terminal.", "drill.", "app."))]
    taken: dict[str, str] = {}
    for one in there:
        assert keymap.keys(one), f"{manner}: {one.id} has no key"
        for sequence in keymap.keys(one) if one.id not in INSTEAD else ():
            other = taken.setdefault(sequence, one.id)
            assert other == one.id or {other, one.id} in INNER, (manner, sequence, other, one.id)
    assert set(MANNERS[manner]) <= {one.id for one in there}


def test_the_file_counts_more_than_the_manner() -> None:
    zoom = next(one for one in every_action() if one.id == "workspace.zoom")
    assert Keymap(manner="vim").keys(zoom) == ("prefix o", "prefix z")
    assert Keymap(manner="vim", changed={"workspace.zoom": ("f6",)}).keys(zoom) == ("f6",)
