"""The releases that helm keeps of the installed charts: a secret each."""

from __future__ import annotations

from engine.control.kubernetes import helm_releases
from engine.control.kubernetes.objects import KubeDict, time_text
from engine.world.world import World

_CHARTS = (
    (
        "gpu-operator", "gpu-operator", "gpu-operator", "v25.3.0", "v25.3.0",
        {"driver": {"enabled": False}, "mig": {"strategy": "single"}, "toolkit": {"enabled": False}},
    ),
    (
        "network-operator", "nvidia-network-operator", "network-operator", "24.10.0", "v24.10.0",
        {"nfd": {"enabled": False}},
    ),
)  # fmt: skip


def secrets(world: World, time: int) -> list[KubeDict]:
    """The secrets of the charts that were installed at a moment (ns since the site's start)."""
    found = []
    for name, namespace, chart, version, app, values in _CHARTS:
        text = time_text(world.inventory, time)
        metadata = {"apiVersion": "v2", "appVersion": app, "name": chart, "version": version}
        info = {"description": "Install complete", "first_deployed": text, "last_deployed": text, "status": "deployed"}
        release = {
            "chart": {"metadata": metadata, "values": {}}, "config": values, "info": info, "name": name,
            "namespace": namespace, "version": 1,
        }  # fmt: skip
        found.append(helm_releases.secret(release))
    return found
