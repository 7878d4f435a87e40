"""Which objects a command line means: TYPE, TYPE NAME..., TYPE/NAME..., TYPE,TYPE, a selector, or -f files.

Source: cli-runtime pkg/resource/builder.go (rules and texts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.kubernetes._kubectl import json_text, manifests
from engine.commands.kubernetes._kubectl.failures import Failed, error, of_server
from engine.commands.kubernetes._kubectl.session import Session, name_of, namespace_of
from engine.control.kubernetes.api import Resource, StatusError
from engine.control.kubernetes.objects import KubeDict

_MIXED = (
    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
    "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"
)


@dataclass(frozen=True, slots=True)
class Found:
    """An object and its type."""

    resource: Resource
    thing: KubeDict

    @property
    def name(self) -> str:
        return name_of(self.thing)

    @property
    def namespace(self) -> str:
        return namespace_of(self.thing)


@dataclass(slots=True)
class Selection:
    """What was found, in order; `errors` are lines for what was not; `one` says that a single name was asked for."""

    found: list[Found] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    types: list[Resource] = field(default_factory=list)
    one: bool = False
    named: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command line asks for: types, or (type, name) pairs."""

    types: tuple[Resource, ...] = ()
    pairs: tuple[tuple[Resource, str], ...] = ()


def asked(session: Session, words: Sequence[str], *, every: bool = False, selector: str = "") -> Asked:
    """Read the operands. Raises Failed; `every` stands for --all."""
    if any("/" in word for word in words):
        return Asked(pairs=tuple(pair for word in words for pair in _slashed(session, word, words)))
    types = tuple(resource for name in words[0].split(",") for resource in _types(session, name))
    names = words[1:]
    if names and selector:
        raise error("name cannot be provided when a selector is specified")
    if names and every:
        raise error("setting 'all' parameter but found a non empty selector. ")
    if names and len(types) > 1:
        raise error("you must specify only one resource")
    if names:
        return Asked(pairs=tuple((types[0], name) for name in names))
    return Asked(types=types)


def _slashed(session: Session, word: str, words: Sequence[str]) -> list[tuple[Resource, str]]:
    if "/" not in word:
        raise error(_MIXED)
    parts = word.split("/")
    if len(parts) != 2:
        raise error("arguments in resource/name form may not have more than one slash")
    if not parts[0] or not parts[1]:
        raise error("arguments in resource/name form must have a single resource and name")
    return [(session.resource(parts[0]), parts[1])]


def _types(session: Session, name: str) -> list[Resource]:
    """The types of a word: one, or those of a category (`all`)."""
    if not name:
        raise error("arguments in resource/name form must have a single resource and name")
    category = [each for each in session.server.resources() if name in each.categories]
    if category and session.server.resource(name) is None:
        return category
    return [session.resource(name)]


def select(
    session: Session,
    words: Sequence[str],
    *,
    every: bool = False,
    default: str = "",
    need_name: bool = False,
) -> Selection:
    """The objects that operands and selectors mean. Raises Failed, StatusError.

    `default` is the type of operands that name none; `need_name` refuses a type alone without a selector or `every`.
    """
    line = session.line
    selector, fields = line.text("selector"), line.text("field-selector")
    if default and words and not any("/" in word for word in words):
        words = [default, *words]
    elif default and not words:
        words = [default]
    if not words:
        raise error("you must provide one or more resources by argument or filename")
    wanted = asked(session, words, every=every, selector=selector)
    if wanted.pairs:
        if session.everywhere:
            raise error("a resource cannot be retrieved by name across all namespaces")
        return _by_name(session, wanted)
    if need_name and not every and not selector and not fields:
        raise error("resource(s) were provided, but no name was specified")
    selection = Selection(types=list(wanted.types))
    for resource in wanted.types:
        listed = session.listed(resource, selector, fields)
        selection.found += [Found(resource, each) for each in listed["items"]]
    return selection


def _by_name(session: Session, wanted: Asked) -> Selection:
    selection = Selection(one=len(wanted.pairs) == 1, named=True)
    for resource, name in wanted.pairs:
        if resource not in selection.types:
            selection.types.append(resource)
        try:
            thing = session.server.get(resource, session.namespace, name)
        except StatusError as refusal:
            if selection.one:
                raise
            selection.errors.append(of_server(refusal))
            continue
        selection.found.append(Found(resource, thing))
    return selection


async def from_files(session: Session) -> list[tuple[str, Resource, KubeDict]]:
    """(source, type, object) of what -f names; objects get the namespace that is meant. Raises Failed."""
    names = session.line.all("filename")
    read = await manifests.given(session.ctx, names, session.line.on("recursive"))
    if not read:
        raise error("no objects passed to " + session.verb)
    return [typed(session, source, thing) for source, thing in read]


def there(session: Session, resource: Resource, thing: KubeDict) -> Found:
    """The server's object of a manifest. Raises StatusError."""
    return Found(resource, session.server.get(resource, namespace_of(thing), name_of(thing)))


def typed(session: Session, source: str, thing: object) -> tuple[str, Resource, KubeDict]:
    """A manifest with its type and namespace. Raises Failed."""
    if not isinstance(thing, dict):
        raise error(
            f'error validating "{source}": error validating data: invalid object to validate; if you choose to ignore '
            "these errors, turn validation off with --validate=false"
        )
    kind, version = thing.get("kind"), thing.get("apiVersion")
    if session.line.text("validate") in ("false", "ignore") and not (kind and version):
        part = "Kind" if not kind else "apiVersion"
        raise error(f"unable to decode \"{source}\": Object '{part}' is missing in '{json_text.compact(thing)}'")
    missing = [f"{what} not set" for what, value in (("apiVersion", version), ("kind", kind)) if not value]
    if missing:
        text = missing[0] if len(missing) == 1 else f"[{', '.join(missing)}]"
        raise error(
            f'error validating "{source}": error validating data: {text}; if you choose to ignore these errors, turn '
            "validation off with --validate=false"
        )
    resource = session.server.resource_of(thing)
    if resource is None:
        raise Failed(_no_match(source, str(version), str(kind), thing))
    metadata = thing.setdefault("metadata", {}) or {}
    thing["metadata"] = metadata
    return source, resource, _placed(session, resource, thing)


def _no_match(source: str, version: str, kind: str, thing: KubeDict) -> str:
    metadata = thing.get("metadata") or {}
    text = f'resource mapping not found for name: "{metadata.get("name", "")}" namespace: ' \
        f'"{metadata.get("namespace", "")}" from "{source}": no matches for kind "{kind}" in version "{version}"\n' \
        "ensure CRDs are installed first"  # fmt: skip
    return f"error: {text}"


def _placed(session: Session, resource: Resource, thing: KubeDict) -> KubeDict:
    if not resource.namespaced:
        return thing
    own = thing["metadata"].get("namespace")
    if own and "namespace" in session.line and own != session.namespace:
        raise error(
            f'the namespace from the provided object "{own}" does not match the namespace "{session.namespace}". '
            f"You must pass '--namespace={own}' to perform this operation."
        )
    thing["metadata"]["namespace"] = own or session.namespace
    return thing
