"""Slurm's configuration as its daemons have read it: slurm.conf parsed into values.

slurmctld works with what it read at its start or at the last `scontrol reconfigure`, each slurmd with what it read on
its own host. Keywords are those of slurm.conf(5) of 24.11; a later line of settings wins. What the daemons say of
mistakes: SchedMD/slurm src/common/read_config.c and node_conf.c, src/slurmctld/read_config.c and controller.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType

from engine.control import files as host_files
from engine.control.slurm import files
from engine.control.slurm.config_file import ConfigurationError, FileParser, Record, truth
from engine.control.slurm.gres_file import hosts
from engine.control.slurm.numbers import whole
from engine.control.slurm.plugins import refused_plugin
from engine.control.slurm.times import parse_limit
from engine.kernel.units import SECOND
from engine.world.world import World

SLURM_CONF = files.SLURM_CONF
DEFAULT_PORT = 6818
_INCLUDES_WITHIN = 4
CONTROLLER_PORT = 6817

_RECORDS = {
    "nodename": "NodeName", "partitionname": "PartitionName", "downnodes": "DownNodes", "nodeset": "NodeSet",
    "slurmctldhost": "SlurmctldHost", "prolog": "", "epilog": "", "prologslurmctld": "", "epilogslurmctld": "",
}  # fmt: skip
_UNPROCESSED = "fatal: Unable to process configuration file"
_NODE_STATES = ("UNKNOWN", "CLOUD", "DOWN", "DRAIN", "FAIL", "FAILING", "FUTURE", "IDLE", "EXTERNAL")
_PARTITION_STATES = ("UP", "DOWN", "DRAIN", "INACTIVE")


@dataclass(frozen=True, slots=True)
class NodeConfiguration:
    """A node of slurm.conf. Memory in MiB."""

    name: str
    cpus: int = 1
    sockets: int = 1
    cores: int = 1
    threads: int = 1
    real_memory: int = 1
    temporary_disk: int = 0
    weight: int = 1
    features: str = ""
    gpus: int = 0
    gpu_type: str = ""
    address: str = ""
    host: str = ""
    port: int = DEFAULT_PORT
    state: str = "UNKNOWN"
    reason: str = ""

    @property
    def gres(self) -> str:
        """`gpu:h100:8`, or "" without GPUs."""
        return ":".join(filter(None, ("gpu", self.gpu_type, str(self.gpus)))) if self.gpus else ""


@dataclass(frozen=True, slots=True)
class PartitionConfiguration:
    """A partition of slurm.conf. Times in ns, None for no limit."""

    name: str
    nodes: tuple[str, ...]
    default: bool = False
    max_time: int | None = None
    default_time: int | None = None
    max_nodes: int | None = None
    min_nodes: int = 0
    state: str = "UP"
    hidden: bool = False
    root_only: bool = False
    priority_tier: int = 1
    priority_factor: int = 1
    cpus_per_gpu: int = 0
    memory_per_gpu: int = 0
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    """All that its line says, by keyword in small letters."""


@dataclass(frozen=True)
class SlurmConfiguration:
    """All of slurm.conf: settings by lower-case keyword, nodes and partitions in the file's order.

    `controllers` are the hosts of slurmctld, the primary first; `scripts` the Prolog, Epilog and the like by keyword.
    """

    settings: Mapping[str, str]
    nodes: Mapping[str, NodeConfiguration]
    partitions: tuple[PartitionConfiguration, ...]
    controllers: tuple[str, ...] = ()
    scripts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def text(self, keyword: str, default: str = "") -> str:
        """The value of a setting."""
        return self.settings.get(keyword.lower(), default)

    def number(self, keyword: str, default: int) -> int:
        """The value of a setting that is a number."""
        value = whole(self.text(keyword))
        return default if value is None else value

    def duration(self, keyword: str, default_seconds: int) -> int:
        """The value of a setting in seconds, in ns."""
        return self.number(keyword, default_seconds) * SECOND

    def partition(self, name: str) -> PartitionConfiguration | None:
        return next((partition for partition in self.partitions if partition.name == name), None)

    @cached_property
    def cpus(self) -> int:
        """CPUs of the whole cluster."""
        return sum(node.cpus for node in self.nodes.values())

    @cached_property
    def kinds(self) -> Mapping[str, tuple[tuple[NodeConfiguration, frozenset[str]], ...]]:
        """The nodes of each partition by name, those that are configured alike together with one of them."""
        found: dict[str, tuple[tuple[NodeConfiguration, frozenset[str]], ...]] = {}
        for partition in self.partitions:
            alike: dict[tuple[object, ...], list[str]] = {}
            for name in partition.nodes:
                node = self.nodes[name]
                key = node.cpus, node.threads, node.real_memory, node.features, node.gpus, node.gpu_type
                alike.setdefault(key, []).append(name)
            found[partition.name] = tuple((self.nodes[names[0]], frozenset(names)) for names in alike.values())
        return found

    @cached_property
    def features(self) -> frozenset[str]:
        """Every feature that a node has."""
        return frozenset(feature for node in self.nodes.values() for feature in node.features.split(",") if feature)

    @property
    def default_partition(self) -> PartitionConfiguration | None:
        return next((partition for partition in self.partitions if partition.default), None)

    def partitions_of(self, node: str) -> list[str]:
        """Names of the partitions that have the node."""
        return [partition.name for partition in self.partitions if node in partition.nodes]


def in_force(world: World) -> SlurmConfiguration:
    """What slurmctld works with now."""
    controller = world.slurm[""]
    read = controller.configuration
    text = read[0] if read else files.slurm_conf(world.inventory)
    return _as_operated(text, controller.partition_states) if controller.partition_states else parse_slurm_conf(text)


@lru_cache(maxsize=16)
def _as_operated(text: str, states: tuple[tuple[str, str], ...]) -> SlurmConfiguration:
    """A slurm.conf with the states that operators gave to partitions."""
    known, changed = parse_slurm_conf(text), dict(states)
    partitions = (replace(each, state=changed.get(each.name, each.state)) for each in known.partitions)
    return replace(known, partitions=tuple(partitions))


def is_the_sites(world: World) -> bool:
    """Whether slurmctld works with the slurm.conf that the site gave it."""
    read = world.slurm[""].configuration
    return read is None or read[0] == files.slurm_conf(world.inventory)


def on_host(world: World, host: str) -> tuple[str, str]:
    """The texts of slurm.conf and gres.conf as they stand on a host."""
    return (
        text_on(world, host, files.SLURM_CONF),
        text_on(world, host, files.GRES_CONF),
    )


def text_on(world: World, host: str, path: str) -> str:
    """A file of Slurm's configuration as it stands on a host, with what its Include lines name in their place."""
    text = host_files.text(world, host, path, files.default_files(world.inventory).get(path, ""))
    return _with_included(world, host, text, _INCLUDES_WITHIN) if "nclude" in text else text


