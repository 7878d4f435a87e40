"""Refusals of the API server: metav1.Status with the server's own texts (k8s.io/apimachinery/pkg/api/errors)."""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes.objects import KubeDict


class StatusError(Exception):
    """A request that the server refuses. `status` is the metav1.Status that it answers with."""

    def __init__(self, code: int, reason: str, message: str, details: KubeDict | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details = details or {}

    @property
    def status(self) -> KubeDict:
        """The answer's body."""
        return {
            "apiVersion": "v1", "code": self.code, "details": self.details, "kind": "Status", "message": self.message,
            "metadata": {}, "reason": self.reason, "status": "Failure",
        }  # fmt: skip


class NoServer(Exception):
    """Nobody answers where the API server should listen. The text is what the dialler says, such as
    `connect: connection refused`.
    """


def qualified(plural: str, group: str) -> str:
    """`pods`, `deployments.apps`."""
    return f"{plural}.{group}" if group else plural


def _details(plural: str, group: str, name: str, kind: str = "") -> KubeDict:
    found: KubeDict = {"name": name, "kind": kind or plural}
    return found | ({"group": group} if group else {})


def not_found(plural: str, group: str, name: str) -> StatusError:
    """There is no such object."""
    text = f'{qualified(plural, group)} "{name}" not found'
    return StatusError(404, "NotFound", text, _details(plural, group, name))


def already_exists(plural: str, group: str, name: str) -> StatusError:
    """There is one already."""
    text = f'{qualified(plural, group)} "{name}" already exists'
    return StatusError(409, "AlreadyExists", text, _details(plural, group, name))


def conflict(plural: str, group: str, name: str) -> StatusError:
    """Somebody else changed the object since it was read."""
    text = (
        f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    return StatusError(409, "Conflict", text, _details(plural, group, name))


def bad_request(message: str) -> StatusError:
    """The request itself makes no sense."""
    return StatusError(400, "BadRequest", message)


def no_resource() -> StatusError:
    """There is no such type."""
    return StatusError(404, "NotFound", "the server could not find the requested resource")


def method_not_allowed() -> StatusError:
    """The type does not know this verb."""
    return StatusError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")


def forbidden(plural: str, group: str, name: str, why: str) -> StatusError:
    """Admission refuses the object."""
    text = f'{qualified(plural, group)} "{name}" is forbidden: {why}'
    return StatusError(403, "Forbidden", text, _details(plural, group, name))


def too_many_disruptions(budget: str, allowed: str) -> StatusError:
    """An eviction that a PodDisruptionBudget does not let happen (pkg/registry/core/pod/storage/eviction.go)."""
    details: dict[str, Any] = {
        "causes": [
            {"message": f"The disruption budget {budget} {allowed}", "reason": "DisruptionBudget"},
        ]
    }
    text = "Cannot evict pod as it would violate the pod's disruption budget."
    return StatusError(429, "TooManyRequests", text, details)


def invalid(kind: str, group: str, name: str, causes: list[tuple[str, str, str]]) -> StatusError:
    """Causes are (field, reason's word, text as field.Error writes it without the field)."""
    texts = [f"{field}: {text}" for field, _, text in causes]
    joined = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = _details("", group, name, kind) | {
        "causes": [{"field": field, "message": text, "reason": reason} for field, reason, text in causes]
    }
    return StatusError(422, "Invalid", f'{qualified(kind, group)} "{name}" is invalid: {joined}', details)
