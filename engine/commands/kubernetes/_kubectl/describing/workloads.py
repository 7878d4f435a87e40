"""Descriptions of what makes pods: deployments, replica sets, daemon sets, stateful sets, jobs, cron jobs.

Source: kubectl pkg/describe/describe.go (describeDeployment and its like).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.commands.kubernetes._kubectl import json_text, release, spans
from engine.commands.kubernetes._kubectl.describing import pods, writer
from engine.commands.kubernetes._kubectl.describing.writer import Writer
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes import selectors

Plain = Mapping[str, Any]


def _counts(session: Session, owner: Plain) -> str:
    """`3 Running / 0 Waiting / 0 Succeeded / 0 Failed` of the pods that an object controls."""
    listed = session.server.list(session.resource("pods"), owner["metadata"]["namespace"])["items"]
    phases = {"Running": 0, "Pending": 0, "Succeeded": 0, "Failed": 0}
    for pod in listed:
        references = pod["metadata"].get("ownerReferences") or ()
        if any(each.get("controller") and each.get("uid") == owner["metadata"]["uid"] for each in references):
            phase = (pod.get("status") or {}).get("phase", "Pending")
            phases[phase] = phases.get(phase, 0) + 1
    return (
        f"{phases['Running']} Running / {phases['Pending']} Waiting / {phases['Succeeded']} Succeeded / "
        f"{phases['Failed']} Failed"
    )


def _conditions(out: Writer, status: Plain) -> None:
    if status.get("conditions"):
        out.parts.append("Conditions:\n  Type\tStatus\tReason\n")
        out.line(1, "----\t------\t------")
        for each in status["conditions"]:
            out.line(1, f"{each['type']} \t{each['status']}\t{each.get('reason', '')}")


def deployment(session: Session, thing: dict[str, Any]) -> str:
    """A deployment and its replica sets."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing)
    out.pair("CreationTimestamp", spans.long(thing["metadata"].get("creationTimestamp")))
    writer.marks(out, thing)
    out.pair("Selector", selectors.text_of(spec.get("selector")))
    numbers = [
        status.get(key, 0) for key in ("updatedReplicas", "replicas", "availableReplicas", "unavailableReplicas")
    ]
    out.pair(
        "Replicas",
        f"{spec.get('replicas', 1)} desired | {numbers[0]} updated | {numbers[1]} total | {numbers[2]} available | "
        f"{numbers[3]} unavailable",
    )
    strategy = spec.get("strategy") or {}
    out.pair("StrategyType", strategy.get("type", "RollingUpdate"))
    out.pair("MinReadySeconds", spec.get("minReadySeconds", 0))
    rolling = strategy.get("rollingUpdate")
    if rolling:
        out.pair(
            "RollingUpdateStrategy",
            f"{rolling.get('maxUnavailable', '25%')} max unavailable, {rolling.get('maxSurge', '25%')} max surge",
        )
    pods.template(out, spec["template"])
    _conditions(out, status)
    _replica_sets(session, out, thing)
    writer.events(session, out, thing, kind="Deployment")
    return out.text()


def replica_sets(session: Session, owner: Plain) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """(older ones, the one of today's template) of a deployment's replica sets, by creation."""
    listed = session.server.list(session.resource("replicasets"), owner["metadata"]["namespace"])["items"]
    mine = [
        each
        for each in listed
        if any(
            reference.get("controller") and reference.get("uid") == owner["metadata"]["uid"]
            for reference in each["metadata"].get("ownerReferences") or ()
        )
    ]
    mine.sort(key=lambda each: (str(each["metadata"].get("creationTimestamp", "")), str(each["metadata"]["name"])))
    wanted = _bare(owner["spec"]["template"])
    newest = next((each for each in mine if _bare(each["spec"]["template"]) == wanted), None)
    return [each for each in mine if each is not newest], newest


def _bare(template: Plain) -> str:
    """A template without the hash that its replica set bears."""
    metadata = dict(template.get("metadata") or {})
    found = metadata.get("labels") or {}
    metadata["labels"] = {key: value for key, value in found.items() if key != "pod-template-hash"}
    return json_text.compact({**template, "metadata": metadata})


def _replica_sets(session: Session, out: Writer, thing: dict[str, Any]) -> None:
    older, newest = replica_sets(session, thing)
    if older or newest:
        out.pair("OldReplicaSets", _created(older))
        out.pair("NewReplicaSet", _created([newest] if newest else []))


def _created(found: list[dict[str, Any]]) -> str:
    texts = []
    for each in found:
        made = (each.get("status") or {}).get("replicas", 0)
        texts.append(f"{each['metadata']['name']} ({made}/{each['spec'].get('replicas', 0)} replicas created)")
    return ", ".join(texts) or "<none>"


