"""An exam or a study session as the front ends hold it: the attempt, its journal on disk, and the time that passes.

    sitting = await begin_exam("nca-aiio", seed=5, terms=Terms(count=10, extra=25))
    sitting.answer(["option-id"])           # plain data as in exams.answers; None takes the answer back
    sitting.flag(True)
    sitting.goto(sitting.number + 1)
    sitting.tick()                          # every second or so: True once it is over
    found = sitting.finish()                # hands in, keeps outcomes and journal: exams.report.Report
    sitting.close()                         # or leave it: `resume(saved)` goes on with it

    sitting = await begin_study("nca-aiio", seed=1, wish=Wish("wrong", domain="infrastructure"))
    while await sitting.next_item():        # renders the next one and goes there; False: there are no more
        sitting.answer(read_answer(...)); sitting.confidence("sure"); sitting.reveal()

Every act is an event: applied to the attempt first (which raises BreakfixError, and changes nothing, where it cannot),
then in the journal. Before each the time since the last one is spent; a killed program loses a few seconds at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from engine.kernel.errors import BreakfixError
from exams import catalogue
from exams.attempt import Attempt, Confidence, Event, Response, item_event, start_event
from exams.catalogue import Course
from exams.drawing import Filter, pick
from exams.item import HandsOnItem, Item
from exams.paper import Terms, Told, exam_paper, study_item, study_paper
from exams.progress import Outcome, last_seen, outcomes, uuids_of
from exams.rendered import Rendered
from tui.exam_history import attempt_of, keep_result, load_history, new_seed, remember
from tui.live.exam_again import again_command
from tui.store import JournalFile, Record, Saved, new_journal, open_journal, read_journal

if TYPE_CHECKING:
    from exams.exhibits import Exhibits
    from exams.report import Report

SPENT_EVERY = 5
"""Seconds after which time that has passed is journaled, whatever else happens."""

CLOCK_TOLERANCE = 2
"""Seconds by which the wall's clock may differ from the time that has passed before it counts for itself."""

SECOND = 1000

Which = Literal["all", "unseen", "wrong", "flagged", "unsure", "due"]
WHICH: tuple[Which, ...] = get_args(Which)


@dataclass(frozen=True)
class Wall:
    """The clocks of this machine: seconds since 1970, and seconds that never jump."""

    date: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


@dataclass(frozen=True)
class Wish:
    """What to study: which items, of which part of the exam, and how many at most. `due` is today's review."""

    which: Which = "all"
    domain: str | None = None
    objective: str | None = None
    items: int = 20


