"""The API server as its clients meet it: kubectl, helm, people with curl, operators.

Use
---
`ApiServer(simulation)` is cheap; make one whenever you need it. Its methods take and give API JSON: plain dictionaries
exactly as a real server returns them (managedFields left out), which are the caller's own. Every method raises

* `StatusError` (engine.control.kubernetes.status_error): the server refuses; `.status` is the metav1.Status,
  `.code/.reason/.message` its parts. kubectl prints `Error from server (REASON): MESSAGE`.
* `NoServer`: nobody listens at the address (static pod down, host down); its text is the dialler's, such as
  `connect: connection refused` or `i/o timeout`. `server.address` is `https://10.20.0.11:6443`.

Discovery: `server.resources()` gives `Resource`s in discovery order (`kubectl api-resources` sorts and prints them);
`server.resource("deploy")` finds by plural, singular, short name, kind, `plural.group` (None: unknown type);
`server.resource_of(manifest)` by apiVersion and kind. A Resource has plural, singular, short_names, group, version,
namespaced, kind, verbs, categories, api_version, qualified (`deployments.apps`).

Reading: `list(resource, namespace="", label_selector="", field_selector="")` gives a List object ({"kind": "PodList",
"items": [...]}; namespace "" is all namespaces); `get(resource, namespace, name)`; `table(resource, objects)` gives the
metav1.Table ({"columnDefinitions": [{"name", "type", "priority"}], "rows": [{"cells": [...], "object": ...}]}): cells
of priority > 0 are those of `-o wide`; ages are worked out already, as the server does. `logs(...)`, `version()`,
`health(path)` (`/readyz?verbose`, `/livez`, `/healthz`).

Writing: `create(resource, namespace, manifest)`, `update(resource, namespace, name, manifest)`, `patch(resource,
namespace, name, kind, body)` with kind "merge", "strategic" or "json" and the body as Python data, `delete(resource,
namespace, name, grace=None, propagation="Background")`, `scale(resource, namespace, name, replicas)`,
`evict(namespace, pod, grace=None)`, `bind(namespace, pod, node)`. All take `dry_run=True` and give the object as it
is afterwards; with `strict` a field that the server does not know is refused, else it is dropped. `user` of the
constructor is who asks (harm to others' work is noted under that name), `subject` who that is to the server
(engine.control.kubernetes.access: what they may do). Each is an Action
(engine.control.kubernetes.requests), so sessions can be replayed.

Inside pods: `container(namespace, pod, name="")` gives `(host, container id)` of a running container for `exec`: run
the command at `ctx.elsewhere(host=host, container=id)` as `docker exec` does. Raises StatusError as the kubelet words
it.

Where things are: resources.py (discovery), columns.py (printer columns), reading.py (what is derived for a read),
requests.py (actions), validation.py, defaults.py, patching.py, selectors.py, store.py (etcd), events_log.py (Events),
controllers/ (one module each), scheduler/, kubelet/, device_plugins/; gpu_operator/ is the place for operators.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from engine.control.kubernetes import access, control_plane, reading, resources, selectors
from engine.control.kubernetes.access import Subject
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.resources import Resource
from engine.control.kubernetes.status_error import NoServer, StatusError, not_found
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.world import World

Objects = list[KubeDict]
Lines = list[str]

__all__ = ["ApiServer", "NoServer", "Resource", "StatusError"]


class ApiServer:
    """The cluster's API server, asked by the person `user` from `host` ("": from a host that reaches it), who is
    `subject` to the server.
    """

    def __init__(
        self,
        simulation: Simulation[World],
        user: str = "kubernetes-admin",
        host: str = "",
        subject: Subject = access.ADMINISTRATOR,
    ) -> None:
        self._simulation = simulation
        self._user = user
        self._host = host
        self._subject = subject

    @property
    def _world(self) -> World:
        return self._simulation.world

    @property
    def address(self) -> str:
        """The URL that kubeconfigs name."""
        return control_plane.url(self._world)

    def resources(self) -> tuple[Resource, ...]:
        """The discovery."""
        self._reach()
        return resources.discovered(self._world)

    def resource(self, name: str) -> Resource | None:
        """The resource that somebody calls `name`, or None."""
        self._reach()
        return resources.find(self._world, name)

    def resource_of(self, manifest: KubeDict) -> Resource | None:
        """The resource of a manifest, or None."""
        self._reach()
        return resources.of_kind(self._world, str(manifest.get("apiVersion", "")), str(manifest.get("kind", "")))

    def get(self, resource: Resource, namespace: str, name: str) -> KubeDict:
        """One object."""
        self._may("get", resource, namespace, name)
        found = reading.find(self._simulation, resource, f"{namespace if resource.namespaced else ''}/{name}")
        if found is None:
            raise not_found(resource.plural, resource.group, name)
        return found

    def list(
        self, resource: Resource, namespace: str = "", label_selector: str = "", field_selector: str = ""
    ) -> KubeDict:
        """The objects of a resource that selectors leave, as a List."""
        self._may("list", resource, namespace)
        labels = selectors.labels(label_selector)
        fields = selectors.fields(field_selector, resource)
        found = [
            each
            for each in reading.objects(self._simulation, resource, namespace if resource.namespaced else "")
            if labels(each) and fields(each)
        ]
        return {
            "apiVersion": resource.api_version, "items": found, "kind": f"{resource.kind}List",
            "metadata": {"resourceVersion": str(self._world.kube[""].version)},
        }  # fmt: skip

    def table(self, resource: Resource, objects: Objects) -> KubeDict:
        """The metav1.Table of objects."""
        from engine.control.kubernetes import columns

        return columns.table(self._simulation, resource, objects)

    def version(self) -> KubeDict:
        """The answer to /version."""
        self._reach()
        return control_plane.version(self._world)

    def health(self, path: str) -> tuple[int, str]:
        """Status and body of /readyz, /livez or /healthz, each with ?verbose."""
        self._reach()
        return control_plane.health(path)

    def unknown_fields(self, resource: Resource, manifest: KubeDict) -> Lines:
        """Paths of fields that the server does not know: it drops them, and names them in its warnings."""
        from engine.control.kubernetes import schema

        return schema.decode(resource, deepcopy(manifest))

    def create(
        self, resource: Resource, namespace: str, manifest: KubeDict, *, dry_run: bool = False, strict: bool = False
    ) -> KubeDict:
        """A new object."""
        from engine.control.kubernetes.requests import Create

        self._may("create", resource, namespace)
        return self._do(Create(resource.qualified, namespace, _json(manifest), self._user, dry_run, strict))

    def update(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        manifest: KubeDict,
        *,
        dry_run: bool = False,
        strict: bool = False,
    ) -> KubeDict:
        """An object is replaced; with a resourceVersion in it, only if that is the object's."""
        from engine.control.kubernetes.requests import Update

        self._may("update", resource, namespace, name)
        return self._do(Update(resource.qualified, namespace, name, _json(manifest), self._user, dry_run, strict))

    def patch(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        kind: str,
        body: Any,
        *,
        dry_run: bool = False,
        strict: bool = False,
    ) -> KubeDict:
        """An object is patched; `kind` is merge, strategic or json."""
        from engine.control.kubernetes.requests import Patch

        self._may("patch", resource, namespace, name)
        return self._do(Patch(resource.qualified, namespace, name, kind, _json(body), self._user, dry_run, strict))

    def delete(
        self,
        resource: Resource,
        namespace: str,
        name: str,
        grace: int | None = None,
        propagation: str = "Background",
        *,
        dry_run: bool = False,
    ) -> KubeDict:
        """An object goes: at once, or after `grace` seconds (a pod's own, if None)."""
        from engine.control.kubernetes.requests import Delete

        self._may("delete", resource, namespace, name)
        return self._do(Delete(resource.qualified, namespace, name, grace, propagation, self._user, dry_run))

    def scale(self, resource: Resource, namespace: str, name: str, replicas: int, *, dry_run: bool = False) -> KubeDict:
        """Another number of replicas."""
        return self.patch(resource, namespace, name, "merge", {"spec": {"replicas": replicas}}, dry_run=dry_run)

    def evict(self, namespace: str, pod: str, grace: int | None = None, *, dry_run: bool = False) -> KubeDict:
        """A pod is asked to go, if its disruption budgets let it."""
        from engine.control.kubernetes.requests import Evict

        self._may("create", self._pods, namespace, pod, "eviction")
        return self._do(Evict(namespace, pod, grace, self._user, dry_run))

    def bind(self, namespace: str, pod: str, node: str) -> KubeDict:
        """A pod is given to a node."""
        from engine.control.kubernetes.requests import Bind

        self._may("create", self._pods, namespace, pod, "binding")
        return self._do(Bind(namespace, pod, node, self._user))

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        previous: bool = False,
        since: int | None = None,
        tail: int | None = None,
        timestamps: bool = False,
    ) -> Lines:
        """Lines of a container's log; `since` is a moment (ns since the site's start)."""
        from engine.control.kubernetes import pod_logs

        self._may("get", self._pods, namespace, pod, "log")
        return pod_logs.lines(
            self._simulation, namespace, pod, container, previous=previous, since=since, tail=tail,
            timestamps=timestamps,
        )  # fmt: skip

    def container(self, namespace: str, pod: str, name: str = "") -> tuple[str, str]:
        """(host, id) of a pod's running container."""
        from engine.control.kubernetes import pod_logs

        self._may("create", self._pods, namespace, pod, "exec")
        return pod_logs.running(self._simulation, namespace, pod, name)

    def _do(self, action: Action) -> KubeDict:
        self._reach()
        answer = self._simulation.apply(action)
        if isinstance(answer, StatusError):
            raise answer
        found: KubeDict = answer
        return found

    @property
    def subject(self) -> Subject:
        """Who asks, as the server knows them."""
        return self._subject

    def allows(self, verb: str, resource: Resource, namespace: str, name: str = "", part: str = "") -> bool:
        """Whether who asks may do something (SelfSubjectAccessReview)."""
        self._reach()
        where = namespace if resource.namespaced else ""
        return access.allowed(self._world, self._subject, verb, resource, where, name, part)

    @property
    def _pods(self) -> Resource:
        return resources.of_store("pods")

    def _may(self, verb: str, resource: Resource, namespace: str, name: str = "", part: str = "") -> None:
        self._reach()
        access.check(self._world, self._subject, verb, resource, namespace, name, part)

    def _reach(self) -> None:
        control_plane.reach(self._world, self._host)


def _json(thing: Any) -> str:
    import json

    return json.dumps(thing, sort_keys=True, separators=(",", ":"))
