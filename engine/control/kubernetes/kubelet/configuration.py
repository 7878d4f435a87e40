"""/var/lib/kubelet/config.yaml: as kubeadm wrote it, and why a kubelet cannot take it.

Texts: cmd/kubelet/app/server.go and pkg/kubelet/kubeletconfig (1.32); libyaml's words for a mistake are go-yaml's, its
line numbers PyYAML's.
"""

from __future__ import annotations

from engine.control import files
from engine.control.kubernetes import control_plane
from engine.world.world import World

PATH = "/var/lib/kubelet/config.yaml"


def default_text(world: World) -> str:
    """The file as the node was set up with."""
    lines = (
        "apiVersion: kubelet.config.k8s.io/v1beta1",
        "authentication:",
        "  anonymous:",
        "    enabled: false",
        "  webhook:",
        "    cacheTTL: 0s",
        "    enabled: true",
        "  x509:",
        "    clientCAFile: /etc/kubernetes/pki/ca.crt",
        "authorization:",
        "  mode: Webhook",
        "cgroupDriver: systemd",
        "clusterDNS:",
        f"- {control_plane.service_address(world, 10)}",
        "clusterDomain: cluster.local",
        "containerRuntimeEndpoint: unix:///var/run/containerd/containerd.sock",
        "healthzBindAddress: 127.0.0.1",
        "healthzPort: 10248",
        "kind: KubeletConfiguration",
        "nodeStatusReportFrequency: 0s",
        "nodeStatusUpdateFrequency: 0s",
        "resolvConf: /run/systemd/resolve/resolv.conf",
        "rotateCertificates: true",
        "staticPodPath: /etc/kubernetes/manifests",
    )
    return "\n".join(lines) + "\n"


def refusal(world: World, host: str) -> str | None:
    """Why the kubelet of a host would not start now, or None."""
    if files.removed(world, host, PATH):
        return _command_failed(
            f'failed to read kubelet config file \\"{PATH}\\", error: open {PATH}: no such file or directory'
        )
    if not files.changed(world, host, PATH):
        return None
    mistake = _mistake(files.text(world, host, PATH, default_text(world)))
    return _command_failed(f"failed to decode, error: yaml: {mistake}") if mistake else None


def _command_failed(why: str) -> str:
    begin = (
        f"failed to load kubelet config file, path: {PATH}, error: failed to load Kubelet config file {PATH}, error "
    )
    return f'run.go:74] "command failed" err="{begin}{why}"'


def _mistake(text: str) -> str | None:
    """Where and how a text is no YAML."""
    import yaml

    try:
        yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        return f"line {line}: {error.problem}"
    except yaml.YAMLError as error:
        return str(error)
    return None
