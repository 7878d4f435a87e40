"""The systemd units that hosts have, read from tables/units.txt: what they run, when they come up in a boot, what they
need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from types import MappingProxyType
from typing import Any

from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Node

NVSWITCH_CONFIG = "/usr/share/nvidia/nvswitch/fabricmanager.cfg"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. `ready_at` is ms after the kernel's start, `takes` ms of a start by hand, `memory` KiB resident, `check`
    names a start check.

    `enabled_where` are the hosts on which it starts at boot. `control_fails`: a failing start is that of a control
    process (forking units and scripts), not of the main process. `shared`: others in the cluster depend on it.
    """

    name: str
    description: str
    command: str = ""
    kind: str = "simple"
    where: str = "all"
    ready_at: int = 15_000
    takes: int = 60
    user: str = "root"
    requires: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    wanted_by: str = "multi-user.target"
    restart: str = "no"
    memory: int = 6_000
    cpu_permille: int = 0
    check: str = ""
    control_fails: bool = False
    shared: bool = False
    documentation: tuple[str, ...] = ()
    enabled: bool = True
    enabled_where: str = "all"
    static: bool = False
    folder: str = "/usr/lib/systemd/system"
    identifier: str = ""
    tasks: int = 1
    limits: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The syslog identifier of its main process."""
        return self.identifier or self.command.partition(" ")[0].rpartition("/")[2]

    @property
    def runs_process(self) -> bool:
        """Whether a process belongs to it while it is active."""
        return self.kind not in ("oneshot", "target", "timer")

    def on(self, node: Node) -> bool:
        """Whether `node` has this unit."""
        return _is(node, self.where)

    def enabled_on(self, node: Node) -> bool:
        """Whether the unit starts at boot on `node`, unless somebody has changed that."""
        return self.enabled and _is(node, self.enabled_where)


BOOT_ENDS = 38_000
"""Milliseconds after the kernel's start at which a node has reached graphical.target."""


@cache
def all_units() -> Mapping[str, Unit]:
    """Every unit of the table by name, in the order in which they come up."""
    units = sorted((_unit(*row) for row in rows("units")), key=lambda each: each.ready_at)
    return MappingProxyType({each.name: each for each in units})


def full_name(name: str) -> str:
    """`ssh.service` of `ssh`; aliases (sshd, nfs-kernel-server) are resolved."""
    full = name if "." in name.rpartition("@")[2] else f"{name}.service"
    return {
        "sshd.service": "ssh.service",
        "nfs-kernel-server.service": "nfs-server.service",
        "chronyd.service": "chrony.service",
        "syslog.service": "rsyslog.service",
        "opensmd.service": "opensm.service",
    }.get(full, full)


def unit(name: str) -> Unit | None:
    """The unit of that name (`slurmd` or `slurmd.service`), or None."""
    return all_units().get(full_name(name))


_PLACES: Mapping[str, Callable[[Node], bool]] = MappingProxyType(
    {
        "all": lambda node: True,
        "gpu": lambda node: bool(node.gpus),
        "rdma": lambda node: bool(node.hcas),
        "head": lambda node: node.role == "head",
        "compute": lambda node: node.role != "head",
        "roce": lambda node: any(hca.link_layer == "Ethernet" and hca.purpose == "compute" for hca in node.hcas),
        "slurm": lambda node: "slurm" in node.clusters,
        "slurm-head": lambda node: "slurm" in node.clusters and node.role == "head",
        "slurm-compute": lambda node: "slurm" in node.clusters and node.role not in ("head", "service"),
        "slurmctld": lambda node: "slurm" in node.clusters and node.role in ("head", "service"),
        "kubernetes": lambda node: "kubernetes" in node.clusters,
        "containerd": lambda node: bool(node.gpus) or "kubernetes" in node.clusters,
        "docker": lambda node: bool(node.gpus) and "kubernetes" not in node.clusters,
        "registry": lambda node: "registry" in node.clusters,
    }
)
"""Which hosts the table's `where` means."""


def _is(node: Node, where: str) -> bool:
    return _PLACES[where](node)


def _unit(name: str, description: str, command: str, marks: str) -> Unit:
    """A row of the table: what it does not mark is as in the class above."""
    usual = {field.name: field.default for field in fields(Unit)}
    values: dict[str, Any] = {}
    for mark in marks.split():
        key, given, text = mark.partition("=")
        values[key] = _value(usual[key], text) if given else True
    return Unit(name, description, command.replace("{nvswitch}", NVSWITCH_CONFIG), **values)


def _value(usual: object, text: str) -> object:
    """The text in the type of the usual value."""
    if isinstance(usual, bool):
        return text != "no"
    if isinstance(usual, int):
        return int(text)
    return tuple(text.split(",")) if isinstance(usual, tuple) else text
