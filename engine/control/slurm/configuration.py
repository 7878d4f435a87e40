"""Slurm's configuration as its daemons have read it: slurm.conf and gres.conf parsed into values.

slurmctld works with what it read at its start or at the last `scontrol reconfigure`; slurmd reads its own host's
gres.conf when it starts. Keywords are those of slurm.conf(5) and gres.conf(5), 24.11; letter case does not matter, a
later line wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType

from engine.control import files as host_files
from engine.control.slurm import files
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import parse_limit
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.units import SECOND
from engine.world.world import World

DEFAULT_PORT = 6818

_WORD = re.compile(r"""([A-Za-z_]\w*)\s*=\s*("[^"]*"|\S+)""")


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


@dataclass(frozen=True)
class SlurmConfiguration:
    """All of slurm.conf: settings by lower-case keyword, nodes and partitions in the file's order."""

    settings: Mapping[str, str]
    nodes: Mapping[str, NodeConfiguration]
    partitions: tuple[PartitionConfiguration, ...]

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
    def features(self) -> frozenset[str]:
        """Every feature that a node has."""
        return frozenset(feature for node in self.nodes.values() for feature in node.features.split(",") if feature)

    @property
    def default_partition(self) -> PartitionConfiguration | None:
        return next((partition for partition in self.partitions if partition.default), None)

    def partitions_of(self, node: str) -> list[str]:
        """Names of the partitions that have the node."""
        return [partition.name for partition in self.partitions if node in partition.nodes]


@dataclass(frozen=True, slots=True)
class GresLine:
    """A line of gres.conf for GPUs: the hosts it is for (none: all), device files, and their number if the line says
    it.
    """

    hosts: frozenset[str]
    type: str = ""
    device_files: tuple[str, ...] = ()
    count: int | None = None
    detection: str = ""


@dataclass(frozen=True, slots=True)
class GresConfiguration:
    """All of gres.conf."""

    detection: str
    lines: tuple[GresLine, ...]

    def of(self, host: str) -> tuple[str, list[GresLine]]:
        """What holds for a host: how GPUs are detected ("" or `off`: not), and its lines."""
        lines = [line for line in self.lines if not line.hosts or host in line.hosts]
        detection = next((line.detection for line in lines if line.detection), self.detection)
        return detection, lines


class ConfigurationError(Exception):
    """A file that a daemon cannot read; the text is the daemon's."""


def in_force(world: World) -> SlurmConfiguration:
    """What slurmctld works with now."""
    read = world.slurm[""].configuration
    return parse_slurm_conf(read[0] if read else files.slurm_conf(world.inventory))


def on_host(world: World, host: str) -> tuple[str, str]:
    """The texts of slurm.conf and gres.conf as they stand on a host."""
    inventory = world.inventory
    return (
        host_files.text(world, host, files.SLURM_CONF, files.slurm_conf(inventory)),
        host_files.text(world, host, files.GRES_CONF, files.gres_conf(inventory)),
    )


@lru_cache(maxsize=16)
def parse_slurm_conf(text: str) -> SlurmConfiguration:
    """Raises ConfigurationError for what slurmctld would refuse."""
    settings: dict[str, str] = {}
    nodes: dict[str, NodeConfiguration] = {}
    partitions: dict[str, dict[str, str]] = {}
    for words in _lines(text):
        first = next(iter(words))
        if first == "nodename":
            nodes |= {node.name: node for node in _nodes(words)}
        elif first == "partitionname":
            partitions.setdefault(words[first], {}).update(words)
        else:
            settings |= words
    return SlurmConfiguration(
        MappingProxyType(settings),
        MappingProxyType(nodes),
        tuple(_partition(words, nodes) for words in partitions.values()),
    )


@lru_cache(maxsize=16)
def parse_gres_conf(text: str) -> GresConfiguration:
    """Raises ConfigurationError for what slurmd would refuse."""
    detection, lines = "", []
    for words in _lines(text):
        if set(words) == {"autodetect"}:
            detection = words["autodetect"].lower()
        elif words.get("name", "gpu").lower() == "gpu":
            lines.append(_gres_line(words))
    return GresConfiguration("" if detection == "off" else detection, tuple(lines))


def _lines(text: str) -> Iterator[dict[str, str]]:
    """The settings of each line by lower-case keyword. A backslash at its end joins the next line to it."""
    for line in text.replace("\\\n", " ").splitlines():
        words = {key.lower(): value.strip('"') for key, value in _WORD.findall(line.partition("#")[0])}
        if words:
            yield words


def _hosts(text: str) -> list[str]:
    try:
        return expand(text)
    except BreakfixError:
        raise ConfigurationError(f"fatal: Unable to parse node list {text}") from None


def _number(words: Mapping[str, str], key: str, default: int) -> int:
    text = words.get(key, "")
    if not text:
        return default
    number = whole(text)
    if number is None:
        raise ConfigurationError(f'error: Parsing error at unrecognized value: {key}="{text}"')
    return number


def _nodes(words: Mapping[str, str]) -> Iterator[NodeConfiguration]:
    gpu_type, gpus = _gres(words.get("gres", ""))
    cores, threads = _number(words, "corespersocket", 1), _number(words, "threadspercore", 1)
    cpus = _number(words, "cpus", _number(words, "procs", 0))
    alone = max(cpus // (cores * threads), 1)  # CPUs without a layout are that many sockets
    sockets = _number(words, "sockets", _number(words, "socketsperboard", alone))
    names = _hosts(words["nodename"])
    ports = [whole(port) or DEFAULT_PORT for port in _hosts(words.get("port", ""))] or [DEFAULT_PORT]
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
    members = dict.fromkeys(nodes if listed.upper() == "ALL" else _hosts(listed))
    unknown = next((name for name in members if name not in nodes), None)
    if unknown:
        raise ConfigurationError(f"fatal: Invalid node names in partition {words['partitionname']}")
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
        state=words.get("state", "UP").upper(),
        hidden=_yes(words, "hidden"),
        root_only=_yes(words, "rootonly"),
        priority_tier=_number(words, "prioritytier", 1),
        priority_factor=_number(words, "priorityjobfactor", 1),
        cpus_per_gpu=_number(defaults, "defcpupergpu", 0),
        memory_per_gpu=_number(defaults, "defmempergpu", 0),
    )


def _yes(words: Mapping[str, str], key: str) -> bool:
    return words.get(key, "no").lower() in ("yes", "true", "1")


def _time(words: Mapping[str, str], key: str) -> int | None:
    try:
        return parse_limit(words.get(key, "INFINITE"))
    except ValueError:
        raise ConfigurationError(f'fatal: Bad value "{words[key]}" for {key}') from None


def _gres_line(words: Mapping[str, str]) -> GresLine:
    devices = tuple(_hosts(words["file"])) if "file" in words else ()
    return GresLine(
        hosts=frozenset(_hosts(words["nodename"])) if "nodename" in words else frozenset(),
        type=words.get("type", ""),
        device_files=devices,
        count=_number(words, "count", 0) if "count" in words else None,
        detection=words.get("autodetect", "").lower(),
    )
