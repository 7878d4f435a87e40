"""Blueprints: what an exam asks, how much of it, and in which time. One file each in `exams/blueprints/`.

Weights exist per domain, as the vendor publishes them; nothing below a domain has a weight. No pass mark is published,
so there is none.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, model_validator

from engine.kernel.validation import StrictModel
from scenarios.model import Id, Short, Text

Confidence = Literal["high", "medium", "low"]


class Source(StrictModel):
    """Where something is said: a document, the place in it, and when it was last looked at."""

    title: Short
    locator: Annotated[Short | None, Field(description="section, page or command: where in it")] = None
    url: Annotated[str | None, Field(pattern=r"^https?://\S+$", max_length=500)] = None
    checked: Annotated[date, Field(strict=False, description="when somebody last looked")]


class Objective(StrictModel):
    """One objective of a domain, in our own words. `number` is the vendor's, where it is known."""

    id: Id
    text: Short
    number: Short | None = None
    confidence: Confidence = "high"


class Domain(StrictModel):
    """A part of the exam and its weight in percent."""

    id: Id
    title: Short
    weight: Annotated[int, Field(ge=1, le=100)]
    objectives: Annotated[tuple[Objective, ...], Field(min_length=1)]
    confidence: Confidence = "high"


class HandsOn(StrictModel):
    """Hands-on labs of an exam: how many are drawn, and the minutes that are advised for each."""

    count: Annotated[int, Field(ge=1, le=10)]
    minutes: Annotated[int, Field(ge=1, le=120)]


class Blueprint(StrictModel):
    """An exam. `items` are its questions without hands-on labs, `minutes` the time for everything."""

    format: Literal[1]
    id: Id
    code: Short
    title: Short
    level: Short
    items: Annotated[int, Field(ge=1, le=500)]
    minutes: Annotated[int, Field(ge=1, le=1000)]
    hands_on: HandsOn | None = None
    domains: Annotated[tuple[Domain, ...], Field(min_length=1)]
    sources: Annotated[tuple[Source, ...], Field(min_length=1)]
    confidence: Confidence = "high"
    notes: Text | None = None

    @model_validator(mode="after")
    def _sound(self) -> Blueprint:
        total = sum(domain.weight for domain in self.domains)
        if total != 100:
            raise ValueError(f"the weights of the domains add up to {total}; make it 100")
        for what, ids in (
            ("domain", [domain.id for domain in self.domains]),
            ("objective", [one.id for domain in self.domains for one in domain.objectives]),
        ):
            twice = sorted({id for id in ids if ids.count(id) > 1})
            if twice:
                raise ValueError(f"the {what} {twice[0]} is there twice; give each an id of its own")
        return self

    def domain(self, id: str) -> Domain:
        """The domain of that id. Raises KeyError."""
        return {domain.id: domain for domain in self.domains}[id]
