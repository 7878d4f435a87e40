"""What the learner has set: a TOML file in the data folder, written with its comments.

A field's description is the comment in the file and the help on the settings screen.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tui.paths import settings_file

Value = str | int | bool


class Settings(BaseModel):
    """Every setting with its default."""

    model_config = ConfigDict(extra="ignore")

    theme: str = Field(default="breakfix-dark", title="Theme", description="Colours of the full-screen program.")
    glyphs: Literal["auto", "unicode", "ascii"] = Field(
        default="auto", title="Signs", description="Signs and borders. auto: Unicode where the locale has it."
    )
    scrollback: int = Field(
        default=100_000,
        title="Scrollback",
        ge=1_000,
        le=1_000_000,
        description="Lines that a terminal keeps, from the next one on.",
    )
    prefix: Literal["ctrl+b", "ctrl+a", "ctrl+g", "ctrl+o", "ctrl+x"] = Field(
        default="ctrl+b",
        title="Prefix key",
        description="The key before others. Another one helps where tmux or screen takes it; "
        "pressed twice it goes to the shell. A prefix in the keymap file counts more.",
    )
    suggestions: bool = Field(
        default=True,
        title="Suggestions at the prompt",
        description="Show the rest of an earlier line that begins like the one that is typed; Right takes it.",
    )
    line_colours: bool = Field(
        default=True,
        title="Colours at the prompt",
        description="Commands, strings, options and variables in colours; a command that is not there in red.",
    )
    keys: Literal["usual", "tmux", "vim"] = Field(
        default="usual",
        title="Keys",
        description="tmux, vim: the keys behind the prefix as in these programs. The keymap file counts more.",
    )
    mouse: bool = Field(
        default=True,
        title="Mouse",
        description="Whether breakfix takes the mouse. off: your terminal's own selecting and copying works. "
        "From the next start on.",
    )
    tour_seen: bool = Field(
        default=False,
        title="First look around was taken",
        description="off: home offers the first look around at the top.",
    )


def load_settings() -> tuple[Settings, list[str]]:
    """The settings, and what is wrong in their file (what can be used is used)."""
    path = settings_file()
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings(), []
    except (OSError, ValueError, RecursionError) as error:
        return Settings(), [f"{path}: {error}; the defaults are used"]
    wrong: list[str] = []
    while True:
        try:
            return Settings(**data), wrong
        except ValidationError as error:
            for one in error.errors():
                name = str(one["loc"][0])
                data.pop(name, None)
                wrong.append(f"{path}: {name}: {one['msg']}; the default is used")


def settings_text(settings: Settings) -> str:
    """The settings file."""
    lines = ["# Settings of breakfix's full-screen program."]
    for name, field in Settings.model_fields.items():
        lines += ["", f"# {field.description}", f"{name} = {json.dumps(getattr(settings, name))}"]
    return "\n".join(lines) + "\n"


def save_settings(settings: Settings) -> str | None:
    """Write the file. Returns what went wrong, if something did."""
    path = settings_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".new")  # a full disk leaves the former settings as they were
        beside.write_text(settings_text(settings), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        return f"the settings can't be saved: {error.strerror} ({path})"
    return None


def choices(name: str) -> tuple[Value, ...]:
    """The values that one can choose from for a setting."""
    field = Settings.model_fields[name]
    if get_origin(field.annotation) is Literal:
        return get_args(field.annotation)
    if field.annotation is bool:
        return (False, True)
    if field.annotation is int:
        least, most = (
            next(one for one in (getattr(m, key, None) for m in field.metadata) if one) for key in ("ge", "le")
        )
        return tuple(value for value in _ROUND if least <= value <= most)
    from tui.look.themes import THEMES

    return tuple(THEMES)


_ROUND = tuple(first * 10**zeros for zeros in range(7) for first in (1, 2, 5))
"""Numbers that are offered; others go into the file by hand."""


def after(name: str, value: Value, step: int) -> Value:
    """The choice that comes `step` places after a value; the first follows the last."""
    offered = choices(name)
    if value in offered:
        return offered[(offered.index(value) + step) % len(offered)]
    nearest = [one for one in offered if isinstance(one, int) and isinstance(value, int) and (one - value) * step > 0]
    return nearest[0 if step > 0 else -1] if nearest else offered[0]


def value_text(value: Value) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:,}" if isinstance(value, int) else value
