"""docs/census.md: for each fault the looks that it changes, and for each look the faults that it shows."""

from __future__ import annotations

from pathlib import Path

from engine.faults.fault import catalogue
from tests.census.census import changed, looks, scene

PAGE = Path(__file__).parents[2] / "docs" / "census.md"

_HEAD = """# Census

Which looks at the cluster each fault changes, half an hour after its onset on a site at work; everything else stays
exactly as it is. Made by `make census`, checked by `tests/census`: a change of this page in a review says what a change
of the model does to what people see. The looks are in `tests/census/looks.txt`, scenes that are not the usual one in
`tests/census/scenes.txt`.
"""


def page() -> str:
    """The page's text."""
    rows = {fault: row(fault) for fault in catalogue()}
    parts = [_HEAD, "\n## By fault\n"]
    parts += [f"\n{text}" for text in rows.values()]
    parts.append("\n## By look\n")
    for look in looks():
        shows = [fault for fault in rows if f"`{look.line}`" in rows[fault]]
        parts.append(f"\n- `{look.line}` ({len(shows)}): {', '.join(shows) or 'none'}\n")
    return "".join(parts)


def row(fault: str) -> str:
    """A fault's part of the page."""
    where = scene(fault)
    lines = ", ".join(f"`{line}`" for line in changed(fault)) or "nothing"
    settings = "".join(f" with {key}={value}" for key, value in where.settings)
    return f"- **{where.line}** on {where.site}{settings}: {lines}\n"
