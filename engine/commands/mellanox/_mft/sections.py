"""How mlxlink prints sections: a title with a line below it, labels padded to 35 places (MFT 4.30); or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from engine.commands.context import Context

_LABEL = 35
_LIST = re.compile(r"^[^ ]+(,[^ ]+)+( \[.*\])?$")

Section = tuple[str, Sequence[tuple[str, str]]]


def show(context: Context, sections: Iterable[Section]) -> None:
    """Print sections, an empty line before each."""
    for title, rows in sections:
        context.line(f"\n{title}\n{'-' * len(title)}")
        for label, value in rows:
            context.line(f"{label:<{_LABEL}}: {value}")


def document(sections: Iterable[Section]) -> str:
    """The same as JSON: names sorted, lists and masks taken apart (a fragment of a capture)."""
    output = {title: {label: _value(value) for label, value in rows} for title, rows in sections}
    found = {"result": {"output": output}, "status": {"code": 0, "message": "success"}}
    return json.dumps(found, indent=3, sort_keys=True, separators=(",", " : "))


def _value(text: str) -> object:
    mask = re.fullmatch(r"(0x[0-9a-f]+) \((.*)\)", text)
    if mask:
        return {"mask": mask[1], "values": mask[2].split(",")}
    if _LIST.match(text):
        return {"values": text.partition(" ")[0].split(",")}
    return text
