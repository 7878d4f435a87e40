"""Where mpirun runs what: hosts and their slots, and the host of each rank.

Open MPI 4.1: slots come from --host, --hostfile, Slurm's job, or the cores of this host. Ranks fill the hosts one
after the other; with --map-by node they go round; ppr:N:node and -N put N on each. Of more than two processes each is
bound to a socket, in turns; of fewer to a core.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.mpi._support.arguments import Arguments
from engine.commands.mpi._support.texts import framed
from engine.commands.options import UsageError
from engine.hostfs.tree import FileError
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.physics.paths.near import cpu_list
from engine.world.inventory import Node

_PATTERN = re.compile(r"ppr:(\d+):node")
_MAPPINGS = ("slot", "node", "socket", "numa", "core", "hwthread", "l1cache", "l2cache", "l3cache", "board")
_BINDINGS = ("none", "hwthread", "core", "l1cache", "l2cache", "l3cache", "socket", "numa", "board")
_UNKNOWN_POLICY = """\
The specified {what} policy is not recognized:

  Policy: {policy}

Please check for a typo or ensure that the option is a supported
one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A rank's host, its number there, and the list of CPUs that it is bound to ("": none)."""

    host: str
    local: int
    cpus: str = ""


def slots(ctx: Context, arguments: Arguments) -> dict[str, int]:
    """Slots by host, in order. Raises UsageError."""
    found: dict[str, int] = {}
    for (path,) in arguments.all("hostfile"):
        found |= _from_file(ctx, path)
    listed = [word for (text,) in arguments.all("host") for word in text.split(",") if word]
    job = _from_slurm(ctx)
    if listed:
        chosen: dict[str, int] = {}
        for word in listed:
            host, _, count = word.partition(":")
            chosen[host] = chosen.get(host, 0) + (int(count) if count.isdigit() else 1)
        known = found or job
        strange = [host for host in chosen if known and host not in known]
        if strange:
            program = arguments.program[0]
            raise UsageError(framed("not allocated", program=program, hosts=",".join(strange)))
        return chosen
    return found or job or {ctx.host: _cores(ctx.node)}


def _from_file(ctx: Context, path: str) -> dict[str, int]:
    try:
        text = paths.read(ctx, path).decode("utf-8", "replace")
    except FileError:
        raise UsageError(framed("no hostfile", path=path)) from None
    found: dict[str, int] = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words:
            given = re.search(r"\bslots\s*=\s*(\d+)", line)
            found[words[0]] = found.get(words[0], 0) + (int(given[1]) if given else _cores_of(ctx, words[0]))
    return found


def _from_slurm(ctx: Context) -> dict[str, int]:
    """The hosts of the Slurm job that mpirun runs in, with its tasks as slots."""
    nodes, tasks = ctx.environment.get("SLURM_JOB_NODELIST"), ctx.environment.get("SLURM_TASKS_PER_NODE", "")
    if not nodes:
        return {}
    try:
        hosts = expand(nodes)
    except BreakfixError:
        return {}
    counts: list[int] = []
    for part in tasks.split(","):
        match = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        counts += [int(match[1])] * int(match[2] or 1) if match else []
    return {host: counts[index] if index < len(counts) else 1 for index, host in enumerate(hosts)}


def _cores(node: Node) -> int:
    return node.cpu.sockets * node.cpu.cores


def _cores_of(ctx: Context, host: str) -> int:
    return _cores(ctx.inventory.node(host)) if host in ctx.inventory.node_names else 1


def place(ctx: Context, arguments: Arguments, available: dict[str, int]) -> list[Place]:
    """The place of each rank. Raises UsageError where they do not fit."""
    program, mapping = arguments.program[0], _policy("mapping", arguments.last("map-by") or "slot", _MAPPINGS)
    pattern = _PATTERN.match(mapping)
    each = int(pattern[1]) if pattern else arguments.count("npernode")
    total = each * len(available) if each else sum(available.values())
    count = arguments.count("np") or total
    if each and count > total:
        raise UsageError(framed("too many", program=program, count=count, pattern=f"{each}:node"))
    free = {host: each or room for host, room in available.items()}
    if count > sum(available.values()):
        if "oversubscribe" not in arguments:
            raise UsageError(framed("slots", program=program, count=count))
        free = {host: max(room, -(-count // len(free))) for host, room in free.items()}
    turns = mapping == "node" or "bynode" in arguments
    hosts = _round(free, count) if turns else [host for host, room in free.items() for _ in range(room)][:count]
    binding = _policy("binding", arguments.last("bind-to") or ("core" if count <= 2 else "socket"), _BINDINGS)
    if count > sum(available.values()):
        binding = "none"
    return _numbered(ctx, hosts, binding)


def _policy(what: str, given: str, known: Sequence[str]) -> str:
    policy = given.partition(":")[0] if not given.startswith("ppr:") else "ppr"
    if policy == "ppr" and _PATTERN.match(given):
        return given
    if policy not in known:
        text = _UNKNOWN_POLICY.format(what=what, policy=given)
        rule = "-" * 74
        raise UsageError(f"{rule}\n{text}\n{rule}\n")
    return policy


def _round(free: dict[str, int], count: int) -> list[str]:
    """One on each host in turn while there is room."""
    left, hosts = dict(free), list[str]()
    while len(hosts) < count and any(left.values()):
        for host in [host for host, room in left.items() if room]:
            left[host] -= 1
            hosts.append(host)
    return hosts[:count]


def _numbered(ctx: Context, hosts: Sequence[str], binding: str) -> list[Place]:
    taken: dict[str, int] = {}
    found = []
    for host in hosts:
        local = taken.get(host, 0)
        taken[host] = local + 1
        node = ctx.inventory.node(host) if host in ctx.inventory.node_names else None
        found.append(Place(host, local, cpus(node, binding, local) if node else ""))
    return found


def cpus(node: Node, binding: str, local: int) -> str:
    """The CPUs of the object that the rank is bound to; sockets take turns."""
    socket, turn = local % node.cpu.sockets, local // node.cpu.sockets
    if binding in ("socket", "numa", "l3cache"):
        return cpu_list(node, socket)
    if binding in ("core", "l1cache", "l2cache", "hwthread"):
        core = socket * node.cpu.cores + turn % node.cpu.cores
        threads = 1 if binding == "hwthread" else node.cpu.threads
        return ",".join(str(core + thread * _cores(node)) for thread in range(threads))
    return ""
