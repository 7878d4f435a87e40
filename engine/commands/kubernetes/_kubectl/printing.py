"""How objects are printed: tables, YAML, JSON, names, JSONPath, columns of one's own, Go templates.

Sources: kubectl pkg/cmd/get (get_flags.go, humanreadable_flags.go, customcolumn.go), cli-runtime pkg/printers
(tableprinter.go, name.go, json.go, yaml.go, jsonpath.go).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.commands.kubernetes._kubectl import json_text, jsonpath, release, tab_writer, yaml_text
from engine.commands.kubernetes._kubectl.failures import NotModelled, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.manifests import full_path
from engine.commands.kubernetes._kubectl.selecting import Found
from engine.commands.kubernetes._kubectl.session import Session, kind_name
from engine.hostfs.tree import FileError

OUTPUT = (
    Flag("output", "o"), Flag("template"), *flags("bool", "allow-missing-template-keys show-managed-fields"),
)  # fmt: skip
HUMAN = (
    *flags("bool", "no-headers show-labels show-kind server-print"), Flag("sort-by"),
    Flag("label-columns", "L", "list"),
)  # fmt: skip
_GENERIC = (
    "go-template", "go-template-file", "json", "jsonpath", "jsonpath-as-json", "jsonpath-file", "kyaml", "name",
    "template", "templatefile", "yaml",
)  # fmt: skip
_OF_GET = ("custom-columns", "custom-columns-file", "wide")

_SHOWS = "Printing more information for debugging the template:"


@dataclass(frozen=True, slots=True)
class Form:
    """An output format and its template. `word` is "" for the human form."""

    word: str = ""
    template: str = ""

    @property
    def human(self) -> bool:
        return self.word in ("", "wide")

    @property
    def columns(self) -> bool:
        return self.word.startswith("custom-columns")


def form(session: Session, get: bool = False) -> Form:
    """The format of -o and --template. Raises Failed."""
    text = session.line.text("output")
    word, _, template = text.partition("=")
    template = template or session.line.text("template")
    if not text:
        return Form("go-template", template) if template else Form()
    known = sorted(_GENERIC + (_OF_GET if get else ()))
    if session.minor < release.KYAML:
        known.remove("kyaml")
    if word not in known:
        raise error(
            f'unable to match a printer suitable for the output format "{text}", allowed formats are: {",".join(known)}'
        )
    if word == "kyaml":
        raise NotModelled("kubectl -o kyaml")
    if word.endswith("-file") or word == "templatefile":
        template, word = _template_file(session, word, template), word.replace("-file", "").replace("file", "")
    if not template and word in ("jsonpath", "jsonpath-as-json", "go-template", "template"):
        raise error("template format specified but no template given")
    if not template and word == "custom-columns":
        raise error("custom-columns format specified but no custom columns given")
    return Form("go-template" if word == "template" else word, template)


def _template_file(session: Session, word: str, path: str) -> str:
    if not path:
        raise error("template format specified but no template given")
    try:
        text = session.ctx.files.read(full_path(session.ctx, path)).decode("utf-8", "replace")
    except FileError as why:
        raise error(f"error reading --template {path}, open {path}: {why.text.lower()}\n") from None
    if word != "custom-columns-file":
        return text
    rows = [line.split() for line in text.splitlines()[:2]]
    if len(rows) < 2:
        raise error(
            f"invalid template, missing {('header', 'spec')[len(rows)]} line. Expected format is one line of space "
            "separated headers, one line of space separated column specs."
        )
    if len(rows[0]) != len(rows[1]):
        raise error(f"number of headers ({len(rows[0])}) and field specifications ({len(rows[1])}) don't match")
    return ",".join(f"{header}:{field}" for header, field in zip(*rows, strict=True))


def a_list(things: Sequence[Any]) -> dict[str, Any]:
    """Several objects as one."""
    return {"apiVersion": "v1", "items": list(things), "kind": "List", "metadata": {"resourceVersion": ""}}


def machine(chosen: Form, thing: Any) -> str:
    """An object (or a List) in a form for programs. Raises Failed."""
    if chosen.word == "json":
        return json_text.pretty(thing) + "\n"
    if chosen.word == "yaml":
        return yaml_text.dump(thing)
    if chosen.word == "go-template":
        from engine.commands.kubernetes._kubectl import go_template

        return go_template.render(chosen.template, thing)
    try:
        nodes = jsonpath.parse(chosen.template)
    except jsonpath.PathError as why:
        if not why.executing:
            raise error(f"error parsing jsonpath {chosen.template}, {why}") from None
        raise error(_not_executed(chosen.template, thing, why)) from None
    try:
        if chosen.word == "jsonpath-as-json":
            return json_text.pretty(jsonpath.found_values(nodes, thing)) + "\n"
        return jsonpath.render(nodes, thing)
    except jsonpath.PathError as why:
        raise error(_not_executed(chosen.template, thing, why)) from None


def _not_executed(template: str, thing: Any, why: jsonpath.PathError) -> str:
    shown = _go_syntax(thing)
    return (
        f'error executing jsonpath "{template}": Error executing template: {why}. {_SHOWS}\n'
        f"\ttemplate was:\n\t\t{template}\n\tobject given to jsonpath engine was:\n\t\t{shown}\n\n"
    )


def _go_syntax(value: Any) -> str:
    """A value as Go's %#v writes it."""
    if isinstance(value, dict):
        inside = ", ".join(f"{json_text.compact(key)}:{_go_syntax(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inside}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(_go_syntax(each) for each in value)}}}"
    return "interface {}(nil)" if value is None else json_text.compact(value)


def custom_columns(chosen: Form, things: Sequence[Any], headings: bool = True) -> str:
    """Columns that somebody described: `NAME:.metadata.name,...`. Raises Failed."""
    columns = []
    for part in chosen.template.split(","):
        heading, colon, field = part.partition(":")
        if not colon:
            raise error(f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
        try:
            columns.append((heading, jsonpath.parse(jsonpath.relaxed(field))))
        except jsonpath.PathError as why:
            raise error(str(why)) from None
    rows = [[heading for heading, _ in columns]] if headings else []
    for thing in things:
        try:
            cells = [jsonpath.found_values(nodes, thing) for _, nodes in columns]
        except jsonpath.PathError as why:
            raise error(str(why)) from None
        rows.append([",".join(jsonpath.go_text(each) for each in cell) or "<none>" for cell in cells])
    return tab_writer.table(rows)


@dataclass(slots=True)
class Look:
    """How a table is printed."""

    wide: bool = False
    headings: bool = True
    namespaces: bool = False
    kinds: bool = False
    labels: bool = False
    label_columns: tuple[str, ...] = ()


def look(session: Session) -> Look:
    """The look of the options."""
    line = session.line
    return Look(
        line.text("output") == "wide", not line.on("no-headers"), session.everywhere, line.on("show-kind"),
        line.on("show-labels"), tuple(line.all("label-columns")),
    )  # fmt: skip


def rows_of(session: Session, found: Sequence[Found], shape: Look) -> list[list[str]]:
    """Headings and rows of objects of one type."""
    resource = found[0].resource
    table = session.server.table(resource, [each.thing for each in found])
    shown = [
        place for place, column in enumerate(table["columnDefinitions"]) if shape.wide or not column.get("priority")
    ]
    namespaces = shape.namespaces and resource.namespaced
    headings = ["NAMESPACE"] if namespaces else []
    headings += [str(table["columnDefinitions"][place]["name"]).upper() for place in shown]
    headings += [label.rpartition("/")[2].upper() for label in shape.label_columns]
    rows = [[*headings, "LABELS"] if shape.labels else headings] if shape.headings else []
    for each, row in zip(found, table["rows"], strict=True):
        cells = [_cell(row["cells"][place]) for place in shown]
        if shape.kinds:
            cells[0] = f"{kind_name(resource)}/{cells[0]}"
        labels = each.thing["metadata"].get("labels") or {}
        cells += [labels.get(label, "") for label in shape.label_columns]
        if shape.labels:
            cells.append(",".join(sorted(f"{key}={value}" for key, value in labels.items())) or "<none>")
        rows.append([each.namespace, *cells] if namespaces else cells)
    return rows


def _cell(value: Any) -> str:
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    first = min((text.find(mark) for mark in "\f\n\r" if mark in text), default=-1)
    return text if first < 0 else f"{text[:first]}..."


def named(resource: Any, name: str) -> str:
    """`pod/trainer-0`, `deployment.apps/embed`."""
    return f"{kind_name(resource)}/{name}"


def outcome(session: Session, each: Found, operation: str, chosen: Form | None = None) -> None:
    """The result of a change: `pod/trainer-0 created`, or the object as -o asks."""
    chosen = chosen or form(session)
    if chosen.word == "name":
        session.say(named(each.resource, each.name))
    elif chosen.word:
        session.ctx.write(machine(chosen, each.thing))
    else:
        session.say(f"{named(each.resource, each.name)} {operation}{dry_words(session)}")


def dry(session: Session) -> str:
    """The kind of a dry run: "none", "client" or "server". Raises Failed."""
    word = session.line.text("dry-run", "none")
    if word in ("none", "client", "server"):
        return word
    if word in ("unchanged", "true"):
        return "client"
    if word == "false":
        return "none"
    raise error(f'Invalid dry-run value ({word}). Must be "none", "server", or "client".')


def dry_words(session: Session) -> str:
    """What a dry run adds to its lines."""
    return {"client": " (dry run)", "server": " (server dry run)"}.get(dry(session), "")
