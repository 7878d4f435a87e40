"""/etc/enroot: the configuration of enroot and the names of its hooks. What the hooks do is told in
engine.control.containers.enroot; their text is left out.
"""

from __future__ import annotations

from engine.control.containers import enroot
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, directory, file

_HOOKS = ("10-aptfix.sh", "10-cgroups.sh", "10-devices.sh", "10-home.sh", "10-localtime.sh", "10-shadow.sh",
          "98-nvidia.sh", "99-mellanox.sh")  # fmt: skip


def present(machine: Machine) -> bool:
    """Whether enroot is on this host."""
    return bool(machine.node.gpus) and enroot.installed(machine.world, machine.host)


def _hook() -> Node:
    return file("#! /usr/bin/env bash\n# breakfix: the text of this hook is left out\n", 0o755)


DIRECTORY = directory(
    {
        "enroot.conf": file(enroot.DEFAULT),
        "environ.d": directory({enroot.ENVIRONMENT.rpartition("/")[2]: file(enroot.DEFAULT_ENVIRONMENT)}),
        "hooks.d": directory({name: _hook() for name in _HOOKS}),
    }
)
