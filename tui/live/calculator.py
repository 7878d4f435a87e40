"""A calculator with + - * / and brackets: exact, and nothing but that."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.kernel.errors import BreakfixError

LONGEST = 200
DIGITS = 10

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([-+*/()]))")


def calculated(text: str) -> Fraction:
    """The value of a calculation. Raises BreakfixError with a sentence where it is none."""
    if len(text) > LONGEST:
        raise BreakfixError(f"this is too long; {LONGEST} characters at most")
    if "," in text:
        raise BreakfixError("no commas, please; write 1.2 with a point, and 1000 without separators")
    rest = _tokens(text.replace("×", "*").replace("÷", "/"))
    if not rest:
        raise BreakfixError("nothing is written yet")
    try:
        value = _sum(rest)
    except ZeroDivisionError:
        raise BreakfixError("nothing can be divided by zero") from None
    if rest:
        raise BreakfixError(f"{rest[0]} is not expected there")
    return value


def result_text(value: Fraction) -> str:
    """A result with at most ten decimals, without zeros at its end."""
    rounded = round(value, DIGITS)
    whole = rounded.numerator * 10**DIGITS // rounded.denominator
    sign = "-" if whole < 0 else ""
    digits = str(abs(whole)).rjust(DIGITS + 1, "0")
    return f"{sign}{digits[:-DIGITS]}.{digits[-DIGITS:]}".rstrip("0").rstrip(".")


def _tokens(text: str) -> list[str]:
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        token = _TOKEN.match(text, place)
        if token is None:
            wrong = text[place:].strip()[:1]
            raise BreakfixError(f"{wrong} means nothing here; numbers, + - * / and brackets do")
        found.append(token.group(1) or token.group(2))
        place = token.end()
    return found


def _sum(rest: list[str]) -> Fraction:
    value = _product(rest)
    while rest and rest[0] in "+-":
        sign = rest.pop(0)
        right = _product(rest)
        value = value + right if sign == "+" else value - right
    return value


def _product(rest: list[str]) -> Fraction:
    value = _factor(rest)
    while rest and rest[0] in "*/":
        sign = rest.pop(0)
        right = _factor(rest)
        value = value * right if sign == "*" else value / right
    return value


def _factor(rest: list[str]) -> Fraction:
    if not rest:
        raise BreakfixError("something is missing at the end")
    token = rest.pop(0)
    if token in "+-":
        value = _factor(rest)
        return -value if token == "-" else value
    if token == "(":
        value = _sum(rest)
        if not rest or rest.pop(0) != ")":
            raise BreakfixError("a bracket is not closed")
        return value
    if token in "*/)":
        raise BreakfixError(f"{token} is not expected there")
    return Fraction(token.rstrip("."))
