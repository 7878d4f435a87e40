"""kubectl taint, label and annotate: marks on nodes and on every object.

Source: kubectl pkg/cmd/taint (taint.go, utils.go), pkg/cmd/label/label.go, pkg/cmd/annotate/annotate.go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.commands.kubernetes._kubectl import printing, selecting
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, aggregate, error, usage
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.printing import OUTPUT
from engine.commands.kubernetes._kubectl.selecting import Found, Selection
from engine.commands.kubernetes._kubectl.session import Session

_COMMON = (*OUTPUT, Flag("selector", "l"), Flag("dry-run", bare="unchanged"), Flag("field-manager"))
TAINT_FLAGS = (*_COMMON, *flags("bool", "overwrite all"), Flag("validate", bare="strict"))
MARK_FLAGS = (
    *_COMMON, *flags("bool", "overwrite all list local A/all-namespaces R/recursive"), Flag("field-selector"),
    Flag("resource-version"), Flag("filename", "f", "list"), Flag("kustomize", "k"),
)  # fmt: skip
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_LONGEST_VALUE = 63
Taint = tuple[str, str, str]
"""Key, value and effect."""


async def taint(session: Session) -> None:
    """kubectl taint."""
    resources, specs = _split(session.line.operands)
    if not resources:
        raise error("one or more resources must be specified as <resource> <name>")
    if not specs:
        raise error("at least one taint update is required")
    added, removed = _parsed(specs)
    nodes = _tainted_nodes(session, resources, added, removed)
    dry = printing.dry(session)
    for each in nodes.found:
        operation, wanted = _changed(session, each, added, removed)
        if dry != "client":
            body = {"spec": {"taints": wanted or None}}
            thing = session.server.patch(each.resource, "", each.name, "merge", body, dry_run=dry == "server")
            printing.outcome(session, Found(each.resource, thing), operation)
        else:
            printing.outcome(session, each, operation)
    for text in nodes.errors:
        session.refuse(text)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    resources: list[str] = []
    specs: list[str] = []
    for word in words:
        if "=" in word or ":" in word or word.endswith("-"):
            specs.append(word)
        elif specs:
            raise error(f"all resources must be specified before taint changes: {word}")
        else:
            resources.append(word)
    return resources, specs


def _parsed(specs: Sequence[str]) -> tuple[list[Taint], list[Taint]]:
    """(to add, to remove). Raises Failed."""
    added: list[Taint] = []
    removed: list[Taint] = []
    for spec in specs:
        if spec.endswith("-"):
            removed.append(_one(spec.removesuffix("-")))
            continue
        key, value, effect = _one(spec)
        if not effect:
            raise usage("taint", f"invalid taint spec: {spec}")
        if any(other[0] == key and other[2] == effect for other in added):
            raise usage(
                "taint",
                f"duplicated taints with the same key and effect: {{{key} {value} {effect} <nil>}}",
            )
        added.append((key, value, effect))
    return added, removed


def _one(spec: str) -> Taint:
    parts = spec.split(":")
    if len(parts) > 2:
        raise usage("taint", f"invalid taint spec: {spec}")
    effect = parts[1] if len(parts) == 2 else ""
    if len(parts) == 2 and effect not in _EFFECTS:
        raise usage("taint", f"invalid taint effect: {effect}, unsupported taint effect")
    key, *values = parts[0].split("=") if len(parts) == 2 else [parts[0]]
    if len(values) > 1:
        raise usage("taint", f"invalid taint spec: {spec}")
    value = values[0] if values else ""
    wrong = value_mistake(value) or key_mistake(key)
    if wrong:
        raise usage("taint", f"invalid taint spec: {spec}, {wrong}")
    return key, value, effect


def value_mistake(value: str) -> str:
    """What is wrong with the value of a label."""
    if len(value) > _LONGEST_VALUE:
        return f"must be no more than {_LONGEST_VALUE} bytes"
    return "" if _VALUE.match(value) else _VALUE_RULE


def key_mistake(key: str) -> str:
    """What is wrong with the name of a label."""
    prefix, slash, name = key.rpartition("/")
    if slash and not re.match(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", prefix):
        return (
            "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
            "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation "
            "is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        )
    rule = (
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )
    if not name:
        return f"name part must be non-empty; {rule}"
    if len(name) > _LONGEST_VALUE:
        return "name part must be no more than 63 bytes"
    return "" if re.match(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$", name) else rule


def _tainted_nodes(
    session: Session, resources: list[str], added: Sequence[Taint], removed: Sequence[Taint]
) -> Selection:
    line = session.line
    resource = session.resource(resources[0].lower())
    if resource.kind != "Node":
        raise error(f"invalid resource type {resources[0].lower()}, only node types are supported")
    both = [
        f"{key}={effect}"
        for new, _, new_effect in added
        for key, _, effect in removed
        if key == new and effect in ("", new_effect)
    ]
    if both:
        raise error(f"can not both modify and remove the following taint(s) in the same command: {', '.join(both)}")
    if line.on("all") and line.text("selector"):
        raise error("setting 'all' parameter with a non empty selector is prohibited")
    if not line.on("all") and not line.text("selector") and len(resources) < 2:
        raise error("at least one resource name must be specified since 'all' parameter is not set")
    names = [] if line.on("all") or line.text("selector") else resources[1:]
    return selecting.select(session, ["nodes", *names])


def _changed(
    session: Session, each: Found, added: Sequence[Taint], removed: Sequence[Taint]
) -> tuple[str, list[dict[str, Any]]]:
    """The word for what happens to a node, and its taints then. Raises Failed."""
    old: list[dict[str, Any]] = (each.thing.get("spec") or {}).get("taints") or []
    overwrite = session.line.on("overwrite")
    there = [key for key, _, effect in added for one in old if one["key"] == key and one.get("effect") == effect]
    if there and not overwrite:
        raise error(
            f"node {each.name} already has {','.join(there)} taint(s) with same effect(s) and --overwrite is false"
        )
    taints: list[dict[str, Any]] = [
        {"key": key, "effect": effect} | ({"value": value} if value else {}) for key, value, effect in added
    ]
    taints += [one for one in old if not any(_same(one, new) for new in taints)]
    grown = len(taints) != len(old)
    gone = False
    missing = []
    for key, _, effect in removed:
        left = [one for one in taints if not (one["key"] == key and effect in ("", one.get("effect")))]
        gone = len(left) != len(taints)
        if not gone:
            missing.append(f'taint "{key}{":" + effect if effect else ""}" not found')
        taints = left
    if missing:
        raise Failed("\n".join(missing) if len(missing) > 1 else f"error: {missing[0]}")
    if (grown and gone) or overwrite:
        return "modified", taints
    return ("tainted" if grown else "untainted"), taints


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(one["key"] == other["key"] and one.get("effect") == other.get("effect"))


async def label(session: Session) -> None:
    """kubectl label."""
    await _mark(session, "labels", "label", ("labeled", "unlabeled", "not labeled"))


async def annotate(session: Session) -> None:
    """kubectl annotate."""
    await _mark(session, "annotations", "annotation", ("annotated", "annotated", "annotated"))


async def _mark(session: Session, field: str, kind: str, words: tuple[str, str, str]) -> None:
    line = session.line
    if line.on("local"):
        raise NotModelled(f"kubectl {session.verb} --local")
    resources, pairs = _resources_and_pairs(line.operands, kind)
    new, gone = _pairs(pairs, kind)
    if line.on("all") and line.text("selector"):
        raise error("cannot set --all and --selector at the same time")
    if not resources and not line.all("filename"):
        raise error("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if not new and not gone and not line.on("list"):
        raise error(f"at least one {kind} update is required")
    if line.all("filename"):
        found = [
            selecting.there(session, resource, thing) for _, resource, thing in await selecting.from_files(session)
        ]
        selection = Selection(found=found)
    else:
        selection = selecting.select(session, resources, every=line.on("all"), need_name=True)
    for each in selection.found:
        if line.on("list"):
            _listed(session, each, field, selection.one)
        else:
            _mark_one(session, each, field, (new, gone), words)
    for text in selection.errors:
        session.refuse(text)


def _resources_and_pairs(words: Sequence[str], kind: str) -> tuple[list[str], list[str]]:
    resources: list[str] = []
    pairs: list[str] = []
    for word in words:
        if word.find("=") > 0 or (word.endswith("-") and word != "-"):
            pairs.append(word)
        elif pairs:
            raise error(f"all resources must be specified before {kind} changes: {word}")
        else:
            resources.append(word)
    return resources, pairs


def _pairs(pairs: Sequence[str], kind: str) -> tuple[dict[str, str], list[str]]:
    new: dict[str, str] = {}
    gone: list[str] = []
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            gone.append(pair.removesuffix("-"))
            continue
        if kind == "label" and "=" in value:
            raise error(f"invalid label spec: {pair}")
        if kind == "label" and (wrong := value_mistake(value)):
            raise error(f'invalid label value: "{pair}": {wrong}')
        new[key] = value
    both = [key for key in gone if key in new]
    if both and kind == "label":
        raise error("can not both modify and remove a label in the same command")
    if both:
        text = "can not both modify and remove the following annotation(s) in the same command"
        raise error(f"{text}: {', '.join(both)}")
    return new, gone


def _listed(session: Session, each: Found, field: str, one: bool) -> None:
    if not one:
        kind = f"{each.resource.kind}.{each.resource.group}"
        session.say(f"Listing {field} for {kind}/{each.name}:")
    found = each.thing["metadata"].get(field) or {}
    for key in sorted(found):
        session.say(f"{'' if one else ' '}{key}={found[key]}")


def _mark_one(
    session: Session, each: Found, field: str, change: tuple[dict[str, str], list[str]], words: tuple[str, str, str]
) -> None:
    new, gone = change
    now: dict[str, str] = each.thing["metadata"].get(field) or {}
    taken = [key for key in new if key in now and now[key] != new[key]]
    if taken and not session.line.on("overwrite"):
        raise error(_taken(field, taken, now))
    dry = printing.dry(session)
    for key in gone:
        if key not in now and field == "labels" and dry != "client":
            session.say(f'label "{key}" not found.')
    added = {key: value for key, value in new.items() if now.get(key) != value}
    removed = [key for key in gone if key in now]
    body = {"metadata": {field: {**added, **{key: None for key in removed}}}}
    if (added or removed) and dry != "client":
        thing = session.server.patch(each.resource, each.namespace, each.name, "merge", body, dry_run=dry == "server")
        each = Found(each.resource, thing)
    elif dry == "client":
        marks = {**now, **added}
        kept = {key: value for key, value in marks.items() if key not in removed}
        each = Found(each.resource, {**each.thing, "metadata": {**each.thing["metadata"], field: kept}})
    if field == "annotations":
        operation = words[0]
    else:
        operation = "modified" if added and removed else words[0] if added else words[1] if removed else words[2]
    printing.outcome(session, each, operation)


def _taken(field: str, taken: list[str], now: dict[str, str]) -> str:
    texts = [f"'{key}' already has a value ({now[key]})" for key in taken]
    if field == "annotations":
        return f"--overwrite is false but found the following declared annotation(s): {'; '.join(texts)}"
    return aggregate([f"{text}, and --overwrite is false" for text in texts])