def _with_included(world: World, host: str, text: str, depth: int) -> str:
    """The text with files in place of its Include lines; a line whose file is not there stays as it is."""

    def content(line: str) -> str:
        words = line.partition("#")[0].split()
        if len(words) != 2 or words[0].lower() != "include" or not depth:
            return line
        path = words[1] if words[1].startswith("/") else f"{files.DIRECTORY}/{words[1]}"
        found = host_files.content(world, host, path, b"")
        if not found:
            return line
        return _with_included(world, host, found.decode("utf-8", "replace").rstrip("\n"), depth - 1)

    return "".join(f"{content(line)}\n" for line in text.splitlines())


def read_by_slurmd(world: World, host: str) -> tuple[str, str, str]:
    """The texts of slurm.conf, gres.conf and cgroup.conf that the slurmd of a host works with: what it read when it
    started, which are the site's own where it has run since before the site opened.
    """
    read = world.slurm_nodes[host].files
    if read:
        return read
    own = files.default_files(world.inventory)
    return own[files.SLURM_CONF], own[files.GRES_CONF], own[files.CGROUP_CONF]


@lru_cache(maxsize=16)
def parse_slurm_conf(text: str) -> SlurmConfiguration:
    """All that slurmctld makes of a slurm.conf. Raises ConfigurationError for what it would refuse."""
    known = parse_for_node(text)
    partitions: dict[str, PartitionConfiguration] = {}
    defaults: dict[str, str] = {}
    for record in _records(text):
        if record.keyword != "partitionname":
            continue
        name = record.words["partitionname"]
        if name.upper() == "DEFAULT":
            defaults |= record.words
        elif name in partitions:
            raise ConfigurationError(f"fatal: _build_single_partitionline_info: duplicate entry for partition {name}")
        else:
            partitions[name] = _partition({**defaults, **record.words}, known.nodes)
    if refused := refused_plugin(known.settings):
        raise ConfigurationError(*refused)
    return SlurmConfiguration(known.settings, known.nodes, tuple(partitions.values()), known.controllers, known.scripts)


