"""`dcgmi nvlink`: states and error counts of NVLinks. Texts: dcgmi/Nvlink.cpp of DCGM 4.4.2.

Errors on links are not modelled: every count is 0.
"""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Tree
from engine.control.dcgm import links
from engine.control.dcgm.readings import Reading
from engine.world.records import NvLinkErrors

SUBSYSTEM = Subsystem(
    "nvlink",
    "shows the states of NVLinks, and error counts of a GPU's links.",
    (Argument("g", "gpuid", "gpuId", "the GPU; needed for -e", int), HOST, JSON),
    (
        Argument("e", "errors", None, "error counts of the links of a GPU (-g)"),
        Argument("s", "link-status", None, "states of all links"),
    ),
)
_UNTIL_HOPPER = ("CRC FLIT Error", "CRC Data Error", "Replay Error", "Recovery Error")
_FROM_BLACKWELL = (
    "Malformed Packet Error", "Buffer Overrun Error", "Rx Error", "Rx Remote Error", "Rx General Error",
    "Rx Symbol Error", "Effective Error", "Tx Discards", "Link Integrity Error", "Symbol BER", "Effective BER",
)  # fmt: skip
_INDENT = "    "


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    if parsed.number("gpuid") < 0:
        raise refusal("Positive value expected, negative value found", "gpuid")
    if "errors" in parsed and "gpuid" not in parsed:
        raise refusal("GPU ID is required (--gpuid)", "errors")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if "errors" in parsed:
        return _errors(client, parsed.number("gpuid"), "json" in parsed)
    lines = ["+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:"]
    for gpu in client.gpus():
        lines += [f"{_INDENT}gpuId {gpu.index}:", _INDENT * 2 + " ".join(links.of_gpu(client.world, gpu.gpu))]
    lines.append("NvSwitches:")
    switches = links.of_switches(client.world, client.host)
    for number, states in enumerate(switches):
        lines += [f"{_INDENT}physicalId {number}:", _INDENT * 2 + " ".join(states)]
    if not switches:
        lines.append(f"{_INDENT}No NvSwitches found.")
    lines += ["", "Key: Up=U, Down=D, Disabled=X, Not Supported=_"]
    client.ctx.write("".join(f"{line}\n" for line in lines))
    return OK


def _errors(client: Client, number: int, json: bool) -> int:
    gpu = client.gpu(number)
    if gpu is None:
        failed = Return.BAD_PARAMETER
        raise failed.ends(f"Error: Unable to get chip architecture. Return : {failed.text}\n")
    tree = Tree(30, 50)
    tree.headers = ["NVLINK Error Counts", f"GPU {number}"]
    if gpu.product.architecture == "Blackwell":
        for name in _FROM_BLACKWELL:
            tree.at("Error Detail").at(name).value = "0"
    else:
        counted = links.errors(client.world, gpu.gpu)
        for link, state in enumerate(links.of_gpu(client.world, gpu.gpu)):
            found = counted.get(link, NvLinkErrors(link))
            counts = (sum(found.crc), sum(found.crc), found.replay, found.recovery)
            for name, count in zip(_UNTIL_HOPPER, counts, strict=True) if _is_told(gpu, state) else ():
                tree.at(f"Link {link}").at(name).value = str(count)
    client.ctx.write(tree.json() if json else tree.text())
    return OK


def _is_told(gpu: Reading, state: str) -> bool:
    return state in (links.UP, links.DOWN) and not gpu.lost
