"""The operator's policy: its status, and the operands' settings that follow from it.

`spec.mig.strategy` becomes MIG_STRATEGY of device plugin and gpu-feature-discovery, and the default of
`spec.devicePlugin.config` their DEFAULT_CONFIG (time-slicing); their pods are then replaced
(controllers/object_controls.go). The state is ready when every operand's DaemonSet is; conditions:
internal/conditions/clusterpolicy.go. Other settings of the policy change nothing here.
"""

from __future__ import annotations

from engine.control.kubernetes import control_plane, store, workload_status
from engine.control.kubernetes.gpu_operator import operands
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.world import World

Sim = Simulation[World]
_STATES = (
    ("nvidia-operator-validator", "state-operator-validation"),
    ("nvidia-device-plugin-daemonset", "state-device-plugin"),
    ("nvidia-dcgm-exporter", "state-dcgm-exporter"), ("gpu-feature-discovery", "gpu-feature-discovery"),
    ("nvidia-mig-manager", "state-mig-manager"),
)  # fmt: skip
_RECONCILED = "ClusterPolicy is ready as all resources have been successfully reconciled"
_BY_STRATEGY = ("nvidia-device-plugin-daemonset", "gpu-feature-discovery")


def strategy(world: World) -> str:
    """The MIG strategy that the policy asks for, `none` without a policy."""
    found = operands.policy(world)
    return str(((found or {}).get("spec", {}).get("mig") or {}).get("strategy", "none"))


def status(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of the policy."""
    waiting = [state for name, state in _STATES if not _is_ready(simulation, name)]
    ready = ("Ready", "True", "Reconciled", _RECONCILED)
    if waiting:
        text = f"ClusterPolicy is not ready, states not ready: [{' '.join(waiting)}]"
        ready = ("Ready", "False", "OperandNotReady", text)
    rows = (ready, ("Error", "False", "Ready", ""))
    conditions = [
        {
            "lastTransitionTime": thing["metadata"]["creationTimestamp"], "message": message, "reason": reason,
            "status": value, "type": kind,
        }
        for kind, value, reason, message in rows
    ]  # fmt: skip
    return {"conditions": conditions, "namespace": operands.NAMESPACE, "state": "notReady" if waiting else "ready"}


def _is_ready(simulation: Sim, name: str) -> bool:
    thing = store.look(simulation.world, store.DAEMON_SETS, f"{operands.NAMESPACE}/{name}")
    if thing is None:
        return False
    counts = workload_status.daemon_set(simulation, thing)
    return int(counts.get("numberReady", 0)) == int(counts["desiredNumberScheduled"])


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """The policy has changed: operands follow."""
    if event.store != operands.POLICIES or event.gone or not control_plane.controls(simulation.world):
        return
    found = operands.policy(simulation.world) or {}
    config = ((found.get("spec", {}).get("devicePlugin") or {}).get("config") or {}).get("default", "")
    wanted = {"MIG_STRATEGY": strategy(simulation.world), "DEFAULT_CONFIG": config}
    for name in _BY_STRATEGY:
        thing = store.find(simulation.world, store.DAEMON_SETS, f"{operands.NAMESPACE}/{name}")
        if thing is not None and _set_variables(thing, wanted):
            thing["metadata"]["generation"] = thing["metadata"].get("generation", 1) + 1
            store.put(simulation, store.DAEMON_SETS, thing)


def _set_variables(thing: KubeDict, wanted: dict[str, str]) -> bool:
    """Set the environment of a DaemonSet's container. Gives whether something changed."""
    container = thing["spec"]["template"]["spec"]["containers"][0]
    before = {each["name"]: each["value"] for each in container["env"]}
    after = {name: value for name, value in (before | wanted).items() if value}
    container["env"] = [{"name": name, "value": value} for name, value in after.items()]
    return before != after


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)