@lru_cache(maxsize=16)
def parse_for_node(text: str) -> SlurmConfiguration:
    """What slurmd and the clients make of a slurm.conf: everything but its partitions. Raises ConfigurationError."""
    settings: dict[str, str] = {}
    nodes: dict[str, NodeConfiguration] = {}
    scripts: dict[str, tuple[str, ...]] = {}
    controllers: list[str] = []
    defaults: dict[str, str] = {}
    for record in _records(text):
        if record.keyword == "nodename" and record.words["nodename"].upper() == "DEFAULT":
            defaults |= record.words
        elif record.keyword == "nodename":
            for node in _nodes({**defaults, **record.words}):
                if node.name in nodes:
                    raise ConfigurationError(f"fatal: Duplicated NodeName {node.name} in the config file")
                nodes[node.name] = node
        elif record.keyword == "slurmctldhost":
            controllers.append(record.words["slurmctldhost"].partition("(")[0])
        elif record.keyword in _SCRIPTS:
            scripts[record.keyword] = (*scripts.get(record.keyword, ()), record.words[record.keyword])
        elif record.keyword not in _RECORDS:
            settings |= record.words
    _check_basics(settings, controllers)
    return SlurmConfiguration(
        MappingProxyType(settings), MappingProxyType(_of_known_gres(settings, nodes)), (), tuple(controllers),
        MappingProxyType(scripts),
    )  # fmt: skip


_SCRIPTS = ("prolog", "epilog", "prologslurmctld", "epilogslurmctld")


@lru_cache(maxsize=16)
def _records(text: str) -> tuple[Record, ...]:
    parser = FileParser("slurm.conf", files.SLURM_CONF, _RECORDS)
    records = parser.parse(text)
    if parser.errors:
        raise ConfigurationError(*parser.errors, _UNPROCESSED)
    return tuple(records)


def _check_basics(settings: Mapping[str, str], controllers: list[str]) -> None:
    """What every program of Slurm needs. Raises ConfigurationError."""
    if not controllers:
        raise ConfigurationError("error: No SlurmctldHost defined.", _UNPROCESSED)
    if not settings.get("clustername"):
        raise ConfigurationError("error: ClusterName needs to be specified", _UNPROCESSED)
    double = next((name for name in controllers if controllers.count(name) > 1), "")
    if double:
        raise ConfigurationError(f"error: Duplicate SlurmctldHost records: {double}", _UNPROCESSED)
    unknown = [word for word in settings.get("selecttypeparameters", "").split(",") if word and not _selects(word)]
    if unknown:
        raise ConfigurationError(f"error: Bad SelectTypeParameter: {unknown[0]}", _UNPROCESSED)


def _selects(word: str) -> bool:
    known = (
        "CR_CPU", "CR_CPU_MEMORY", "CR_CORE", "CR_CORE_MEMORY", "CR_SOCKET", "CR_SOCKET_MEMORY", "CR_MEMORY", "CR_LLN",
        "CR_ONE_TASK_PER_CORE", "CR_CORE_DEFAULT_DIST_BLOCK", "CR_PACK_NODES", "LL_SHARED_GRES",
        "MULTIPLE_SHARING_GRES_PJ", "ENFORCE_BINDING_GRES", "ONE_TASK_PER_SHARING_GRES",
    )  # fmt: skip
    return word.upper() in known


def _of_known_gres(settings: Mapping[str, str], nodes: dict[str, NodeConfiguration]) -> dict[str, NodeConfiguration]:
    """GPUs count only where GresTypes names them."""
    if "gpu" in settings.get("grestypes", "").lower().split(","):
        return nodes
    return {name: replace(node, gpus=0, gpu_type="") for name, node in nodes.items()}


def _number(words: Mapping[str, str], key: str, default: int) -> int:
    text = words.get(key, "")
    if not text:
        return default
    number = whole(text)
    return default if number is None else number


