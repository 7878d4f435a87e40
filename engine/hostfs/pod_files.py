"""Files that a kubelet puts into a pod's containers: /etc/hosts and /etc/resolv.conf (pkg/kubelet/kubelet_pods.go)."""

from __future__ import annotations

from engine.control.kubernetes import dns
from engine.control.kubernetes.pod_status import run_of
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, file
from engine.world.records import Container

_HOSTS = """# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
"""


def files(machine: Machine, each: Container) -> dict[str, Node]:
    """The files by name; none for a container that is no pod's."""
    if each.engine != "containerd":
        return {}
    pod = dns.pod_of(machine.world, machine.host, each.id)
    run = run_of(machine.world, pod) if pod else None
    if pod is None or run is None or each.network == "host":
        return {}
    return {
        "hosts": file(f"{_HOSTS}{run.address}\t{each.hostname}\n"),
        "resolv.conf": file(dns.resolv_conf(machine.world, pod["metadata"]["namespace"])),
    }
