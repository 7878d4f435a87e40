"""The discovery documents of the API server: /api, /apis and the resources of a group's version.

Source: metav1 APIVersions, APIGroupList, APIResourceList. Clients that ask for the aggregated form take these.
"""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes.api import ApiServer, Resource
from engine.control.kubernetes.objects import KubeDict

_PARTS: dict[str, tuple[tuple[str, str, str, str, tuple[str, ...]], ...]] = {
    "pods": (
        ("log", "Pod", "", "", ("get",)), ("eviction", "Eviction", "policy", "v1", ("create",)),
        ("binding", "Binding", "", "", ("create",)), ("status", "Pod", "", "", ("get", "patch", "update")),
    ),
    "nodes": (("status", "Node", "", "", ("get", "patch", "update")),),
    "deployments": (("scale", "Scale", "autoscaling", "v1", ("get", "patch", "update")),),
    "replicasets": (("scale", "Scale", "autoscaling", "v1", ("get", "patch", "update")),),
    "statefulsets": (("scale", "Scale", "autoscaling", "v1", ("get", "patch", "update")),),
}  # fmt: skip
"""Subresources: name, kind, group and version of what they take, verbs."""


def answer(server: ApiServer, words: list[str]) -> KubeDict | None:
    """The document at a path, or None for a path of something else."""
    if words == ["api"]:
        return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
    if words == ["apis"]:
        return _groups(server)
    if words[:1] == ["api"] and len(words) == 2:
        return _resources(server, "", words[1])
    if words[:1] == ["apis"] and len(words) == 3:
        return _resources(server, words[1], words[2])
    if words[:1] == ["apis"] and len(words) == 2:
        return next((each for each in _groups(server)["groups"] if each["name"] == words[1]), None)
    return None


def _groups(server: ApiServer) -> KubeDict:
    versions: dict[str, list[str]] = {}
    for each in server.resources():
        if each.group and each.version not in versions.setdefault(each.group, []):
            versions[each.group].append(each.version)
    groups = []
    for group, found in versions.items():
        listed = [{"groupVersion": f"{group}/{version}", "version": version} for version in found]
        groups.append({"name": group, "versions": listed, "preferredVersion": listed[0]})
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _resources(server: ApiServer, group: str, version: str) -> KubeDict | None:
    found = [each for each in server.resources() if (each.group, each.version) == (group, version)]
    if not found:
        return None
    listed: list[dict[str, Any]] = []
    for each in found:
        listed.append(_resource(each))
        for part, kind, of, of_version, verbs in _PARTS.get(each.plural, ()):
            listed.append(
                {
                    "name": f"{each.plural}/{part}", "singularName": "", "namespaced": each.namespaced, "kind": kind,
                    "verbs": list(verbs), **({"group": of, "version": of_version} if of else {}),
                }
            )  # fmt: skip
    api_version = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": listed}


def _resource(each: Resource) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": each.plural, "singularName": each.singular, "namespaced": each.namespaced, "kind": each.kind,
        "verbs": list(each.verbs),
    }  # fmt: skip
    if each.short_names:
        found["shortNames"] = list(each.short_names)
    if each.categories:
        found["categories"] = list(each.categories)
    return found
