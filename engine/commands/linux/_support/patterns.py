"""Regular expressions that learners type (`journalctl -g`, `pgrep`, `find -regex`): RE2, which never takes exponential
time.
"""

from __future__ import annotations

from typing import Any


class PatternError(ValueError):
    """The pattern cannot be read."""


def compile_pattern(text: str, ignore_case: bool = False) -> Any:
    """An object with `search` and `fullmatch`. Raises PatternError."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(text, options)
    except re2.error as error:
        raise PatternError(str(error)) from None


def smart_case(text: str) -> bool:
    """Whether a pattern without capitals ignores case, as journalctl -g does."""
    return text == text.lower()
