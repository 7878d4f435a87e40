"""From an HTTP request to the simulated API server, and its answer back.

Source: the paths and bodies of the Kubernetes API (k8s.io/apiserver pkg/endpoints): discovery, lists and objects as
JSON or as metav1.Table, writes, eviction, binding, scale and logs. Nothing here knows HTTP itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.control.kubernetes.api import ApiServer, Resource
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.status_error import StatusError, bad_request, method_not_allowed, no_resource
from engine.kernel.units import SECOND
from tui.serving import discovery, openapi, protobuf

PATCHES = {
    "application/json-patch+json": "json", "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
}  # fmt: skip
_TABLE = "as=Table"
_WARNINGS = {"componentstatuses": "v1 ComponentStatus is deprecated in v1.19+"}
_MADE, _DONE = 201, 200
_HEALTH = ("readyz", "livez", "healthz")


@dataclass(frozen=True, slots=True)
class Request:
    """A request: method, path, its parameters, what the client accepts and sends; `now` is the simulation's time."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    accept: str = ""
    content_type: str = ""
    body: bytes = b""
    now: int = 0

    @property
    def watches(self) -> bool:
        """Whether the client wants to be told of changes."""
        return self.query.get("watch", "") in ("1", "true")

    @property
    def dry_run(self) -> bool:
        return self.query.get("dryRun") == "All"

    @property
    def strict(self) -> bool:
        """Whether a field that the server does not know is a reason to refuse."""
        return self.query.get("fieldValidation") == "Strict"

    def data(self) -> Any:
        """The body. Raises StatusError."""
        if not self.body:
            return {}
        if self.content_type.startswith(protobuf.TYPE):
            try:
                return protobuf.decode(self.body)
            except protobuf.Unreadable:
                text = (
                    "the body of the request was in an unknown format - accepted media types include: application/json"
                )
                raise StatusError(415, "UnsupportedMediaType", text) from None
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise bad_request(f"the object provided is unrecognized (must be of type JSON): {error}") from None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: status, body (JSON data or text), and a warning for the client's user."""

    status: int
    body: Any
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """What a path names: a resource, and in it a namespace, an object, a part of it ("" where there is none)."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    part: str = ""


def answer(server: ApiServer, request: Request) -> Answer:
    """The answer to a request that does not watch. Raises NoServer."""
    try:
        return _answer(server, request)
    except StatusError as refusal:
        return Answer(refusal.code, refusal.status)


def _answer(server: ApiServer, request: Request) -> Answer:
    words = [word for word in request.path.split("/") if word]
    if words and words[0] in _HEALTH:
        status, text = server.health(request.path + ("?verbose" if "verbose" in request.query else ""))
        return Answer(status, text)
    if words == ["version"]:
        return Answer(_DONE, server.version())
    found = discovery.answer(server, words) or openapi.answer(server, words)
    if found is not None:
        return Answer(_DONE, found)
    special = _review(words, request)
    if special is not None:
        return Answer(_MADE, special)
    return _of_resource(server, request, target(server, words))


def target(server: ApiServer, words: list[str]) -> Target:
    """What a path names. Raises StatusError."""
    if words[:1] == ["api"] and len(words) > 2:
        group, version, rest = "", words[1], words[2:]
    elif words[:1] == ["apis"] and len(words) > 3:
        group, version, rest = words[1], words[2], words[3:]
    else:
        raise no_resource()
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource = next(
        (each for each in server.resources() if (each.group, each.version, each.plural) == (group, version, rest[0])),
        None,
    )
    if resource is None:
        raise no_resource()
    rest = [*rest, "", ""]
    return Target(resource, namespace, rest[1], rest[2])


def _review(words: list[str], request: Request) -> KubeDict | None:
    """Questions about the client itself: whoever reaches this port may do everything."""
    if request.method != "POST" or not words[-1].endswith("reviews"):
        return None
    asked: KubeDict = request.data()
    if words[-1] == "selfsubjectreviews":
        groups = ["kubeadm:cluster-admins", "system:authenticated"]
        return {**asked, "status": {"userInfo": {"username": "kubernetes-admin", "groups": groups}}}
    return {**asked, "status": {"allowed": True}}


def _of_resource(server: ApiServer, request: Request, wanted: Target) -> Answer:
    if wanted.part:
        return _part(server, request, wanted)
    method = request.method
    if method == "GET":
        return _read(server, request, wanted)
    if method == "POST" and not wanted.name:
        warning = _unknown(server, request, wanted.resource)
        made = server.create(
            wanted.resource, wanted.namespace, request.data(), dry_run=request.dry_run, strict=request.strict
        )
        return Answer(_MADE, made, warning)
    if not wanted.name:
        raise method_not_allowed()
    where = (wanted.resource, wanted.namespace, wanted.name)
    if method == "PUT":
        return Answer(_DONE, server.update(*where, request.data(), dry_run=request.dry_run, strict=request.strict))
    if method == "PATCH":
        kind = _patch_kind(request)
        return Answer(_DONE, server.patch(*where, kind, request.data(), dry_run=request.dry_run, strict=request.strict))
    if method == "DELETE":
        options = request.data()
        grace = options.get("gracePeriodSeconds")
        propagation = options.get("propagationPolicy") or "Background"
        return Answer(_DONE, server.delete(*where, grace, propagation, dry_run=request.dry_run))
    raise method_not_allowed()


def _unknown(server: ApiServer, request: Request, resource: Resource) -> str:
    """The server's warning about fields that it drops, unless the client wants none."""
    data = request.data()
    if request.query.get("fieldValidation", "Warn") != "Warn" or not isinstance(data, dict):
        return ""
    return ", ".join(f'unknown field "{path}"' for path in server.unknown_fields(resource, data))


