"""Types of command line options."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a whole number in a range."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"{text[:40]} is not a whole number from {low} to {high}")
        return int(text)

    return read
