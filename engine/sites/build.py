"""From a site file to an inventory. Mistakes that only show across entries are reported as file:line, all at once."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from engine.kernel.documents import Document, DocumentError, Problem
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.names import unknown
from engine.kernel.units import SECOND, duration
from engine.kernel.validation import validate
from engine.sites import catalogue
from engine.sites.clusters import clusters_of, kubernetes, kubernetes_mistakes
from engine.sites.ethernet import first_settings
from engine.sites.fabric import build_cables, build_switches, cable_ends, rack_names, rack_places
from engine.sites.imported import ImportedFabric, host_board, imported
from engine.sites.imported_parts import (
    adapter_guids,
    imported_cables,
    imported_lids,
    imported_switches,
    with_adapters,
)
from engine.sites.model import (
    BoardModel,
    JobModel,
    NodeGroup,
    QueuedJobModel,
    RailCabling,
    SiteModel,
    StandingModel,
    SwitchGroup,
    TrainingModel,
)
from engine.sites.node import NodePlace, build_node, node_addresses, port_guids
from engine.sites.standing import slurm_mistakes, with_standing
from engine.world import inventory as inv
from engine.world.aggregation import node_of, wire_of

Path = tuple[str | int, ...]

_GPU = "hardware.gpu"
"""The setting (--set) that puts other GPUs on the site's boards, by the product's short name."""


def load_site(
    name: str, overrides: Mapping[str, str] | None = None, standing: StandingModel | None = None
) -> inv.Inventory:
    """The inventory of the packaged site `name`; `overrides` are `--set` values such as {"software.slurm": "22.05"}."""
    return build_inventory(catalogue.site_document(name), overrides or {}, standing)


def build_inventory(
    document: Document, overrides: Mapping[str, str], standing: StandingModel | None = None
) -> inv.Inventory:
    """The inventory that a site document describes, with other work in its queue where `standing` says so.

    Raises DocumentError for mistakes in it, BreakfixError for bad overrides.
    """
    site = validate(document, SiteModel)
    told = (Problem(document.locate(path), text) for path, text in _mistakes(site))
    problems = list(dict.fromkeys(told))  # a switch that is missing is missing for each of its cables
    if problems:
        raise DocumentError(problems)
    site = with_standing(site, standing)
    places = _places(site)
    boards = {name: group.board for group in site.nodes for name in expand(group.names)}
    fabric = imported(site.netlist, document.name) if site.netlist else ImportedFabric({}, {}, {})
    first: dict[tuple[object, ...], str] = {}
    for name in places:
        first.setdefault(_kind(name, boards, places, fabric), name)
    addresses, other_gpu = _Addresses(site), _other_gpu(overrides)
    return inv.Inventory(
        name=site.name,
        title=site.title,
        start=_epoch(site.start),
        timezone=site.timezone,
        domain=site.domain,
        cluster=site.cluster,
        login_host=site.login_host,
        learner=site.learner,
        software=_software(site, overrides),
        node_names=tuple(places),
        users=tuple(inv.User(u.name, u.uid, u.full_name, tuple(u.groups)) for u in site.users),
        partitions=_partitions(site),
        slurm_operators=tuple(site.slurm.operators) if site.slurm else (),
        standing_jobs=(*map(_standing_job, site.jobs), *map(_standing_job, site.queue)),
        racks=tuple(rack_names(site)),
        inlet_temperature=site.inlet_temperature * 1000,
        notes=site.notes,
        make_node=lambda name: _node(places[name], _board(boards[name], other_gpu), fabric),
        addresses=lambda name: node_addresses(places[name], _board(boards[name])),
        place=lambda name: (places[name].rack, places[name].unit),
        pattern=lambda name: first[_kind(name, boards, places, fabric)],
        make_switches=lambda: _switches(site, fabric, addresses),
        make_cables=lambda: _cables(site, fabric, addresses),
        make_inside=lambda: tuple(map(node_of, _aggregating(site, fabric, addresses))),
        port_guids=lambda name: _port_guids(places[name], _board(boards[name]), fabric),
        **first_settings(site),
        given_lids=imported_lids(fabric),
        kubernetes=kubernetes(site),
    )


def _partitions(site: SiteModel) -> tuple[inv.Partition, ...]:
    found = site.slurm.partitions if site.slurm else ()
    return tuple(inv.Partition(p.name, tuple(expand(p.nodes)), p.default, p.max_time) for p in found)


def _node(place: NodePlace, board: BoardModel, fabric: ImportedFabric) -> inv.Node:
    adapters = fabric.hosts.get(place.name, ())
    return with_adapters(build_node(place, host_board(board, adapters), catalogue.gpu_products()), adapters)


def _port_guids(place: NodePlace, board: BoardModel, fabric: ImportedFabric) -> dict[str, int]:
    return {**port_guids(place, board), **adapter_guids(place.name, fabric.hosts.get(place.name, ()))}


def _switches(site: SiteModel, fabric: ImportedFabric, addresses: _Addresses) -> tuple[inv.Switch, ...]:
    products = catalogue.switch_products()
    return (*build_switches(site, products, addresses.host), *imported_switches(site.name, fabric, products))


def _aggregating(site: SiteModel, fabric: ImportedFabric, addresses: _Addresses) -> tuple[inv.Switch, ...]:
    """Switches with an aggregation node."""
    some = fabric.aggregation or any(group.aggregation for group in site.switches)
    return tuple(each for each in _switches(site, fabric, addresses) if each.aggregation) if some else ()


def _cables(site: SiteModel, fabric: ImportedFabric, addresses: _Addresses) -> tuple[inv.Cable, ...]:
    inside = (wire_of(switch, site.name) for switch in _aggregating(site, fabric, addresses))
    return (*build_cables(site), *imported_cables(site.name, fabric), *inside)


def _kind(
    name: str, boards: Mapping[str, str], places: Mapping[str, NodePlace], fabric: ImportedFabric
) -> tuple[object, ...]:
    """Nodes for which this is the same have the same parts."""
    place, adapters = places[name], tuple(each.device for each in fabric.hosts.get(name, ()))
    return boards[name], place.role, place.clusters, adapters


def _board(name: str, gpu: str | None = None) -> BoardModel:
    """A board, with other GPUs than its own if it has any."""
    board = catalogue.board(name)
    assert board is not None
    return board.model_copy(update={"gpu": gpu}) if gpu and board.gpu else board


def _other_gpu(overrides: Mapping[str, str]) -> str | None:
    """The GPU product that is to take the place of the boards' own. Raises BreakfixError for one that there is not."""
    gpu = overrides.get(_GPU)
    if gpu is not None and gpu not in catalogue.gpu_products():
        raise BreakfixError(unknown("GPU product", gpu, catalogue.gpu_products()))
    return gpu


