"""numactl 2.0.18: NUMA nodes and their memory, from /sys/devices/system/node. Programs of ours keep the CPUs and the
nodes of their memory that it binds them to.

Format after numactl's source (numactl.c, hardware() and show()).
"""

from __future__ import annotations

import re
from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context, Place
from engine.commands.linux._support import paths
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.physics.paths.near import cpu_list

_NODES = "/sys/devices/system/node"
_MIB = 1024

_OPTIONS = (
    Option("H", "hardware", help="show the nodes, their CPUs, their memory and how far apart they are"),
    Option("s", "show", help="show the policy of this process"),
    Option("i", "interleave", "NODES", help="run a program with its memory spread over NODES"),
    Option("N", "cpunodebind", "NODES", help="run a program on the CPUs of NODES"),
    Option("C", "physcpubind", "CPUS", help="run a program on these CPUs"),
    Option("m", "membind", "NODES", help="run a program with its memory on NODES"),
    Option("l", "localalloc", help="run a program with its memory where it runs"),
    Option("p", "preferred", "NODE", help="run a program with its memory on NODE if there is room"),
    Option("h", "help", help="print this text"),
)


async def run(ctx: Context) -> int:
    """Show the hardware or the policy, or run a program on some CPUs and with memory of some nodes."""
    parsed = parse("numactl", _OPTIONS, ctx.arguments, permute=False, trailer=_usage().rstrip("\n"))
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    if "hardware" in parsed:
        return _hardware(ctx)
    if "show" in parsed:
        return _show(ctx)
    if not parsed.operands:
        raise UsageError(_usage(), 1)
    wrong = _out_of_range(ctx, parsed["cpunodebind"] or parsed["membind"] or "")
    if wrong:
        raise UsageError(
            f"libnuma: Warning: node argument {wrong} is out of range\n\n<{wrong}> is invalid\n{_usage()}", 1
        )
    await ctx.flush()
    return await ctx.runner.run(parsed.operands, _bound(ctx, parsed))


def _bound(ctx: Context, parsed: Parsed) -> Place:
    """Where the program runs: bound to CPUs and to NUMA nodes for its memory. Spreading it (-i) is not kept."""
    node = ctx.node
    cpus = parsed["physcpubind"] or ",".join(cpu_list(node, numa) for numa in _listed(parsed["cpunodebind"] or ""))
    memory = ",".join(str(numa) for numa in _listed(parsed["membind"] or parsed["preferred"] or ""))
    plain = re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", cpus)
    return replace(ctx.place, cpus=cpus if plain else ctx.place.cpus, memory_nodes=memory or ctx.place.memory_nodes)


def _listed(text: str) -> list[int]:
    """The numbers of a list such as `0,2-3`; none for other ways to name nodes (`all`, `netdev:eth0`)."""
    return _cpus(text) if re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text) else []


def _out_of_range(ctx: Context, text: str) -> str:
    """The first node of a list that this host does not have."""
    known = set(_nodes(ctx))
    return next((word for word in re.findall(r"\d+", text) if int(word) not in known), "")


def _nodes(ctx: Context) -> list[int]:
    names = [name for name, _ in paths.tree(ctx).entries(_NODES)]
    return sorted(int(name[4:]) for name in names if re.fullmatch(r"node\d+", name))


def _cpus(text: str) -> list[int]:
    found = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        found += list(range(int(first), int(last or first) + 1)) if first else []
    return found


def _memory(ctx: Context, node: int, name: str) -> int:
    """KiB of a line of the node's meminfo."""
    text = paths.read_or(ctx, f"{_NODES}/node{node}/meminfo")
    match = re.search(rf"\b{name}:\s+(\d+)", text)
    return int(match[1]) if match else 0


def _hardware(ctx: Context) -> int:
    nodes = _nodes(ctx)
    ctx.line(f"available: {len(nodes)} nodes ({_range(nodes)})")
    for node in nodes:
        cpus = _cpus(paths.read_or(ctx, f"{_NODES}/node{node}/cpulist"))
        ctx.line(f"node {node} cpus: {' '.join(map(str, cpus))}")
        ctx.line(f"node {node} size: {_memory(ctx, node, 'MemTotal') // _MIB} MB")
        ctx.line(f"node {node} free: {_memory(ctx, node, 'MemFree') // _MIB} MB")
    ctx.line("node distances:")
    ctx.line("node " + "".join(f"{node:>4} " for node in nodes))
    for node in nodes:
        distances = paths.read_or(ctx, f"{_NODES}/node{node}/distance").split()
        ctx.line(f"{node:>4}: " + "".join(f"{distance:>4} " for distance in distances))
    return 0


def _range(nodes: list[int]) -> str:
    return f"{nodes[0]}-{nodes[-1]}" if len(nodes) > 1 else str(nodes[0])


def _show(ctx: Context) -> int:
    nodes = _nodes(ctx)
    cpus = sorted(cpu for node in nodes for cpu in _cpus(paths.read_or(ctx, f"{_NODES}/node{node}/cpulist")))
    shown = "".join(f"{node} " for node in nodes)
    ctx.line("policy: default\npreferred node: current")
    ctx.line("physcpubind: " + "".join(f"{cpu} " for cpu in cpus))
    ctx.line(f"cpubind: {shown}\nnodebind: {shown}\nmembind: {shown}\npreferred: ")
    return 0


def _usage() -> str:
    return "\n".join(["Usage: numactl -H | -s | [OPTION]... COMMAND...", "", *option_lines(_OPTIONS), ""])


COMMAND = Command(
    "numactl",
    "show NUMA nodes, or run a program on some of them",
    run,
    "numactl -H | -s | [OPTION]... COMMAND...",
    _OPTIONS,
    "Memory that belongs to the other socket takes longer to reach: distances are in tenths of the local one. In\n"
    "breakfix this matters to programs that copy between host memory and GPUs or network adapters.",
    section=8,
)
