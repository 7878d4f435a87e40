"""The quality of service with which Ethernet ports of a site begin, by operating system of the switch.

Cumulus Linux: what `nv set qos roce` sets on Spectrum (outputs of CL 5.x: PFC on priority 3 for 100 m of cable, ECN on
traffic classes 0 and 3 from 150 kB to 1.5 MB, SP6 strict, TC0 and TC3 50 % each). SONiC: the templates of
sonic-buildimage (DSCP_TO_TC_MAP AZURE, PFC on 3 and 4, DWRR 14 and 15 %, WRED AZURE_LOSSLESS as rendered for Mellanox
2 MB to 10 MB with 5 %, pfcwd start_default) with the site's own line for RoCE's DSCP. Adapters: mlx5 as it comes
(trust pcp, no PFC, priorities 0 and 1 swapped), and as NVIDIA's guides set it up (mlnx_qos --trust dscp, PFC on one
priority). The XOFF threshold of SONiC ports stands for a share of the pool: 4 MB is a guess, that of Cumulus 1 MB too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypedDict

from engine.kernel.hostlist import expand
from engine.kernel.random import hash64
from engine.sites.model import RoceModel, SiteModel
from engine.world.records.ethernet import (
    DSCPS,
    PRIORITIES,
    TRUST_DSCP,
    EthernetSwitch,
    PortQos,
    RoceSettings,
    Watchdog,
    only,
)

CUMULUS, SONIC = "cumulus", "sonic"

ROCE_ECT = 2
"""The ECN bits that say that a sender can be told of congestion, beside the DSCP in the type of service."""

_SEEDS = 1 << 32
_AZURE_MAP = {3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6}
_AZURE_REST = 1
_NIC_CABLE_M = 7
_NIC_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)


def bare_nic() -> PortQos:
    """A port of an adapter as its firmware comes."""
    return PortQos(classes=_NIC_CLASSES, cable_m=_NIC_CABLE_M)


def cumulus_roce(priority: int) -> PortQos:
    """A port of a Cumulus switch after `nv set qos roce`."""
    return PortQos(
        trust=TRUST_DSCP,
        classes=tuple(each if each in (priority, 6) else 0 for each in range(PRIORITIES)),
        pause_sent=only(priority),
        pause_obeyed=only(priority),
        marks=only(0, priority),
        weights=tuple(50 if each in (0, priority) else 0 for each in range(PRIORITIES)),
        strict=only(6),
    )


def sonic_default() -> PortQos:
    """A port of a SONiC switch as its templates set it: DSCP 26 is in priority 1, which is not lossless."""
    return PortQos(
        trust=TRUST_DSCP,
        priorities=tuple(_AZURE_MAP.get(dscp, _AZURE_REST) for dscp in range(DSCPS)),
        pause_sent=only(3, 4),
        pause_obeyed=only(3, 4),
        marks=only(3, 4),
        mark_from=2_000_000,
        mark_top=10_000_000,
        mark_most=50_000,
        weights=(14, 14, 14, 15, 15, 14, 14, 0),
        cable_m=5,
        pause_at=4_000_000,
        resume_at=3_950_000,
        watchdog=Watchdog(on=True),
    )


def sonic_roce(roce: RoceModel) -> PortQos:
    """A port of a SONiC switch with RoCE's DSCP mapped to the site's priority, and headroom for its cables."""
    bare = sonic_default()
    mapped = tuple(roce.priority if dscp == roce.dscp else to for dscp, to in enumerate(bare.priorities))
    return replace(bare, priorities=mapped, cable_m=roce.cable_m)


def nic_roce(priority: int) -> PortQos:
    """A port of an adapter set up for RoCE by its host."""
    return replace(bare_nic(), trust=TRUST_DSCP, pause_sent=only(priority), pause_obeyed=only(priority))


def _kinds(site: SiteModel) -> Callable[[], dict[str, str]]:
    """The operating system of each switch, worked out when somebody asks."""

    @cache
    def kinds() -> dict[str, str]:
        return {name: group.os for group in site.switches for name in expand(group.names)}

    return kinds


def first_qos(site: SiteModel) -> Callable[[str], PortQos]:
    """What each port of a site has that nobody changed; one without an operating system has one queue that drops."""
    kinds = _kinds(site)

    @cache
    def of(kind: str | None) -> PortQos:
        roce = site.roce or RoceModel()
        if kind is None:
            return nic_roce(roce.priority) if site.roce else bare_nic()
        return {CUMULUS: cumulus_roce(roce.priority), SONIC: sonic_roce(roce), "": PortQos()}[kind]

    return lambda port: of(kinds().get(port.partition("/")[0]))


def first_roce(site: SiteModel) -> RoceSettings:
    """How adapters of a site speak RoCE: where it is set up, with its DSCP for everything that they send."""
    if site.roce is None:
        return RoceSettings()
    service = site.roce.dscp << 2 | ROCE_ECT
    return RoceSettings(traffic_class=service, connection_tos=service)


def first_switch(site: SiteModel) -> Callable[[str], EthernetSwitch]:
    """How each switch of a site spreads flows: with a seed of its own, or by load where its system does that."""
    kinds = _kinds(site)
    adaptive = bool(site.roce and site.roce.adaptive_routing)

    def first(name: str) -> EthernetSwitch:
        seed = hash64(site.name, "hash seed", name) % _SEEDS
        return EthernetSwitch(hash_seed=seed, adaptive=adaptive and kinds().get(name) == CUMULUS)

    return first


class FirstSettings(TypedDict):
    """What an inventory knows of how its Ethernet begins."""

    first_qos: Callable[[str], PortQos]
    first_roce: RoceSettings
    first_switch: Callable[[str], EthernetSwitch]


def first_settings(site: SiteModel) -> FirstSettings:
    """How the Ethernet of a site begins."""
    return {"first_qos": first_qos(site), "first_roce": first_roce(site), "first_switch": first_switch(site)}
