"""Descriptions of accounts, bindings of roles, quotas and priorities.

Source: kubectl pkg/describe/describe.go.
"""

from __future__ import annotations

from typing import Any

from engine.commands.kubernetes._kubectl import release
from engine.commands.kubernetes._kubectl.describing import writer
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.quantities import parse
from engine.commands.kubernetes._kubectl.session import Session

_TOKEN = "kubernetes.io/service-account-token"
_ACCOUNT = "kubernetes.io/service-account.name"


def service_account(session: Session, thing: dict[str, Any]) -> str:
    """A service account with its secrets."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    writer.marks(out, thing)
    parts = [("Image pull secrets", thing.get("imagePullSecrets") or ())]
    if out.minor < release.NO_TOKENS:
        parts += [("Mountable secrets", thing.get("secrets") or ()), ("Tokens", _tokens(session, thing))]
    for title, found in parts:
        names = [each["name"] for each in found] or ["<none>"]
        for place, name in enumerate(names):
            out.parts.append(f"{title + ':' if not place else '':<19}\t{name}\n")
    writer.events(session, out, thing, kind="ServiceAccount")
    return out.text()


def _tokens(session: Session, thing: dict[str, Any]) -> list[dict[str, str]]:
    secrets = session.server.list(session.resource("secrets"), thing["metadata"]["namespace"])["items"]
    return [
        {"name": each["metadata"]["name"]}
        for each in secrets
        if each.get("type") == _TOKEN
        and (each["metadata"].get("annotations") or {}).get(_ACCOUNT) == thing["metadata"]["name"]
    ]


def binding(session: Session, thing: dict[str, Any]) -> str:
    """Who has a role."""
    out = Writer(session.minor)
    writer.begin(out, thing, namespaced=False)
    writer.marks(out, thing)
    out.line(0, "Role:")
    out.pair("Kind", thing["roleRef"]["kind"], 1)
    out.pair("Name", thing["roleRef"]["name"], 1)
    out.line(0, "Subjects:")
    out.line(1, "Kind\tName\tNamespace")
    out.line(1, "----\t----\t---------")
    for each in thing.get("subjects") or ():
        out.line(1, f"{each['kind']}\t{each['name']}\t{each.get('namespace', '')}")
    return out.text()


def quota(session: Session, thing: dict[str, Any]) -> str:
    """What a namespace may use, and uses."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    if thing["spec"].get("scopes"):
        out.pair("Scopes", ", ".join(sorted(thing["spec"]["scopes"])))
    out.line(0, "Resource\tUsed\tHard")
    out.line(0, "--------\t----\t----")
    status = thing.get("status") or {}
    used = status.get("used") or {}
    for name, hard in sorted((status.get("hard") or {}).items()):
        out.line(0, f"{name}\t{parse(used.get(name))}\t{parse(hard)}")
    return out.text()


def priority_class(session: Session, thing: dict[str, Any]) -> str:
    """A priority of pods."""
    out = Writer(session.minor)
    writer.begin(out, thing, namespaced=False)
    out.pair("Value", thing.get("value", 0))
    out.pair("GlobalDefault", str(bool(thing.get("globalDefault"))).lower())
    out.pair("PreemptionPolicy", thing.get("preemptionPolicy", "PreemptLowerPriority"))
    out.pair("Description", thing.get("description", ""))
    out.pair("Annotations", writer.joined(thing["metadata"].get("annotations")))
    writer.events(session, out, thing, kind="PriorityClass")
    return out.text()
