"""As much of the server's OpenAPI v3 documents as kubectl looks at before it writes: that the server itself checks
fields (`fieldValidation`) and dry runs (`dryRun`). The schemas of objects are not given.

Source: cli-runtime pkg/resource/query_param_verifier_v3.go.
"""

from __future__ import annotations

from engine.control.kubernetes.api import ApiServer, Resource
from engine.control.kubernetes.objects import KubeDict

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
        "components": {"schemas": {}},
    }  # fmt: skip
