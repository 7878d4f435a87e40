"""kubectl describe: objects in full, with their events.

Source: kubectl pkg/cmd/describe/describe.go. A name that nothing has is taken for the beginning of names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.commands.kubernetes._kubectl import release, selecting
from engine.commands.kubernetes._kubectl.describing import accounts, cron_jobs, nodes, others, pods, workloads
from engine.commands.kubernetes._kubectl.failures import Failed, NotModelled, error
from engine.commands.kubernetes._kubectl.flags import Flag, flags
from engine.commands.kubernetes._kubectl.selecting import Found, Selection
from engine.commands.kubernetes._kubectl.session import Session
from engine.control.kubernetes.api import StatusError

FLAGS = (
    Flag("selector", "l"), Flag("filename", "f", "list"), Flag("kustomize", "k"), Flag("chunk-size", kind="int"),
    *flags("bool", "A/all-namespaces R/recursive show-events"),
)  # fmt: skip
_DESCRIBERS: dict[tuple[str, str], Callable[[Session, dict[str, Any]], str]] = {
    ("", "Pod"): pods.describe, ("", "Node"): nodes.describe, ("", "Service"): others.service,
    ("", "Endpoints"): others.endpoints, ("", "ConfigMap"): others.config_map, ("", "Secret"): others.secret,
    ("", "PersistentVolumeClaim"): others.claim, ("", "PersistentVolume"): others.volume,
    ("", "Namespace"): others.namespace, ("apps", "Deployment"): workloads.deployment,
    ("apps", "ReplicaSet"): workloads.replica_set, ("apps", "DaemonSet"): workloads.daemon_set,
    ("apps", "StatefulSet"): workloads.stateful_set, ("batch", "Job"): workloads.job,
    ("batch", "CronJob"): cron_jobs.describe,
    ("policy", "PodDisruptionBudget"): others.disruption_budget,
    ("storage.k8s.io", "StorageClass"): others.storage_class, ("", "ServiceAccount"): accounts.service_account,
    ("", "ResourceQuota"): accounts.quota, ("scheduling.k8s.io", "PriorityClass"): accounts.priority_class,
    ("rbac.authorization.k8s.io", "RoleBinding"): accounts.binding,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): accounts.binding,
}  # fmt: skip
_OTHERS_OF_THEIR_OWN = frozenset(
    {
        "LimitRange", "EndpointSlice", "HorizontalPodAutoscaler", "Ingress", "IngressClass",
        "CertificateSigningRequest", "CSINode", "Role", "ClusterRole", "NetworkPolicy", "ReplicationController",
    }
)  # fmt: skip
"""Kinds that kubectl describes in a way of their own, which is not modelled."""


async def run(session: Session) -> None:
    """kubectl describe."""
    words = session.line.operands
    if session.line.all("filename"):
        selection = Selection(
            found=[
                selecting.there(session, resource, thing) for _, resource, thing in await selecting.from_files(session)
            ]
        )
    elif not words:
        raise error(
            'You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of '
            "supported resources."
        )
    else:
        selection = _selection(session, words)
    if session.line.on("show-events", True) is False or (
        len(selection.found) > 1 and session.minor >= release.EVENTS_OF_ONE and "show-events" not in session.line
    ):
        session.show_events = False
    session.ctx.write("\n\n".join(described(session, each) for each in selection.found))
    for text in selection.errors:
        session.refuse(text)
    if not selection.found and not selection.errors:
        session.warn(
            "No resources found" if session.everywhere else f"No resources found in {session.namespace} namespace."
        )


def _selection(session: Session, words: list[str]) -> Selection:
    try:
        return selecting.select(session, words)
    except StatusError as refusal:
        if refusal.reason != "NotFound" or len(words) != 2 or session.everywhere:
            raise
        found = selecting.select(session, words[:1]).found
        matching = [each for each in found if each.name.startswith(words[1])]
        if not matching:
            raise
        session.show_events = session.minor < release.EVENTS_OF_ONE
        for each in matching:
            session.ctx.write(described(session, each) + "\n")
        raise Failed("", 0) from None


def described(session: Session, each: Found) -> str:
    """The description of an object. Raises NotModelled."""
    key = each.resource.group, each.resource.kind
    if key not in _DESCRIBERS and each.resource.kind in _OTHERS_OF_THEIR_OWN:
        raise NotModelled(f"kubectl describe of a {each.resource.kind}")
    return _DESCRIBERS.get(key, others.anything)(session, each.thing)
