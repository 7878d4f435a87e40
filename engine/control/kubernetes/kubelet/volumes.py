"""Volumes of a pod before its sandbox is made: ConfigMaps, Secrets and claims must be there.

A kubelet tries again after 0.5 s, then twice as long each time, up to 2 min 2 s (nestedpendingoperations).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.kubernetes import store
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict, namespace_of
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.world import World

Sim = Simulation[World]
_FIRST, _LONGEST = 500 * MILLISECOND, 122 * SECOND
_AUTOMATIC = "kube-root-ca.crt"


def mount(simulation: Sim, pod: KubeDict) -> bool:
    """Whether all volumes of a pod can be mounted; what cannot is told."""
    for name, why in _missing(simulation.world, pod):
        runs.say(simulation, pod, "Warning", "FailedMount", f'MountVolume.SetUp failed for volume "{name}" : {why}')
        run = simulation.world.kube_pods[store.key_of(pod)]
        runs.change(simulation, store.key_of(pod), sandboxes=run.sandboxes + 1)
        return False
    return True


def again(simulation: Sim, key: str) -> int:
    """How long the kubelet waits before it tries again (ns)."""
    return min(_FIRST << min(simulation.world.kube_pods[key].sandboxes, 8), _LONGEST)


def _missing(world: World, pod: KubeDict) -> Iterator[tuple[str, str]]:
    namespace = namespace_of(pod)
    for volume in pod["spec"].get("volumes") or ():
        for kind, field, plural in (("configMap", "name", "configmaps"), ("secret", "secretName", "secrets")):
            wanted = volume.get(kind)
            if wanted and not wanted.get("optional") and not _there(world, plural, namespace, wanted[field]):
                yield volume["name"], f'{plural.removesuffix("s")} "{wanted[field]}" not found'


def _there(world: World, plural: str, namespace: str, name: str) -> bool:
    return name == _AUTOMATIC or store.exists(world, plural, f"{namespace}/{name}")
