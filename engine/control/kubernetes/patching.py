"""Patches of API objects: JSON merge (RFC 7386), JSON (RFC 6902) and strategic merge with the usual lists' keys.

Which list merges by which key stands in the Go types' patchMergeKey tags; lists that are not named here are replaced.
`$patch: delete` and `$patch: replace` are followed; `$setElementOrder` and `$retainKeys` are directives that only order
or prune what the merge gives.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from engine.control.kubernetes.status_error import StatusError, bad_request

_KEYS = {
    "containers": "name", "initContainers": "name", "ephemeralContainers": "name", "volumes": "name", "env": "name",
    "volumeMounts": "mountPath", "volumeDevices": "devicePath", "imagePullSecrets": "name", "hostAliases": "ip",
    "conditions": "type", "ownerReferences": "uid", "secrets": "name", "addresses": "type",
    "topologySpreadConstraints": "topologyKey",
}  # fmt: skip
_PORTS = "ports"
_TAINTS = "taints"


def apply(thing: dict[str, Any], kind: str, patch: Any) -> dict[str, Any]:
    """The object with the patch. Raises StatusError."""
    if kind == "json":
        return _json(deepcopy(thing), patch)
    if not isinstance(patch, dict):
        raise bad_request("json: cannot unmarshal array into Go value of type map[string]interface {}")
    merged = _merge(deepcopy(thing), patch, strategic=kind == "strategic")
    assert isinstance(merged, dict)
    return merged


def _merge(before: Any, patch: Any, *, strategic: bool, name: str = "") -> Any:
    if isinstance(patch, dict):
        return _merge_map(before if isinstance(before, dict) else {}, patch, strategic=strategic)
    if strategic and isinstance(patch, list):
        key = _key(name, patch, before)
        if key:
            return _merge_list(before if isinstance(before, list) else [], patch, key)
        if name in ("finalizers",):
            return [*(before or []), *(each for each in patch if each not in (before or []))]
    return patch


def _key(name: str, patch: list[Any], before: Any) -> str:
    if name == _PORTS:
        both = [*patch, *(before or [])]
        return "containerPort" if any(isinstance(each, dict) and "containerPort" in each for each in both) else "port"
    if name == _TAINTS:
        return "key"
    return _KEYS.get(name, "") if all(isinstance(each, dict) for each in patch) else ""


def _merge_map(before: dict[str, Any], patch: dict[str, Any], *, strategic: bool) -> dict[str, Any]:
    directive = patch.get("$patch") if strategic else None
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != "$patch"}
    if directive == "delete":
        return {}
    for key, value in patch.items():
        if strategic and key.startswith("$deleteFromPrimitiveList/"):
            name = key.partition("/")[2]
            before[name] = [each for each in before.get(name) or [] if each not in value]
        elif strategic and key.startswith("$"):
            continue
        elif value is None:
            before.pop(key, None)
        else:
            before[key] = _merge(before.get(key), value, strategic=strategic, name=key)
    return before


def _merge_list(before: list[Any], patch: list[Any], key: str) -> list[Any]:
    if any(each.get("$patch") == "replace" for each in patch):
        return [each for each in patch if each.get("$patch") != "replace"]
    found = list(before)
    for each in patch:
        place = next((index for index, old in enumerate(found) if old.get(key) == each.get(key)), None)
        if each.get("$patch") == "delete":
            found = [old for old in found if old.get(key) != each.get(key)]
        elif place is None:
            found.append(_merge({}, each, strategic=True))
        else:
            found[place] = _merge(found[place], each, strategic=True)
    return found


def _json(thing: dict[str, Any], operations: Any) -> dict[str, Any]:
    if not isinstance(operations, list):
        raise bad_request("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
    whole = {"": thing}
    for each in operations:
        steps = ["", *(part.replace("~1", "/").replace("~0", "~") for part in str(each.get("path", "")).split("/")[1:])]
        _operate(whole, steps, each)
    return whole[""]


def _operate(whole: dict[str, Any], steps: list[str], operation: dict[str, Any]) -> None:
    verb, parent = operation.get("op"), _walk(whole, steps[:-1], operation)
    last = steps[-1]
    if isinstance(parent, list):
        place = len(parent) if last == "-" else int(last) if last.isdecimal() else -1
        if place < 0 or place > len(parent) or (verb != "add" and place >= len(parent)):
            raise _unable(operation)
        if verb == "add":
            parent.insert(place, operation["value"])
        elif verb == "remove":
            del parent[place]
        elif verb == "replace":
            parent[place] = operation["value"]
        elif verb == "test" and parent[place] != operation.get("value"):
            raise _test_failed(operation)
    elif isinstance(parent, dict):
        if verb in ("remove", "replace", "test") and last not in parent:
            raise _unable(operation)
        if verb == "remove":
            del parent[last]
        elif verb in ("add", "replace"):
            parent[last] = operation["value"]
        elif verb == "test" and parent[last] != operation.get("value"):
            raise _test_failed(operation)
    else:
        raise _unable(operation)


def _walk(whole: Any, steps: list[str], operation: dict[str, Any]) -> Any:
    for step in steps:
        try:
            whole = whole[int(step)] if isinstance(whole, list) else whole[step]
        except (KeyError, ValueError, IndexError, TypeError):
            raise _unable(operation) from None
    return whole


def _unable(operation: dict[str, Any]) -> StatusError:
    why = f"{operation.get('op')} operation does not apply: doc is missing path: {operation.get('path')}: missing value"
    return StatusError(422, "Invalid", f"the server rejected our request due to an error in our request ({why})")


def _test_failed(operation: dict[str, Any]) -> StatusError:
    why = f"testing value {operation.get('path')} failed: test failed"
    return StatusError(422, "Invalid", f"the server rejected our request due to an error in our request ({why})")
