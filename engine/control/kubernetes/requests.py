"""Requests that change the cluster, as actions: what the API server does with them, in its order (decode, default,
validate, admit, store). Each gives the object as it is then, or the StatusError that the client gets.

Manifests and patches come as JSON text, so that a session's journal holds them as they were sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from engine.control.kubernetes import (
    creating,
    defaults,
    deleting,
    events_log,
    go_text,
    harms,
    patching,
    pod_status,
    reading,
    resources,
    scheduler,
    schema,
    selectors,
    store,
    validation,
    workload_status,
)
from engine.control.kubernetes.objects import KubeDict, labels_of, namespace_of, thaw
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import (
    StatusError,
    already_exists,
    bad_request,
    conflict,
    forbidden,
    invalid,
    method_not_allowed,
    no_resource,
    not_found,
    too_many_disruptions,
)
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.world import World

Sim = Simulation[World]
Answer = KubeDict | StatusError
_SYSTEM_NAMESPACES = ("default", "kube-system", "kube-public")


def _answer(work: Callable[[], KubeDict]) -> Answer:
    try:
        return work()
    except StatusError as refused:
        return refused


def _resource(world: World, name: str, verb: str) -> Resource:
    found = resources.find(world, name)
    if found is None:
        raise no_resource()
    if verb not in found.verbs:
        raise method_not_allowed()
    return found


def _kept(world: World, resource: Resource, key: str) -> KubeDict:
    found = store.find(world, resource.store, key)
    if found is None:
        raise not_found(resource.plural, resource.group, key.partition("/")[2])
    return found


def _key(resource: Resource, namespace: str, name: str) -> str:
    return f"{namespace if resource.namespaced else ''}/{name}"


@dataclass(frozen=True, slots=True)
class Create(Action):
    """POST of an object. Gives it, or a StatusError; with `strict` also for a field that the server does not know."""

    resource: str
    namespace: str
    manifest: str
    user: str
    dry_run: bool = False
    strict: bool = False

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._create(simulation))

    def _create(self, simulation: Sim) -> KubeDict:
        world = simulation.world
        resource, thing = _resource(world, self.resource, "create"), thaw(self.manifest)
        unknown = schema.decode(resource, thing)
        if self.strict:
            schema.refuse(resource, unknown)
        metadata = thing.setdefault("metadata", {})
        _check_namespace(world, resource, metadata, self.namespace)
        validation.quantities(resource, thing)
        name = str(metadata.get("name") or "")
        if name and store.exists(world, resource.store, _key(resource, self.namespace, name)):
            raise already_exists(resource.plural, resource.group, name)
        _check_dependencies(world, resource, thing)
        if self.dry_run:
            twin = simulation.fork()
            return creating.admit(twin, resource.store, _checked(resource, thing), custom=bool(resource.definition))
        made = creating.admit(simulation, resource.store, thing, custom=bool(resource.definition))
        validation.check(resource, made)
        store.put(simulation, resource.store, made)
        return _now(simulation, resource, store.key_of(made), made)


def _checked(resource: Resource, thing: KubeDict) -> KubeDict:
    validation.check(resource, thing)
    return thing


def _now(simulation: Sim, resource: Resource, key: str, otherwise: KubeDict) -> KubeDict:
    """The object as it lies there after a request."""
    return reading.find(simulation, resource, key) or otherwise


def _check_namespace(world: World, resource: Resource, metadata: KubeDict, namespace: str) -> None:
    if not resource.namespaced:
        metadata.pop("namespace", None)
        return
    own = metadata.setdefault("namespace", namespace)
    if own != namespace:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    kept = store.find(world, store.NAMESPACES, f"/{namespace}")
    if kept is None:
        raise not_found("namespaces", "", namespace)
    if kept["metadata"].get("deletionTimestamp"):
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        raise forbidden(resource.plural, resource.group, str(metadata.get("name", "")), why)


def _check_dependencies(world: World, resource: Resource, thing: KubeDict) -> None:
    """Admission: a pod's service account, priority class and runtime class must be there."""
    if resource.store != store.PODS:
        return
    spec, metadata = thing.get("spec") or {}, thing["metadata"]
    name, namespace = str(metadata.get("name", "")), metadata["namespace"]
    account = spec.get("serviceAccountName") or "default"
    if not store.exists(world, "serviceaccounts", f"{namespace}/{account}"):
        why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise forbidden("pods", "", name, why)
    priority = spec.get("priorityClassName")
    if priority and not store.exists(world, "priorityclasses.scheduling.k8s.io", f"/{priority}"):
        raise forbidden("pods", "", name, f"no PriorityClass with name {priority} was found")
    runtime = spec.get("runtimeClassName")
    if runtime and not store.exists(world, "runtimeclasses.node.k8s.io", f"/{runtime}"):
        raise forbidden("pods", "", name, f'pod rejected: RuntimeClass "{runtime}" not found')


