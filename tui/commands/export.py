"""Write things for other programs: the fabric of a site as a netlist for ibsim, the items of an exam for learning
platforms, a session as a recording, a picture or text.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError
from exams.exchange.formats import FORMATS
from tui.opening import add_opening_arguments, opening_from

if TYPE_CHECKING:
    from tui.store import Saved

_SESSION_FORMATS = {
    "cast": "an asciicast, which asciinema plays",
    "svg": "a picture (SVG)",
    "text": "text",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix export` takes."""
    formats = parser.add_subparsers(dest="format", required=True, metavar="FORMAT")
    netlist = formats.add_parser(
        "ibsim",
        help="a site's fabric as a netlist that ibsim and OpenSM's tools read",
        description="Print the fabric of a site as ibnetdiscover would: every link that is up, with names, GUIDs, "
        "speeds and LIDs.",
    )
    add_opening_arguments(netlist)
    for name, about in _SESSION_FORMATS.items():
        session = formats.add_parser(
            name,
            help=f"a session: {about}",
            description=f"Write a session that was kept as {about}: every line that was typed, with what it printed, "
            "and the moves between them.",
        )
        session.add_argument("session", nargs="?", help="a name of `breakfix list sessions` (default: the last one)")
        session.add_argument("--columns", type=int, default=120, help="the width of the terminal (default 120)")
        session.add_argument("--rows", type=int, default=36, help="the height of the terminal (default 36)")
        session.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")
    for name, one in FORMATS.items():
        items = formats.add_parser(
            name,
            help=f"an exam's items: {one.title}",
            description=f"Write the items of an exam as {one.title}. Exhibits become text at the seed; what the format "
            "cannot hold is told on standard error.",
        )
        items.add_argument("exam", help="the name of an exam, or the file of a bank or blueprint")
        items.add_argument("--topic", action="append", default=[], metavar="TOPIC", help="only this topic; repeatable")
        items.add_argument("--seed", default="1", help="what the exhibits and the order are drawn from (default 1)")
        items.add_argument("-o", "--output", metavar="FILE", help="where it goes (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Write it. Returns 0, also where something was lost on the way."""
    if arguments.format in _SESSION_FORMATS:
        return _session(arguments)
    return _netlist(arguments) if arguments.format == "ibsim" else _items(arguments)


def _session(arguments: argparse.Namespace) -> int:
    """Write the session that is asked for."""
    from tui.live import cast, transcript
    from tui.store import read_journal

    found = _saved(arguments.session)
    columns, rows = (min(max(size, 20), 1000) for size in (arguments.columns, arguments.rows))
    told = list(transcript.moments(read_journal(found.path)))
    title = f"breakfix: {found.header.get('scenario') or found.header.get('site') or found.name}"
    written = {
        "cast": lambda: "".join(f"{line}\n" for line in cast.cast(told, columns, rows, title)),
        "svg": lambda: cast.picture(told, columns, title),
        "text": lambda: transcript.text(told),
    }[arguments.format]()
    return _deliver(written.encode("utf-8", "replace"), arguments.output)


def _saved(name: str | None) -> Saved:
    """A kept session by its name, or the last one. Raises BreakfixError."""
    from engine.kernel.names import unknown
    from tui.store import saved_sessions

    found = [one for one in saved_sessions() if one.header.get("kind") not in ("exam", "study")]
    if not found:
        raise BreakfixError("there is no session to write", "Sessions are kept while they are not handed in.")
    if name is None:
        return found[0]
    named = [one for one in found if one.name == name]
    if not named:
        raise BreakfixError(unknown("session", name, [one.name for one in found]))
    return named[0]


def _netlist(arguments: argparse.Namespace) -> int:
    """Print the netlist of the site after its faults have struck and the subnet manager has swept."""
    from engine.commands.infiniband._diags.netlist_text import netlist
    from engine.kernel.units import SECOND

    opening = opening_from(arguments)
    simulation = opening.play().simulation
    if opening.faults:
        simulation.advance(_SETTLED_AFTER * SECOND)
    sys.stdout.writelines(f"{line}\n" for line in netlist(simulation.world, simulation.now))
    return 0


_SETTLED_AFTER = 5


def _items(arguments: argparse.Namespace) -> int:
    from engine.kernel.names import unknown
    from exams.catalogue import find
    from exams.exchange.question import questions_of
    from exams.exhibits import Exhibits
    from exams.item import HandsOnItem
    from exams.rendered import Rendered
    from exams.rendering import render_near
    from tui.opening import parse_seed

    course, seed, exhibits = find(arguments.exam), parse_seed(arguments.seed), Exhibits()
    topics = [bank.topic for bank in course.banks]
    for topic in arguments.topic:
        if topic not in topics:
            raise BreakfixError(unknown("topic", topic, topics))
    items = [item for bank in course.banks if bank.topic in (arguments.topic or topics) for item in bank.items]

    async def rendered() -> list[Rendered]:
        return [await render_near(item, seed, exhibits) for item in items if not isinstance(item, HandsOnItem)]

    made = questions_of(asyncio.run(rendered()))
    left_out = sum(isinstance(item, HandsOnItem) for item in items)
    data, losses = FORMATS[arguments.format].write(made.questions, course.blueprint.code)
    for loss in [*made.losses, *losses]:
        print(f"{loss.item}: {loss.what}" if loss.item else loss.what, file=sys.stderr)
    if left_out:
        print(f"{left_out} hands-on items: left out, they need the simulated cluster", file=sys.stderr)
    return _deliver(data, arguments.output)


def _deliver(data: bytes, output: str | None) -> int:
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return 0
    try:
        Path(output).write_bytes(data)
    except OSError as error:
        raise BreakfixError(f"{output} can't be written: {error.strerror}") from None
    return 0