class Sitting:
    """Somebody at an exam or a study session. `exhibits` keeps the worlds of the last exhibits, to be opened."""

    def __init__(
        self,
        source: str,
        attempt: Attempt,
        journal: JournalFile,
        wall: Wall,
        exhibits: Exhibits,
        queue: Sequence[str] = (),
    ) -> None:
        self.source, self.attempt, self.journal, self.exhibits = source, attempt, journal, exhibits
        self.queue = tuple(queue)
        self.again: str | None = None
        """The command that gives the same paper, "" where none does, None where that is not known."""
        self.kept: str | None = None
        """What went wrong when outcomes were kept, if something did."""
        self.closing = False
        """Whether the end has come and only what labs earned is still taken (`earned`)."""
        self._wall = wall
        self._seen = wall.steady()
        self._finished = False

    # What there is

    @property
    def is_exam(self) -> bool:
        """Whether nothing is told before the end."""
        return self.attempt.paper.mode == "exam"

    @cached_property
    def course(self) -> Course:
        """The blueprint and its banks as they are now. Raises BreakfixError where they are gone."""
        return catalogue.find(self.source)

    @property
    def count(self) -> int:
        """How many items there are: in study also those that are still to come."""
        return len(self.attempt.items) if self.is_exam else max(len(self.queue), len(self.attempt.items))

    @property
    def number(self) -> int:
        """The item in view, from 0."""
        return self.attempt.current

    @property
    def item(self) -> Rendered:
        """The item in view."""
        return self.attempt.items[self.number]

    @property
    def response(self) -> Response:
        """What was done with the item in view."""
        return self.attempt.responses[self.number]

    @property
    def over(self) -> bool:
        """Whether it is handed in, by the learner or because the time was over."""
        return self.attempt.ended is not None

    @property
    def time_left(self) -> int | None:
        """Milliseconds, to this moment; None without a limit."""
        left = self.attempt.time_left
        return None if left is None else max(left - self._counted(), 0)

    @property
    def more(self) -> bool:
        """Whether a study session has items that were not shown yet."""
        return not self.is_exam and not self.over and len(self.attempt.items) < len(self.queue)

    # Acts

    def do(self, event: Event) -> None:
        """Let an event of exams.attempt happen. Raises BreakfixError, and changes nothing, where it cannot.

        What comes after the end is not taken, but for notes; `over` says so.
        """
        if self.closing:
            return
        self._spend()
        if not self.over or event.get("event") == "note":
            self._apply(event)

    def goto(self, number: int) -> None:
        """Go to an item, counted from 0."""
        self.do({"event": "goto", "item": number})

    def answer(self, data: Any) -> None:
        """Answer the item in view (plain data as in exams.answers). Raises exams.answers.AnswerError."""
        self.do({"event": "answer", "item": self.number, "answer": data})

    def flag(self, on: bool) -> None:
        """Flag the item in view to come back to it, or take the flag away."""
        self.do({"event": "flag", "item": self.number, "on": on})

    def note(self, text: str) -> None:
        """Write a note at the item in view."""
        self.do({"event": "note", "item": self.number, "text": text})

    def confidence(self, level: Confidence | None) -> None:
        """Say how sure the answer in view is."""
        self.do({"event": "confidence", "item": self.number, "level": level})

    def reveal(self) -> None:
        """Study: mark the item in view; its answer no longer changes, and counts at once."""
        self.do({"event": "reveal", "item": self.number})
        found = self._outcomes()
        self.kept = remember([one for one in found if one.uuid == self.item.uuid]) or self.kept

    def earned(self, number: int, share: str) -> None:
        """While `closing`: the lab of an item as it stands when the end has come, worth this share of its goals."""
        if self.closing and not self.over:
            self._apply({"event": "answer", "item": number, "answer": share})

    def submit(self) -> None:
        """Hand in as it stands."""
        self.do({"event": "submit"})

    async def next_item(self) -> bool:
        """Study: show the next item. Returns False where there is none any more. Raises BreakfixError."""
        if not self.more:
            return False
        item = self.course.item(self.queue[len(self.attempt.items)])
        self.do(item_event(await study_item(self.attempt.paper, item, self.exhibits)))
        if self.number != len(self.attempt.items) - 1:
            self.goto(len(self.attempt.items) - 1)
        return True

    # Time

    def tick(self) -> bool:
        """Let the time count that has passed; call it about every second. Returns whether it is over."""
        if (
            not self.over
            and not self.closing
            and (self._wall.steady() - self._seen >= SPENT_EVERY or self.time_left == 0)
        ):
            self._spend()
        return self.over

    def _counted(self) -> int:
        """Milliseconds that have come and that no event has spent yet."""
        passed = int((self._wall.steady() - self._seen) * SECOND)
        clock = self.attempt.clock
        if not self.attempt.paper.assigned or clock is None:
            return passed
        by_clock = (int(self._wall.date()) - clock) * SECOND
        return by_clock if by_clock - passed > CLOCK_TOLERANCE * SECOND else passed

    def _spend(self) -> None:
        """Whole seconds only: so the seconds of the two clocks are the same ones, and none counts twice."""
        if self.over:
            return
        seconds = int(self._wall.steady() - self._seen)
        now = int(self._wall.date())
        clock = now if self.attempt.clock is None else self.attempt.clock
        at = clock + seconds
        if abs(now - at) > CLOCK_TOLERANCE:
            at = now
        if seconds or at != clock:
            self._seen += seconds
            self._apply({"event": "spent", "ms": seconds * SECOND, "at": at})

    def _apply(self, event: Event) -> None:
        self.attempt.apply(event)
        self.journal.write(event)

    # The end

    def finish(self) -> Report:
        """Hand in, keep what came of it, and report. Can be asked for again."""
        from exams.report import report

        self.closing = False
        if not self.over:
            self.submit()
        if not self._finished:
            self._finished = True
            if self.is_exam:
                self.kept = remember(self._outcomes())
            self.journal.close()
            if self.attempt.counted and not self.journal.broken:
                self.journal.path = keep_result(self.journal.path)
            else:
                self.journal.delete()
        return report(self.attempt)

    def close(self) -> None:
        """Leave it; the journal stays to go on with, unless it is a study session in which nothing was done."""
        if self._finished:
            return
        self._spend()
        if self.is_exam or any(one.revealed or one.answer is not None for one in self.attempt.responses):
            self.journal.close()
        else:
            self.journal.delete()

    def _outcomes(self) -> list[Outcome]:
        return outcomes(self.attempt, self.attempt.clock or int(self._wall.date()))


