"""--validate: whether fields that the server does not know are refused, named in warnings, or passed over.

Source: kubectl pkg/cmd/util (ValidationDirective); the server does the work (fieldValidation).
"""

from __future__ import annotations

from engine.commands.kubernetes._kubectl.failures import error
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import Resource
from engine.control.kubernetes.objects import KubeDict

_WORDS = {"strict": True, "true": True, "warn": False, "ignore": False, "false": False}


def strict(session: Session, resource: Resource, thing: KubeDict) -> bool:
    """Whether the server is to refuse; with `warn` the fields are named."""
    word = session.line.text("validate", "strict").lower()
    if word not in _WORDS:
        raise error(f'invalid - validate option "{word}"')
    if word == "warn":
        warn(session, resource, thing)
    return _WORDS[word]


def warn(session: Session, resource: Resource, thing: KubeDict) -> None:
    """The server's warnings."""
    for path in session.server.unknown_fields(resource, thing):
        session.warn(f'Warning: unknown field "{path}"')
