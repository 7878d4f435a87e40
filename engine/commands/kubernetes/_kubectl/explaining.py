"""kubectl explain: the fields of a kind, and what type each has.

Source: kubectl pkg/explain/v2 (templates/plaintext.tmpl). The server here has the fields and no texts about them, so
that every description is the one of a field without text; --output plaintext-openapiv2 is not modelled.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes import schema
from engine.control.kubernetes.api import Resource
from engine.control.kubernetes.schema import Field

FLAGS = (Flag("api-version"), Flag("output", "o"), *flags("bool", "recursive"))
_WORDS = {
    "bool": "boolean", "int32": "integer", "int64": "integer", "float64": "number", "time": "string",
    "quantity": "Quantity", "int-or-string": "IntOrString", "any": "Object",
}  # fmt: skip


async def run(session: Session) -> None:
    """kubectl explain."""
    words = session.line.operands
    if not words:
        raise error(
            'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of '
            "supported resources."
        )
    if len(words) > 1:
        raise error("We accept only this format: explain RESOURCE")
    if session.line.text("output") not in ("", "plaintext"):
        raise NotModelled("kubectl explain -o plaintext-openapiv2")
    name, *path = words[0].split(".")
    try:
        resource = session.resource(name)
    except Failed as why:
        raise Failed(why.text.removeprefix("error: ")) from None
    version = session.line.text("api-version")
    if version and version != resource.api_version:
        raise error(f"couldn't find resource for \"{version}, Resource={resource.plural}\"")
    if resource.definition:
        raise NotModelled("kubectl explain of a custom resource")
    session.ctx.write(_text(session, resource, path, session.line.on("recursive")))


def _text(session: Session, resource: Resource, path: list[str], recursive: bool) -> str:
    kind, found = schema.type_of(resource), None
    for step in path:
        found = schema.fields_of(kind).get(step)
        if found is None:
            session.ctx.write("\n".join([*_heading(resource), "", ""]))
            raise error(f'field "{step}" does not exist')
        kind = found.element
    lines = [*_heading(resource), ""]
    if found is not None:
        lines += [f"FIELD: {found.name} <{_type(found.kind)}>", "", ""]
    lines += ["DESCRIPTION:", "    <empty>"]
    fields = schema.fields_of(kind)
    if fields:
        lines += ["FIELDS:", *(_tree(fields, 1, ()) if recursive else _flat(fields))]
    return "\n".join([*lines, ""]) + "\n"


def _heading(resource: Resource) -> list[str]:
    group = [f"GROUP:      {resource.group}"] if resource.group else []
    return [*group, f"KIND:       {resource.kind}", f"VERSION:    {resource.version}"]


def _flat(fields: Mapping[str, Field]) -> list[str]:
    return [line for each in _sorted(fields) for line in (_head(each, 1), "    <no description>", "")]


def _tree(fields: Mapping[str, Field], depth: int, above: tuple[str, ...]) -> list[str]:
    """All fields below; a type within itself is not opened again."""
    lines = []
    for each in _sorted(fields):
        lines.append(_head(each, depth))
        if each.element not in above:
            lines += _tree(schema.fields_of(each.element), depth + 1, (*above, each.element))
    return lines


def _sorted(fields: Mapping[str, Field]) -> list[Field]:
    return [fields[name] for name in sorted(fields)]


def _head(each: Field, depth: int) -> str:
    return f"{'  ' * depth}{each.name}\t<{_type(each.kind)}>" + (" -required-" if each.required else "")


def _type(kind: str) -> str:
    if kind.startswith(schema.LIST):
        return f"[]{_type(kind.removeprefix(schema.LIST))}"
    if kind.startswith(schema.MAP):
        return f"map[string]{_type(kind.removeprefix(schema.MAP))}"
    return _WORDS.get(kind) or (schema.struct(kind) if kind in schema.types() else kind)