def _nodes(words: Mapping[str, str]) -> Iterator[NodeConfiguration]:
    gpu_type, gpus = _gres(words.get("gres", ""))
    cores, threads = _number(words, "corespersocket", 1), _number(words, "threadspercore", 1)
    cpus = _number(words, "cpus", _number(words, "procs", 0))
    alone = max(cpus // (cores * threads), 1)  # CPUs without a layout are that many sockets
    sockets = _number(words, "sockets", _number(words, "socketsperboard", alone))
    names = hosts(words["nodename"], "Unable to create NodeName list from")
    listed = hosts(words.get("port", ""), "Unable to create Port list from")
    ports = [whole(port) or DEFAULT_PORT for port in listed] or [DEFAULT_PORT]
    state = words.get("state", "UNKNOWN").upper()
    if state not in _NODE_STATES:
        raise ConfigurationError(f"fatal: Invalid state {words['state']} from {words['nodename']}")
    for index, name in enumerate(names):
        yield NodeConfiguration(
            name=name,
            cpus=cpus or sockets * cores * threads,
            sockets=sockets,
            cores=cores,
            threads=threads,
            real_memory=_number(words, "realmemory", 1),
            temporary_disk=_number(words, "tmpdisk", 0),
            weight=_number(words, "weight", 1),
            features=words.get("feature", words.get("features", "")),
            gpus=gpus,
            gpu_type=gpu_type,
            address=words.get("nodeaddr", ""),
            host=words.get("nodehostname", ""),
            port=ports[min(index, len(ports) - 1)],
            state=state,
            reason=words.get("reason", ""),
        )


def _gres(text: str) -> tuple[str, int]:
    """(type, count) of the GPUs in `gpu:h100:8(S:0-1)`."""
    for entry in text.split(","):
        name, *rest = entry.partition("(")[0].split(":")
        if name.lower() == "gpu":
            count = whole(rest[-1]) if rest else None
            kind = rest[:1] if count is None or len(rest) > 1 else []
            return "".join(kind), 1 if count is None else count
    return "", 0


def _partition(words: Mapping[str, str], nodes: Mapping[str, NodeConfiguration]) -> PartitionConfiguration:
    listed = words.get("nodes", "")
    invalid = f"fatal: Invalid node names in partition {words['partitionname']}"
    members = dict.fromkeys(nodes if listed.upper() == "ALL" else hosts(listed, "Invalid node names in partition"))
    unknown = next((name for name in members if name not in nodes), None)
    if unknown:
        raise ConfigurationError(f"error: node_name2bitmap: invalid node specified {unknown}", invalid)
    state = words.get("state", "UP").upper()
    if state not in _PARTITION_STATES:
        raise ConfigurationError(f'error: Bad value "{words["state"]}" for State', _UNPROCESSED)
    defaults = dict(pair.partition("=")[::2] for pair in words.get("jobdefaults", "").lower().split(",") if pair)
    most = words.get("maxnodes", "").upper()
    return PartitionConfiguration(
        name=words["partitionname"],
        nodes=tuple(name for name in nodes if name in members),
        default=_yes(words, "default"),
        max_time=_time(words, "maxtime"),
        default_time=_time(words, "defaulttime"),
        max_nodes=None if most in ("", "UNLIMITED") else _number(words, "maxnodes", 0),
        min_nodes=_number(words, "minnodes", 0),
        state=state,
        hidden=_yes(words, "hidden"),
        root_only=_yes(words, "rootonly"),
        priority_tier=_number(words, "prioritytier", 1),
        priority_factor=_number(words, "priorityjobfactor", 1),
        cpus_per_gpu=_number(defaults, "defcpupergpu", 0),
        memory_per_gpu=_number(defaults, "defmempergpu", 0),
        words=MappingProxyType(dict(words)),
    )


def _yes(words: Mapping[str, str], key: str) -> bool:
    return truth(words.get(key, "no"))


def _time(words: Mapping[str, str], key: str) -> int | None:
    try:
        return parse_limit(words.get(key, "INFINITE"))
    except ValueError:
        names = {"maxtime": "MaxTime", "defaulttime": "DefaultTime"}
        raise ConfigurationError(f'error: Bad value "{words[key]}" for {names[key]}', _UNPROCESSED) from None