def _epoch(start: str) -> int:
    """ns since 1970 of the site's start, read as UTC; the site's time zone only affects how times are shown."""
    return int(datetime.strptime(start, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC).timestamp()) * SECOND


class _Addresses:
    """Addresses by network and host number."""

    def __init__(self, site: SiteModel) -> None:
        self._networks = {name: ipaddress.ip_network(network.subnet) for name, network in site.networks.items()}

    def cidr(self, network: str, number: int) -> str:
        subnet = self._networks[network]
        return f"{subnet.network_address + number}/{subnet.prefixlen}"

    def host(self, network: str, number: int) -> str:
        return str(self._networks[network].network_address + number)


def _places(site: SiteModel) -> dict[str, NodePlace]:
    addresses, clusters = _Addresses(site), clusters_of(site)
    places: dict[str, NodePlace] = {}
    for group in site.nodes:
        stands = rack_places(site, group.rack, group.per_rack)
        for offset, name in enumerate(expand(group.names)):
            number, (rack, place) = group.first_address + offset, stands(offset)
            networks = {network: addresses.cidr(network, number) for network in site.networks}
            unit = group.unit + group.unit_step * place
            places[name] = NodePlace(
                site.name, len(places), name, group.role, rack, unit, networks, clusters.get(name, ())
            )
    return places


def _software(site: SiteModel, overrides: Mapping[str, str]) -> Mapping[str, str]:
    software = dict(site.software)
    for path, value in overrides.items():
        area, _, key = path.partition(".")
        if path == _GPU:
            continue
        if area != "software" or key not in software:
            known = [*(f"software.{name}" for name in software), _GPU]
            raise BreakfixError(
                unknown("setting", path, known), "Settings are site facts, such as --set software.driver=590.48.01."
            )
        software[key] = value
    return MappingProxyType(software)


def _standing_job(job: JobModel | QueuedJobModel) -> inv.StandingJob:
    since = job.started_before if isinstance(job, JobModel) else job.submitted_before
    return inv.StandingJob(
        name=job.name,
        user=job.user,
        partition=job.partition,
        nodes=tuple(expand(job.nodes)) if isinstance(job, JobModel) else (),
        gpus_per_node=job.gpus_per_node,
        workload=job.workload,
        started_before=duration(since),
        time_limit=duration(job.time_limit),
        waits_for=0 if isinstance(job, JobModel) else job.node_count,
        options=_training_options(job.training) if job.training else (),
        variables=tuple(sorted(job.training.variables.items())) if job.training else (),
    )


