"""Whether a pod may be on a node: selectors, affinity, taints and tolerations, for the scheduler, DaemonSets and taints
that evict (k8s.io/component-helpers/scheduling/corev1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.control.kubernetes import selectors
from engine.control.kubernetes.objects import KubeDict, labels_of, name_of


def fits_selector(pod: KubeDict, node: KubeDict) -> bool:
    """Whether a node has the labels that a pod's nodeSelector and required node affinity ask for."""
    labels, spec = labels_of(node), pod["spec"]
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_fits_term(term, node, labels) for term in required.get("nodeSelectorTerms") or ())


def _fits_term(term: KubeDict, node: KubeDict, labels: Mapping[str, str]) -> bool:
    expressions, named = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not named:
        return False
    fields = {"metadata.name": name_of(node)}
    return selectors.matches({"matchExpressions": expressions}, labels) and selectors.matches(
        {"matchExpressions": named}, fields
    )


def untolerated(spec: KubeDict, node: KubeDict, effects: Sequence[str]) -> list[KubeDict]:
    """The taints of a node, of certain effects, that a pod does not tolerate."""
    taints = node.get("spec", {}).get("taints") or ()
    return [taint for taint in taints if taint["effect"] in effects and toleration(spec, taint) is None]


def toleration(spec: KubeDict, taint: KubeDict) -> KubeDict | None:
    """The toleration of a pod that covers a taint, or None."""
    return next((each for each in spec.get("tolerations") or () if _covers(each, taint)), None)


def _covers(each: Mapping[str, Any], taint: KubeDict) -> bool:
    if each.get("effect") and each["effect"] != taint["effect"]:
        return False
    if each.get("key") and each["key"] != taint["key"]:
        return False
    if each.get("operator", "Equal") == "Exists":
        return True
    return bool(each.get("key")) and (each.get("value") or "") == (taint.get("value") or "")
