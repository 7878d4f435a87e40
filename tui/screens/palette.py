"""The menu of everything that can be done here: Textual's command palette over our actions."""

from __future__ import annotations

import re
from functools import partial

from rich.cells import cell_len
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from tui.actions import Action, Offer
from tui.app import Breakfix
from tui.screens.hosts import cut

_BEGINNING = 3
"""How many words of a help text are its beginning."""
_OTHER_NAMES = {
    "Home": "quit exit close leave",
    "Quit": "exit close leave",
    "Hand in": "submit finish",
    "Time": "wait speed pause",
    "Find": "search",
}
"""Other words that people look for an action with, by its title."""
_WHOLE_TITLE, _WORD_OF_TITLE, _IN_TITLE, _OTHER_NAME = 1.0, 0.9, 0.8, 0.7
_HELP_BEGINS, _WORD_OF_HELP, _SCATTERED = 0.5, 0.3, 0.1
_TITLE_COLUMNS, _KEY_COLUMNS = 24, 14
_BESIDE = 7
"""Columns of the screen that a row does not have: its frame, its padding, the scroll bar."""


def rank(action: Action, query: str) -> float:
    """How well an action fits what was typed, from 1 down to 0: a word of its title goes before a word at the
    beginning of its help text, and that before words elsewhere. Of several typed words the one that fits worst counts.
    """
    words = query.lower().split()
    if words == action.title.lower().split():
        return _WHOLE_TITLE
    return min((_rank_of_word(action, word) for word in words), default=0.0)


def _rank_of_word(action: Action, word: str) -> float:
    title, doc = action.title.lower(), action.doc.lower()
    fits = (
        (_WORD_OF_TITLE, _begins_one(word, _words(title))),
        (_IN_TITLE, word in title),
        (_OTHER_NAME, _begins_one(word, _OTHER_NAMES.get(action.title, "").split())),
        (_HELP_BEGINS, _begins_one(word, _words(doc)[:_BEGINNING])),
        (_WORD_OF_HELP, _begins_one(word, _words(doc))),
        (_SCATTERED, word in doc),
    )
    return next((how_well for how_well, fit in fits if fit), 0.0)


def _begins_one(word: str, words: list[str]) -> bool:
    return any(one.startswith(word) for one in words)


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text)


def usual_first(offers: list[Offer]) -> list[Offer]:
    """What one does most stands first, as in the footer; then the rest."""
    return sorted(offers, key=lambda one: (one.action.footer == 0, one.action.footer))


class Everything(Provider):
    """The actions of what had the focus when the menu was opened, one in a row."""

    @property
    def _program(self) -> Breakfix:
        app = self.app
        assert isinstance(app, Breakfix)
        return app

    async def startup(self) -> None:
        """Take the actions down before the menu has the focus."""
        offered = self._program.offers_below_dialog(self.screen)
        self._offers = usual_first([one for one in offered if one.enabled and one.action.id != "app.palette"])

    def _row(self, offer: Offer, title: Content) -> Content:
        """Title, keys, and as much of the help as there is room for."""
        ellipsis = self._program.glyphs.ellipsis
        keys = cut(self._program.keymap.all_shown(offer.action), _KEY_COLUMNS, ellipsis)
        title = title.pad_right(max(_TITLE_COLUMNS - cell_len(title.plain), 0))
        left = self._program.size.width - _BESIDE - cell_len(title.plain) - _KEY_COLUMNS - 2
        about = cut(offer.action.doc.splitlines()[0], max(left, 0), ellipsis)
        return Content.assemble(title, " ", (keys, "$accent"), " ", (about, "$muted not bold"))

    async def discover(self) -> Hits:
        """Everything, while nothing is typed."""
        for one in self._offers:
            title = one.action.title
            yield DiscoveryHit(self._row(one, Content(title)), partial(self._do, one), text=title)

    async def search(self, query: str) -> Hits:
        """What fits."""
        matcher = self.matcher(query)
        for one in self._offers:
            title = one.action.title
            scattered = _SCATTERED if matcher.match(title) else 0.0
            score = max(rank(one.action, query), scattered)
            if score > 0:
                row = self._row(one, Content.from_markup(matcher.highlight(title)))
                yield Hit(score, row, partial(self._do, one), text=title)

    async def _do(self, offer: Offer) -> None:
        await self._program.do(offer)
