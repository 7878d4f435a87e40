"""Changes within a line: characters and words that swap places, letters that change case, blanks that go.

Each takes the text and the cursor and says what is to be replaced: from where, to where, by what. None: there is
nothing to change.
"""

from __future__ import annotations

from collections.abc import Callable

from tui.terminal.line_text import following, previous, word_end, word_start

Change = Callable[[str, int], tuple[int, int, str] | None]


def swap_characters(text: str, cursor: int) -> tuple[int, int, str] | None:
    """The character before the cursor and the one at it; at the end of the line the last two."""
    middle = previous(text, cursor) if cursor == len(text) else cursor
    if middle == 0:
        return None
    first, after = previous(text, middle), following(text, middle)
    return first, after, text[middle:after] + text[first:middle]


def swap_words(text: str, cursor: int) -> tuple[int, int, str] | None:
    """The word before the cursor and the one after it."""
    second_end = word_end(text, cursor)
    second = word_start(text, second_end)
    first = word_start(text, second)
    first_end = word_end(text, first)
    if first == second or second < first_end:
        return None
    return first, second_end, text[second:second_end] + text[first_end:second] + text[first:first_end]


def upper_word(text: str, cursor: int) -> tuple[int, int, str] | None:
    """Capital letters to the end of the word."""
    return _recased(text, cursor, lambda _first, letter: letter.upper())


def lower_word(text: str, cursor: int) -> tuple[int, int, str] | None:
    """Small letters to the end of the word."""
    return _recased(text, cursor, lambda _first, letter: letter.lower())


def capital_word(text: str, cursor: int) -> tuple[int, int, str] | None:
    """A capital letter, then small ones to the end of the word."""
    return _recased(text, cursor, lambda first, letter: letter.upper() if first else letter.lower())


def no_blanks(text: str, cursor: int) -> tuple[int, int, str] | None:
    """No blanks around the cursor."""
    start = len(text[:cursor].rstrip(" "))
    end = len(text) - len(text[cursor:].lstrip(" "))
    return (start, end, "") if start < end else None


def _recased(text: str, cursor: int, recase: Callable[[bool, str], str]) -> tuple[int, int, str] | None:
    end = word_end(text, cursor)
    word = text[cursor:end]
    letters = [
        recase(index == 0 or not word[index - 1].isalnum(), letter) if letter.isalnum() else letter
        for index, letter in enumerate(word)
    ]
    return (cursor, end, "".join(letters)) if word else None
