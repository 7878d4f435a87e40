"""What the server refuses in an object: the checks that people meet (pkg/apis/*/validation), in its own words.

A cause is (field, reason, text): `spec.containers[0].name`, FieldValueRequired, `Required value`. Unknown fields are
found by engine.control.kubernetes.schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.control.kubernetes import selectors, store, validation_others
from engine.control.kubernetes.objects import BadQuantity, KubeDict, milli
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import bad_request, invalid

Cause = tuple[str, str, str]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_LABEL_NAMED = frozenset({store.SERVICES, store.NAMESPACES})
_TEMPLATED = frozenset(
    {store.DEPLOYMENTS, store.REPLICA_SETS, store.DAEMON_SETS, store.STATEFUL_SETS, store.JOBS}
)  # fmt: skip
_IMMUTABLE_POD = (
    "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
    "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def required(field: str) -> Cause:
    """The cause of a field that must be given."""
    return field, "FieldValueRequired", "Required value"


def check(resource: Resource, thing: KubeDict) -> None:
    """Nothing, if an object may be as it is. Raises StatusError."""
    causes = [*_name_causes(resource, thing)]
    spec = thing.get("spec") or {}
    if resource.store == store.PODS:
        causes += _pod_causes(spec, "spec", template=False)
    elif resource.store in _TEMPLATED:
        causes += _workload_causes(resource, spec)
    elif resource.store in validation_others.CHECKS:
        causes += validation_others.CHECKS[resource.store](thing)
    elif resource.store == store.SERVICES and not spec.get("ports") and not _needs_no_ports(spec):
        causes.append(required("spec.ports"))
    if causes:
        raise invalid(resource.kind, resource.group, str(thing["metadata"].get("name", "")), causes)


def _needs_no_ports(service: KubeDict) -> bool:
    return service.get("type") == "ExternalName" or service.get("clusterIP") == "None"


def _name_causes(resource: Resource, thing: KubeDict) -> Iterator[Cause]:
    metadata = thing["metadata"]
    name = metadata.get("name")
    if not name and not metadata.get("generateName"):
        yield "metadata.name", "FieldValueRequired", "Required value: name or generateName is required"
        return
    if not name or resource.group.startswith("rbac"):
        return
    labelled = resource.store in _LABEL_NAMED
    pattern, text = (_LABEL, _LABEL_TEXT) if labelled else (_SUBDOMAIN, _SUBDOMAIN_TEXT)
    if not pattern.fullmatch(str(name)):
        yield "metadata.name", "FieldValueInvalid", f'Invalid value: "{name}": {text}'


def _pod_causes(spec: KubeDict, at: str, *, template: bool, policies: tuple[str, ...] = ()) -> Iterator[Cause]:
    if not spec.get("containers"):
        yield required(f"{at}.containers")
    for part in ("containers", "initContainers"):
        seen: set[str] = set()
        for index, each in enumerate(spec.get(part) or ()):
            yield from _container_causes(each, f"{at}.{part}[{index}]", seen, spec, template=template)
    policy, allowed = spec.get("restartPolicy", "Always"), policies or ("Always", "OnFailure", "Never")
    if policy not in allowed:
        words = ", ".join(f'"{word}"' for word in sorted(allowed))
        yield (
            f"{at}.restartPolicy",
            "FieldValueNotSupported",
            f'Unsupported value: "{policy}": supported values: {words}',
        )


def _container_causes(each: KubeDict, at: str, seen: set[str], spec: KubeDict, *, template: bool) -> Iterator[Cause]:
    name = each.get("name")
    if not name:
        yield required(f"{at}.name")
    elif not _LABEL.fullmatch(str(name)):
        yield f"{at}.name", "FieldValueInvalid", f'Invalid value: "{name}": {_LABEL_TEXT}'
    elif name in seen:
        yield f"{at}.name", "FieldValueDuplicate", f'Duplicate value: "{name}"'
    seen.add(str(name))
    if not each.get("image") and not template:
        yield required(f"{at}.image")
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    for index, mount in enumerate(each.get("volumeMounts") or ()):
        if mount.get("name") not in volumes:
            yield f"{at}.volumeMounts[{index}].name", "FieldValueNotFound", f'Not found: "{mount.get("name")}"'
    yield from _resource_causes(each.get("resources") or {}, f"{at}.resources")


def _resource_causes(resources: KubeDict, at: str) -> Iterator[Cause]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, value in sorted(requests.items()):
        extended = "/" in name
        if extended and name not in limits:
            yield (
                f"{at}.limits",
                "FieldValueRequired",
                "Required value: Limit must be set for non overcommitable resources",
            )
        elif extended and milli(value) != milli(limits[name]):
            text = f'Invalid value: "{value}": must be equal to {name} limit of {limits[name]}'
            yield f"{at}.requests", "FieldValueInvalid", text
        elif name in limits and milli(value) > milli(limits[name]):
            text = f'Invalid value: "{value}": must be less than or equal to {name} limit of {limits[name]}'
            yield f"{at}.requests", "FieldValueInvalid", text
    for word, values in (("limits", limits), ("requests", requests)):
        for name, value in sorted(values.items()):
            if "/" in name and milli(value) % 1000:
                yield f"{at}.{word}.{name}", "FieldValueInvalid", f'Invalid value: "{value}": must be an integer'


def _workload_causes(resource: Resource, spec: KubeDict) -> Iterator[Cause]:
    selector, template = spec.get("selector"), spec.get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    if resource.store != store.JOBS:
        if not selector:
            yield required("spec.selector")
        if not selector or not selectors.matches(selector, labels):
            yield (
                "spec.template.metadata.labels",
                "FieldValueInvalid",
                f"Invalid value: {_go_map(labels)}: `selector` does not match template `labels`",
            )
    policies = ("OnFailure", "Never") if resource.store == store.JOBS else ("Always",)
    yield from _pod_causes(template.get("spec") or {}, "spec.template.spec", template=False, policies=policies)


def _go_map(found: dict[str, str]) -> str:
    """Labels as Go's %#v has them."""
    return "map[string]string{" + ", ".join(f'"{key}":"{value}"' for key, value in sorted(found.items())) + "}"


