"""Settings: each is changed from the screen and kept; the keymap file is written without losing what is in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.frame import shown
from tui.actions import every_action
from tui.app import Breakfix
from tui.keymap import Keymap, keymap_text, load_keymap
from tui.keymap_file import extended, write_keymap
from tui.look.themes import THEMES
from tui.paths import keymap_file, settings_file
from tui.screens.settings import SettingsScreen
from tui.settings import Settings, after, choices, load_settings, settings_text, value_text
from tui.widgets.pick_list import PickList


@pytest.fixture(autouse=True)
def home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


def in_settings(
    work: Callable[[Breakfix, PickList, Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)
) -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await app.push_screen(SettingsScreen())
            await pilot.pause(0.1)
            await work(app, app.screen.query_one(PickList), pilot)

    asyncio.run(run())


# Values


def test_every_setting_has_choices_with_its_default_among_them_and_words_for_people() -> None:
    for name, field in Settings.model_fields.items():
        assert field.default in choices(name)
        assert len(choices(name)) > 1
        assert field.title and field.description


def test_every_choice_is_a_valid_setting() -> None:
    for name in Settings.model_fields:
        for value in choices(name):
            assert getattr(Settings.model_validate({name: value}), name) == value


def test_choices_go_round() -> None:
    assert after("glyphs", "auto", 1) == "unicode"
    assert after("glyphs", "auto", -1) == "ascii"
    assert after("mouse", True, 1) is False
    assert after("scrollback", 1_000_000, 1) == 1_000


def test_a_number_that_was_written_by_hand_goes_to_its_neighbours() -> None:
    assert after("scrollback", 3_333, 1) == 5_000
    assert after("scrollback", 3_333, -1) == 2_000


def test_values_are_shown_as_people_write_them() -> None:
    assert [value_text(value) for value in (True, False, 100_000, "auto")] == ["on", "off", "100,000", "auto"]


def test_the_file_holds_every_setting_and_is_read_again() -> None:
    changed = Settings(theme="other", scrollback=5_000, prefix="ctrl+a", mouse=False)
    settings_file().write_text(settings_text(changed))
    assert load_settings() == (changed, [])


# The screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_every_setting_is_shown_with_its_value(size: tuple[int, int]) -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        painted = shown(app)
        for name, field in Settings.model_fields.items():
            assert str(field.title) in painted
            assert name == "prefix" or value_text(field.default) in painted

    in_settings(work, size)


def test_a_theme_is_seen_at_once_and_kept() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        names = list(THEMES)
        following = names[(names.index(app.theme) + 1) % len(names)]
        await pilot.press("right")
        assert app.theme == app.settings.theme == following
        assert load_settings()[0].theme == following
        await pilot.press("left")
        assert app.theme == names[0]

    in_settings(work)


def test_signs_change_at_once() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        found.move_to("glyphs")
        await pilot.press("left")
        await pilot.pause()
        assert app.settings.glyphs == "ascii"
        assert "> Signs" in shown(app)

    in_settings(work)


def test_the_prefix_key_counts_at_once() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        found.move_to("prefix")
        await pilot.press("enter")
        assert app.keymap.prefix == "ctrl+a"
        await pilot.press("ctrl+a")
        assert app.prefixed

    in_settings(work)


def test_a_prefix_in_the_keymap_file_stands() -> None:
    keymap_file().write_text('prefix = "ctrl+x"\n')

    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        found.move_to("prefix")
        await pilot.press("enter")
        assert app.keymap.prefix == "ctrl+x"

    in_settings(work)


def test_every_action_is_listed_with_its_keys() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        listed = {line.id: line.right for line in found.lines}
        for one in every_action():
            assert listed[one.id] == app.keymap.all_shown(one)
        found.move_to("app.help")
        await pilot.pause()
        assert "In the keymap file: app.help" in shown(app)

    in_settings(work)


def test_a_double_click_changes_a_setting() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        place = [line.id for line in found.lines].index("mouse")
        await pilot.click(PickList, offset=(4, place), times=2)
        await pilot.pause()
        assert app.settings.mouse is False

    in_settings(work)


def test_the_keymap_file_is_written_and_its_place_told() -> None:
    async def work(app: Breakfix, found: PickList, pilot: Pilot[Any]) -> None:
        found.move_to("write keymap")
        await pilot.press("enter")
        await pilot.pause()
        assert "Written:" in shown(app)
        assert keymap_file().read_text() == keymap_text(app.keymap)

    in_settings(work)


# The keymap file


def test_a_written_keymap_changes_nothing_when_it_is_read() -> None:
    write_keymap(keymap_file(), Keymap())
    assert load_keymap(keymap_file()) == (Keymap(), [])


def test_changed_lines_and_comments_stay_when_the_file_is_written_again() -> None:
    mine = '# mine\n"app.quit" = ["f7"]\n#"app.help" = []\nnonsense = 3\n'
    keymap_file().write_text(mine)
    told = write_keymap(keymap_file(), load_keymap(keymap_file())[0])
    text = keymap_file().read_text()
    assert told.startswith("Written")
    assert text.startswith(mine)
    assert text.count("app.quit") == text.count("app.help") == 1
    assert '# "app.settings" = ["prefix S"]' in text
    assert load_keymap(keymap_file())[0].changed == {"app.quit": ("f7",)}
    assert "left as it is" in write_keymap(keymap_file(), Keymap())
    assert keymap_file().read_text() == text


def test_nothing_is_added_to_a_whole_file() -> None:
    text = keymap_text(Keymap())
    assert extended(text, text) == text


def test_a_file_that_cannot_be_written_is_told(home_folder: Path) -> None:
    keymap_file().mkdir()
    assert "can't be written" in write_keymap(keymap_file(), Keymap())
