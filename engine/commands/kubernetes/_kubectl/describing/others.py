"""Descriptions of services, endpoints, configuration, storage, budgets, namespaces; and of every kind without one.

Source: kubectl pkg/describe/describe.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.commands.kubernetes._kubectl import jsonpath, spans
from engine.commands.kubernetes._kubectl.describing import writer
from engine.commands.kubernetes._kubectl.describing.volumes import source
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes import selectors

Plain = Mapping[str, Any]
_MODES = (("RWO", "ReadWriteOnce"), ("ROX", "ReadOnlyMany"), ("RWX", "ReadWriteMany"), ("RWOP", "ReadWriteOncePod"))
_ACRONYMS = frozenset({"API", "URL", "UID", "OSB", "GUID"})
_ELSEWHERE = frozenset({"managedFields", "name", "namespace", "labels", "annotations"})
_SHOWN_ENDPOINTS = 3


def service(session: Session, thing: dict[str, Any]) -> str:
    """A service with its endpoints."""
    out = Writer(session.minor)
    spec = thing["spec"]
    writer.begin(out, thing)
    writer.marks(out, thing)
    out.pair("Selector", writer.joined(spec.get("selector")))
    out.pair("Type", spec.get("type", "ClusterIP"))
    if spec.get("ipFamilyPolicy"):
        out.pair("IP Family Policy", spec["ipFamilyPolicy"])
    out.pair("IP Families", ",".join(spec.get("ipFamilies") or ()) or "<none>")
    out.pair("IP", spec.get("clusterIP", ""))
    out.pair("IPs", ",".join(spec.get("clusterIPs") or ()) or "<none>")
    for title, key in (("External IPs", "externalIPs"), ("External Name", "externalName")):
        if spec.get(key):
            out.pair(title, ",".join(spec[key]) if isinstance(spec[key], list) else spec[key])
    for port in spec.get("ports") or ():
        name, protocol = port.get("name") or "<unset>", port.get("protocol", "TCP")
        out.pair("Port", f"{name}\t{port['port']}/{protocol}")
        out.pair("TargetPort", f"{port.get('targetPort', port['port'])}/{protocol}")
        if port.get("nodePort"):
            out.pair("NodePort", f"{name}\t{port['nodePort']}/{protocol}")
        out.pair("Endpoints", _endpoints_of(session, thing, port.get("name", "")))
    out.pair("Session Affinity", spec.get("sessionAffinity", "None"))
    for title, key in (
        ("External Traffic Policy", "externalTrafficPolicy"), ("Internal Traffic Policy", "internalTrafficPolicy"),
    ):  # fmt: skip
        if spec.get(key):
            out.pair(title, spec[key])
    writer.events(session, out, thing, kind="Service")
    return out.text()


def _endpoints_of(session: Session, thing: Plain, name: str) -> str:
    """The first ready addresses of a port, from the endpoint slices."""
    label = f"kubernetes.io/service-name={thing['metadata']['name']}"
    found = session.server.list(session.resource("endpointslices"), thing["metadata"]["namespace"], label)["items"]
    texts = [
        f"{each['addresses'][0]}:{port['port']}"
        for part in found
        for port in part.get("ports") or ()
        if (port.get("name") or "") == name
        for each in part.get("endpoints") or ()
        if (each.get("conditions") or {}).get("ready", True)
    ]
    if not found:
        return "<none>"
    more = len(texts) - _SHOWN_ENDPOINTS
    return ",".join(texts[:_SHOWN_ENDPOINTS]) + (f" + {more} more..." if more > 0 else "")


def endpoints(session: Session, thing: dict[str, Any]) -> str:
    """Endpoints."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    writer.marks(out, thing)
    out.line(0, "Subsets:")
    for subset in thing.get("subsets") or ():
        for title, key in (("Addresses", "addresses"), ("NotReadyAddresses", "notReadyAddresses")):
            out.pair(title, ",".join(each["ip"] for each in subset.get(key) or ()) or "<none>", 1)
        if subset.get("ports"):
            out.line(1, "Ports:")
            out.line(2, "Name\tPort\tProtocol")
            out.line(2, "----\t----\t--------")
            for port in subset["ports"]:
                out.line(2, f"{port.get('name') or '<unset>'}\t{port['port']}\t{port.get('protocol', 'TCP')}")
        out.line(0, "")
    writer.events(session, out, thing, kind="Endpoints")
    return out.text()


