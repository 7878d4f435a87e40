"""Parts that descriptions share: indented lines with tabs, labels, events.

Source: kubectl pkg/describe/describe.go. A description is text with tabs that is aligned at its end; each level is two
spaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.kubernetes._kubectl import release, spans, tab_writer
from engine.commands.kubernetes._kubectl.session import Session

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_LONGEST = 140  # characters of an annotation on one line


@dataclass(slots=True)
class Writer:
    """Collects a description; `minor` is the client's release."""

    minor: int
    parts: list[str] = field(default_factory=list)

    def line(self, level: int, text: str) -> None:
        """A line at a level of indentation."""
        self.parts.append("  " * level + text + "\n")

    def pair(self, name: str, value: object, level: int = 0) -> None:
        """`Name:  value`."""
        self.line(level, f"{name}:\t{value}")

    def text(self) -> str:
        """The description, aligned."""
        return tab_writer.aligned("".join(self.parts))


def labels(out: Writer, title: str, found: Mapping[str, str] | None, indent: str = "") -> None:
    """`Labels:  a=b`, one a line."""
    if not found:
        out.parts.append(f"{indent}{title}:\t<none>\n")
        return
    for place, key in enumerate(sorted(found)):
        out.parts.append(f"{indent}{title + ':' if not place else ''}\t{key}={found[key]}\n")


def notes(out: Writer, found: Mapping[str, str] | None, title: str = "Annotations") -> None:
    """`Annotations:  a: b`, long ones below their name."""
    keys = sorted(key for key in found or {} if key != LAST_APPLIED)
    if not keys:
        out.parts.append(f"{title}:\t<none>\n")
        return
    assert found is not None
    for place, key in enumerate(keys):
        value = found[key].removesuffix("\n")
        out.parts.append(f"{title}:\t" if not place else "\t")
        if len(value) + len(key) + 2 > _LONGEST or "\n" in value:
            out.parts.append(f"{key}:\n")
            out.parts.extend(f"\t  {_short(part)}\n" for part in value.split("\n"))
        else:
            out.parts.append(f"{key}: {value}\n")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST - 2 else text[: _LONGEST - 2] + "..."


def joined(found: Mapping[str, str] | None) -> str:
    """`a=b,c=d`, in the order of the whole texts (apimachinery labels.Set)."""
    return ",".join(sorted(f"{key}={value}" for key, value in found.items())) if found else "<none>"


def lines(out: Writer, title: str, texts: Sequence[str], indent: str = "") -> None:
    """A title and texts below each other."""
    if not texts:
        out.parts.append(f"{indent}{title}:\t<none>\n")
    for place, text in enumerate(texts):
        out.parts.append(f"{indent}{title + ':' if not place else ''}\t{text}\n")


def tolerations(out: Writer, found: Sequence[Mapping[str, Any]], indent: str = "") -> None:
    """The taints that a pod tolerates."""
    texts = []
    for each in sorted(found, key=lambda one: str(one.get("key", ""))):
        key, value, effect = each.get("key", ""), each.get("value", ""), each.get("effect", "")
        text = key + (f"={value}" if value else "") + (f":{effect}" if effect else "")
        if each.get("operator") == "Exists" and not value:
            text += " op=Exists" if text else "op=Exists"
        seconds = each.get("tolerationSeconds")
        texts.append(text + (f" for {seconds}s" if seconds is not None else ""))
    lines(out, "Tolerations", texts, indent)


def controlled_by(out: Writer, thing: Mapping[str, Any]) -> None:
    """The controller of an object, if it has one."""
    for owner in thing["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            out.pair("Controlled By", f"{owner['kind']}/{owner['name']}")


def begin(out: Writer, thing: Mapping[str, Any], namespaced: bool = True) -> None:
    """Name and namespace."""
    out.pair("Name", thing["metadata"]["name"])
    if namespaced:
        out.pair("Namespace", thing["metadata"].get("namespace", ""))


def marks(out: Writer, thing: Mapping[str, Any]) -> None:
    """Labels and annotations."""
    labels(out, "Labels", thing["metadata"].get("labels"))
    notes(out, thing["metadata"].get("annotations"))


def events(
    session: Session, out: Writer, thing: Mapping[str, Any], *, kind: str = "", uids: Sequence[str] = ()
) -> None:
    """What happened to an object, unless the options say that it is not wanted. `uids` are those that reporters use in
    place of its own.
    """
    if not session.show_events:
        return
    metadata = thing["metadata"]
    namespace = metadata.get("namespace", "")
    parts = [f"involvedObject.name={metadata['name']}", f"involvedObject.namespace={namespace}"]
    parts += [f"involvedObject.kind={kind}"] if kind else []
    resource = session.resource("events")
    found = []
    for uid in uids or (str(metadata.get("uid", "")),):
        selector = ",".join([*parts, f"involvedObject.uid={uid}"])
        found += session.server.list(resource, namespace, "", selector)["items"]
    if not found:
        out.pair("Events", "<none>")
        return
    out.line(0, "Events:")
    out.line(1, "Type\tReason\tAge\tFrom\tMessage")
    out.line(1, "----\t------\t----\t----\t-------")
    for event in sorted(found, key=lambda each: str(each.get("lastTimestamp") or each.get("eventTime") or "")):
        out.line(1, _event(event, session.now, session.minor))


def _event(event: Mapping[str, Any], now: int, minor: int) -> str:
    first = spans.since(event.get("eventTime") or event.get("firstTimestamp"), now)
    series = event.get("series") or {}
    if series:
        first = f"{spans.since(series.get('lastObservedTime'), now)} (x{series.get('count')} over {first})"
    elif (event.get("count") or 0) > 1:
        first = f"{spans.since(event.get('lastTimestamp'), now)} (x{event['count']} over {first})"
    source = (event.get("source") or {}).get("component") or event.get("reportingComponent", "")
    message = str(event.get("message", "")).strip()
    path = (event.get("involvedObject") or {}).get("fieldPath")
    if path and minor >= release.EVENT_FIELD:
        message = f"{path}: {message}"
    return f"{event.get('type', '')}\t{event.get('reason', '')}\t{first}\t{source}\t{message}"