async def begin_exam(
    source: str,
    seed: int | None = None,
    terms: Terms | None = None,
    *,
    fresh: bool = True,
    told: Told | None = None,
    wall: Wall | None = None,
) -> Sitting:
    """A new exam of the blueprint (name or file) `source`; without a seed with one that was not had yet.

    `told(done, all)` hears how far it is. `fresh` ones have items first that were not seen before; otherwise the seed
    alone decides, so everybody with that seed has the same paper. Raises BreakfixError.
    """
    from exams.exhibits import Exhibits

    clocks, exhibits = wall or Wall(), Exhibits()
    course = catalogue.find(source)
    seed = new_seed(course.blueprint.id) if seed is None else seed
    seen = (last_seen(load_history(course.blueprint.id)) or None) if fresh else None
    paper = await exam_paper(course, seed, terms, seen=seen, exhibits=exhibits, told=told)
    if not paper.items:
        raise BreakfixError(f"there are no items for {paper.code} yet", "`breakfix list exams` shows what there is.")
    paper = replace(paper, started=int(clocks.date()))
    labs = [[item.scenario, item.seed] for item in paper.items if item.kind == "hands-on"]
    again = "" if seen else again_command(source, seed, terms)
    journal = _new_journal("exam", source, course, seed, labs=labs, again=again)
    journal.write(start_event(paper))
    sitting = Sitting(source, Attempt.begin(paper), journal, clocks, exhibits)
    sitting.again = again
    return sitting


async def begin_study(
    source: str, seed: int | None = None, wish: Wish | None = None, *, wall: Wall | None = None
) -> Sitting:
    """A new study session, without its first item yet. Raises BreakfixError where nothing fits the wish."""
    from exams.exhibits import Exhibits

    clocks = wall or Wall()
    course = catalogue.find(source)
    seed = new_seed(course.blueprint.id) if seed is None else seed
    asked = wish or Wish()
    now = int(clocks.date())
    items = wanted_items(course, asked, load_history(course.blueprint.id), seed, now)
    if not items:
        raise BreakfixError("there are no items of that kind to study", "Ask for all of them, or for another part.")
    queue = [item.id for item in items]
    paper = study_paper(course, seed, started=now)
    journal = _new_journal("study", source, course, seed, queue=queue, which=asked.which)
    journal.write(start_event(paper))
    return Sitting(source, Attempt.begin(paper), journal, clocks, Exhibits(), queue)


async def resume(found: Saved, *, wall: Wall | None = None) -> Sitting:
    """The exam or study session of a journal, where it ended. Raises BreakfixError.

    Where the time ran out meanwhile (in an assigned exam), it is over.
    """
    from exams.exhibits import Exhibits

    journal = open_journal(found.path)
    try:
        attempt = attempt_of(read_journal(found.path))
        queue = [str(id) for id in found.header.get("queue", ())]
    except (BreakfixError, TypeError) as error:
        journal.close()
        raise BreakfixError(f"the session {found.path} is damaged: {error}", "Delete the file to forget it.") from None
    sitting = Sitting(str(found.header.get("source")), attempt, journal, wall or Wall(), Exhibits(), queue)
    sitting.again = found.header.get("again")
    sitting._spend()
    return sitting


def wanted_items(course: Course, wish: Wish, history: Sequence[Outcome], seed: int, now: int) -> list[Item]:
    """The items that a wish means, those not seen first (`due`: as exams.review has it)."""
    if wish.which == "due":
        from exams.review import daily

        return _without_labs(daily(course.items, history, now, seed))
    fitting = _fitting(course, wish, history)
    return pick(fitting, wish.items, seed, last_seen(history))


def how_many(course: Course, wish: Wish, history: Sequence[Outcome]) -> int:
    """How many items there are for a wish, of which `wish.items` are taken."""
    return len(_fitting(course, wish, history))


def _fitting(course: Course, wish: Wish, history: Sequence[Outcome]) -> list[Item]:
    """All items of the part and the kind that a wish names."""
    wanted = Filter(
        domains=frozenset([wish.domain] if wish.domain else []),
        objectives=frozenset([wish.objective] if wish.objective else []),
        uuids=uuids_of(history, wish.which) if wish.which in ("wrong", "flagged", "unsure") else None,
    )
    seen = last_seen(history)
    return [
        item
        for item in _without_labs(course.items)
        if wanted.passes(item) and not (wish.which == "unseen" and item.uuid in seen)
    ]


def _without_labs(items: Iterable[Item]) -> list[Item]:
    """Labs are studied as drills."""
    return [item for item in items if not isinstance(item, HandsOnItem)]


def _new_journal(kind: str, source: str, course: Course, seed: int, **more: Any) -> JournalFile:
    blueprint = course.blueprint
    header: Record = {
        "kind": kind,
        "source": str(Path(source).resolve()) if Path(source).suffix else source,
        "blueprint": blueprint.id,
        "code": blueprint.code,
        "title": blueprint.title,
        "seed": seed,
        **more,
    }
    return new_journal(f"{kind}-{blueprint.id}", header)
