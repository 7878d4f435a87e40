"""Tables of the operating system's parts, as text files: kernel modules, packages, boot messages. `#` begins a comment
line.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def rows(name: str) -> tuple[tuple[str, ...], ...]:
    """The lines of `name`.txt, each cut at its `|` into cells without the blanks around them."""
    return tuple(tuple(cell.strip() for cell in line.split("|")) for line in lines(name))


@cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of `name`.txt as they stand, without comments and empty lines."""
    text = files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
