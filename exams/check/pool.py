"""What is checked together: the items of an exam with their places in files, and how they look over the seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from engine.kernel.documents import Document, Path
from engine.kernel.errors import BreakfixError
from exams.blueprint import Blueprint
from exams.check.finding import Finding
from exams.exhibits import Exhibits
from exams.item import BankFile, Item
from exams.rendered import Rendered
from exams.rendering import render

SEEDS = 50
"""Seeds that an item without a world is rendered at: each costs next to nothing."""

Progress = Callable[[int, int], None]
"""Told after each item: how many are rendered, and how many there are."""


@dataclass(frozen=True, eq=False)
class Entry:
    """An item and its place in a file."""

    item: Item
    bank: BankFile
    document: Document
    number: int

    @property
    def place(self) -> str:
        """Its id and its line, for what is said elsewhere."""
        return f"{self.item.id} ({self.document.locate(('items', self.number))})"

    def finding(self, text: str, *path: str | int, warning: bool = False) -> Finding:
        """A finding at a place in the item."""
        location = self.document.locate(("items", self.number, *path))
        return Finding(location, f"{self.item.id}: {text}", warning)


@dataclass(frozen=True)
class Looks:
    """An item by seed, and what was said at the seeds at which it is no sound question."""

    rendered: Mapping[int, Rendered]
    refused: Mapping[int, str]


@dataclass(frozen=True)
class Pool:
    """What is checked. `others` are items of the same exam that are only compared with; `whole` says that every item of
    the exam is here; `document` is the blueprint's file, where it is checked too.
    """

    blueprint: Blueprint
    entries: tuple[Entry, ...]
    others: tuple[Entry, ...] = ()
    whole: bool = False
    document: Document | None = None
    today: date | None = None
    looks: Mapping[Entry, Looks] = field(default_factory=dict)

    @property
    def everything(self) -> tuple[Entry, ...]:
        """The items that are checked and those that they are compared with."""
        return (*self.others, *self.entries)

    def on_blueprint(self, text: str, *path: str | int, warning: bool = False) -> list[Finding]:
        """A finding at a place in the blueprint; none where its file is not checked."""
        return [Finding(self.document.locate(path), text, warning)] if self.document else []


def entries_of(document: Document, bank: BankFile) -> list[Entry]:
    """The items of a bank file."""
    return [Entry(item, bank, document, number) for number, item in enumerate(bank.items)]


async def looks_of(entries: Iterable[Entry], seeds: int, progress: Progress | None = None) -> dict[Entry, Looks]:
    """Every item rendered over the seeds from 1; those with a world at `seeds` of them."""
    exhibits = Exhibits(keep=1)
    wanted = list(entries)
    found: dict[Entry, Looks] = {}
    for entry in wanted:
        has_world = entry.item.exhibit is not None and entry.item.exhibit.site is not None
        found[entry] = await _looks(entry.item, seeds if has_world else SEEDS, exhibits)
        if progress:
            progress(len(found), len(wanted))
    return found


async def _looks(item: Item, seeds: int, exhibits: Exhibits) -> Looks:
    rendered: dict[int, Rendered] = {}
    refused: dict[int, str] = {}
    for seed in range(1, seeds + 1):
        try:
            rendered[seed] = await render(item, seed, exhibits)
        except BreakfixError as error:
            refused[seed] = error.message.removeprefix(f"item {item.id} at seed {seed}: ")
    return Looks(rendered, refused)


def path_of(item_path: Path) -> str:
    """A place in an item as people write it: `options[2].because`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in item_path).removeprefix(".")
