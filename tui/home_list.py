"""What home offers: sessions to go on with, drills, exams, sandboxes. Plain data, read in the background. No Textual.

Nothing here may give a drill away: what is shown is its title and the ticket. Its id and what it practises tell too
much; they come when it has been played to its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError

if TYPE_CHECKING:
    from scenarios.model import Scenario
    from tui.played import Played
    from tui.store import Saved

FIRST_LOOK = "first-look"
"""The drill that shows the program to somebody new."""

NEXT, PROGRESS = "Next for you", "Where you stand"
GO_ON, NEW_HERE, LABS, DRILLS, SANDBOX = "Go on with", "New here?", "Labs", "Drills", "Sandbox"
REVIEW, EXAMS = "Today's review", "Exams and study"

_PLACE = re.compile(r"\{[a-z][a-z0-9_.]*\}")


class Kind(Enum):
    """How a line of the details is shown."""

    TITLE = "title"
    TEXT = "text"
    MUTED = "muted"
    BULLET = "bullet"


Detail = tuple[Kind, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to open: a saved session, a drill by its name, an exam or today's review for it, a sandbox, or where
    the learner stands.
    """

    section: str
    title: str
    right: str
    details: tuple[Detail, ...]
    saved: Saved | None = None
    drill: str | None = None
    site: str | None = None
    exam: str | None = None
    review: str | None = None
    progress: bool = False

    @property
    def id(self) -> str:
        """A name of its own."""
        if self.saved is not None:
            return f"saved {self.saved.name}"
        if self.progress:
            return "progress"
        if self.section == NEXT:
            return f"next {self.drill}"
        kinds = {"drill": self.drill, "site": self.site, "exam": self.exam, "review": self.review}
        return next((f"{kind} {name}" for kind, name in kinds.items() if name), "")

    def fits(self, query: str) -> bool:
        """Whether all words of the query stand in it."""
        text = " ".join([self.title, self.right, self.section, *(text for _, text in self.details)]).lower()
        return all(word in text for word in query.lower().split())


def load_entries(*, new_here: bool) -> list[Entry]:
    """Everything there is, in the order in which it is shown. Takes a good part of a second the first time."""
    from tui.home_exams import exam_entries, review_entries
    from tui.played import best_results
    from tui.store import saved_sessions

    found = saved_sessions()
    labs = {(str(lab[0]), lab[1]) for one in found for lab in one.header.get("labs", ())}
    saved = [_saved_entry(one) for one in found if (one.header.get("scenario"), one.header.get("seed")) not in labs]
    drills = list(_drill_entries(best_results(), new_here=new_here))
    guided = [entry for entry in drills if entry.section == NEW_HERE]
    first = [*saved, *guided, *review_entries(), *_next_entry(drills), *_progress_entry()]
    return [*first, *drills[len(guided) :], *exam_entries(), *_sandbox_entries()]


# Saved sessions


def _saved_entry(saved: Saved) -> Entry:
    if saved.header.get("kind") == "drill":
        title, site, details = _saved_drill(saved)
    elif saved.header.get("kind") in ("exam", "study"):
        from tui.home_exams import saved_exam

        title, site, details = saved_exam(saved)
    else:
        title, site = _site_title(str(saved.header.get("site"))), str(saved.header.get("site"))
        details = [(Kind.TEXT, f"A sandbox on {site}.")]
    when = time_text(_last_played(saved))
    details = [
        (Kind.TITLE, title),
        *details,
        (Kind.MUTED, f"Last played {when}, with seed {saved.header.get('seed')}."),
    ]
    return Entry(GO_ON, title, f"{site}   {when}", tuple(details), saved=saved)


def _saved_drill(saved: Saved) -> tuple[str, str, list[Detail]]:
    """Title, site and details of a drill that was left."""
    from tui.drills import scenario_named

    try:
        scenario = scenario_named(str(saved.header.get("source")))
    except BreakfixError:
        return "A drill whose file can't be read", "?", [(Kind.TEXT, "Its scenario is not there any more.")]
    return scenario.title, scenario.site, list(_ticket(scenario))


def _last_played(saved: Saved) -> datetime:
    try:
        return datetime.fromtimestamp(saved.path.stat().st_mtime)
    except OSError:
        return datetime.now()


def time_text(time: datetime, today: date | None = None) -> str:
    """A time as one says it: `today 14:02`, `yesterday 09:30`, `24 Nov 18:05`, `24 Nov 2025`."""
    today = today or date.today()
    clock = f"{time:%H:%M}"
    if time.date() == today:
        return f"today {clock}"
    if time.date() == today - timedelta(days=1):
        return f"yesterday {clock}"
    return f"{time.day} {time:%b} {clock}" if time.year == today.year else f"{time.day} {time:%b} {time.year}"