@dataclass(frozen=True, slots=True)
class Update(Action):
    """PUT of an object. Gives it, or a StatusError."""

    resource: str
    namespace: str
    name: str
    manifest: str
    user: str
    dry_run: bool = False
    strict: bool = False

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._update(simulation))

    def _update(self, simulation: Sim) -> KubeDict:
        world = simulation.world
        resource, after = _resource(world, self.resource, "update"), thaw(self.manifest)
        unknown = schema.decode(resource, after)
        if self.strict:
            schema.refuse(resource, unknown)
        before = _kept(world, resource, _key(resource, self.namespace, self.name))
        return _replace(simulation, resource, before, after, dry_run=self.dry_run)


@dataclass(frozen=True, slots=True)
class Patch(Action):
    """PATCH of an object; `kind` is merge, strategic or json, `body` the patch as JSON. Gives it, or a StatusError."""

    resource: str
    namespace: str
    name: str
    kind: str
    body: str
    user: str
    dry_run: bool = False
    strict: bool = False

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._patch(simulation))

    def _patch(self, simulation: Sim) -> KubeDict:
        world = simulation.world
        resource = _resource(world, self.resource, "patch")
        before = _kept(world, resource, _key(resource, self.namespace, self.name))
        kind = "merge" if self.kind == "strategic" and resource.definition else self.kind
        body = json.loads(self.body)
        after = patching.apply(before, kind, body)
        unknown = schema.decode(resource, after)
        if unknown and self.strict:
            text = f'Invalid value: "{go_text.value(body)}": {schema.strict_error(unknown)}'
            raise invalid("", "", "", [("patch", "FieldValueInvalid", text)])
        return _replace(simulation, resource, before, after, dry_run=self.dry_run)


def _replace(simulation: Sim, resource: Resource, before: KubeDict, after: KubeDict, *, dry_run: bool) -> KubeDict:
    """An object takes another form."""
    metadata, old = after.setdefault("metadata", {}), before["metadata"]
    version = metadata.get("resourceVersion")
    if version and version != old["resourceVersion"]:
        raise conflict(resource.plural, resource.group, old["name"])
    for name in ("uid", "creationTimestamp", "name", "namespace", "generation", "deletionTimestamp", "resourceVersion"):
        if name in old:
            metadata[name] = old[name]
    for name in ("labels", "annotations"):
        if not metadata.get(name):
            metadata.pop(name, None)
    if resource.store == store.SERVICES:
        for name in ("clusterIP", "clusterIPs"):
            after["spec"].setdefault(name, before["spec"].get(name))
    validation.quantities(resource, after)
    defaults.fill(simulation.world, resource.store, after)
    validation.check(resource, after)
    validation.check_update(resource, before, after)
    if "status" in before and "status" not in after:
        after["status"] = before["status"]
    key = store.key_of(after)
    counts = creating.counts_generations(resource.store) or bool(resource.definition)
    if counts and before.get("spec") != after.get("spec"):
        metadata["generation"] = old.get("generation", 1) + 1
    if dry_run or before == after:
        shown = reading.complete(simulation, resource.store, dict(before))
        return after | ({"status": shown["status"]} if "status" in shown else {})
    store.put(simulation, resource.store, after)
    return _now(simulation, resource, key, after)


