"""What kubectl says when something goes wrong (kubectl pkg/cmd/util/helpers.go), and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

from engine.control.kubernetes.status_error import NoServer, StatusError


class Failed(Exception):
    """kubectl ends: lines for standard error, and its status."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.text = text
        self.status = status


class NotModelled(Exception):
    """Something that kubectl has and the simulator lacks."""


def error(text: str) -> Failed:
    """An error of the client itself."""
    return Failed(text if text.startswith("error: ") else f"error: {text}")


def usage(verb: str, text: str) -> Failed:
    """A command line that a verb refuses after it was read."""
    return Failed(f"error: {text}\nSee 'kubectl {verb} -h' for help and examples")


def no_type(name: str) -> Failed:
    """An unknown resource type. What stands behind the first dot is read as a version and group, or a group."""
    plain, dot, group = name.partition(".")
    if not dot:
        return error(f'the server doesn\'t have a resource type "{name}"')
    return error(f'the server doesn\'t have a resource type "{plain}" in group "{group}"')


def of_server(refusal: StatusError, name: str = "") -> str:
    """A refusal of the server as kubectl prints it; `name` stands in front where several objects were meant."""
    if refusal.reason == "Invalid" and not name:
        return _invalid(refusal)
    if refusal.reason == "Unauthorized":
        return f"error: You must be logged in to the server ({refusal.message})"
    reason = f" ({refusal.reason})" if refusal.reason else ""
    return f"Error from server{reason}: {name}{refusal.message}"


def _invalid(refusal: StatusError) -> str:
    details = refusal.status.get("details") or {}
    text = f'The {details.get("kind", "")} "{details.get("name", "")}" is invalid'
    if not details.get("kind") and not details.get("name"):
        text = "The request is invalid"
    causes: list[str] = []
    for cause in details.get("causes") or ():
        line = f"{cause.get('field', '')}: {cause.get('message', '')}"
        if line not in causes:
            causes.append(line)
    if not causes:
        return text
    if len(causes) == 1:
        return f"{text}: {causes[0]}"
    return "\n".join([f"{text}: ", *(f"* {cause}" for cause in causes)])


def aggregate(texts: Sequence[str]) -> str:
    """Several errors as Go's NewAggregate writes them: one as it is, more in brackets."""
    unique = list(dict.fromkeys(texts))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def unreachable(server: str, why: NoServer) -> str:
    """The last line when nobody answers at `server` (an URL)."""
    where = server.partition("://")[2] or server
    if "connection refused" in str(why):
        return f"The connection to the server {where} was refused - did you specify the right host or port?"
    return f"Unable to connect to the server: {dialled(server, why)}"


def dialled(server: str, why: NoServer) -> str:
    """The dialler's complaint."""
    where = server.partition("://")[2] or server
    text = str(why)
    return text if text.startswith("dial tcp") else f"dial tcp {where}: {text}"
