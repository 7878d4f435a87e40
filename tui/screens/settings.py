"""The settings and the keys. A change counts at once and is kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from textual.app import ComposeResult

from tui.actions import Action, action
from tui.app import breakfix
from tui.help_text import scope_title
from tui.keymap import DEFAULT_PREFIX
from tui.look.glyphs import State
from tui.paths import keymap_file, settings_file
from tui.settings import Settings, Value, after, value_text
from tui.widgets.dialog import Dialog
from tui.widgets.pick_list import Line, PickList
from tui.widgets.rows import MUTED, Row, Rows

_WRITE_KEYMAP = "write keymap"


class SettingsScreen(Dialog[None]):
    """One list: every setting with its value, then every action with its keys."""

    title_text = "Settings"
    ABOUT = (
        "Settings",
        """
        Left and Right (or Enter, or a double click) change the setting under the cursor, at once and for the next time.
        Below the settings stands everything that can be done in breakfix, with its keys. To change keys, let the
        keymap file be written and edit it.
        """,
    )
    DEFAULT_CSS = """
    SettingsScreen .dialog { height: 90%; }
    SettingsScreen PickList { height: 1fr; }
    SettingsScreen Rows { height: 5; margin-top: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._actions: dict[str, Action] = {}
        self._list = PickList(id="settings")

    def content(self) -> ComposeResult:
        """The list, and what the chosen line means."""
        yield self._list
        yield Rows(id="meaning")

    def on_mount(self) -> None:
        """Show the settings; the actions come when this is painted, for finding them imports every screen."""
        self._show()
        self._list.focus()
        self.call_after_refresh(self._load_actions)

    def _load_actions(self) -> None:
        from tui.actions import every_action

        self._actions = {one.id: one for one in every_action()}
        self._show()

    def _show(self) -> None:
        self._list.show([*self._setting_lines(), *self._key_lines()])

    def _setting_lines(self) -> Iterator[Line]:
        app = breakfix(self)
        yield Line("Settings", str(settings_file()))
        for name, field in Settings.model_fields.items():
            value = value_text(getattr(app.settings, name))
            if name == "prefix":
                value = app.keymap.shown_sequence(value)
            yield Line(field.title or name, value, name)

    def _key_lines(self) -> Iterator[Line]:
        app = breakfix(self)
        yield Line("")
        yield Line("Keys", str(keymap_file()))
        yield Line("Write the keymap file", "", _WRITE_KEYMAP)
        for scope, found in groupby(self._actions.values(), key=lambda one: one.id.partition(".")[0]):
            yield Line("")
            yield Line(scope_title(scope))
            yield from (Line(one.title, app.keymap.all_shown(one), one.id) for one in found)

    # The line under the cursor

    @property
    def setting(self) -> str | None:
        """The name of the setting under the cursor."""
        line = self._list.line
        return line.id if line and line.id in Settings.model_fields else None

    def on_pick_list_moved(self) -> None:
        """Say what the line under the cursor is."""
        self.query_one("#meaning", Rows).show(list(self._meaning()))

    def _meaning(self) -> Iterator[Row]:
        line = self._list.line
        if line is None:
            return
        if (name := self.setting) is not None:
            yield Row(str(Settings.model_fields[name].description))
            if name in ("theme", "glyphs"):
                yield Row(lead=tuple(self._sample()))
        elif line.id == _WRITE_KEYMAP:
            yield Row("Writes a file with every action and its keys, to edit. Lines that you have changed stay.")
        elif line.id in self._actions:
            yield Row(self._actions[line.id].doc)
            yield Row(f"In the keymap file: {line.id}", MUTED)

    def _sample(self) -> Iterator[tuple[str, str]]:
        """Every state as it looks."""
        glyphs = breakfix(self).glyphs
        for state in State:
            yield f"{glyphs.of(state)} {state.value}   ", f"$state-{state.name.lower()}"

    # Changing

    def on_pick_list_chosen(self) -> None:
        """Enter or a double click."""
        line = self._list.line
        if line is not None and line.id == _WRITE_KEYMAP:
            self._write_keymap()
        elif self.setting is not None:
            self.next_value()

    @action("settings.next", "Change", "right", footer=6, when="setting")
    def next_value(self) -> None:
        """The next value of the setting under the cursor."""
        self._change(1)

    @action("settings.previous", "Change back", "left", footer=7, when="setting")
    def previous_value(self) -> None:
        """The value before."""
        self._change(-1)

    def _change(self, step: int) -> None:
        name = self.setting
        if name is None:
            return
        app = breakfix(self)
        value: Value = after(name, getattr(app.settings, name), step)
        app.change_settings(**{name: value})
        if name == "prefix":
            self._change_prefix(str(value))
        self._show()

    def _change_prefix(self, key: str) -> None:
        """A prefix in the keymap file stands; without one, the setting counts."""
        from tui.keymap import load_keymap

        app = breakfix(self)
        if load_keymap(keymap_file())[0].prefix == DEFAULT_PREFIX:
            app.keymap.prefix = key

    def _write_keymap(self) -> None:
        from tui.keymap_file import write_keymap

        told = write_keymap(keymap_file(), breakfix(self).keymap)
        self.query_one("#meaning", Rows).show([Row(told)])
