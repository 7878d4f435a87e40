"""As much of the server's OpenAPI v3 documents as kubectl looks at before it writes: that the server itself checks
fields (`fieldValidation`) and dry runs (`dryRun`), and for `kubectl explain` the fields of built-in kinds with their
types; no text about them.

Source: cli-runtime pkg/resource/query_param_verifier_v3.go.
"""

from __future__ import annotations

from engine.control.kubernetes import schema
from engine.control.kubernetes.api import ApiServer, Resource
from engine.control.kubernetes.objects import KubeDict

_PLACE = "io.k8s.api."
_NAMED = {"quantity": "Quantity", "int-or-string": "IntOrString"}
_SCALARS = {"bool": "boolean", "int32": "integer", "int64": "integer", "float64": "number", "any": "object"}
_PARAMETERS = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in ("dryRun", "fieldValidation")]


def answer(server: ApiServer, words: list[str]) -> KubeDict | None:
    """The document at a path, or None for a path of something else."""
    if words[:2] != ["openapi", "v3"]:
        return None
    folders: dict[str, list[Resource]] = {}
    for each in server.resources():
        folders.setdefault(f"apis/{each.api_version}" if each.group else f"api/{each.version}", []).append(each)
    if len(words) == 2:
        return {"paths": {folder: {"serverRelativeURL": f"/openapi/v3/{folder}"} for folder in folders}}
    found = folders.get("/".join(words[2:]))
    return None if found is None else _document("/".join(words[2:]), found)


def _document(folder: str, found: list[Resource]) -> KubeDict:
    paths = {}
    for each in found:
        inside = "namespaces/{namespace}/" if each.namespaced else ""
        kind = {"group": each.group, "kind": each.kind, "version": each.version}
        operation = {"parameters": _PARAMETERS, "responses": {}, "x-kubernetes-group-version-kind": kind}
        paths[f"/{folder}/{inside}{each.plural}/{{name}}"] = {"patch": operation}
    return {
        "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1"}, "paths": paths,
        "components": {"schemas": _schemas(found)},
    }  # fmt: skip


def _schemas(found: list[Resource]) -> KubeDict:
    """The types that kinds of a group lead to."""
    made: KubeDict = {}
    for each in found:
        name = schema.type_of(each)
        if not name:
            continue
        _add(name, made)
        kind = {"group": each.group, "kind": each.kind, "version": each.version}
        made[_PLACE + schema.struct(name)]["x-kubernetes-group-version-kind"] = [kind]
    return made


def _add(name: str, made: KubeDict) -> None:
    place = _PLACE + schema.struct(name)
    if place in made:
        return
    fields = schema.fields_of(name)
    made[place] = {"type": "object", "properties": {}}
    for each in fields.values():
        made[place]["properties"][each.name] = _shape(each.kind, made)
    required = [each.name for each in fields.values() if each.required]
    if required:
        made[place]["required"] = required


def _shape(kind: str, made: KubeDict) -> KubeDict:
    if kind.startswith(schema.LIST):
        return {"type": "array", "items": _shape(kind.removeprefix(schema.LIST), made)}
    if kind.startswith(schema.MAP):
        return {"type": "object", "additionalProperties": _shape(kind.removeprefix(schema.MAP), made)}
    if kind in schema.types():
        _add(kind, made)
        return {"allOf": [{"$ref": f"#/components/schemas/{_PLACE}{schema.struct(kind)}"}]}
    if kind in _NAMED:
        made[_PLACE + _NAMED[kind]] = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
        return {"allOf": [{"$ref": f"#/components/schemas/{_PLACE}{_NAMED[kind]}"}]}
    return {"type": _SCALARS.get(kind, "string")}
