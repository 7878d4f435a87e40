"""The tables that the server prints (metav1.Table): columns by resource, and the cells of objects.

Columns and cells: pkg/printers/internalversion/printers.go (1.32). Each column is (name, priority, how its cell comes
from an object with its status); priority 1 is shown by `-o wide` alone. A CustomResourceDefinition brings its own
(additionalPrinterColumns); what has none shows name and age.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from engine.control.kubernetes import ages, cells, node_status, pod_status
from engine.control.kubernetes.objects import KubeDict, name_of, thaw, time_of
from engine.control.kubernetes.resources import Resource
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]
Cell = Callable[[Sim, KubeDict], object]
Column = tuple[str, int, Cell]

NONE = "<none>"


def table(simulation: Sim, resource: Resource, objects: Sequence[KubeDict]) -> KubeDict:
    """The metav1.Table of objects of one resource."""
    columns = _columns(simulation.world, resource)
    return {
        "apiVersion": "meta.k8s.io/v1", "columnDefinitions": [
            {"format": "name" if name == "Name" else "", "name": name, "priority": priority, "type": "string"}
            for name, priority, _ in columns
        ],
        "kind": "Table", "metadata": {"resourceVersion": str(simulation.world.kube[""].version)},
        "rows": [
            {"cells": [make(simulation, thing) for _, _, make in columns], "object": thing} for thing in objects
        ],
    }  # fmt: skip


def _columns(world: World, resource: Resource) -> Sequence[Column]:
    if resource.definition:
        return _custom(world, resource)
    return _TABLES.get(resource.plural, (_NAME, _AGE))


def _custom(world: World, resource: Resource) -> Sequence[Column]:
    kept = world.kube_objects[f"customresourcedefinitions.apiextensions.k8s.io//{resource.definition}"].manifest
    versions = thaw(kept)["spec"]["versions"] if kept else ()
    version: KubeDict = next((each for each in versions if each["name"] == resource.version), {})
    own = version.get("additionalPrinterColumns")
    if own is None:
        return (_NAME, _AGE)
    return (_NAME, *((each["name"], int(each.get("priority", 0)), _at_path(each)) for each in own))


def _at_path(column: KubeDict) -> Cell:
    """The cell of a printer column's JSON path, of the plain kind `.status.state`; `name[-1:]` is a list's last."""
    steps = str(column["jsonPath"]).strip(".").split(".")

    def cell(simulation: Sim, thing: KubeDict) -> object:
        value: Any = thing
        for step in steps:
            name, last, _ = step.partition("[-1:]")
            value = value.get(name) if isinstance(value, dict) else None
            if last:
                value = value[-1] if value else None
        if value is None:
            return ""
        if isinstance(value, list):
            return json.dumps(value, separators=(",", ":"))
        return _since(simulation, str(value)) if column.get("type") == "date" else value

    return cell


def _since(simulation: Sim, text: str | None) -> str:
    if not text:
        return "<unknown>"
    return ages.human(simulation.now - time_of(simulation.world.inventory, text))


def _age(simulation: Sim, thing: KubeDict) -> str:
    return _since(simulation, thing["metadata"].get("creationTimestamp"))


def _name(_: Sim, thing: KubeDict) -> str:
    return name_of(thing)


def _at(*path: str, default: object = NONE) -> Cell:
    """What stands at a path of the object."""

    def cell(_: Sim, thing: KubeDict) -> object:
        value: Any = thing
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return default if value is None or value == "" else value

    return cell


def _of(make: Callable[[KubeDict], object]) -> Cell:
    """A cell that needs the object alone."""
    return lambda _, thing: make(thing)


def _restarts(simulation: Sim, pod: KubeDict) -> str:
    return cells.restarts(pod, lambda text: _since(simulation, text))


def _duration(simulation: Sim, job: KubeDict) -> str:
    found = job.get("status", {})
    if not found.get("startTime"):
        return ""
    inventory = simulation.world.inventory
    end = found.get("completionTime")
    return ages.human((time_of(inventory, end) if end else simulation.now) - time_of(inventory, found["startTime"]))


def _last_seen(simulation: Sim, event: KubeDict) -> str:
    return _since(simulation, event.get("lastTimestamp") or event.get("deprecatedLastTimestamp"))


def _first_seen(simulation: Sim, event: KubeDict) -> str:
    return _since(simulation, event.get("firstTimestamp") or event.get("deprecatedFirstTimestamp"))


def _last_schedule(simulation: Sim, thing: KubeDict) -> str:
    last = thing.get("status", {}).get("lastScheduleTime")
    return _since(simulation, last) if last else NONE


def _job_of(thing: KubeDict) -> KubeDict:
    found: KubeDict = thing["spec"]["jobTemplate"]
    return found


_NAME: Column = ("Name", 0, _name)
_AGE: Column = ("Age", 0, _age)


def _template_columns(priority: int = 1) -> tuple[Column, ...]:
    """The three columns that workloads have in wide tables."""
    return (
        ("Containers", priority, _of(cells.container_names)),
        ("Images", priority, _of(cells.images)),
        ("Selector", priority, _of(cells.selector)),
    )


_TABLES: dict[str, Sequence[Column]] = {
    "pods": (
        _NAME,
        ("Ready", 0, _of(cells.ready_containers)),
        ("Status", 0, _of(pod_status.word)),
        ("Restarts", 0, _restarts),
        _AGE,
        ("IP", 1, _at("status", "podIP")),
        ("Node", 1, _at("spec", "nodeName")),
        ("Nominated Node", 1, _at("status", "nominatedNodeName")),
        ("Readiness Gates", 1, _of(lambda _: NONE)),
    ),
    "nodes": (
        _NAME,
        ("Status", 0, _of(cells.node_word)),
        ("Roles", 0, _of(node_status.roles)),
        _AGE,
        ("Version", 0, _at("status", "nodeInfo", "kubeletVersion")),
        ("Internal-IP", 1, _of(lambda node: cells.address(node, "InternalIP"))),
        ("External-IP", 1, _of(lambda node: cells.address(node, "ExternalIP"))),
        ("OS-Image", 1, _at("status", "nodeInfo", "osImage")),
        ("Kernel-Version", 1, _at("status", "nodeInfo", "kernelVersion")),
        ("Container-Runtime", 1, _at("status", "nodeInfo", "containerRuntimeVersion")),
    ),
    "namespaces": (_NAME, ("Status", 0, _at("status", "phase")), _AGE),
    "deployments": (
        _NAME,
        ("Ready", 0, _of(cells.ready_replicas)),
        ("Up-to-date", 0, _at("status", "updatedReplicas", default=0)),
        ("Available", 0, _at("status", "availableReplicas", default=0)),
        _AGE,
        *_template_columns(),
    ),
    "replicasets": (
        _NAME,
        ("Desired", 0, _at("spec", "replicas", default=0)),
        ("Current", 0, _at("status", "replicas", default=0)),
        ("Ready", 0, _at("status", "readyReplicas", default=0)),
        _AGE,
        *_template_columns(),
    ),
    "statefulsets": (
        _NAME,
        ("Ready", 0, _of(cells.ready_replicas)),
        _AGE,
        *_template_columns()[:2],
    ),
    "daemonsets": (
        _NAME,
        ("Desired", 0, _at("status", "desiredNumberScheduled", default=0)),
        ("Current", 0, _at("status", "currentNumberScheduled", default=0)),
        ("Ready", 0, _at("status", "numberReady", default=0)),
        ("Up-to-date", 0, _at("status", "updatedNumberScheduled", default=0)),
        ("Available", 0, _at("status", "numberAvailable", default=0)),
        ("Node Selector", 0, _of(cells.node_selector)),
        _AGE,
        *_template_columns(),
    ),
    "jobs": (
        _NAME,
        ("Status", 0, _of(cells.job_word)),
        ("Completions", 0, _of(cells.completions)),
        ("Duration", 0, _duration),
        _AGE,
        *_template_columns(),
    ),
    "cronjobs": (
        _NAME,
        ("Schedule", 0, _at("spec", "schedule")),
        ("Timezone", 0, _at("spec", "timeZone")),
        ("Suspend", 0, _of(lambda each: "True" if each["spec"].get("suspend") else "False")),
        ("Active", 0, _of(lambda each: len(each.get("status", {}).get("active") or ()))),
        ("Last Schedule", 0, _last_schedule),
        _AGE,
        ("Containers", 1, _of(lambda each: cells.container_names(_job_of(each)))),
        ("Images", 1, _of(lambda each: cells.images(_job_of(each)))),
        ("Selector", 1, _of(lambda each: NONE)),
    ),
    "horizontalpodautoscalers": (
        _NAME,
        ("Reference", 0, _of(lambda e: f"{e['spec']['scaleTargetRef']['kind']}/{e['spec']['scaleTargetRef']['name']}")),
        ("Targets", 0, _of(cells.autoscaler_targets)),
        ("MinPods", 0, _at("spec", "minReplicas", default="<unset>")),
        ("MaxPods", 0, _at("spec", "maxReplicas")),
        ("Replicas", 0, _at("status", "currentReplicas", default=0)),
        _AGE,
    ),
    "ingresses": (
        _NAME,
        ("Class", 0, _at("spec", "ingressClassName")),
        ("Hosts", 0, _of(cells.ingress_hosts)),
        ("Address", 0, _of(lambda _: "")),
        ("Ports", 0, _of(lambda each: "80, 443" if each["spec"].get("tls") else "80")),
        _AGE,
    ),
    "ingressclasses": (
        _NAME,
        ("Controller", 0, _at("spec", "controller")),
        ("Parameters", 0, _of(lambda _: NONE)),
        _AGE,
    ),
    "resourcequotas": (
        _NAME,
        ("Request", 0, _of(lambda each: cells.quota(each, limits=False))),
        ("Limit", 0, _of(lambda each: cells.quota(each, limits=True))),
        _AGE,
    ),
    "services": (
        _NAME,
        ("Type", 0, _at("spec", "type")),
        ("Cluster-IP", 0, _at("spec", "clusterIP")),
        ("External-IP", 0, _of(lambda _: NONE)),
        ("Port(s)", 0, _of(cells.ports)),
        _AGE,
        ("Selector", 1, _of(lambda each: cells.pairs(each["spec"].get("selector")))),
    ),
    "endpoints": (_NAME, ("Endpoints", 0, _of(cells.endpoints)), _AGE),
    "endpointslices": (
        _NAME,
        ("AddressType", 0, _at("addressType")),
        ("Ports", 0, _of(lambda each: cells.few([str(port["port"]) for port in each.get("ports") or ()], "<unset>"))),
        ("Endpoints", 0, _of(cells.slice_endpoints)),
        _AGE,
    ),
    "events": (
        ("Last Seen", 0, _last_seen),
        ("Type", 0, _at("type", default="")),
        ("Reason", 0, _at("reason", default="")),
        ("Object", 0, _of(cells.event_object)),
        ("Subobject", 1, _of(lambda each: cells.involved(each).get("fieldPath", ""))),
        ("Source", 1, _of(cells.event_source)),
        ("Message", 0, _of(lambda each: str(each.get("message", each.get("note", ""))).strip())),
        ("First Seen", 1, _first_seen),
        ("Count", 1, _of(lambda each: each.get("count", each.get("deprecatedCount", 1)))),
        ("Name", 1, _name),
    ),
    "configmaps": (
        _NAME,
        ("Data", 0, _of(lambda each: len(each.get("data") or {}) + len(each.get("binaryData") or {}))),
        _AGE,
    ),
    "secrets": (_NAME, ("Type", 0, _at("type")), ("Data", 0, _of(lambda each: len(each.get("data") or {}))), _AGE),
    "serviceaccounts": (_NAME, ("Secrets", 0, _of(lambda each: len(each.get("secrets") or ()))), _AGE),
    "persistentvolumeclaims": (
        _NAME,
        ("Status", 0, _of(cells.claim_word)),
        ("Volume", 0, _at("spec", "volumeName", default="")),
        ("Capacity", 0, _at("status", "capacity", "storage", default="")),
        ("Access Modes", 0, _of(cells.claim_modes)),
        ("StorageClass", 0, _at("spec", "storageClassName", default="")),
        ("VolumeAttributesClass", 0, _of(lambda _: "<unset>")),
        _AGE,
        ("VolumeMode", 1, _at("spec", "volumeMode", default="Filesystem")),
    ),
    "persistentvolumes": (
        _NAME,
        ("Capacity", 0, _at("spec", "capacity", "storage", default="")),
        ("Access Modes", 0, _of(lambda each: cells.modes(each["spec"].get("accessModes") or ()))),
        ("Reclaim Policy", 0, _at("spec", "persistentVolumeReclaimPolicy", default="")),
        ("Status", 0, _at("status", "phase", default="Available")),
        ("Claim", 0, _of(cells.claim_reference)),
        ("StorageClass", 0, _at("spec", "storageClassName", default="")),
        ("VolumeAttributesClass", 0, _of(lambda _: "<unset>")),
        ("Reason", 0, _of(lambda _: "")),
        _AGE,
        ("VolumeMode", 1, _at("spec", "volumeMode", default="Filesystem")),
    ),
    "storageclasses": (
        ("Name", 0, _of(cells.storage_class_name)),
        ("Provisioner", 0, _at("provisioner")),
        ("ReclaimPolicy", 0, _at("reclaimPolicy", default="Delete")),
        ("VolumeBindingMode", 0, _at("volumeBindingMode", default="Immediate")),
        ("AllowVolumeExpansion", 0, _of(lambda each: "true" if each.get("allowVolumeExpansion") else "false")),
        _AGE,
    ),
    "runtimeclasses": (_NAME, ("Handler", 0, _at("handler")), _AGE),
    "priorityclasses": (
        _NAME,
        ("Value", 0, _at("value")),
        ("Global-Default", 0, _of(lambda each: "true" if each.get("globalDefault") else "false")),
        _AGE,
        ("PreemptionPolicy", 0, _at("preemptionPolicy", default="PreemptLowerPriority")),
    ),
    "poddisruptionbudgets": (
        _NAME,
        ("Min Available", 0, _at("spec", "minAvailable", default="N/A")),
        ("Max Unavailable", 0, _at("spec", "maxUnavailable", default="N/A")),
        ("Allowed Disruptions", 0, _at("status", "disruptionsAllowed", default=0)),
        _AGE,
    ),
    "leases": (_NAME, ("Holder", 0, _at("spec", "holderIdentity")), _AGE),
    "componentstatuses": (
        _NAME,
        ("Status", 0, _of(lambda each: "Healthy" if each["conditions"][0]["status"] == "True" else "Unhealthy")),
        ("Message", 0, _of(lambda each: each["conditions"][0]["message"])),
        ("Error", 0, _of(lambda _: "")),
    ),
    "customresourcedefinitions": (_NAME, ("Created At", 0, _at("metadata", "creationTimestamp"))),
    "clusterroles": (_NAME, ("Created At", 0, _at("metadata", "creationTimestamp"))),
    "roles": (_NAME, ("Created At", 0, _at("metadata", "creationTimestamp"))),
    "clusterrolebindings": (_NAME, ("Role", 0, _of(cells.role)), _AGE),
    "rolebindings": (_NAME, ("Role", 0, _of(cells.role)), _AGE),
    "networkpolicies": (
        _NAME,
        ("Pod-Selector", 0, _of(lambda each: cells.label_selector(each["spec"].get("podSelector")))),
        _AGE,
    ),
}