# Drills


def _drill_entries(played: dict[str, Played], *, new_here: bool) -> Iterator[Entry]:
    from scenarios.catalogue import in_order, packaged, scenario_names
    from tui.packs import kept

    labs = in_order("lab")
    found = {name: packaged(name) for name in scenario_names("drill", "healthy", "incident")}
    if new_here and FIRST_LOOK in found:
        yield _drill_entry(NEW_HERE, FIRST_LOOK, found.pop(FIRST_LOOK), played)
    yield from (_drill_entry(LABS, name, packaged(name), played) for name in labs)
    for name, scenario in sorted(found.items(), key=lambda one: (one[1].difficulty, one[1].title)):
        yield _drill_entry(DRILLS, name, scenario, played)
    for pack in kept():
        for scenario in pack.scenarios.values():
            yield _drill_entry(pack.head.title, f"{pack.head.id}/{scenario.id}", scenario, played)


def _next_entry(drills: Iterable[Entry]) -> Iterator[Entry]:
    """The drill to play next, with the reason; nothing before anything was played."""
    from tui.learning import next_drill, packaged_drills
    from tui.played import results

    played = list(results())
    found = next_drill(packaged_drills(), played) if played else None
    entry = next((one for one in drills if found and one.drill == found.drill.name), None)
    if found is not None and entry is not None:
        details = (entry.details[0], (Kind.TEXT, found.reason), *entry.details[1:])
        yield replace(entry, section=NEXT, details=details)


def _progress_entry() -> Iterator[Entry]:
    """The way to the pictures of one's progress, once there is some."""
    from tui.played import results

    if any(True for _ in results()):
        told = (Kind.TEXT, "The drills that you have played by area, and the exams that you have studied by domain.")
        yield Entry(PROGRESS, "Your progress", "", ((Kind.TITLE, "Your progress"), told), progress=True)


def _drill_entry(section: str, name: str, scenario: Scenario, played: dict[str, Played]) -> Entry:
    result = played.get(scenario.id)
    told = "" if result is None else f"{'passed' if result.passed else 'not passed'} {result.score}   "
    right = f"{told}{scenario.minutes} min   level {scenario.difficulty}"
    return Entry(section, scenario.title, right, tuple(_drill_details(scenario, result)), drill=name)


def _drill_details(scenario: Scenario, result: Played | None) -> Iterator[Detail]:
    yield Kind.TITLE, scenario.title
    yield from _ticket(scenario)
    if scenario.guide:
        yield Kind.TEXT, "With a guide that says what to do, step by step."
    if scenario.guide or result is not None:
        yield Kind.TEXT, "Practises:"
        yield from ((Kind.BULLET, objective) for objective in scenario.objectives)
    yield Kind.MUTED, f"About {scenario.minutes} minutes, level {scenario.difficulty} of 5, on {scenario.site}."
    if result is not None:
        passed = "passed" if result.passed else "not passed"
        yield Kind.MUTED, f"Your best: {result.score} of 100, {passed} (seed {result.seed})."


def _ticket(scenario: Scenario) -> Iterator[Detail]:
    """What comes in, without what the seed chooses."""
    told = scenario.briefing
    yield Kind.TEXT, f"{told.form.capitalize()} from {blanked(told.sender)}:"
    yield Kind.BULLET, blanked(told.subject)


def blanked(text: str) -> str:
    """A text of a scenario with dots for what the seed chooses."""
    return _PLACE.sub("...", text)


# Sandboxes


_TOLD = (("os", "Runs"), ("driver", "driver"), ("cuda", "CUDA"), ("slurm", "Slurm"), ("kubernetes", "Kubernetes"))
"""Software of a site that its entry names, and how."""


def _sandbox_entries() -> Iterator[Entry]:
    from engine.sites.build import load_site
    from engine.sites.catalogue import site_names

    for name in site_names():
        site = load_site(name)
        software = ", ".join(f"{word} {site.software[key]}" for key, word in _TOLD if key in site.software)
        details: list[Detail] = [
            (Kind.TITLE, site.title),
            (Kind.TEXT, "A cluster to try things on: nothing is broken, nothing is scored."),
            (Kind.TEXT, f"{len(site.node_names)} nodes. {software}."),
        ]
        yield Entry(SANDBOX, site.title, name, tuple(details), site=name)


def _site_title(name: str) -> str:
    from engine.sites.build import load_site

    try:
        return load_site(name).title
    except BreakfixError:
        return f"A sandbox on {name}"


def sections(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries by section, in their order."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.section, []).append(entry)
    return found
