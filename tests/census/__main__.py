"""Writes docs/census.md anew: `python -m tests.census`."""

from tests.census.page import PAGE, page

PAGE.write_text(page(), encoding="utf-8")
