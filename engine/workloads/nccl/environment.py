"""NCCL's variables: where they come from, how their values are read, and which of them change anything here.

A variable of the process goes before ~/.nccl.conf (or the file that NCCL_CONF_FILE names instead), that before
/etc/nccl.conf; within a file the first line counts (setenv without overwriting). A line that begins with # is a
comment, everything before the first = is the name, blanks and all. Numbers are read by strtoll with base 0: text that
is no number is 0, and one out of range gives the default. Lists are read by NCCL's own parser (src/misc/param.cc,
utils.cc of 2.28.9).

Variables of `WITHOUT_EFFECT` are known to NCCL, are shown in its log, and change nothing in this model; names that NCCL
does not know it ignores, and so does the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from engine.control import files
from engine.control.accounts import identity
from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl.ranks import Rank
from engine.world.world import World

SYSTEM_FILE = "/etc/nccl.conf"
_HOME_FILE = ".nccl.conf"
_LARGEST = 2**63 - 1

WITH_EFFECT = frozenset(
    {
        "NCCL_ALGO", "NCCL_CHUNK_SIZE", "NCCL_COLLNET_ENABLE", "NCCL_CONF_FILE", "NCCL_DEBUG", "NCCL_DEBUG_FILE",
        "NCCL_DEBUG_SUBSYS", "NCCL_DMABUF_ENABLE", "NCCL_IB_DISABLE", "NCCL_IB_GID_INDEX", "NCCL_IB_HCA",
        "NCCL_IB_PKEY", "NCCL_IB_RETRY_CNT", "NCCL_IB_TC", "NCCL_IB_TIMEOUT", "NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS",
        "NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS", "NCCL_NET", "NCCL_NET_GDR_LEVEL", "NCCL_NSOCKS_PERTHREAD",
        "NCCL_NVLS_ENABLE", "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_P2P_NET_CHUNKSIZE", "NCCL_PROTO",
        "NCCL_SHM_DISABLE", "NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME", "NCCL_SOCKET_NTHREADS",
    }
)  # fmt: skip
WITHOUT_EFFECT = frozenset(
    {
        "NCCL_BUFFSIZE", "NCCL_CGA_CLUSTER_SIZE", "NCCL_CHECKS_DISABLE", "NCCL_COMM_BLOCKING", "NCCL_COMM_ID",
        "NCCL_CROSS_NIC", "NCCL_CUMEM_ENABLE", "NCCL_GRAPH_DUMP_FILE", "NCCL_GRAPH_FILE", "NCCL_GRAPH_MIXING_SUPPORT",
        "NCCL_IB_ADAPTIVE_ROUTING", "NCCL_IB_AR_THRESHOLD", "NCCL_IB_MERGE_NICS", "NCCL_IB_PCI_RELAXED_ORDERING",
        "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_SL", "NCCL_IB_SPLIT_DATA_ON_QPS",
        "NCCL_IGNORE_CPU_AFFINITY", "NCCL_LAUNCH_MODE", "NCCL_LL128_BUFFSIZE", "NCCL_LL_BUFFSIZE",
        "NCCL_MNNVL_ENABLE", "NCCL_NET_GDR_READ", "NCCL_NET_PLUGIN", "NCCL_NET_SHARED_BUFFERS", "NCCL_NTHREADS",
        "NCCL_PROFILER_PLUGIN", "NCCL_PXN_DISABLE", "NCCL_RAS_ENABLE", "NCCL_TOPO_DUMP_FILE", "NCCL_TOPO_FILE",
        "NCCL_TUNER_PLUGIN", "NCCL_WORK_FIFO_DEPTH",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """One name of a list of devices or interfaces, and the port that it asks for (-1: any)."""

    name: str
    port: int = -1


@dataclass(frozen=True, slots=True)
class Selection:
    """A list such as `mlx5_0,mlx5_3:1`, `=eth0` (whole names) or `^docker,lo` (all but these)."""

    patterns: tuple[Pattern, ...] = ()
    exact: bool = False
    excluded: bool = False

    def takes(self, name: str, port: int = -1) -> bool:
        """Whether a device or interface is meant. An empty list means all of them, an empty exclusion none."""
        return self._lists(name, port) != self.excluded

    def _lists(self, name: str, port: int) -> bool:
        return not self.patterns or any(self._matches(pattern, name, port) for pattern in self.patterns)

    def _matches(self, pattern: Pattern, name: str, port: int) -> bool:
        same = name == pattern.name if self.exact else name.startswith(pattern.name)
        return same and (-1 in (port, pattern.port) or port == pattern.port)


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that a rank's NCCL goes by, after its configuration files."""

    variables: Mapping[str, str]

    def text(self, name: str) -> str | None:
        """A variable as text, or None."""
        return self.variables.get(name)

    def number(self, name: str, default: int) -> int:
        """A variable as NCCL reads numbers."""
        return parse_number(self.variables.get(name, ""), default)

    def selection(self, name: str) -> Selection:
        """A variable as a list of devices or interfaces."""
        return parse_selection(self.variables.get(name, ""))

    def names(self) -> Iterator[str]:
        """Those variables that NCCL knows, in the order of their names."""
        return iter(sorted(name for name in self.variables if name in WITH_EFFECT or name in WITHOUT_EFFECT))


def environment_of(world: World, rank: Rank) -> Environment:
    """What the NCCL of a rank reads at its start."""
    variables = dict(rank.environment)
    chosen = variables.get("NCCL_CONF_FILE")
    home = world.inventory.once(("home of", rank.user), lambda: identity(world.inventory, rank.user).home)
    for path in (chosen or f"{home}/{_HOME_FILE}", SYSTEM_FILE):
        for name, value in parse_file(files.text(world, rank.host, files.normal(path), "")):
            variables.setdefault(name, value)
    return Environment(variables)


def parse_file(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of a configuration file."""
    for line in text.split("\n"):
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            yield name, value


def parse_number(text: str, default: int) -> int:
    """strtoll(text, NULL, 0): the number at the beginning, 0 without one, `default` for "" and what is out of range."""
    if not text:
        return default
    found = re.match(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", text)
    if not found:
        return 0
    digits = found[2].lower()
    base = 16 if digits.startswith("0x") else 8 if digits.startswith("0") else 10
    value = int(digits, base) * (-1 if found[1] == "-" else 1)
    return value if -_LARGEST - 1 <= value <= _LARGEST else default


def parse_selection(text: str) -> Selection:
    """A list of devices or interfaces: `^` before `=` before names with an optional `:port`."""
    excluded = text.startswith("^")
    text = text[excluded:]
    exact = text.startswith("=")
    patterns = []
    for part in text[exact:].split(","):
        name, colon, port = part.partition(":")
        if name:
            number = re.match(r"\s*[+-]?\d+", port)
            patterns.append(Pattern(name, (int(number[0]) if number else 0) if colon else -1))
    return Selection(tuple(patterns), exact, excluded)
