"""What Redfish resources are made of: requests, answers, collections, states, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.kernel.quick_dataclass import dataclass

Resource = dict[str, Any]
ROOT = "/redfish/v1"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to a BMC: method, path, name and password of who asks (None: nobody), and the body's text."""

    host: str
    method: str
    path: str
    user: str | None = None
    password: str | None = None
    body: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body (None: there is none)."""

    status: int
    body: Resource | None


def link(path: str) -> Resource:
    """A link to another resource."""
    return {"@odata.id": path}


def collection(kind: str, name: str, path: str, members: Sequence[str]) -> Resource:
    """A collection of resources that lie below `path`."""
    return {
        "@odata.type": f"#{kind}Collection.{kind}Collection",
        "Name": name,
        "Members": [link(f"{path}/{member}") for member in members],
        "Members@odata.count": len(members),
    }


def status(*, well: bool = True, there: bool = True) -> Resource:
    """State and health."""
    if not there:
        return {"State": "Absent"}
    return {"State": "Enabled", "Health": "OK" if well else "Critical"}


def number(thousandths: int | None) -> float | int | None:
    """A reading: a whole number where it is one."""
    if thousandths is None:
        return None
    return thousandths // 1000 if thousandths % 1000 == 0 else thousandths / 1000


def error(code: int, message: str, text: str, arguments: Sequence[str] = (), resolution: str = "None") -> Answer:
    """An error body with one message of the Base registry."""
    info = {
        "@odata.type": "#Message.v1_1_1.Message",
        "MessageId": f"Base.1.12.{message}",
        "Message": text,
        "MessageArgs": list(arguments),
        "Severity": "Critical",
        "Resolution": resolution,
    }
    return Answer(code, {"error": {"code": f"Base.1.12.{message}", "message": text, "@Message.ExtendedInfo": [info]}})


def success() -> Answer:
    """What an action that was begun answers."""
    return Answer(204, None)