def quantities(resource: Resource, thing: KubeDict) -> None:
    """Nothing, if every quantity is one. Raises StatusError: the object cannot be decoded."""
    spec = thing.get("spec") or {}
    pod = spec if resource.store == store.PODS else ((spec.get("template") or {}).get("spec") or {})
    for each in [*(pod.get("initContainers") or ()), *(pod.get("containers") or ())]:
        for values in (each.get("resources") or {}).values():
            for value in values.values() if isinstance(values, dict) else ():
                try:
                    milli(value)
                except BadQuantity:
                    raise bad_request(
                        f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: '
                        "quantities must match the regular expression "
                        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                    ) from None


def check_update(resource: Resource, before: KubeDict, after: KubeDict) -> None:
    """Nothing, if an object may become what it is to be. Raises StatusError."""
    name = str(before["metadata"]["name"])
    causes: list[Cause] = []
    if resource.store == store.PODS and _fixed(before["spec"]) != _fixed(after.get("spec") or {}):
        causes.append(("spec", "FieldValueForbidden", _IMMUTABLE_POD))
    elif resource.store in _TEMPLATED and before["spec"].get("selector") != after["spec"].get("selector"):
        shown = _go_selector(after["spec"].get("selector") or {})
        causes.append(("spec.selector", "FieldValueInvalid", f"Invalid value: {shown}: field is immutable"))
    elif resource.store == store.JOBS and before["spec"].get("template") != after["spec"].get("template"):
        causes.append(("spec.template", "FieldValueInvalid", "Invalid value: field is immutable"))
    if causes:
        raise invalid(resource.kind, resource.group, name, causes)


def _fixed(spec: KubeDict) -> KubeDict:
    """What of a pod's spec cannot be changed."""
    found: dict[str, Any] = {k: v for k, v in spec.items() if k not in ("activeDeadlineSeconds", "tolerations")}
    for part in ("containers", "initContainers"):
        if part in found:
            found[part] = [{k: v for k, v in each.items() if k != "image"} for each in found[part]]
    return found


def _go_selector(selector: KubeDict) -> str:
    labels = _go_map(selector.get("matchLabels") or {})
    return f"v1.LabelSelector{{MatchLabels:{labels}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}}"
