"""A transcript as an asciicast (version 2), which asciinema and its players show, and as a picture (SVG).

Format: https://docs.asciinema.org/manual/asciicast/v2/: a JSON header, then one JSON array [seconds, "o", text] a line.
People read faster than clusters work: typing takes its time, a wait between two lines two seconds at most.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence

from engine.kernel.units import SECOND
from tui.live.transcript import Moment, ended

_SECONDS_A_KEY = 0.045
_LONGEST_PAUSE = 2.0
_AFTER_A_MOVE = 1.0


def cast(told: Sequence[Moment], columns: int, rows: int, title: str) -> Iterator[str]:
    """The lines of an asciicast, each without its end."""
    yield json.dumps({"version": 2, "width": columns, "height": rows, "title": title})
    time, before = 0.0, told[0].began if told else 0
    for one in told:
        time += min(max(one.began - before, 0) / SECOND, _LONGEST_PAUSE)
        before = one.ended
        if not one.is_line:
            yield _event(time, f"\x1b[2m[{one.text}]\x1b[0m\r\n")
            time += _AFTER_A_MOVE
            continue
        yield _event(time, one.prompt)
        for key in one.text:
            time += _SECONDS_A_KEY
            yield _event(time, key)
        yield _event(time + _SECONDS_A_KEY, "\r\n")
        time += _SECONDS_A_KEY + min((one.ended - one.began) / SECOND, _LONGEST_PAUSE)
        if one.output:
            yield _event(time, ended(one.output).replace("\r\n", "\n").replace("\n", "\r\n"))


def _event(time: float, text: str) -> str:
    return json.dumps([round(time, 3), "o", text], ensure_ascii=False)


def picture(told: Sequence[Moment], columns: int, title: str) -> str:
    """The transcript as one SVG, as wide as `columns` characters. It asks no other machine for anything."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for one in told:
        line = Text(f"{one.prompt}{one.text}", style="bold") if one.is_line else Text(f"[{one.text}]", style="dim")
        console.print(line, highlight=False)
        if one.output:
            console.print(Text.from_ansi(one.output.rstrip("\n")), highlight=False)
    # Rich names fonts on the web; a picture of ours asks nobody for anything.
    return re.sub(r"@font-face \{.*?\}", "", console.export_svg(title=title), flags=re.DOTALL)
