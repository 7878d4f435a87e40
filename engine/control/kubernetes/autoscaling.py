"""HorizontalPodAutoscalers where no metrics server runs: they see how many replicas there are, and cannot say how
many there should be (pkg/controller/podautoscaler; `kubectl top` of the same cluster says that the Metrics API is not
there).
"""

from __future__ import annotations

from engine.control.kubernetes import resources, store
from engine.control.kubernetes.objects import KubeDict, namespace_of
from engine.kernel.simulation import Simulation
from engine.world.world import World

STORE = "horizontalpodautoscalers.autoscaling"
_WHY = (
    "failed to get {0} utilization: unable to get metrics for resource {0}: unable to fetch metrics from resource "
    "metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
)


def status(simulation: Simulation[World], thing: KubeDict) -> KubeDict:
    """The status of an autoscaler."""
    spec = thing["spec"]
    target = spec["scaleTargetRef"]
    found = resources.of_kind(simulation.world, str(target.get("apiVersion", "")), str(target["kind"]))
    key = f"{namespace_of(thing)}/{target['name']}"
    scaled = store.look(simulation.world, found.store, key) if found else None
    time = thing["metadata"]["creationTimestamp"]
    if scaled is None:
        plural = f'{found.qualified} "{target["name"]}" not found' if found else "no matches for kind"
        able = ("False", "FailedGetScale", f"the HPA controller was unable to get the target's current scale: {plural}")
        return {"currentMetrics": None, "desiredReplicas": 0, "conditions": [_condition("AbleToScale", *able, time)]}
    able = ("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
    name = str((spec["metrics"][0].get("resource") or {}).get("name", "cpu"))
    text = f"the HPA was unable to compute the replica count: {_WHY.format(name)}"
    active = ("False", "FailedGetResourceMetric", text)
    conditions = [_condition("AbleToScale", *able, time), _condition("ScalingActive", *active, time)]
    return {
        "conditions": conditions, "currentMetrics": None, "currentReplicas": scaled["spec"].get("replicas", 1),
        "desiredReplicas": 0,
    }  # fmt: skip


def _condition(kind: str, value: str, reason: str, message: str, time: str) -> KubeDict:
    return {"lastTransitionTime": time, "message": message, "reason": reason, "status": value, "type": kind}
