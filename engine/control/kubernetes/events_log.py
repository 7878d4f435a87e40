"""Events: what components tell of objects. Alike ones within an hour are one with a count (client-go's correlator).

The API server forgets events an hour after their last occurrence (--event-ttl).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.kubernetes import store
from engine.control.kubernetes.objects import KubeDict, name_of, namespace_of, time_text, uid_of
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR
from engine.world.records import KubeEvent
from engine.world.world import World

TIME_TO_LIVE = HOUR
NORMAL, WARNING = "Normal", "Warning"


def record(
    simulation: Simulation[World],
    about: KubeDict,
    kind: str,
    reason: str,
    message: str,
    component: str,
    host: str = "",
    field_path: str = "",
    times: int = 1,
) -> None:
    """A component tells something of an object, once or several times; `kind` is Normal or Warning."""
    world, now = simulation.world, simulation.now
    namespace, name = namespace_of(about), name_of(about)
    uid = str(about["metadata"].get("uid", ""))
    mark = (about["kind"], namespace, name, uid, kind, reason, message, component, host, field_path)
    key = f"{namespace or 'default'}/{name}.{_suffix(world, mark)}"
    first, count = now, 0
    if key in world.kube_events and now - world.kube_events[key].last < TIME_TO_LIVE:
        first, count = world.kube_events[key].first, world.kube_events[key].count
    world.kube_events[key] = KubeEvent(
        about["kind"], namespace, name, uid, kind, reason, message, component, host, first, now, count + times,
        about.get("apiVersion", "v1"), field_path, store.touch(simulation),
    )  # fmt: skip
    if now - world.kube[""].swept > TIME_TO_LIVE:
        _forget_old(simulation)


def _suffix(world: World, mark: tuple[str, ...]) -> str:
    """The end of an event's name: client-go makes it of the moment, here it tells alike events (16 digits, as
    theirs).
    """
    return f"18{hash64(world.seed, *mark) >> 8:014x}"


def _forget_old(simulation: Simulation[World]) -> None:
    table = simulation.world.kube_events
    simulation.world.kube.update("", swept=simulation.now)
    for key in table.changed():
        if table[key].last <= simulation.now - TIME_TO_LIVE:
            table.forget(key)


def living(simulation: Simulation[World], namespace: str = "") -> Iterator[tuple[str, KubeEvent]]:
    """The events that the server still has, by key."""
    table = simulation.world.kube_events
    for key in table.changed():
        within = not namespace or key.startswith(f"{namespace}/")
        if within and table[key].last > simulation.now - TIME_TO_LIVE:
            yield key, table[key]


def forget_about(simulation: Simulation[World], key: str) -> None:
    """An event is deleted."""
    simulation.world.kube_events.forget(key)


def as_object(world: World, key: str, event: KubeEvent) -> KubeDict:
    """An event as the server returns it (v1)."""
    namespace, _, name = key.partition("/")
    involved: KubeDict = {"apiVersion": event.api_version, "kind": event.kind, "name": event.object}
    if event.namespace:
        involved["namespace"] = event.namespace
    if event.field_path:
        involved["fieldPath"] = event.field_path
    if event.uid:
        involved["uid"] = event.uid
    first, last = (time_text(world.inventory, time) for time in (event.first, event.last))
    return {
        "apiVersion": "v1", "count": event.count, "eventTime": None, "firstTimestamp": first,
        "involvedObject": involved, "kind": "Event", "lastTimestamp": last, "message": event.message,
        "metadata": {
            "creationTimestamp": first, "name": name, "namespace": namespace,
            "resourceVersion": str(event.version), "uid": uid_of(world.seed, f"event/{key}"),
        },
        "reason": event.reason, "reportingComponent": event.component, "reportingInstance": event.host,
        "source": {"component": event.component} | ({"host": event.host} if event.host else {}),
        "type": event.type,
    }  # fmt: skip
