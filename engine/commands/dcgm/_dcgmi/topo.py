"""`dcgmi topo`: how the GPUs of a group reach each other. Texts: dcgmi/Topo.cpp of DCGM 4.4.2.

A group counts as NUMA optimal when all of its GPUs hang on one socket (the law of DCGM's topology code, shortened).
"""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, not_negative, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Box, Tree
from engine.control.dcgm import host_engine, links
from engine.control.dcgm.readings import Reading
from engine.physics.paths import topology
from engine.physics.paths.near import cpu_list

SUBSYSTEM = Subsystem(
    "topo",
    "shows how GPUs are connected.",
    (
        Argument("g", "group", "groupId", "the group", int),
        Argument("", "gpuid", "gpuId", "one GPU", int),
        HOST,
        JSON,
    ),
)
_PATHS = {
    topology.SAME_BRIDGE: "Connected via a single PCIe switch",
    topology.BRIDGES: "Connected via multiple PCIe switches",
    topology.HOST_BRIDGE: "Connected via a PCIe host bridge",
    topology.SAME_NUMA: "Connected via a CPU-level link",
    topology.SYSTEM: "Connected via a CPU-level link",
}
_NUMBERS = (
    "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
)  # fmt: skip
_AFFINITY_WIDTH = 54


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "group", "gpuid")
    if "gpuid" in parsed and "group" in parsed:
        raise refusal("Both GPU and group ID are given")


def run(client: Client, parsed: Parsed) -> int:
    """Show a GPU's paths, or a group's worst one."""
    tree = _gpu(client, parsed.number("gpuid")) if "gpuid" in parsed else _group(client, parsed)
    client.ctx.write(tree.json() if "json" in parsed else tree.text())
    return OK


def _gpu(client: Client, number: int) -> Tree:
    gpu = client.gpu(number)
    if gpu is None:
        failed = Return.BAD_PARAMETER
        raise failed.ends(f"Error: unable to get topology for GPU {number}. Return: {failed.text}.\n")
    tree = Tree(20, 80)
    tree.headers = ["Topology Information", f"GPU ID: {number}"]
    _affinity(client, tree.at("CPU Core Affinity"), [gpu])
    for other in client.gpus():
        if other.index != number:
            box = tree.at(f"To GPU {other.index}")
            box.value = _path(client, gpu, other)
            joint = _nvlinks(client, gpu, other)
            box.more += [joint] if joint else []
    return tree


def _group(client: Client, parsed: Parsed) -> Tree:
    group = client.group(parsed.number("group", host_engine.ALL_GPUS))
    if group is None:
        raise Return.GENERIC.ends(f"Error: Unable to get group information. Return: {GROUP_NOT_FOUND}\n")
    gpus = client.gpus_of(group)
    if not gpus:
        failed = Return.BAD_PARAMETER
        raise failed.ends(f"Error: unable to get topology for Group. Return: {failed.text}.\n")
    tree = Tree(20, 80)
    tree.headers = ["Topology Information", group.name]
    _affinity(client, tree.at("CPU Core Affinity"), gpus)
    tree.at("NUMA Optimal").value = str(len({gpu.gpu.numa for gpu in gpus}) == 1)
    pairs = [(first, second) for first in gpus for second in gpus if first.index < second.index]
    relations = [topology.relation(client.ctx.node, a.gpu.address, b.gpu.address) for a, b in pairs]
    worst = max(relations, key=topology.DISTANCES.index, default=topology.SELF)
    tree.at("Worst Path").value = _PATHS.get(worst, "Unknown")
    return tree


def _affinity(client: Client, box: Box, gpus: list[Reading]) -> None:
    """The cores beside the GPUs, on as many lines as they need."""
    spans = []
    for numa in sorted({gpu.gpu.numa for gpu in gpus}):
        for part in cpu_list(client.ctx.node, numa).split(","):
            first, _, last = part.partition("-")
            spans.append((int(first), int(last or first)))
    texts = [str(first) if first == last else f"{first} - {last}" for first, last in _joined(sorted(spans))]
    line = ""
    for text in [*(f"{each}, " for each in texts[:-1]), *texts[-1:]]:
        if line and len(line) + len(text) > _AFFINITY_WIDTH:
            box.set_or_append(line.rstrip(" "))
            line = ""
        line += text
    box.set_or_append(line)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of cores, with those that touch made one."""
    found: list[tuple[int, int]] = []
    for first, last in spans:
        if found and first == found[-1][1] + 1:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _path(client: Client, gpu: Reading, other: Reading) -> str:
    return _PATHS.get(topology.relation(client.ctx.node, gpu.gpu.address, other.gpu.address), "Unknown")


def _nvlinks(client: Client, gpu: Reading, other: Reading) -> str:
    """The NVLinks to another GPU; empty for none."""
    count = topology.nvlinks(client.world, gpu.gpu, other.gpu)
    states = links.of_gpu(client.world, gpu.gpu)
    up = [str(link) for link, state in enumerate(states) if state == links.UP][:count]
    if not up:
        return ""
    plural = "" if len(up) == 1 else "s"
    return f"Connected via {_NUMBERS[len(up)]} NVLINK{plural} (Link{plural}: {', '.join(up)})"
