"""A cluster to play with, and short ways to ask and to change it."""

from __future__ import annotations

from functools import cache
from typing import Any

from engine.control.kubernetes.api import ApiServer
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.resources import Resource
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World

GPU = "nvidia.com/gpu"
BUSYBOX = "busybox:1.36"
EMBED = "reg-01.borealis.example:5000/serving/embed:2.4.0"
VECTOR_ADD = "nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0-ubuntu22.04"


@cache
def _opened(seed: int) -> Simulation[World]:
    return open_site("k8s-ib-3", seed)


class Cluster:
    """The site's cluster and its API server."""

    def __init__(self, seed: int = 1) -> None:
        self.simulation: Simulation[World] = _opened(seed).fork()
        self.api = ApiServer(self.simulation, "alex")

    @property
    def world(self) -> World:
        return self.simulation.world

    def resource(self, name: str) -> Resource:
        found = self.api.resource(name)
        assert found is not None
        return found

    def wait(self, seconds: int) -> None:
        self.simulation.advance(seconds * SECOND)

    def get(self, kind: str, namespace: str, name: str) -> KubeDict:
        return self.api.get(self.resource(kind), namespace, name)

    def items(self, kind: str, namespace: str = "", **selectors: str) -> list[KubeDict]:
        found: list[KubeDict] = self.api.list(self.resource(kind), namespace, **selectors)["items"]
        return found

    def cells(self, kind: str, namespace: str, name: str) -> dict[str, Any]:
        """The row of an object in the server's table, by column."""
        resource = self.resource(kind)
        table = self.api.table(resource, [self.get(kind, namespace, name)])
        return dict(zip((each["name"] for each in table["columnDefinitions"]), table["rows"][0]["cells"], strict=True))

    def word(self, namespace: str, pod: str) -> str:
        """The STATUS of a pod."""
        return str(self.cells("pods", namespace, pod)["Status"])

    def create(self, kind: str, namespace: str, manifest: KubeDict) -> KubeDict:
        return self.api.create(self.resource(kind), namespace, manifest)

    def pod(
        self, name: str, image: str = BUSYBOX, command: Any = ("sleep", "3600"), gpus: int = 0, **spec: Any
    ) -> KubeDict:
        """A pod of one container in the namespace research."""
        container: KubeDict = {"name": "c", "image": image, "command": list(command)}
        if not command:
            del container["command"]
        if gpus:
            container["resources"] = {"limits": {GPU: str(gpus)}}
        manifest = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"containers": [container], **spec},
        }  # fmt: skip
        return self.create("pods", "research", manifest)

    def events(self, reason: str, namespace: str = "research") -> list[KubeDict]:
        """The events of a reason."""
        return [each for each in self.items("events", namespace) if each["reason"] == reason]

    def allocatable(self, node: str) -> int:
        return int(self.get("nodes", "", node)["status"]["allocatable"].get(GPU, "0"))

    def ready(self, node: str) -> KubeDict:
        """The Ready condition of a node."""
        conditions = self.get("nodes", "", node)["status"]["conditions"]
        return next(each for each in conditions if each["type"] == "Ready")
