"""Switches, cables and adapters of a site that has a netlist, as records of the inventory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.sites.imported import SWITCH_MODEL, Adapter, ImportedFabric, identity, rate_of
from engine.sites.product_model import SwitchModel
from engine.world.fabric import AGGREGATION
from engine.world.inventory import Cable, Node, Switch, stable_hexadecimal

_LENGTH_M, _PART_NUMBER = 10, "MMA4Z00-NS"


def imported_switches(site: str, fabric: ImportedFabric, products: Mapping[str, SwitchModel]) -> tuple[Switch, ...]:
    """The switches; what their files do not say is that of a QM9700."""
    product = products[SWITCH_MODEL]
    return tuple(
        Switch(
            name=name,
            kind=product.kind,
            model=SWITCH_MODEL,
            role="leaf",
            ports=node.ports,
            rate=rate_of(node),
            guid=node.guid,
            firmware=product.firmware,
            serial="MT" + stable_hexadecimal(10, site, name, "serial").upper(),
            address=f"10.20.{200 + place // 250}.{place % 250 + 1}",
            rack="R01",
            unit=1,
            system=product.system,
            identity=identity(node),
            aggregation=name in fabric.aggregation,
            aggregation_guid=fabric.aggregation[name].guid if name in fabric.aggregation else 0,
        )
        for place, (name, node) in enumerate(fabric.switches.items())
    )


def imported_cables(site: str, fabric: ImportedFabric) -> tuple[Cable, ...]:
    """One for each pair of ports."""
    devices = fabric.ports()
    adapters = [each.node for found in fabric.hosts.values() for each in found]
    inside = {node.identifier for node in fabric.aggregation.values()}
    nodes = [*fabric.switches.values(), *adapters]
    cables = {}
    for node in nodes:
        for number, link in node.links.items():
            if link.peer in inside:
                continue
            near, far = _port(devices, node.identifier, number), _port(devices, link.peer, link.peer_port)
            ends = (near, far) if near < far else (far, near)
            cables[ends] = Cable("--".join(ends), ends, "optical", _LENGTH_M, site, _PART_NUMBER)
    return tuple(cables.values())


def _port(devices: Mapping[str, str], identifier: str, number: int) -> str:
    """The id of a port: an adapter's only one is its first."""
    device = devices[identifier]
    return f"{device}/1" if "/" in device else f"{device}/{number}"


def imported_lids(fabric: ImportedFabric) -> Mapping[str, int]:
    """LIDs that the file gives, by end port."""
    switches = {f"{name}/0": node.lid for name, node in fabric.switches.items()}
    adapters = {
        f"{host}/{each.device}/1": link.lid
        for host, found in fabric.hosts.items()
        for each in found
        for link in each.node.links.values()
    }
    inside = {f"{name}/{AGGREGATION}/1": node.links[1].lid for name, node in fabric.aggregation.items()}
    return {port: lid for port, lid in (switches | adapters | inside).items() if lid}


def adapter_guids(host: str, adapters: tuple[Adapter, ...]) -> Mapping[str, int]:
    """The GUIDs of a host's ports."""
    return {f"{host}/{each.device}/1": _port_guid(each) for each in adapters}


def with_adapters(node: Node, adapters: tuple[Adapter, ...]) -> Node:
    """A host with its adapters as the netlist has them."""
    if not adapters:
        return node
    told = {each.device: each for each in adapters}
    hcas = tuple(
        replace(
            hca,
            guid=told[hca.name].node.guid,
            port_guid=_port_guid(told[hca.name]),
            rate=rate_of(told[hca.name].node),
            identity=identity(told[hca.name].node),
        )
        if hca.name in told
        else hca
        for hca in node.hcas
    )
    return replace(node, hcas=hcas)


def _port_guid(adapter: Adapter) -> int:
    return adapter.node.port_guid(min(adapter.node.links, default=1))
