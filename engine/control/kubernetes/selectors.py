"""Label and field selectors (k8s.io/apimachinery/pkg/labels, pkg/fields): `a=b,c!=d,e in (f,g),!h`,
`status.phase=Running`.

A resource knows metadata.name and metadata.namespace as fields, and those of the table below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.control.kubernetes.objects import KubeDict, labels_of
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import bad_request

Test = Callable[[KubeDict], bool]

_TOKEN = re.compile(r"\s*(!=|==|=|!|\(|\)|,|<|>|[^\s!=(),<>]+)")
_FIELDS = {
    "pods": (
        "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.nominatedNodeName",
    ),
    "nodes": ("spec.unschedulable",),
    "namespaces": ("status.phase",),
    "events": (
        "involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
        "reportingComponent", "source", "type",
    ),
    "jobs": ("status.successful",),
    "secrets": ("type",),
    "replicasets": ("status.replicas",),
}  # fmt: skip


def labels(text: str) -> Test:
    """What a label selector asks. Raises StatusError."""
    if not text.strip():
        return lambda _: True
    requirements = _requirements(text)
    return lambda thing: all(_holds(labels_of(thing), *each) for each in requirements)


def matches(selector: Mapping[str, Any] | None, found: Mapping[str, str]) -> bool:
    """Whether labels fit a LabelSelector (matchLabels, matchExpressions). An empty one fits all, none at all
    nothing.
    """
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if found.get(key) != value:
            return False
    return all(
        _holds(found, each["key"], each["operator"], tuple(each.get("values") or ()))
        for each in selector.get("matchExpressions") or ()
    )


def text_of(selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector as printers write it; "<none>" for an empty one."""
    if not selector:
        return "<none>"
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    words = {"In": "in", "NotIn": "notin"}
    for each in selector.get("matchExpressions") or ():
        if each["operator"] in words:
            parts.append(f"{each['key']} {words[each['operator']]} ({','.join(sorted(each.get('values') or ()))})")
        else:
            parts.append(each["key"] if each["operator"] == "Exists" else f"!{each['key']}")
    return ",".join(parts) or "<none>"


def _holds(found: Mapping[str, str], key: str, operator: str, values: tuple[str, ...]) -> bool:
    value = found.get(key)
    if operator in ("In", "in", "=", "=="):
        return value is not None and value in values
    if operator in ("NotIn", "notin", "!="):
        return value is None or value not in values
    if operator in ("Gt", "Lt", ">", "<"):
        number = int(value) if value and value.lstrip("-").isdecimal() else None
        limit = int(values[0])
        return number is not None and (number > limit if operator in ("Gt", ">") else number < limit)
    return (value is not None) == (operator in ("Exists", "exists"))


def _requirements(text: str) -> list[tuple[str, str, tuple[str, ...]]]:
    tokens = _TOKEN.findall(text)
    found: list[tuple[str, str, tuple[str, ...]]] = []
    try:
        place = 0
        while place < len(tokens):
            requirement, place = _requirement(tokens, place)
            found.append(requirement)
            if place < len(tokens):
                if tokens[place] != ",":
                    raise ValueError(f"found '{tokens[place]}', expected: ',' or 'end of string'")
                place += 1
    except ValueError as why:
        raise bad_request(str(why)) from None
    return found


def _requirement(tokens: list[str], place: int) -> tuple[tuple[str, str, tuple[str, ...]], int]:
    """One requirement from `place` on, and where it ends."""
    absent = tokens[place] == "!"
    place += absent
    key = tokens[place] if place < len(tokens) else ""
    if not key or not (key[0].isalnum()):
        raise ValueError(f"found '{key}', expected: '!', identifier, or 'end of string'")
    place += 1
    operator = tokens[place] if place < len(tokens) else ","
    if absent or operator == ",":
        return (key, "absent" if absent else "exists", ()), place
    if operator in ("in", "notin"):
        return _set_requirement(key, operator, tokens, place + 1)
    if operator in ("=", "==", "!=", "<", ">"):
        value = tokens[place + 1] if place + 1 < len(tokens) and tokens[place + 1] != "," else ""
        return (key, operator, (value,)), place + 1 + bool(value)
    raise ValueError(f"found '{operator}', expected: in, notin, =, ==, !=, gt, lt")


def _set_requirement(
    key: str, operator: str, tokens: list[str], place: int
) -> tuple[tuple[str, str, tuple[str, ...]], int]:
    if place >= len(tokens) or tokens[place] != "(":
        raise ValueError(f"found '{tokens[place] if place < len(tokens) else ''}' expected: '('")
    if ")" not in tokens[place:]:
        raise ValueError("found '', expected: ',' or ')'")
    end = tokens.index(")", place)
    return (key, operator, tuple(word for word in tokens[place + 1 : end] if word != ",")), end + 1


def fields(text: str, resource: Resource) -> Test:
    """What a field selector asks. Raises StatusError."""
    if not text.strip():
        return lambda _: True
    terms: list[tuple[str, str, bool]] = []
    for part in text.split(","):
        found = re.fullmatch(r"([^!=]+)(!=|==|=)(.*)", part)
        if not found:
            raise bad_request(f"invalid selector: '{text}'; can't understand '{part}'")
        key, operator, value = found.groups()
        known = ("metadata.name", "metadata.namespace", *_FIELDS.get(resource.plural, ()))
        if key not in known:
            raise bad_request(f"field label not supported: {key}")
        terms.append((key, value, operator != "!="))
    return lambda thing: all((_field(thing, key) == value) == equal for key, value, equal in terms)


def _field(thing: KubeDict, path: str) -> str:
    value: Any = thing
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if path == "spec.unschedulable" and value is None:
        return "false"
    return "" if value is None else str(value)
