"""What `kubectl apply` makes of a manifest: the three-way merge of what was applied before, what is applied now, and
what is there.

Source: apimachinery pkg/util/strategicpatch, jsonmergepatch: fields that were applied before and are not now go away;
lists of objects that have a name of a kind are merged by it, others are replaced.
"""

from __future__ import annotations

from typing import Any

from engine.commands.kubernetes._kubectl import json_text

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_KEYS = {
    "containers": "name", "initContainers": "name", "ephemeralContainers": "name", "env": "name", "volumes": "name",
    "volumeMounts": "mountPath", "ports": "containerPort", "imagePullSecrets": "name", "ownerReferences": "uid",
    "hostAliases": "ip", "topologySpreadConstraints": "topologyKey", "conditions": "type", "secrets": "name",
}  # fmt: skip


def applied(thing: dict[str, Any]) -> dict[str, Any]:
    """A manifest with the annotation that keeps what it says."""
    metadata = dict(thing.get("metadata") or {})
    kept = {key: value for key, value in (metadata.get("annotations") or {}).items() if key != LAST_APPLIED}
    bare = {**thing, "metadata": {**metadata, "annotations": kept}}
    return {**bare, "metadata": {**metadata, "annotations": {**kept, LAST_APPLIED: json_text.compact(bare) + "\n"}}}


def merged(before: Any, now: Any, there: Any, name: str = "") -> Any:
    """The value that a field shall have."""
    if isinstance(now, dict) and isinstance(there, dict):
        before = before if isinstance(before, dict) else {}
        result = {key: value for key, value in there.items() if key in now or key not in before}
        for key, value in now.items():
            if value is None:
                result.pop(key, None)
            else:
                result[key] = merged(before.get(key), value, there.get(key), key)
        return result
    if isinstance(now, list) and isinstance(there, list):
        key = _key(name, now, there)
        if key:
            return _merged_list(before if isinstance(before, list) else [], now, there, key)
    return now


def _key(name: str, now: list[Any], there: list[Any]) -> str:
    key = _KEYS.get(name, "")
    if key == "containerPort" and any(isinstance(each, dict) and "port" in each for each in [*now, *there]):
        key = "port"
    objects = all(isinstance(each, dict) and key in each for each in [*now, *there])
    return key if key and objects else ""


def _merged_list(before: list[Any], now: list[Any], there: list[Any], key: str) -> list[Any]:
    wanted = {each[key]: each for each in now}
    old = {each[key]: each for each in before if isinstance(each, dict) and key in each}
    present = {each[key]: each for each in there}
    kept = [each for each in there if each[key] not in wanted and each[key] not in old]
    result = [merged(old.get(name), each, present.get(name, {})) for name, each in wanted.items()]
    return result + kept


def difference(there: Any, wanted: Any) -> Any:
    """The JSON merge patch from one object to another; {} for none."""
    patch: dict[str, Any] = {}
    for key, value in wanted.items():
        if key not in there:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(there[key], dict):
            inner = difference(there[key], value)
            if inner:
                patch[key] = inner
        elif value != there[key] or isinstance(value, bool) != isinstance(there[key], bool):
            patch[key] = value
    for key in there:
        if key not in wanted:
            patch[key] = None
    return patch
