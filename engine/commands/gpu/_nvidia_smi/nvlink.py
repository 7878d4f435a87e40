"""`nvidia-smi nvlink`: status and capabilities of each GPU's NVLinks.

Formats: captures of H100 (driver 590.48.01), A100, GB200 and L40S for `-s`; public outputs of H100 and H800 for `-c`.
Error counters are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, OK, answering, open_library, refuse, select
from engine.commands.gpu._nvidia_smi.listing import gpu_line
from engine.commands.gpu._nvidia_smi.topology import nvlinks
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help

SWITCHES = (
    HELP,
    Switch("id", ("-i", "--id"), "ID", "One GPU by index, bus id or UUID."),
    Switch("link", ("-l", "--link"), "LINK", "One link."),
    Switch("status", ("-s", "--status"), None, "The speed of each link, or that it is inactive."),
    Switch("capabilities", ("-c", "--capabilities"), None, "What each link can do."),
    Switch("errors", ("-e", "--errorcounters"), None, "Error counters of each link.", modelled=False),
    Switch("reset_errors", ("-re", "--reseterrorcounters"), None, "Set error counters to zero.", modelled=False),
    Switch("remote", ("-R", "--remotelinkinfo"), None, "What is at the other end of each link.", modelled=False),
    Switch("pci", ("-p", "--pcibusid"), None, "Bus ids at the other end of each link.", modelled=False),
    Switch("throughput", ("-gt", "--getthroughput"), "KIND", "Throughput counters.", modelled=False),
    Switch("info", ("-info", "--info"), None, "Versions of the link firmware.", modelled=False),
    Switch("low_power", ("-sLowPwrThres", "--setlowpowerthreshold"), "VALUE", "Low power threshold.", modelled=False),
    Switch("bandwidth", ("-gBwMode", "--getBandwidthMode"), None, "Bandwidth mode.", modelled=False),
)

_CAPABILITIES = (
    "P2P is supported",
    "Access to system memory supported",
    "P2P atomics supported",
    "System memory atomics supported",
    "SLI is supported",
    "Link is supported",
)


async def nvlink(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi nvlink`."""
    given = parse(context, SWITCHES, words, "nvlink")
    if "help" in given or not given:
        context.write("\n".join(section_help("nvlink", "NVLinks of the GPUs.", SWITCHES)) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi nvlink {missing.names[0]}")
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    link = given.get("link")
    if link is not None and not link.isdecimal():
        raise refuse(context, f"Invalid NVLink: {link}", INVALID_ARGUMENT)
    for device in devices:
        context.line(gpu_line(device))
        links = range(device.product.nvlinks) if link is None else range(int(link), int(link) + 1)
        lines = _capability_lines(links) if "capabilities" in given else _status_lines(context, device, links)
        context.write("".join(f"{line}\n" for line in lines))
    return OK


def speed(device: Device) -> str:
    """GB/s of one link in one direction, with as many decimals as there are."""
    mbytes = device.product.nvlink_mbytes_per_second
    return f"{mbytes // 1000}.{mbytes % 1000:03d}".rstrip("0").rstrip(".")


def _status_lines(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    if not device.product.nvlinks:
        yield "Device does not have or support Nvlink"
        return
    others = [gpu for gpu in context.node.gpus if gpu.id != device.gpu.id]
    if not any(nvlinks(context.node, device.gpu, other) for other in others):
        yield "NVML: Unable to retrieve NVLink information as all links are inactive"
        return
    for link in links:
        yield (
            f"\t Link {link}: {speed(device)} GB/s" if link < device.product.nvlinks else f"\t Link {link}: <inactive>"
        )


def _capability_lines(links: Sequence[int]) -> Iterator[str]:
    for link in links:
        for capability in _CAPABILITIES:
            yield f"\t Link {link}, {capability}: true"
