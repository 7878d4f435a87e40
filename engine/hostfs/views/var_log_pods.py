"""/var/log/pods: the logs of a node's containers, as containerd writes them (the CRI log format).

`2026-11-30T09:00:00.123456789Z stdout F text`; a directory for each pod, `<namespace>_<name>_<uid>`, in it one for each
container with a file for each run. Mirror pods go by the hash of their manifest.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control.kubernetes import store
from engine.control.kubernetes.kubelet import runs
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.kernel.calendar import utc
from engine.world.records import ContainerRun

_HASH = "kubernetes.io/config.hash"


def present(machine: Machine) -> bool:
    """Whether this host is a node of a Kubernetes cluster."""
    return "kubernetes" in machine.node.clusters


def _table(machine: Machine) -> Children:
    world = machine.world
    table: dict[str, Node] = {}
    for key, run in runs.of_node(world, machine.host):
        pod = store.find(world, store.PODS, key)
        if pod is None:
            continue
        notes = pod["metadata"].get("annotations") or {}
        folder = f"{key.replace('/', '_')}_{notes.get(_HASH, pod['metadata']['uid'])}"
        for each in (*run.init, *run.containers):
            for number, identifier in _logs(each):
                table[f"{folder}/{each.name}/{number}.log"] = file(_text(identifier), 0o640)
    return table


def _logs(each: ContainerRun) -> list[tuple[int, str]]:
    """(number of the run, container's id) of the last two runs."""
    found = [(each.restarts - 1, each.last.id)] if each.last and each.last.id and each.restarts else []
    return [*found, *([(each.restarts, each.id)] if each.id and each.id not in (i for _, i in found) else [])]


def _text(identifier: str) -> Callable[[Machine], str]:
    def content(machine: Machine) -> str:
        lines = machine.world.kube_logs[identifier].lines
        return "".join(f"{_stamp(machine, time)} stderr F {text}\n" for time, text in lines if time <= machine.now)

    return content


def _stamp(machine: Machine, time: int) -> str:
    moment = machine.inventory.start + time
    return f"{utc(moment):%Y-%m-%dT%H:%M:%S}.{moment % 10**9:09d}Z"


DIRECTORY = directory(_table)
