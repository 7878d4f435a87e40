"""What hosts set on their Ethernet adapters: quality of service, RoCE settings, and roce-qos.service, which sets both.

An adapter's own settings are as mlx5 begins: trust pcp, no PFC, priorities 0 and 1 swapped, congestion notifications
on for all priorities. They come back when the adapter is reset. So hosts of a RoCE site have a unit that sets theirs:
trust, PFC, ECN and traffic class from /etc/default/roce-qos, on every Ethernet adapter. The unit and its file are the
site's own; the settings are those of mlnx_qos, sysfs and cma_roce_tos.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from engine.control import files, service_state
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.events import NodeStopping, NodeUp, ServiceChanged
from engine.world.inventory import Hca
from engine.world.records import PortQos, RoceSettings
from engine.world.records.ethernet import PRIORITIES, TRUST_DSCP, TRUST_PCP
from engine.world.world import World

UNIT = "roce-qos.service"
FILE = "/etc/default/roce-qos"

BARE = PortQos(classes=(1, 0, 2, 3, 4, 5, 6, 7), cable_m=7)
"""An adapter's quality of service as the driver begins."""

_ETHERNET = "Ethernet"
_CNP_DSCP, _CNP_PRIORITY, _MASK = "CNP_DSCP_P1", "CNP_802P_PRIO_P1", "ROCE_CC_PRIO_MASK_P1"


def adapters(world: World, host: str) -> list[Hca]:
    """The host's Ethernet adapters."""
    return [hca for hca in world.node(host).hcas if hca.link_layer == _ETHERNET]


def roce_of(firmware: Mapping[str, int]) -> RoceSettings:
    """How a port speaks RoCE after a reset, by the settings of its firmware."""
    mask = firmware.get(_MASK, 255)
    on = tuple(bool(mask >> priority & 1) for priority in range(PRIORITIES))
    dscp, priority = firmware.get(_CNP_DSCP, 48), firmware.get(_CNP_PRIORITY, 6)
    return RoceSettings(notifies=on, reacts=on, cnp_dscp=dscp, cnp_priority=priority)


def lose_settings(simulation: Simulation[World], hcas: Iterable[Hca], firmware: Mapping[str, int]) -> None:
    """Adapters were reset."""
    world = simulation.world
    lost = [hca for hca in hcas if hca.link_layer == _ETHERNET]
    with _changing(simulation, lost):
        for hca in lost:
            if world.port_qos[hca.port] != BARE:
                world.port_qos[hca.port] = BARE
            if world.roce[hca.port] != roce_of(firmware):
                world.roce[hca.port] = roce_of(firmware)


@contextmanager
def _changing(simulation: Simulation[World], hcas: Iterable[Hca]) -> Iterator[None]:
    """What flows through these adapters is treated in another way from now on."""
    if not simulation.world.bundles.changed():
        yield
        return
    from engine.physics.ethernet.settings import changing

    with changing(simulation, [hca.port for hca in hcas]):
        yield


# --- roce-qos.service -------------------------------------------------------------------------------------------------


def usual_file(world: World, host: str) -> str:
    """The text of /etc/default/roce-qos as the site has it."""
    found = [hca for hca in world.inventory.node(host).hcas if hca.link_layer == _ETHERNET]
    if not found:
        return ""
    qos, roce = world.inventory.first_qos(found[0].port), world.inventory.first_roce
    lines = [
        "# Quality of service of this host's Ethernet adapters; roce-qos.service sets it at boot and at each restart.",
        "# Lists are for priorities 0 to 7. The switches have to agree.",
        f"TRUST={qos.trust}",
        f"PFC={_flags(qos.pause_sent)}",
        f"ECN_NP={_flags(roce.notifies)}",
        f"ECN_RP={_flags(roce.reacts)}",
        f"CNP_DSCP={roce.cnp_dscp}",
        f"CNP_PRIO={roce.cnp_priority}",
    ]
    lines += [f"TRAFFIC_CLASS={roce.traffic_class}"] if roce.traffic_class is not None else []
    lines += [f"CMA_TOS={roce.connection_tos}"] if roce.connection_tos else []
    return "\n".join(lines) + "\n"


def default_files(world: World, host: str) -> dict[str, str]:
    """The unit's file by its path, on hosts that have the unit."""
    return {FILE: usual_file(world, host)} if service_state.find(world, host, UNIT) else {}


def apply_file(simulation: Simulation[World], host: str) -> None:
    """Set on every Ethernet adapter what the file says; a line that makes no sense is passed over."""
    world = simulation.world
    values = _values(files.text(world, host, FILE, usual_file(world, host)))
    found = adapters(world, host)
    with _changing(simulation, found):
        for hca in found:
            world.port_qos[hca.port] = _qos(world.port_qos[hca.port], values)
            world.roce[hca.port] = _roce(world.roce[hca.port], values)


def begin_anew(simulation: Simulation[World], host: str) -> None:
    """What the unit sets on adapters that have nothing but their own settings."""
    lose_settings(simulation, adapters(simulation.world, host), {})
    apply_file(simulation, host)


def _values(text: str) -> dict[str, str]:
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


def _qos(before: PortQos, values: dict[str, str]) -> PortQos:
    changes: dict[str, object] = {}
    if values.get("TRUST") in (TRUST_DSCP, TRUST_PCP):
        changes["trust"] = values["TRUST"]
    pauses = _switches(values.get("PFC", ""))
    if pauses:
        changes |= {"pause_sent": pauses, "pause_obeyed": pauses}
    return dataclasses.replace(before, **changes)  # type: ignore[arg-type]


def _roce(before: RoceSettings, values: dict[str, str]) -> RoceSettings:
    changes: dict[str, object] = {}
    for name, field in (("ECN_NP", "notifies"), ("ECN_RP", "reacts")):
        if found := _switches(values.get(name, "")):
            changes[field] = found
    limits = {"CNP_DSCP": ("cnp_dscp", 63), "CNP_PRIO": ("cnp_priority", 7), "CMA_TOS": ("connection_tos", 255)}
    for name, (field, most) in {**limits, "TRAFFIC_CLASS": ("traffic_class", 255)}.items():
        text = values.get(name, "")
        if text.isdigit() and int(text) <= most:
            changes[field] = int(text)
    return dataclasses.replace(before, **changes)  # type: ignore[arg-type]


def _switches(text: str) -> tuple[bool, ...]:
    words = text.split(",")
    return tuple(word == "1" for word in words) if len(words) == PRIORITIES and set(words) <= {"0", "1"} else ()


def _flags(values: tuple[bool, ...]) -> str:
    return ",".join(str(int(value)) for value in values)


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    """The next boot begins with what the unit of an untouched host sets; `_node_up` corrects the others."""
    world = simulation.world
    for hca in world.inventory.node(event.node).hcas:
        world.port_qos.forget(hca.port)
        world.roce.forget(hca.port)


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    world = simulation.world
    found = adapters(world, event.node)
    if not found or service_state.find(world, event.node, UNIT) is None:
        return
    if not service_state.is_active(world, event.node, UNIT):
        lose_settings(simulation, found, {})
    elif files.changed(world, event.node, FILE):
        begin_anew(simulation, event.node)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit == UNIT and event.active:
        apply_file(simulation, event.host)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ServiceChanged, _service_changed),
)