def config_map(session: Session, thing: dict[str, Any]) -> str:
    """A config map with its content."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    writer.marks(out, thing)
    out.parts.append("\nData\n====\n")
    data, binary = thing.get("data") or {}, thing.get("binaryData") or {}
    for key in sorted(data):
        out.parts.append(f"{key}:\n----\n{data[key]}\n\n")
    out.parts.append("\nBinaryData\n====\n")
    for key in sorted(binary):
        out.parts.append(f"{key}: {_size(binary[key])} bytes\n")
    out.parts.append("\n")
    writer.events(session, out, thing, kind="ConfigMap")
    return out.text()


def _size(encoded: str) -> int:
    """Bytes of base64 text."""
    return len(encoded.rstrip("=")) * 3 // 4


def secret(session: Session, thing: dict[str, Any]) -> str:
    """A secret with the sizes of its values."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    writer.marks(out, thing)
    out.parts.append(f"\nType:\t{thing.get('type', 'Opaque')}\n\nData\n====\n")
    data = thing.get("data") or {}
    for key in sorted(data):
        out.pair(key, f"{_size(data[key])} bytes")
    return out.text()


def access_modes(modes: Sequence[str]) -> str:
    """`RWO,RWX`."""
    return ",".join(short for short, long in _MODES if long in modes)


def claim(session: Session, thing: dict[str, Any]) -> str:
    """A claim for storage, and the pods that use it."""
    out = Writer(session.minor)
    spec, status, metadata = thing["spec"], thing.get("status") or {}, thing["metadata"]
    writer.begin(out, thing)
    out.pair("StorageClass", spec.get("storageClassName", ""))
    gone = metadata.get("deletionTimestamp")
    out.pair("Status", f"Terminating (lasts {spans.since(gone, session.now)})" if gone else status.get("phase", ""))
    out.pair("Volume", spec.get("volumeName", ""))
    writer.marks(out, thing)
    out.pair("Finalizers", f"[{' '.join(metadata.get('finalizers') or ())}]")
    bound = bool(spec.get("volumeName"))
    out.pair("Capacity", (status.get("capacity") or {}).get("storage", "") if bound else "")
    out.pair("Access Modes", access_modes(status.get("accessModes") or ()) if bound else "")
    if spec.get("volumeMode"):
        out.pair("VolumeMode", spec["volumeMode"])
    pods = session.server.list(session.resource("pods"), metadata["namespace"])["items"]
    users = [
        pod["metadata"]["name"]
        for pod in pods
        for volume in pod["spec"].get("volumes") or ()
        if (volume.get("persistentVolumeClaim") or {}).get("claimName") == metadata["name"]
    ]
    writer.lines(out, "Used By", sorted(users))
    writer.events(session, out, thing, kind="PersistentVolumeClaim")
    return out.text()


def volume(session: Session, thing: dict[str, Any]) -> str:
    """A persistent volume."""
    out = Writer(session.minor)
    spec, status, metadata = thing["spec"], thing.get("status") or {}, thing["metadata"]
    writer.begin(out, thing, namespaced=False)
    writer.marks(out, thing)
    out.pair("Finalizers", f"[{' '.join(metadata.get('finalizers') or ())}]")
    out.pair("StorageClass", spec.get("storageClassName", ""))
    out.pair("Status", status.get("phase", ""))
    owner = spec.get("claimRef") or {}
    out.pair("Claim", f"{owner['namespace']}/{owner['name']}" if owner else "")
    out.pair("Reclaim Policy", spec.get("persistentVolumeReclaimPolicy", "Retain"))
    out.pair("Access Modes", access_modes(spec.get("accessModes") or ()))
    if spec.get("volumeMode"):
        out.pair("VolumeMode", spec["volumeMode"])
    out.pair("Capacity", (spec.get("capacity") or {}).get("storage", "0"))
    _node_affinity(out, (spec.get("nodeAffinity") or {}).get("required"))
    out.pair("Message", status.get("message", ""))
    out.line(0, "Source:")
    source(out, spec)
    writer.events(session, out, thing, kind="PersistentVolume")
    return out.text()


def _node_affinity(out: Writer, required: Plain | None) -> None:
    if not required:
        out.pair("Node Affinity", "<none>")
        return
    out.pair("Node Affinity", "")
    out.pair("Required Terms", "", 1)
    for place, term in enumerate(required.get("nodeSelectorTerms") or ()):
        for index, each in enumerate(term.get("matchExpressions") or ()):
            values = f" [{', '.join(each['values'])}]" if each.get("values") else ""
            title = f"    Term {place}:" if not index else "    "
            out.parts.append(f"{title}\t{each['key']} {each['operator'].lower()}{values}\n")