def _patch_kind(request: Request) -> str:
    kind = PATCHES.get(request.content_type.partition(";")[0].strip())
    if kind is None:
        known = ", ".join(PATCHES)
        text = f"the body of the request was in an unknown format - accepted media types include: {known}"
        raise StatusError(415, "UnsupportedMediaType", text)
    return kind


def listed(server: ApiServer, request: Request, wanted: Target) -> KubeDict:
    """The list that a request means; a single object is a list of one. Raises StatusError."""
    if wanted.name:
        thing = server.get(wanted.resource, wanted.namespace, wanted.name)
        return {"items": [thing], "metadata": {}}
    return server.list(
        wanted.resource,
        wanted.namespace,
        request.query.get("labelSelector", ""),
        request.query.get("fieldSelector", ""),
    )


def _read(server: ApiServer, request: Request, wanted: Target) -> Answer:
    warning = _WARNINGS.get(wanted.resource.plural, "")
    found = listed(server, request, wanted)
    if _TABLE in request.accept:
        return Answer(_DONE, table(server, request, wanted.resource, found), warning)
    return Answer(_DONE, found["items"][0] if wanted.name else found, warning)


def table(server: ApiServer, request: Request, resource: Resource, found: KubeDict) -> KubeDict:
    """A list as metav1.Table, its objects cut down to their metadata unless the client wants them whole."""
    made = server.table(resource, found["items"])
    whole = request.query.get("includeObject") == "Object"
    rows = []
    for row, thing in zip(made["rows"], found["items"], strict=True):
        partial = {"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": thing["metadata"]}
        rows.append({**row, "object": thing if whole else partial})
    metadata = {key: value for key, value in found["metadata"].items() if key == "resourceVersion"}
    columns = [{"description": "", "format": "", "priority": 0, **column} for column in made["columnDefinitions"]]
    return {
        "apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": metadata, "columnDefinitions": columns,
        "rows": rows,
    }  # fmt: skip


def _part(server: ApiServer, request: Request, wanted: Target) -> Answer:
    """Subresources."""
    resource, namespace, name = wanted.resource, wanted.namespace, wanted.name
    if wanted.part == "log" and resource.plural == "pods":
        return Answer(_DONE, _log(server, request, namespace, name))
    if wanted.part == "eviction" and request.method == "POST":
        options = request.data().get("deleteOptions") or {}
        server.evict(namespace, name, options.get("gracePeriodSeconds"), dry_run=request.dry_run)
        return Answer(_MADE, {"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success"})
    if wanted.part == "binding" and request.method == "POST":
        server.bind(namespace, name, request.data().get("target", {}).get("name", ""))
        return Answer(_MADE, {"apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Success"})
    if wanted.part == "scale":
        return _scale(server, request, wanted)
    if wanted.part == "status" and request.method == "GET":
        return Answer(_DONE, server.get(resource, namespace, name))
    if wanted.part in ("exec", "attach", "portforward", "proxy"):
        raise StatusError(501, "NotImplemented", f"breakfix: not modelled: {wanted.part} over HTTP")
    raise no_resource()


def _scale(server: ApiServer, request: Request, wanted: Target) -> Answer:
    resource, namespace, name = wanted.resource, wanted.namespace, wanted.name
    thing = server.get(resource, namespace, name)
    if "replicas" not in (thing.get("spec") or {}):
        raise no_resource()
    if request.method in ("PUT", "PATCH"):
        replicas = (request.data().get("spec") or {}).get("replicas", thing["spec"]["replicas"])
        thing = server.scale(resource, namespace, name, replicas, dry_run=request.dry_run)
    metadata = {key: thing["metadata"].get(key) for key in ("name", "namespace", "uid", "resourceVersion")}
    metadata["creationTimestamp"] = thing["metadata"].get("creationTimestamp")
    return Answer(
        _DONE,
        {
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata,
            "spec": {"replicas": thing["spec"]["replicas"]},
            "status": {"replicas": (thing.get("status") or {}).get("replicas", 0)},
        },
    )  # fmt: skip


def _log(server: ApiServer, request: Request, namespace: str, name: str) -> str:
    query = request.query
    since = int(query["sinceSeconds"]) if "sinceSeconds" in query else None
    tail = int(query["tailLines"]) if "tailLines" in query else None
    lines = server.logs(
        namespace, name, query.get("container", ""), previous=query.get("previous") == "true",
        since=None if since is None else request.now - since * SECOND, tail=tail,
        timestamps=query.get("timestamps") == "true",
    )  # fmt: skip
    return "".join(f"{line}\n" for line in lines)
