"""/etc/containerd: the runtime's configuration and what it is to trust of registries."""

from __future__ import annotations

from engine.control.kubernetes import registries, runtime
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file


def present(machine: Machine) -> bool:
    """Whether this host is a node of a Kubernetes cluster."""
    return "kubernetes" in machine.node.clusters


def _table(machine: Machine) -> Children:
    world, host = machine.world, machine.host
    place = f"certs.d/{registries.own(world)}"
    return {
        "config.toml": file(runtime.default_text(world, host)),
        f"{place}/hosts.toml": file(registries.hosts_toml(world)),
        f"{place}/ca.crt": file(registries.authority(world)),
    }


DIRECTORY = directory(_table, fixed=True)