def namespace(session: Session, thing: dict[str, Any]) -> str:
    """A namespace with its quotas."""
    out = Writer(session.minor)
    writer.begin(out, thing, namespaced=False)
    writer.marks(out, thing)
    out.pair("Status", (thing.get("status") or {}).get("phase", "Active"))
    quotas = session.server.list(session.resource("resourcequotas"), thing["metadata"]["name"])["items"]
    if not quotas:
        out.parts.append("\nNo resource quota.\n")
    else:
        out.parts.append("\nResource Quotas\n")
    for each in quotas:
        status = each.get("status") or {}
        out.pair("Name", each["metadata"]["name"], 1)
        out.line(1, "Resource\tUsed\tHard")
        out.line(1, "--------\t---\t---")
        for name, hard in sorted((status.get("hard") or each["spec"].get("hard") or {}).items()):
            out.line(1, f"{name}\t{(status.get('used') or {}).get(name, '0')}\t{hard}")
    out.parts.append("\nNo LimitRange resource.\n")
    return out.text()


def storage_class(session: Session, thing: dict[str, Any]) -> str:
    """A class of storage."""
    out = Writer(session.minor)
    found = thing["metadata"].get("annotations") or {}
    default = found.get("storageclass.kubernetes.io/is-default-class") == "true"
    out.pair("Name", thing["metadata"]["name"])
    out.pair("IsDefaultClass", "Yes" if default else "No")
    out.pair("Annotations", writer.joined(found))
    out.pair("Provisioner", thing.get("provisioner", ""))
    out.pair("Parameters", writer.joined(thing.get("parameters")))
    growing = thing.get("allowVolumeExpansion")
    out.pair("AllowVolumeExpansion", "<unset>" if growing is None else str(bool(growing)))
    out.pair("MountOptions", "<none>") if not thing.get("mountOptions") else out.line(0, "MountOptions:")
    for option in thing.get("mountOptions") or ():
        out.line(1, option)
    out.pair("ReclaimPolicy", thing.get("reclaimPolicy", "Delete"))
    out.pair("VolumeBindingMode", thing.get("volumeBindingMode", "Immediate"))
    writer.events(session, out, thing, kind="StorageClass")
    return out.text()


def disruption_budget(session: Session, thing: dict[str, Any]) -> str:
    """A budget of disruptions."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing)
    if spec.get("minAvailable") is not None:
        out.pair("Min available", spec["minAvailable"])
    elif spec.get("maxUnavailable") is not None:
        out.pair("Max unavailable", spec["maxUnavailable"])
    out.pair("Selector", selectors.text_of(spec["selector"]) if spec.get("selector") else "<unset>")
    out.line(0, "Status:")
    for title, key in (
        ("Allowed disruptions", "disruptionsAllowed"), ("Current", "currentHealthy"), ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ):  # fmt: skip
        out.pair(title, status.get(key, 0), 2)
    writer.events(session, out, thing, kind="PodDisruptionBudget")
    return out.text()


def anything(session: Session, thing: dict[str, Any]) -> str:
    """An object of a kind that kubectl knows nothing about: all its fields."""
    out = Writer(session.minor)
    writer.begin(out, thing)
    writer.marks(out, thing)
    _fields(out, thing, 0, top=True)
    writer.events(session, out, thing, kind=thing.get("kind", ""))
    return out.text()


def _fields(out: Writer, content: Plain, level: int, top: bool = False, inside: str = "") -> None:
    for name in sorted(content):
        value = content[name]
        if inside == "metadata" and name in _ELSEWHERE:
            continue
        if isinstance(value, dict):
            out.line(level, f"{_title(name)}:")
            _fields(out, value, level + 1, inside=name if top else "")
        elif isinstance(value, list):
            out.line(level, f"{_title(name)}:")
            for each in value:
                if isinstance(each, dict):
                    _fields(out, each, level + 1)
                else:
                    out.line(level + 1, jsonpath.go_text(each))
        else:
            out.pair(_title(name), jsonpath.go_text(value), level)


def _title(name: str) -> str:
    """`creationTimestamp` as `Creation Timestamp`."""
    if not re.fullmatch(r"[A-Za-z-]+", name):
        return name
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|-+|[A-Z]+", name)
    return " ".join(part.upper() if part.upper() in _ACRONYMS else part[:1].upper() + part[1:] for part in parts)