def replica_set(session: Session, thing: dict[str, Any]) -> str:
    """A replica set."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing)
    out.pair("Selector", selectors.text_of(spec.get("selector")))
    writer.marks(out, thing)
    writer.controlled_by(out, thing)
    out.pair("Replicas", f"{status.get('replicas', 0)} current / {spec.get('replicas', 1)} desired")
    out.pair("Pods Status", _counts(session, thing))
    pods.template(out, spec["template"])
    _conditions(out, status)
    writer.events(session, out, thing, kind="ReplicaSet")
    return out.text()


def daemon_set(session: Session, thing: dict[str, Any]) -> str:
    """A daemon set."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing, out.minor >= release.DAEMON_SET_NAMESPACE)
    out.pair("Selector", selectors.text_of(spec.get("selector")))
    node_selector = (spec["template"].get("spec") or {}).get("nodeSelector") or {}
    out.pair("Node-Selector", writer.joined(node_selector))
    writer.marks(out, thing)
    for title, key in (
        ("Desired Number of Nodes Scheduled", "desiredNumberScheduled"),
        ("Current Number of Nodes Scheduled", "currentNumberScheduled"),
        ("Number of Nodes Scheduled with Up-to-date Pods", "updatedNumberScheduled"),
        ("Number of Nodes Scheduled with Available Pods", "numberAvailable"),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ):
        out.line(0, f"{title}: {status.get(key, 0)}")
    out.pair("Pods Status", _counts(session, thing))
    pods.template(out, spec["template"])
    writer.events(session, out, thing, kind="DaemonSet")
    return out.text()


def stateful_set(session: Session, thing: dict[str, Any]) -> str:
    """A stateful set."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing)
    out.pair("CreationTimestamp", spans.long(thing["metadata"].get("creationTimestamp")))
    out.pair("Selector", selectors.text_of(spec.get("selector")))
    writer.marks(out, thing)
    out.pair("Replicas", f"{spec.get('replicas', 1)} desired | {status.get('replicas', 0)} total")
    strategy = spec.get("updateStrategy") or {}
    out.pair("Update Strategy", strategy.get("type", "RollingUpdate"))
    if (strategy.get("rollingUpdate") or {}).get("partition") is not None:
        out.pair("Partition", strategy["rollingUpdate"]["partition"], 1)
    out.pair("Pods Status", _counts(session, thing))
    pods.template(out, spec["template"])
    claims = spec.get("volumeClaimTemplates") or ()
    out.parts.append("Volume Claims:\n" if claims else "Volume Claims:\t<none>\n")
    for claim in claims:
        out.pair("Name", claim["metadata"]["name"], 1)
        out.pair("StorageClass", claim["spec"].get("storageClassName", ""), 1)
        writer.labels(out, "Labels", claim["metadata"].get("labels"), "  ")
        writer.labels(out, "Annotations", claim["metadata"].get("annotations"), "  ")
        requests = (claim["spec"].get("resources") or {}).get("requests") or {}
        out.pair("Capacity", requests.get("storage", "<default>"), 1)
        out.pair("Access Modes", f"[{' '.join(claim['spec'].get('accessModes') or ())}]", 1)
    writer.events(session, out, thing, kind="StatefulSet")
    return out.text()


def job(session: Session, thing: dict[str, Any]) -> str:
    """A job."""
    out = Writer(session.minor)
    spec, status = thing["spec"], thing.get("status") or {}
    writer.begin(out, thing)
    out.pair("Selector", selectors.text_of(spec.get("selector")))
    writer.marks(out, thing)
    writer.controlled_by(out, thing)
    if spec.get("parallelism") is not None:
        out.pair("Parallelism", spec["parallelism"])
    out.pair("Completions", "<unset>" if spec.get("completions") is None else spec["completions"])
    for title, key in (
        ("Completion Mode", "completionMode"), ("Suspend", "suspend"), ("Backoff Limit", "backoffLimit"),
        ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
    ):  # fmt: skip
        if spec.get(key) is not None:
            out.pair(title, str(spec[key]).lower() if isinstance(spec[key], bool) else spec[key])
    start, end = spans.parse(status.get("startTime", "")), spans.parse(status.get("completionTime", ""))
    if start is not None:
        out.pair("Start Time", spans.long(status["startTime"]))
    if end is not None:
        out.pair("Completed At", spans.long(status["completionTime"]))
    if start is not None and end is not None:
        out.pair("Duration", spans.human(end - start))
    if spec.get("activeDeadlineSeconds") is not None:
        out.pair("Active Deadline Seconds", f"{spec['activeDeadlineSeconds']}s")
    ready = f" ({status['ready']} Ready)" if status.get("ready") is not None else ""
    numbers = [status.get(key, 0) for key in ("active", "succeeded", "failed")]
    out.pair("Pods Statuses", f"{numbers[0]} Active{ready} / {numbers[1]} Succeeded / {numbers[2]} Failed")
    if spec.get("completionMode") == "Indexed":
        out.pair("Completed Indexes", status.get("completedIndexes") or "<none>")
    pods.template(out, spec["template"])
    writer.events(session, out, thing, kind="Job")
    return out.text()