# Setting of a training job -> option of its program (Megatron-LM's names).
_TRAINING_OPTIONS = {
    "layers": "num-layers",
    "hidden": "hidden-size",
    "sequence": "seq-length",
    "tensor_parallel": "tensor-model-parallel-size",
    "pipeline_parallel": "pipeline-model-parallel-size",
    "micro_batch": "micro-batch-size",
    "global_batch": "global-batch-size",
    "checkpoint_interval": "save-interval",
    "log_interval": "log-interval",
}


def _training_options(training: TrainingModel) -> tuple[tuple[str, str], ...]:
    """A training job's settings as the options of its program."""
    stated = ((option, getattr(training, name)) for name, option in _TRAINING_OPTIONS.items())
    return tuple((option, str(value)) for option, value in stated if value is not None)


def _mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    """Everything wrong between entries: (where, what)."""
    yield from _node_mistakes(site)
    yield from _rack_mistakes(site)
    yield from _rail_mistakes(site)
    yield from _cabling_mistakes(site)
    yield from _people_mistakes(site)
    yield from kubernetes_mistakes(site)


def _node_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    seen: set[str] = set()
    for index, group in enumerate(site.nodes):
        if group.board not in catalogue.board_names():
            yield ("nodes", index, "board"), unknown("board", group.board, catalogue.board_names())
        try:
            names = expand(group.names)
        except BreakfixError as error:
            yield ("nodes", index, "names"), error.message
            continue
        for name in names:
            if name in seen:
                yield ("nodes", index, "names"), f"the node '{name}' is there twice"
            seen.add(name)
    for index, switches in enumerate(site.switches):
        if switches.model not in catalogue.switch_products():
            yield ("switches", index, "model"), unknown("switch model", switches.model, catalogue.switch_products())
    if site.login_host not in seen:
        yield ("login_host",), unknown("node", site.login_host, seen)
    if "bmc" not in site.networks or "management" not in site.networks:
        yield ("networks",), "there must be the networks 'management' and 'bmc'"


def _rack_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    racks = rack_names(site)
    groups: list[tuple[str, int, NodeGroup | SwitchGroup]] = [
        *(("nodes", index, nodes) for index, nodes in enumerate(site.nodes)),
        *(("switches", index, switches) for index, switches in enumerate(site.switches)),
    ]
    for kind, index, group in groups:
        if group.rack not in racks:
            yield (kind, index, "rack"), unknown("rack", group.rack, racks)
        elif group.per_rack is not None:
            needed = -(-_count(group.names) // group.per_rack)
            if racks.index(group.rack) + needed > len(racks):
                yield (kind, index, "per_rack"), f"there are not {needed} racks from {group.rack} on"


def _count(names: str) -> int:
    """How many names a list holds; 0 for a malformed one, which is reported elsewhere."""
    try:
        return len(expand(names))
    except BreakfixError:
        return 0


def _rail_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    for number, rule in enumerate(site.cabling):
        if isinstance(rule, RailCabling):
            needed, there = -(-len(expand(rule.nodes)) // rule.unit) * len(rule.hcas), len(expand(rule.rails))
            if there < needed:
                yield ("cabling", number, "rails"), f"these nodes need {needed} rail switches; there are {there}"


def _cabling_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    switches = {
        name: product.ports * (2 if group.split else 1) if product else None
        for group in site.switches
        for product in (catalogue.switch_products().get(group.model),)
        for name in expand(group.names)
    }
    hcas = {name: {slot.name for slot in board.hcas} for name, board in _boards(site).items()}
    used: set[str] = set()
    for rule, *pair in cable_ends(site):
        where: Path = ("cabling", rule)
        for end in pair:
            device, _, port = end.partition("/")
            if end in used:
                yield where, f"the port {end} has two cables"
            used.add(end)
            if device in hcas:
                if port.partition("/")[0] not in hcas[device]:
                    yield where, unknown(f"HCA of {device}", port.partition("/")[0], hcas[device])
            elif device not in switches:
                yield where, unknown("node or switch", device, [*hcas, *switches])
            elif (ports := switches[device]) and not 1 <= int(port) <= ports:
                yield where, f"{device} has ports 1 to {ports}; there is no port {port}"


def _boards(site: SiteModel) -> dict[str, BoardModel]:
    found: dict[str, BoardModel] = {}
    for group in site.nodes:
        if board := catalogue.board(group.board):
            found |= dict.fromkeys(expand(group.names), board)
    return found


def _people_mistakes(site: SiteModel) -> Iterator[tuple[Path, str]]:
    names = [user.name for user in site.users]
    if site.learner not in names:
        yield ("learner",), unknown("user", site.learner, names)
    for index, name in enumerate(site.slurm.operators if site.slurm else ()):
        if name not in names:
            yield ("slurm", "operators", index), unknown("user", name, names)
    yield from slurm_mistakes(site)
