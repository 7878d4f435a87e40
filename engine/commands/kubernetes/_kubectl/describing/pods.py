"""Descriptions of pods and of pod templates.

Source: kubectl pkg/describe/describe.go (describePod, describeContainers, DescribePodTemplate).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.commands.kubernetes._kubectl import release, spans
from engine.commands.kubernetes._kubectl.describing import writer
from engine.commands.kubernetes._kubectl.describing.volumes import volumes
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.quantities import parse
from engine.commands.kubernetes._kubectl.session import Session

Plain = Mapping[str, Any]
_MIRROR = "kubernetes.io/config.mirror"
_FIELD_PATHS = {
    "metadata.name": ("metadata", "name"), "metadata.namespace": ("metadata", "namespace"),
    "metadata.uid": ("metadata", "uid"), "spec.nodeName": ("spec", "nodeName"),
    "spec.serviceAccountName": ("spec", "serviceAccountName"), "status.hostIP": ("status", "hostIP"),
    "status.podIP": ("status", "podIP"),
}  # fmt: skip


def describe(session: Session, pod: dict[str, Any]) -> str:
    """A pod."""
    out = Writer(session.minor)
    _head(session, out, pod)
    spec, status = pod["spec"], pod.get("status") or {}
    for title, part, states in (
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ):
        if part == "containers" or spec.get(part):
            containers(out, title, spec.get(part) or (), status.get(states) or (), pod)
    _gates(out, spec, status)
    if status.get("conditions"):
        out.parts.append("Conditions:\n  Type\tStatus\n")
        for each in status["conditions"]:
            out.line(1, f"{each['type']} \t{each['status']} ")
    volumes(out, spec.get("volumes") or ())
    out.pair("QoS Class", status.get("qosClass") or "BestEffort")
    writer.labels(out, "Node-Selectors", spec.get("nodeSelector"))
    writer.tolerations(out, spec.get("tolerations") or ())
    mirrored = (pod["metadata"].get("annotations") or {}).get(_MIRROR)
    writer.events(session, out, pod, uids=[mirrored] if mirrored else ())
    return out.text()


def _head(session: Session, out: Writer, pod: dict[str, Any]) -> None:
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    writer.begin(out, pod)
    for name, value in (
        ("Priority", spec.get("priority")),
        ("Priority Class Name", spec.get("priorityClassName") or None),
        ("Runtime Class Name", spec.get("runtimeClassName") or None),
        ("Service Account", spec.get("serviceAccountName") or None),
    ):
        if value is not None:
            out.pair(name, value)
    node = spec.get("nodeName")
    out.pair("Node", f"{node}/{status.get('hostIP', '')}" if node else "<none>")
    if status.get("startTime"):
        out.pair("Start Time", spans.long(status["startTime"]))
    writer.marks(out, pod)
    if metadata.get("deletionTimestamp") and status.get("phase") not in ("Failed", "Succeeded"):
        out.pair("Status", f"Terminating (lasts {spans.since(metadata['deletionTimestamp'], session.now)})")
        out.pair("Termination Grace Period", f"{metadata.get('deletionGracePeriodSeconds', 0)}s")
    else:
        out.pair("Status", status.get("phase", ""))
    for name in ("reason", "message"):
        if status.get(name):
            out.pair(name.capitalize(), status[name])
    _addresses(out, pod)
    writer.controlled_by(out, pod)
    if status.get("nominatedNodeName"):
        out.pair("NominatedNodeName", status["nominatedNodeName"])


def _addresses(out: Writer, pod: Plain) -> None:
    status = pod.get("status") or {}
    profile = ((pod["spec"].get("securityContext") or {}).get("seccompProfile")) or {}
    if profile:
        out.pair("SeccompProfile", profile.get("type", ""))
    out.pair("IP", status.get("podIP", ""))
    if not status.get("podIPs"):
        out.pair("IPs", "<none>")
        return
    out.line(0, "IPs:")
    for each in status["podIPs"]:
        out.pair("IP", each["ip"], 1)


def _gates(out: Writer, spec: Plain, status: Plain) -> None:
    if not spec.get("readinessGates"):
        return
    states = {each["type"]: each["status"] for each in status.get("conditions") or ()}
    out.parts.append("Readiness Gates:\n  Type\tStatus\n")
    for gate in spec["readinessGates"]:
        out.line(1, f"{gate['conditionType']} \t{states.get(gate['conditionType'], '<none>')} ")


def template(out: Writer, found: Plain) -> None:
    """A pod template of a workload."""
    metadata, spec = found.get("metadata") or {}, found.get("spec") or {}
    out.line(0, "Pod Template:")
    writer.labels(out, "Labels", metadata.get("labels"), "  ")
    if metadata.get("annotations"):
        writer.notes(out, metadata["annotations"], "  Annotations")
    if spec.get("serviceAccountName"):
        out.pair("Service Account", spec["serviceAccountName"], 1)
    if spec.get("initContainers"):
        containers(out, "Init Containers", spec["initContainers"], (), None, "  ")
    containers(out, "Containers", spec.get("containers") or (), (), None, "  ")
    volumes(out, spec.get("volumes") or (), "  ")
    if spec.get("priorityClassName"):
        out.pair("Priority Class Name", spec["priorityClassName"], 1)
    writer.labels(out, "Node-Selectors", spec.get("nodeSelector"), "  ")
    writer.tolerations(out, spec.get("tolerations") or (), "  ")


def containers(
    out: Writer,
    title: str,
    found: Sequence[Plain],
    states: Sequence[Plain],
    pod: Plain | None,
    indent: str = "",
) -> None:
    """Containers with their states."""
    by_name = {each["name"]: each for each in states}
    out.parts.append(f"{indent}{title}:{'' if found else ' <none>'}\n")
    for each in found:
        state = by_name.get(each["name"])
        out.line(1, f"{' ' if indent else ''}{each['name']}:")
        _basics(out, each, state)
        for name in ("command", "args"):
            if each.get(name):
                out.line(2, f"{name.capitalize()}:")
                for word in each[name]:
                    for part in str(word).split("\n"):
                        out.line(3, part)
        if state is not None:
            _state(out, state)
        _resources(out, each.get("resources") or {})
        _probes(out, each)
        _environment(out, each, pod)
        _mounts(out, each)


def _basics(out: Writer, each: Plain, state: Plain | None) -> None:
    if state is not None:
        out.pair("Container ID", state.get("containerID", ""), 2)
    out.pair("Image", each.get("image", ""), 2)
    if state is not None:
        out.pair("Image ID", state.get("imageID", ""), 2)
    for title, key in (("Port", "containerPort"), ("Host Port", "hostPort")):
        texts = []
        for port in each.get("ports") or ():
            name = f" ({port['name']})" if port.get("name") and out.minor >= release.PORT_NAMES else ""
            texts.append(f"{port.get(key, 0)}/{port.get('protocol', 'TCP')}{name}")
        out.pair(f"{title}s" if len(texts) > 1 else title, ", ".join(texts) or "<none>", 2)
    profile = (each.get("securityContext") or {}).get("seccompProfile")
    if profile:
        out.pair("SeccompProfile", profile.get("type", ""), 2)


def _state(out: Writer, state: Plain) -> None:
    _one_state(out, "State", state.get("state") or {})
    last = state.get("lastState") or {}
    if last.get("terminated"):
        _one_state(out, "Last State", last)
    out.pair("Ready", str(bool(state.get("ready"))), 2)
    out.pair("Restart Count", state.get("restartCount", 0), 2)


def _one_state(out: Writer, title: str, state: Plain) -> None:
    if state.get("running") is not None:
        out.pair(title, "Running", 2)
        out.pair("Started", spans.long(state["running"].get("startedAt")), 3)
    elif state.get("terminated") is not None:
        ended = state["terminated"]
        out.pair(title, "Terminated", 2)
        for name in ("reason", "message"):
            if ended.get(name):
                out.pair(name.capitalize(), ended[name], 3)
        out.pair("Exit Code", ended.get("exitCode", 0), 3)
        if ended.get("signal"):
            out.pair("Signal", ended["signal"], 3)
        out.pair("Started", spans.long(ended.get("startedAt")), 3)
        out.pair("Finished", spans.long(ended.get("finishedAt")), 3)
    else:
        out.pair(title, "Waiting", 2)
        reason = (state.get("waiting") or {}).get("reason")
        if reason:
            out.pair("Reason", reason, 3)


def _resources(out: Writer, resources: Plain) -> None:
    for name in ("limits", "requests"):
        amounts = resources.get(name) or {}
        if amounts:
            out.line(2, f"{name.capitalize()}:")
        for resource in sorted(amounts):
            out.pair(resource, parse(amounts[resource]), 3)


def _probes(out: Writer, each: Plain) -> None:
    for name in ("liveness", "readiness", "startup"):
        if each.get(f"{name}Probe"):
            out.pair(name.capitalize(), _probe(out.minor, each[f"{name}Probe"]), 2)


def _probe(minor: int, probe: Plain) -> str:
    words = ("successThreshold", "failureThreshold") if minor >= release.PROBE_WORDS else ("#success", "#failure")
    times = (
        f"delay={probe.get('initialDelaySeconds', 0)}s timeout={probe.get('timeoutSeconds', 1)}s "
        f"period={probe.get('periodSeconds', 10)}s {words[0]}={probe.get('successThreshold', 1)} "
        f"{words[1]}={probe.get('failureThreshold', 3)}"
    )
    if probe.get("exec"):
        return f"exec [{' '.join(probe['exec'].get('command') or ())}] {times}"
    if probe.get("httpGet"):
        get = probe["httpGet"]
        path = str(get.get("path", ""))
        host = f"{get.get('host', '')}:{get.get('port', '')}"
        return f"http-get {str(get.get('scheme', 'HTTP')).lower()}://{host}{path} {times}"
    if probe.get("tcpSocket"):
        return f"tcp-socket {probe['tcpSocket'].get('host', '')}:{probe['tcpSocket'].get('port', '')} {times}"
    if probe.get("grpc"):
        return f"grpc <pod>:{probe['grpc'].get('port', '')} {probe['grpc'].get('service') or ''} {times}"
    return f"unknown {times}"


def _environment(out: Writer, each: Plain, pod: Plain | None) -> None:
    sources = each.get("envFrom") or ()
    if sources:
        out.line(2, "Environment Variables from:")
    for source in sources:
        kind = "ConfigMap" if source.get("configMapRef") else "Secret"
        reference = source.get("configMapRef") or source.get("secretRef") or {}
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        optional = str(bool(reference.get("optional"))).lower()
        out.line(3, f"{reference.get('name', '')}\t{kind}{prefix}\tOptional: {optional}")
    variables = each.get("env") or ()
    out.line(2, "Environment:" if variables else "Environment:\t<none>")
    for variable in variables:
        if variable.get("valueFrom") is None:
            first, *rest = str(variable.get("value", "")).split("\n")
            out.pair(variable["name"], first, 3)
            for part in rest:
                out.line(3, f"\t{part}")
        else:
            _from(out, variable["name"], variable["valueFrom"], each, pod)


def _from(out: Writer, name: str, source: Plain, each: Plain, pod: Plain | None) -> None:
    if source.get("fieldRef"):
        path = source["fieldRef"].get("fieldPath", "")
        value = _field(pod, path)
        out.pair(name, f"{value} ({source['fieldRef'].get('apiVersion', 'v1')}:{path})", 3)
    elif source.get("resourceFieldRef"):
        resource = source["resourceFieldRef"].get("resource", "")
        kind, _, what = resource.partition(".")
        value = str(parse(((each.get("resources") or {}).get(kind) or {}).get(what)).value)
        if value == "0" and resource in ("limits.cpu", "limits.memory"):
            value = "node allocatable"
        out.pair(name, f"{value} ({resource})", 3)
    else:
        kind, words = (
            ("secretKeyRef", "in secret") if source.get("secretKeyRef") else ("configMapKeyRef", "of config map")
        )
        key = source.get(kind) or {}
        optional = str(bool(key.get("optional"))).lower()
        text = f"<set to the key '{key.get('key', '')}' {words} '{key.get('name', '')}'>"
        out.pair(name, f"{text}\tOptional: {optional}", 3)


def _field(pod: Plain | None, path: str) -> str:
    if pod is None:
        return ""
    section, key = _FIELD_PATHS.get(path, ("", ""))
    return str((pod.get(section) or {}).get(key, "")) if section else ""


def _mounts(out: Writer, each: Plain) -> None:
    mounts = sorted(each.get("volumeMounts") or (), key=lambda mount: str(mount["mountPath"]))
    out.line(2, "Mounts:" if mounts else "Mounts:\t<none>")
    for mount in mounts:
        marks = ["ro" if mount.get("readOnly") else "rw"]
        if mount.get("subPath"):
            marks.append(f'path="{mount["subPath"]}"')
        out.line(3, f"{mount['mountPath']} from {mount['name']} ({','.join(marks)})")