@dataclass(frozen=True, slots=True)
class Delete(Action):
    """DELETE of an object; `grace` in seconds (None: its own). Gives it, or a StatusError."""

    resource: str
    namespace: str
    name: str
    grace: int | None
    propagation: str
    user: str
    dry_run: bool = False

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._delete(simulation))

    def _delete(self, simulation: Sim) -> KubeDict:
        world = simulation.world
        resource = _resource(world, self.resource, "delete")
        key = _key(resource, self.namespace, self.name)
        if resource.store == "events":
            return self._event(simulation, resource, key)
        thing = reading.find(simulation, resource, key)
        if thing is None:
            raise not_found(resource.plural, resource.group, self.name)
        if resource.store == store.NAMESPACES and self.name in _SYSTEM_NAMESPACES:
            raise forbidden("namespaces", "", self.name, "this namespace may not be deleted")
        if self.dry_run:
            return thing
        self._go(simulation, resource, key, thing)
        return thing

    def _go(self, simulation: Sim, resource: Resource, key: str, thing: KubeDict) -> None:
        if resource.store == store.PODS:
            harms.pod_goes(simulation, thing, f"deleted by {self.user}")
            deleting.pod(simulation, key, self.grace)
        elif resource.store == store.NAMESPACES:
            deleting.namespace(simulation, self.name)
        else:
            deleting.now(simulation, resource.store, key, self.propagation)

    def _event(self, simulation: Sim, resource: Resource, key: str) -> KubeDict:
        found = reading.find(simulation, resource, key)
        if found is None:
            raise not_found(resource.plural, resource.group, self.name)
        if not self.dry_run:
            events_log.forget_about(simulation, key)
        return found


@dataclass(frozen=True, slots=True)
class Evict(Action):
    """POST of an Eviction: the pod goes if its disruption budgets let it. Gives a Status, or a StatusError."""

    namespace: str
    pod: str
    grace: int | None
    user: str
    dry_run: bool = False

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._evict(simulation))

    def _evict(self, simulation: Sim) -> KubeDict:
        world, key = simulation.world, f"{self.namespace}/{self.pod}"
        pod = store.find(world, store.PODS, key)
        if pod is None:
            raise not_found("pods", "", self.pod)
        _check_budgets(simulation, pod)
        if not self.dry_run:
            harms.pod_goes(simulation, pod, f"evicted by {self.user}")
            deleting.pod(simulation, key, self.grace)
        return {"apiVersion": "v1", "code": 201, "kind": "Status", "metadata": {}, "status": "Success"}


def _check_budgets(simulation: Sim, pod: KubeDict) -> None:
    """Whether the budgets that select a pod let one more go. Raises StatusError."""
    world = simulation.world
    run = pod_status.run_of(world, pod)
    if run is None or run.phase != "Running":
        return
    budgets = [
        each
        for each in store.objects(world, "poddisruptionbudgets.policy", namespace_of(pod))
        if selectors.matches(each["spec"].get("selector"), labels_of(pod))
    ]
    if len(budgets) > 1:
        text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        raise StatusError(500, "InternalError", f"Internal error occurred: {text}")
    for budget in budgets:
        status = workload_status.disruption_budget(simulation, budget)
        if not pod_status.is_pod_ready(world, pod) and status["currentHealthy"] >= status["desiredHealthy"] > 0:
            return
        if not status["disruptionsAllowed"]:
            healthy, desired = status["currentHealthy"], status["desiredHealthy"]
            raise too_many_disruptions(
                budget["metadata"]["name"], f"needs {desired} healthy pods and has {healthy} currently"
            )


@dataclass(frozen=True, slots=True)
class Bind(Action):
    """POST of a Binding. Gives a Status, or a StatusError."""

    namespace: str
    pod: str
    node: str
    user: str

    def perform(self, simulation: Sim) -> Answer:
        return _answer(lambda: self._bind(simulation))

    def _bind(self, simulation: Sim) -> KubeDict:
        world = simulation.world
        pod = store.find(world, store.PODS, f"{self.namespace}/{self.pod}")
        if pod is None:
            raise not_found("pods", "", self.pod)
        if pod["spec"].get("nodeName"):
            text = f'pod {self.pod} is already assigned to node "{pod["spec"]["nodeName"]}"'
            raise StatusError(409, "Conflict", f'Operation cannot be fulfilled on pods/binding "{self.pod}": {text}')
        scheduler.bind(simulation, pod, self.node)
        return {"apiVersion": "v1", "code": 201, "kind": "Status", "metadata": {}, "status": "Success"}
