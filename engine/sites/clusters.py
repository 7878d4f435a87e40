"""The cluster software of a site: which hosts belong to Slurm, which to Kubernetes and with which part."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.names import unknown
from engine.kernel.units import duration
from engine.sites.model import SiteModel
from engine.world import inventory as inv

Path = tuple[str | int, ...]

SLURM, KUBERNETES, CONTROL_PLANE, REGISTRY = "slurm", "kubernetes", "control-plane", "registry"


def clusters_of(site: SiteModel) -> dict[str, tuple[str, ...]]:
    """What cluster software each host belongs to."""
    found: dict[str, tuple[str, ...]] = {}
    if site.slurm or site.kubernetes is None:
        found = {name: (SLURM,) for group in site.nodes for name in expand(group.names)}
    if site.kubernetes:
        own = site.kubernetes
        parts = [(own.control_plane, (KUBERNETES, CONTROL_PLANE)), (own.workers, (KUBERNETES,))]
        for names, marks in [*parts, (own.registry, (REGISTRY,))]:
            found |= {name: (*found.get(name, ()), *marks) for name in expand(names)}
    return found


def kubernetes(site: SiteModel) -> inv.Kubernetes | None:
    """The site's Kubernetes cluster, or None."""
    own = site.kubernetes
    if own is None:
        return None
    return inv.Kubernetes(
        control_plane=tuple(expand(own.control_plane)),
        workers=tuple(expand(own.workers)),
        registry=own.registry,
        pod_network=own.pod_network,
        service_network=own.service_network,
        admins=tuple(own.admins),
        users=tuple(own.users.items()),
        workloads=tuple((duration(each.created_before), json.dumps(each.manifest)) for each in own.workloads),
    )


def kubernetes_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    """Hosts and people that the cluster names and the site does not have, and durations that are none."""
    own = site.kubernetes
    if own is None:
        return
    nodes = {name for group in site.nodes for name in expand(group.names)}
    for field in ("control_plane", "workers", "registry"):
        for name in expand(getattr(own, field)):
            if name not in nodes:
                yield ("kubernetes", field), unknown("node", name, nodes)
    people = [user.name for user in site.users]
    for index, name in enumerate(own.admins):
        if name not in people:
            yield ("kubernetes", "admins", index), unknown("user", name, people)
    for name in own.users:
        if name not in people:
            yield ("kubernetes", "users", name), unknown("user", name, people)
    for index, workload in enumerate(own.workloads):
        try:
            duration(workload.created_before)
        except BreakfixError as error:
            yield ("kubernetes", "workloads", index, "created_before"), error.message
