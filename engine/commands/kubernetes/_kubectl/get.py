"""kubectl get: objects as tables and in every other form, once or watched.

Source: kubectl pkg/cmd/get/get.go. A watch asks again every second of simulated time and prints what has changed, as
the server's events would make it.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from engine.commands.kubernetes._kubectl import ordering, printing, selecting, tab_writer
from engine.commands.kubernetes._kubectl.failures import Failed, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.printing import HUMAN, OUTPUT
from engine.commands.kubernetes._kubectl.selecting import Found, Selection
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import StatusError
from engine.kernel.units import SECOND

FLAGS = (
    *OUTPUT, *HUMAN, Flag("selector", "l"), Flag("field-selector"), Flag("filename", "f", "list"), Flag("raw"),
    *flags("bool", "A/all-namespaces w/watch watch-only ignore-not-found output-watch-events R/recursive"),
    Flag("chunk-size", kind="int"), Flag("subresource"), Flag("kustomize", "k"),
)  # fmt: skip
_NOTHING = (
    'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported '
    "resources.\n\nerror: Required resource not specified.\n"
    'Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).\n'
    "See 'kubectl get -h' for help and examples"
)


async def run(session: Session) -> None:
    """kubectl get."""
    line = session.line
    chosen = printing.form(session, get=True)
    if line.text("raw"):
        _raw(session, line.text("raw"))
        return
    if not line.operands and not line.all("filename"):
        raise Failed(_NOTHING)
    if line.on("watch") or line.on("watch-only"):
        await _watch(session, chosen)
        return
    selection = await _selection(session)
    if line.text("sort-by"):
        selection.found = _sorted(session, selection.found, chosen)
    if chosen.human:
        _tables(session, selection)
    else:
        _generic(session, selection, chosen)
    for text in selection.errors:
        session.refuse(text)


def _sorted(session: Session, found: list[Found], chosen: printing.Form) -> list[Found]:
    """Objects by a field. Of a field that none has, a table says only that nothing was found."""
    try:
        return ordering.ordered(found, session.line.text("sort-by"), session.minor)
    except ordering.NoField:
        if chosen.human:
            return []
        raise


async def _selection(session: Session) -> Selection:
    line = session.line
    if not line.all("filename"):
        try:
            return _without_absent(session, selecting.select(session, line.operands))
        except StatusError as refusal:
            if refusal.reason == "NotFound" and line.on("ignore-not-found"):
                return Selection(one=True, named=True)
            raise
    selection = Selection(named=True)
    for _, resource, thing in await selecting.from_files(session):
        selection.found.append(selecting.there(session, resource, thing))
    selection.one = len(selection.found) == 1
    return selection


def _without_absent(session: Session, selection: Selection) -> Selection:
    if session.line.on("ignore-not-found"):
        selection.errors = [text for text in selection.errors if "(NotFound)" not in text]
    return selection


def _raw(session: Session, path: str) -> None:
    """A path of the server as it answers: health and version."""
    from engine.commands.kubernetes._kubectl import json_text
    from engine.commands.kubernetes._kubectl.failures import NotModelled

    plain = path.partition("?")[0].strip("/").partition("/")[0]
    if plain in ("readyz", "livez", "healthz"):
        status, text = session.server.health(path)
        if status != 200:
            raise Failed(text.rstrip("\n") + "\nError from server (InternalError): an error on the server "
                         '("") has prevented the request from succeeding')  # fmt: skip
        session.ctx.write(text)
    elif plain == "version":
        session.ctx.write(json_text.pretty(session.server.version(), 2) + "\n")
    else:
        raise NotModelled(f"kubectl get --raw {path}")


def _tables(session: Session, selection: Selection) -> None:
    shape = printing.look(session)
    kinds = {each.resource.qualified for each in selection.found}
    shape.kinds = shape.kinds or len(kinds) > 1
    first = True
    for _, group in groupby(selection.found, key=lambda each: each.resource.qualified):
        if not first and shape.headings:
            session.say("")
        first = False
        session.ctx.write(tab_writer.table(printing.rows_of(session, list(group), shape)))
    if not selection.found and not selection.errors and not session.line.on("ignore-not-found"):
        nothing(session, selection)


def nothing(session: Session, selection: Selection) -> None:
    """The line that says that there is nothing."""
    namespaced = not session.everywhere and all(resource.namespaced for resource in selection.types)
    session.warn(f"No resources found in {session.namespace} namespace." if namespaced else "No resources found")


def _generic(session: Session, selection: Selection, chosen: printing.Form) -> None:
    things = [each.thing for each in selection.found]
    if not things and session.line.on("ignore-not-found"):
        return
    if chosen.word == "name":
        for each in selection.found:
            session.say(printing.named(each.resource, each.name))
    elif chosen.columns:
        session.ctx.write(printing.custom_columns(chosen, things, not session.line.on("no-headers")))
    elif selection.one and things:
        session.ctx.write(printing.machine(chosen, things[0]))
    elif not selection.one:
        session.ctx.write(printing.machine(chosen, printing.a_list(things)))


async def _watch(session: Session, chosen: printing.Form) -> None:
    """Print what is there, then every change."""
    seen: dict[str, Any] = {}
    widths: list[int] = []
    first = True
    while True:
        selection = await _selection(session)
        if len(selection.types) > 1:
            raise error("you may only specify a single resource type")
        now = {f"{each.namespace}/{each.name}": each for each in selection.found}
        changed = [each for key, each in now.items() if seen.get(key) != _state(each)]
        if not (first and session.line.on("watch-only")):
            _print_changes(session, chosen, changed, widths, headings=first or not widths)
        seen = {key: _state(each) for key, each in now.items()}
        first = False
        await session.ctx.sleep(SECOND)


def _state(each: Found) -> Any:
    """What makes an event of a watch: all of an object but the heartbeats."""
    thing = dict(each.thing)
    status = dict(thing.get("status") or {})
    conditions = status.get("conditions") or []
    status["conditions"] = [
        {key: value for key, value in each.items() if key != "lastHeartbeatTime"} for each in conditions
    ]
    thing["status"] = status
    thing["metadata"] = {key: value for key, value in thing["metadata"].items() if key != "resourceVersion"}
    return thing


def _print_changes(
    session: Session, chosen: printing.Form, changed: list[Found], widths: list[int], headings: bool
) -> None:
    if not changed:
        return
    if not chosen.human:
        for each in changed:
            if chosen.word == "name":
                session.say(printing.named(each.resource, each.name))
            elif chosen.columns:
                session.ctx.write(printing.custom_columns(chosen, [each.thing], headings))
            else:
                session.ctx.write(printing.machine(chosen, each.thing))
        return
    shape = printing.look(session)
    shape.headings = shape.headings and headings
    session.ctx.write(tab_writer.table(printing.rows_of(session, changed, shape), widths))
