"""From an item and a seed to what is put before somebody: names filled in, keys asked of the exhibit's world, choices
shuffled.

Choices are shuffled by their ids with a stream of the item's own, so that neither their order in the file nor other
items change anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from engine.kernel.random import Stream, hash64
from exams import item as items
from exams.blueprint import Source
from exams.exhibits import Exhibits, Shown
from exams.item import Item
from exams.quantities import exact, exact_text, fact_in_unit
from exams.rendered import Choice, Citation, LineRemark, Rendered

SEEDS_TRIED = 5


async def render(item: Item, seed: int, exhibits: Exhibits | None = None) -> Rendered:
    """The item at exactly this seed. Raises BreakfixError if it is no sound question there."""
    try:
        shown = await (exhibits or Exhibits()).show(item, seed)
        return _RENDER[type(item)](item, shown, _common(item, seed, shown))
    except BreakfixError as error:
        what = error.message.removeprefix(f"item {item.id}: ")
        raise BreakfixError(f"item {item.id} at seed {seed}: {what}", error.hint) from None


async def render_near(item: Item, seed: int, exhibits: Exhibits | None = None) -> Rendered:
    """The item at this seed, or where it is no sound question there, at another that follows from it."""
    seeds = [seed, *(hash64(seed, item.id, number) % 2**31 for number in range(1, SEEDS_TRIED))]
    for one in seeds[:-1]:
        try:
            return await render(item, one, exhibits)
        except BreakfixError:
            continue
    return await render(item, seeds[-1], exhibits)


def _common(item: Item, seed: int, shown: Shown) -> Rendered:
    exhibit = item.exhibit
    return Rendered(
        kind=item.kind,
        item=item.id,
        uuid=item.uuid,
        seed=seed,
        domain=item.domain,
        objective=item.objective,
        difficulty=item.difficulty,
        stem=_said(item.stem, shown),
        exhibit=shown.lines,
        typed=shown.typed,
        language=(exhibit.language or "") if exhibit else "",
        sources=tuple(_citation(source) for source in item.sources),
        practise=item.practise,
    )


def _said(text: str, shown: Shown) -> str:
    """A text for people with names filled in and its lines joined: paragraphs, lists and indented lines stay."""
    lines: list[str] = []
    for line in shown.fill(text).strip().splitlines():
        joined = lines and lines[-1] and line and not line.startswith((" ", "- "))
        if joined:
            lines[-1] = f"{lines[-1]} {line.rstrip()}"
        else:
            lines.append(line.rstrip())
    return "\n".join(lines)


def _citation(source: Source) -> Citation:
    return Citation(source.title, source.locator or "", source.url or "", source.checked.isoformat())


def _shuffled(common: Rendered, what: str, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    by_id = {choice.id: choice for choice in choices}
    stream = Stream(common.seed, f"item/{common.item}/{what}")
    return tuple(by_id[id] for id in stream.shuffled(sorted(by_id)))


def _options(item: Any, shown: Shown, common: Rendered) -> Rendered:
    """Single and multiple."""
    options: tuple[items.Option, ...] = item.options
    texts = [shown.fill(option.text) for option in options]
    _require_different(texts)
    right = tuple(option.id for option in options if _is_right(option, shown))
    _require_count(item.kind, len(right), len(options))
    made = [Choice(o.id, text, _said(o.because, shown)) for o, text in zip(options, texts, strict=True)]
    return replace(common, choices=_shuffled(common, "options", made), key=tuple(sorted(right)))


def _is_right(option: items.Option, shown: Shown) -> bool:
    return shown.holds(option.fact) if option.fact is not None else bool(option.right)


def _require_count(kind: str, right: int, options: int) -> None:
    if kind == "single" and right != 1:
        raise BreakfixError(f"{right} of its options are right; one must be")
    if kind == "multiple" and not 2 <= right < options:
        raise BreakfixError(f"{right} of its {options} options are right; at least two must be, and not all")


def _require_different(texts: Sequence[str]) -> None:
    twice = [text for text in dict.fromkeys(texts) if texts.count(text) > 1]
    if twice:
        raise BreakfixError(f"{quoted(twice[0])} stands among its choices twice")


def _ordering(item: items.Ordering, shown: Shown, common: Rendered) -> Rendered:
    key = tuple(step.id for step in item.steps)
    made = [Choice(step.id, shown.fill(step.text), _said(step.because, shown)) for step in item.steps]
    _require_different([choice.text for choice in made])
    choices = _shuffled(common, "steps", made)
    if tuple(choice.id for choice in choices) == key:
        choices = (*choices[1:], choices[0])
    return replace(common, choices=choices, key=key)


def _matching(item: items.Matching, shown: Shown, common: Rendered) -> Rendered:
    """What stands on the right of several pairs is shown once, under the first one's id."""
    lefts = [Choice(pair.id, shown.fill(pair.left), _said(pair.because, shown)) for pair in item.pairs]
    _require_different([choice.text for choice in lefts])
    ids: dict[str, str] = {}
    pairs = tuple((pair.id, ids.setdefault(shown.fill(pair.right), pair.id)) for pair in item.pairs)
    rights = [Choice(id, text) for text, id in ids.items()]
    rights += [Choice(f"decoy.{number}", shown.fill(text)) for number, text in enumerate(item.decoys, 1)]
    _require_different([choice.text for choice in rights])
    left, right = _shuffled(common, "left", lefts), _shuffled(common, "right", rights)
    return replace(common, choices=left, rights=right, pairs=tuple(sorted(pairs)))


def _numeric(item: items.Numeric, shown: Shown, common: Rendered) -> Rendered:
    if item.fact is None:
        value = exact(item.value if item.value is not None else 0)
    else:
        found, expression = shown.value(item.fact)
        if found is None or isinstance(found, str):
            raise BreakfixError(f"{quoted(item.fact)} gives no number there")
        value = fact_in_unit(int(found), expression.type, item.unit)
    because, tolerance = _said(item.because, shown), exact_text(exact(item.tolerance))
    return replace(common, number=exact_text(value), tolerance=tolerance, unit=item.unit, because=because)


def _point(item: items.Point, shown: Shown, common: Rendered) -> Rendered:
    right = _found(item.right, shown, common)
    if not right:
        raise BreakfixError(f"no line of the exhibit holds {quoted(item.right.pattern.source)}")
    if len(right) == len(common.output_lines):
        raise BreakfixError("every line of the exhibit is right")
    remarks = {
        line: _said(note.because, shown) for note in reversed(item.wrong) for line in _found(note, shown, common)
    }
    because = _said(item.right.because, shown)
    remarks |= dict.fromkeys(right, because)
    told = tuple(LineRemark(line, text) for line, text in sorted(remarks.items()))
    return replace(common, lines=right, remarks=told, because=because, otherwise=_said(item.otherwise, shown))


def _found(note: items.LineNote, shown: Shown, common: Rendered) -> tuple[int, ...]:
    """The lines, but for those that were typed, that hold a pattern."""
    spans = note.pattern.find("\n".join(shown.lines), shown.choices.texts)
    return tuple(sorted({span.line_number for span in spans} & set(common.output_lines)))


def _hands_on(item: items.HandsOnItem, shown: Shown, common: Rendered) -> Rendered:
    return replace(common, scenario=item.scenario, minutes=item.minutes)


_RENDER: Mapping[type[Any], Callable[[Any, Shown, Rendered], Rendered]] = {
    items.Single: _options,
    items.Multiple: _options,
    items.Ordering: _ordering,
    items.Matching: _matching,
    items.Numeric: _numeric,
    items.Point: _point,
    items.HandsOnItem: _hands_on,
}
