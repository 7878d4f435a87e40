"""The kubelet's socket for device plugins, and whether a plugin's container has it.

It is /var/lib/kubelet/device-plugins/kubelet.sock of the node, wherever the kubelet keeps its other files (a constant
of k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1). A plugin finds it only if that folder of the node is mounted there:
with the folder of another distribution (k3s, k0s, microk8s) it listens where nobody asks, and registering times out
after 5 s (k8s-device-plugin internal/plugin/server.go: dial).
"""

from __future__ import annotations

from engine.control.kubernetes.objects import KubeDict

FOLDER = "/var/lib/kubelet/device-plugins"
TIMEOUT = "context deadline exceeded"


def reached(pod: KubeDict) -> bool:
    """Whether a container of a pod has the kubelet's folder at its place."""
    spec = pod["spec"]
    folders = {
        each["name"]: str((each.get("hostPath") or {}).get("path", "")).rstrip("/")
        for each in spec.get("volumes") or ()
    }
    return any(
        folders.get(mount["name"]) == FOLDER
        for each in spec["containers"]
        for mount in each.get("volumeMounts") or ()
        if str(mount.get("mountPath", "")).rstrip("/") == FOLDER
    )
