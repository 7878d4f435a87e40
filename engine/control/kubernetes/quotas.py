"""ResourceQuotas: what a namespace uses of what it may, and pods that would be too much (pkg/quota, the admission
plugin ResourceQuota).

Counted are pods, what pods that have not ended request and limit, and objects by their kind (`configmaps`,
`count/jobs.batch`). Scopes are not looked at. Pods that people, ReplicaSets and Jobs make are checked; DaemonSets and
StatefulSets are not held back here.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.kubernetes import creating, events_log, pod_status, store
from engine.control.kubernetes.objects import (
    KubeDict,
    amount,
    bytes_text,
    cores_text,
    milli,
    name_of,
    namespace_of,
    random_name,
)
from engine.kernel.simulation import Simulation
from engine.world.world import World

QUOTAS = "resourcequotas"
_OF_PODS = ("pods", "count/pods", "cpu", "memory")


def status(simulation: Simulation[World], thing: KubeDict) -> KubeDict:
    """The status of a quota."""
    hard = thing["spec"].get("hard") or {}
    used = _used(simulation.world, namespace_of(thing), list(hard))
    return {"hard": dict(hard), "used": {name: _text(name, count) for name, count in used.items()}}


def refusal(world: World, pod: KubeDict) -> str:
    """Why a quota of its namespace keeps a new pod back, or nothing."""
    for quota in store.objects(world, QUOTAS, namespace_of(pod)):
        hard = {name: _number(name, value) for name, value in (quota["spec"].get("hard") or {}).items()}
        names = [name for name in sorted(hard) if _is_of_pods(name)]
        for name in names:
            lacking = [each["name"] for each in pod["spec"]["containers"] if not _specified(each, name)]
            if lacking:
                return f"failed quota: {name_of(quota)}: must specify {name} for: {','.join(lacking)}"
        used, asked = _used(world, namespace_of(pod), names), _asked(pod, names)
        over = [name for name in names if asked[name] and used[name] + asked[name] > hard[name]]
        if over:
            parts = (
                (word, ",".join(f"{name}={_text(name, found[name])}" for name in over))
                for word, found in (("requested", asked), ("used", used), ("limited", hard))
            )
            return f"exceeded quota: {name_of(quota)}, " + ", ".join(f"{word}: {text}" for word, text in parts)
    return ""


def holds_back(simulation: Simulation[World], owner: KubeDict, teller: str) -> bool:
    """Whether a quota keeps the next pod of a controller back; its event says so."""
    pod = creating.of_template(owner, owner["spec"]["template"])
    why = refusal(simulation.world, pod)
    if why:
        name = pod["metadata"]["generateName"] + random_name(simulation.seed, f"refused/{simulation.now}", 5)
        text = f'Error creating: pods "{name}" is forbidden: {why}'
        events_log.record(simulation, owner, "Warning", "FailedCreate", text, teller)
    return bool(why)


def concerns(world: World, of_store: str, key: str, gone: bool) -> str:
    """The namespace in which a change may let pods through that a quota held back, or nothing."""
    namespace = key.partition("/")[0]
    if of_store == QUOTAS or (of_store == store.PODS and gone and store.keys(world, QUOTAS, namespace)):
        return namespace
    return ""


def _is_of_pods(name: str) -> bool:
    return name in _OF_PODS or name.startswith(("requests.", "limits."))


def _specified(container: KubeDict, name: str) -> bool:
    """Whether a container says how much of CPU or memory it wants, where a quota bounds that."""
    word, _, resource = name.rpartition(".") if "/" not in name else ("", "", "")
    plain = resource or name
    if plain not in ("cpu", "memory"):
        return True
    found = container.get("resources") or {}
    return plain in (found.get("limits" if word == "limits" else "requests") or found.get("limits") or {})


def _asked(pod: KubeDict, names: list[str]) -> dict[str, int]:
    requested, limited = pod_status.requested(pod), dict[str, int]()
    for each in pod["spec"]["containers"]:
        for resource, value in (each.get("resources", {}).get("limits") or {}).items():
            limited[resource] = limited.get(resource, 0) + _number(resource, value)
    found = {}
    for name in names:
        plain = name.removeprefix("count/").removeprefix("requests.").removeprefix("limits.")
        found[name] = (limited if name.startswith("limits.") else requested).get(plain, 0)
    return found


def _used(world: World, namespace: str, names: list[str]) -> dict[str, int]:
    found = dict.fromkeys(names, 0)
    for pod in _living(world, namespace):
        for name, count in _asked(pod, [name for name in names if _is_of_pods(name)]).items():
            found[name] += count
    for name in names:
        if not _is_of_pods(name):
            found[name] = len(store.keys(world, name.removeprefix("count/"), namespace))
    return found


def _living(world: World, namespace: str) -> Iterator[KubeDict]:
    for pod in store.objects(world, store.PODS, namespace):
        run = pod_status.run_of(world, pod)
        if run is None or run.phase not in ("Succeeded", "Failed"):
            yield pod


def _number(name: str, value: object) -> int:
    return milli(value) if name.endswith("cpu") else amount(value)


def _text(name: str, count: int) -> str:
    if name.endswith("cpu"):
        return cores_text(count)
    return bytes_text(count) if name.endswith(("memory", "storage")) else str(count)
