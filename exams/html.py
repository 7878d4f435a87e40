"""A result as one page to print or to keep: no scripts, nothing that is fetched, everything escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from exams.answer_text import told_answer
from exams.feedback import Told, feedback
from exams.item_text import citation
from exams.rendered import Rendered
from exams.report import Group, Line, Report, worst_first
from exams.report_text import clock, missing_text, percent, points, readiness_text, rules_used, time_text
from exams.scores import HOW_READINESS

_STYLE = """
:root { color-scheme: light; }
body { font: 11pt/1.45 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #111; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
pre { font: 8.5pt/1.3 ui-monospace, monospace; border: 1px solid #999; padding: .5rem; white-space: pre-wrap;
      overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
pre b { font-weight: 700; } .stem { white-space: pre-line; }
.item { break-inside: avoid-page; margin-top: 1.6rem; } .because, .small { color: #444; font-size: .92em; }
ol, ul { padding-left: 1.4rem; } .state { font-weight: 700; }
@media print { body { margin: 0; max-width: none; } a { color: inherit; text-decoration: none; } }
""".strip()

_CODE = re.compile(r"`([^`\n]+)`")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def result_page(found: Report, date: str = "", name: str = "") -> str:
    """The page. `date` and `name` (of the one who took it) are printed as they are given."""
    paper = found.attempt.paper
    title = f"{paper.code} {paper.title}"
    body = [
        f"<h1>{escape(title)}</h1>",
        _paragraph(", ".join(part for part in (name, date, f"{paper.mode}, seed {paper.seed}") if part)),
        _paragraph(f"Total: {points(found.total)} points, {percent(found.total)}", "state"),
        *_summary(found),
        "<h2>Items</h2>",
        *(_item(found, line) for line in found.lines),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _summary(found: Report) -> Iterator[str]:
    yield from ("<h2>By domain</h2>", _table(found.domains))
    if found.objectives:
        yield from ("<h2>By objective, those to study first at the top</h2>", _table(worst_first(found.objectives)))
    if ready := found.readiness:
        yield "<h2>Readiness</h2>"
        yield _paragraph(readiness_text(ready))
        yield _paragraph(HOW_READINESS, "small")
    elif found.missing:
        yield from ("<h2>Readiness</h2>", _paragraph(missing_text(found.missing)))
    known = [group for group in found.confidence if group.score.n]
    if known:
        yield from ("<h2>How sure you were, and how right</h2>", _table(known))
    if found.attempt.spent:
        yield from ("<h2>Time</h2>", _paragraph(time_text(found)))
    changed = [f"{count} {what}" for what, count in found.changes.items() if count]
    if changed:
        yield _paragraph(f"Answers changed: {', '.join(changed)}")
    yield from (_paragraph(note) for note in found.notes)
    yield "<h2>How it is marked</h2>"
    yield _list(f"{kind}: {rule}" for kind, rule in rules_used(found).items())


def _table(groups: Iterable[Group]) -> str:
    rows = "".join(
        f"<tr><td>{escape(group.title)}</td>"
        f'<td class="number">{f"{group.weight} %" if group.weight else ""}</td>'
        f'<td class="number">{points(group.score)}</td><td class="number">{percent(group.score)}</td>'
        f"<td>{escape(group.score.note)}</td></tr>\n"
        for group in groups
    )
    head = '<th></th><th class="number">weight</th><th class="number">points</th><th class="number">share</th><th></th>'
    return f"<table>\n<tr>{head}</tr>\n{rows}</table>"


def _item(found: Report, line: Line) -> str:
    rendered = found.attempt.items[line.number - 1]
    response = found.attempt.responses[line.number - 1]
    told = feedback(rendered, response.answer)
    parts = [
        f"<h3>{line.number}. {escape(_heading(line))}</h3>",
        f'<p class="stem">{_marked_up(rendered.stem)}</p>',
        _exhibit(rendered) if rendered.exhibit else "",
        _paragraph(f"Answer: {' / '.join(told_answer(rendered, response.answer))}"),
        "<ul>" + "".join(_told(one) for one in told) + "</ul>" if told else "",
        _paragraph(f"Your note: {response.note}") if response.note else "",
        *(_paragraph(f"Source: {citation(source)}", "small") for source in rendered.sources),
    ]
    return '<div class="item">\n' + "\n".join(part for part in parts if part) + "\n</div>"


def _heading(line: Line) -> str:
    """`partly right (60 %): 3 of 5 pairs right, sure, flagged, took 0:48`."""
    note = f": {line.mark.note}" if line.mark.note not in ("", "right", "wrong", "not answered") else ""
    time = f"took {clock(line.milliseconds)}" if line.milliseconds else ""
    facts = [line.confidence or "", "flagged" if line.flagged else "", time]
    return ", ".join(fact for fact in (line.verdict + note, *facts) if fact)


def _exhibit(rendered: Rendered) -> str:
    digits = len(str(len(rendered.exhibit)))
    numbers = rendered.kind == "point"
    lines = []
    for number, line in enumerate(rendered.exhibit, 1):
        text = escape(f"{number:>{digits}}  {line}" if numbers else line)
        lines.append(f"<b>{text}</b>" if number in rendered.typed else text)
    return "<pre>" + "\n".join(lines) + "</pre>"


def _told(told: Told) -> str:
    mark = f"{escape(told.mark)}. " if told.mark else ""
    word = f' <span class="state">{escape(told.word)}</span>' if told.word else ""
    return f'<li>{mark}{_marked_up(told.text)}{word}<br><span class="because">{_marked_up(told.because)}</span></li>'


def _paragraph(text: str, style: str = "") -> str:
    opening = f'<p class="{style}">' if style else "<p>"
    return f"{opening}{_marked_up(text)}</p>"


def _list(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{_marked_up(text)}</li>" for text in texts) + "</ul>"


def _marked_up(text: str) -> str:
    """The text escaped, with what stands in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
