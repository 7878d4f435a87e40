"""Switches and cables of a site, from its groups and cabling rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.kernel.hostlist import expand
from engine.kernel.random import hash64
from engine.sites.model import NodeCabling, RailCabling, SiteModel, SwitchCabling
from engine.sites.product_model import SwitchModel
from engine.world.inventory import Cable, Switch, stable_hexadecimal

_NVIDIA_SWITCH_OUI = 0xB0CF0E
_PART_NUMBERS = {"copper": "MCP4Y10-N002", "optical": "MMA4Z00-NS", "active": "MCA4J80-N004"}


def build_switches(
    site: SiteModel, products: dict[str, SwitchModel], address: Callable[[str, int], str]
) -> tuple[Switch, ...]:
    """All switches, in the order of the file. `address(network, number)` gives an address."""
    switches = []
    for group in site.switches:
        product = products[group.model]
        stands = rack_places(site, group.rack, group.per_rack)
        for offset, name in enumerate(expand(group.names)):
            switches.append(
                Switch(
                    name=name,
                    kind=product.kind,
                    model=group.model,
                    role=group.role,
                    ports=product.ports * (2 if group.split else 1) + group.aggregation,
                    rate=product.rate // (2 if group.split else 1),
                    guid=_NVIDIA_SWITCH_OUI << 40 | 0x03 << 32 | (hash64(site.name, name) & 0xFFFFFF) << 8,
                    firmware=product.firmware,
                    serial="MT" + stable_hexadecimal(10, site.name, name, "serial").upper(),
                    address=address("management", group.first_address + offset),
                    rack=stands(offset)[0],
                    unit=group.unit + stands(offset)[1],
                    system=product.system,
                    os=group.os,
                    split=group.split,
                    bundled=group.bundled,
                    aggregation=group.aggregation,
                )
            )
    return tuple(switches)


def cable_ends(site: SiteModel) -> Iterator[tuple[int, str, str]]:
    """The port ids at both ends of every cable, in the order of the rules, with the number of the rule."""
    for number, rule in enumerate(site.cabling):
        for near, far in _pairs(rule):
            yield number, near, far


def build_cables(site: SiteModel) -> tuple[Cable, ...]:
    """All cables."""
    kinds = [(rule.kind, rule.length_m, site.name, _PART_NUMBERS[rule.kind]) for rule in site.cabling]
    return tuple(Cable(f"{near}--{far}", (near, far), *kinds[rule]) for rule, near, far in cable_ends(site))


def rack_places(site: SiteModel, first: str, per_rack: int | None) -> Callable[[int], tuple[str, int]]:
    """Where the members of a group stand: the rack, and which one in it (from 0), by the number in the group."""
    if per_rack is None:
        return lambda offset: (first, offset)
    racks = rack_names(site)
    start = racks.index(first)
    return lambda offset: (racks[start + offset // per_rack], offset % per_rack)


def rack_names(site: SiteModel) -> list[str]:
    """All racks of a site."""
    return [name for group in site.racks for name in expand(group)]


def _pairs(rule: NodeCabling | RailCabling | SwitchCabling) -> list[tuple[str, str]]:
    if isinstance(rule, NodeCabling):
        return _node_pairs(rule)
    return _rail_pairs(rule) if isinstance(rule, RailCabling) else _switch_pairs(rule)


def _rail_pairs(rule: RailCabling) -> list[tuple[str, str]]:
    rails, width = expand(rule.rails), len(rule.hcas)
    pairs = []
    for number, node in enumerate(expand(rule.nodes)):
        unit, place = divmod(number, rule.unit)
        switches = rails[unit * width : (unit + 1) * width]
        pairs += [
            (f"{node}/{hca}/1", f"{switch}/{rule.first_port + place}")
            for hca, switch in zip(rule.hcas, switches, strict=False)
        ]
    return pairs


def _node_pairs(rule: NodeCabling) -> list[tuple[str, str]]:
    near = [f"{node}/{hca}/1" for node in expand(rule.nodes) for hca in rule.hcas]
    return [(port, f"{rule.to}/{rule.first_port + offset}") for offset, port in enumerate(near)]


def _switch_pairs(rule: SwitchCabling) -> list[tuple[str, str]]:
    switches, others = expand(rule.switches), expand(rule.to_switches)
    block, other_block = rule.block or len(switches), rule.to_block or len(others)
    blocks = [others[start : start + other_block] for start in range(0, len(others), other_block)]
    pairs = []
    for number, near in enumerate(switches):
        turn, chosen = divmod(number // block, len(blocks))
        place = turn * block + number % block
        for other, far in enumerate(blocks[chosen]):
            here = rule.first_port + other * rule.count
            there = rule.first_port_there + place * rule.count
            pairs += [(f"{near}/{here + lane}", f"{far}/{there + lane}") for lane in range(rule.count)]
    return pairs
