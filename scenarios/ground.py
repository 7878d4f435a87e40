"""What a scenario stands on: a packaged site by its name, or a site file that lies beside the scenario's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.kernel.documents import Document, Path, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted, unknown
from engine.kernel.simulation import Simulation
from engine.sites import catalogue
from engine.sites.build import build_inventory
from engine.sites.model import StandingModel
from engine.sites.standing import standing_mistakes
from engine.world.inventory import Inventory
from engine.world.world import World

Beside = Callable[[str], bytes]
"""Gives the bytes of a file that lies beside another one. Raises BreakfixError."""

_FILE = re.compile(r"(?:\./)?[A-Za-z0-9][A-Za-z0-9_-]*\.ya?ml")


@dataclass(frozen=True)
class Ground:
    """A site: its name; for a file of the author's also what stands in it."""

    name: str
    text: bytes | None = None

    @property
    def document(self) -> Document:
        """The site's file. Raises BreakfixError where there is none, DocumentError for one that can't be read."""
        return catalogue.site_document(self.name) if self.text is None else read_document(self.text, self.name)

    def inventory(self, standing: StandingModel | None = None) -> Inventory:
        """The site, with other work where `standing` says so. Raises DocumentError for mistakes in it."""
        return build_inventory(self.document, {}, standing)

    def open(self, seed: int, settings: Mapping[str, str], standing: StandingModel | None) -> Simulation[World]:
        """A simulation of the site at its start."""
        from engine.simulation import new_simulation

        return new_simulation(build_inventory(self.document, settings, standing), seed)

    def mistakes(self) -> Iterator[str]:
        """Why it can't be opened."""
        if self.text is None:
            if self.name not in catalogue.site_names():
                yield unknown("site", self.name, catalogue.site_names())
            return
        yield from _mistakes(self)

    def work_mistakes(self, standing: StandingModel | None) -> Iterator[tuple[Path, str]]:
        """What is wrong with other work on it: (where in `standing`, what)."""
        if standing is not None and not any(self.mistakes()):
            yield from standing_mistakes(self.document, standing)


@lru_cache(maxsize=8)
def _mistakes(ground: Ground) -> tuple[str, ...]:
    try:
        ground.inventory()
    except BreakfixError as error:
        return (error.message,)
    return ()


def ground_of(site: str, beside: Beside | None) -> Ground:
    """The ground that a scenario names with `site:`. A file lies in the same folder. Raises BreakfixError."""
    if not site.endswith((".yaml", ".yml")):
        return Ground(site)
    if beside is None or not _FILE.fullmatch(site):
        raise BreakfixError(f"{quoted(site)} is no file beside this one", "Name a site file of the same folder.")
    return Ground(site, beside(site.removeprefix("./")))
