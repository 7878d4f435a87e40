"""Pod affinity and anti-affinity that a pod requires (pkg/scheduler/framework/plugins/interpodaffinity).

A term names pods by labels and namespaces, and a label of nodes that says which nodes are one place. Preferred terms
are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.control.kubernetes import pod_status, selectors, store
from engine.control.kubernetes.objects import KubeDict, labels_of, name_of, namespace_of
from engine.world.world import World

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
Terms = tuple[Mapping[str, Any], ...]


def terms(pod: KubeDict, kind: str) -> Terms:
    """The required terms of podAffinity or podAntiAffinity."""
    return tuple(((pod["spec"].get("affinity") or {}).get(kind) or {}).get(_REQUIRED) or ())


def refusal(world: World, pod: KubeDict, node: KubeDict) -> str | None:
    """Why a pod may not be on a node because of the pods elsewhere, or None."""
    placed = list(_placed(world))
    for term in terms(pod, "podAffinity"):
        there = [other for other, where in placed if _means(term, pod, other) and _same_place(term, where, node)]
        anywhere = any(_means(term, pod, other) for other, _ in placed)
        if not there and (anywhere or not _means(term, pod, pod)):
            return "node(s) didn't match pod affinity rules"
    for term in terms(pod, "podAntiAffinity"):
        if any(_means(term, pod, other) and _same_place(term, where, node) for other, where in placed):
            return "node(s) didn't match pod anti-affinity rules"
    for other, where in placed:
        for term in terms(other, "podAntiAffinity"):
            if _means(term, other, pod) and _same_place(term, where, node):
                return "node(s) didn't satisfy existing pods anti-affinity rules"
    return None


def _placed(world: World) -> Iterator[tuple[KubeDict, KubeDict]]:
    """The pods that have a node and have not ended, each with its Node."""
    nodes = {name_of(node): node for node in store.objects(world, store.NODES)}
    for pod in store.objects(world, store.PODS):
        run = pod_status.run_of(world, pod)
        over = run is not None and run.phase in ("Succeeded", "Failed")
        if pod["spec"].get("nodeName") in nodes and not over:
            yield pod, nodes[pod["spec"]["nodeName"]]


def _means(term: Mapping[str, Any], owner: KubeDict, other: KubeDict) -> bool:
    """Whether a term of a pod is about another pod."""
    namespaces = term.get("namespaces") or [namespace_of(owner)]
    return namespace_of(other) in namespaces and selectors.matches(term.get("labelSelector"), labels_of(other))


def _same_place(term: Mapping[str, Any], first: KubeDict, second: KubeDict) -> bool:
    key = term.get("topologyKey", "")
    value = labels_of(first).get(key)
    return value is not None and value == labels_of(second).get(key)
