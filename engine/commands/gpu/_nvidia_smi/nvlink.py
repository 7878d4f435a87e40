"""`nvidia-smi nvlink`: status, capabilities, error counters and far ends of each GPU's NVLinks.

Formats: captures of H100 (driver 590.48.01), A100, GB200 and L40S for `-s`, of an H100 for `-e`, of H100 and A100 for
`-c`, of A100 and H100 for `-R` and `-p`, of an H100 in MIG mode for the refusal. What deprecated options answer is what
the tool's help says of them; that `-re` says nothing more than the GPU's name is a guess. Boards since Blackwell count
other things under `-e` (nvlink_counters.py). `-gt`: transcripts of H800 and V100 (`d` payload, `r` with overhead).
`-info`: a transcript of GB200 (NVIDIA/k8s-test-infra#371, driver 580); that Hopper has no firmware of its links is told
there too, where its `N/A` stands is a guess, as is that a B200's versions are those of a GB200. `-ec` is not modelled:
no output of it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi import nvlink_counters
from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import (
    INVALID_ARGUMENT,
    NO_PERMISSION,
    OK,
    answering,
    open_library,
    refuse,
    select,
)
from engine.commands.gpu._nvidia_smi.listing import gpu_line
from engine.commands.gpu._nvidia_smi.words import HELP, INVALID_COMBINATION, Switch, parse, section_help
from engine.control import driver
from engine.control.xid import switch_ports
from engine.physics import nvlink_traffic
from engine.physics.paths import nvlink as links_of_gpus
from engine.world.records import NvLinkErrors

SWITCHES = (
    HELP,
    Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas."),
    Switch("link", ("-l", "--link"), "LINK", "One link."),
    Switch("status", ("-s", "--status"), None, "The speed of each link, or that it is inactive."),
    Switch("capabilities", ("-c", "--capabilities"), None, "What each link can do."),
    Switch("pci", ("-p", "--pcibusid"), None, "Bus ids at the other end of each link."),
    Switch("remote", ("-R", "--remotelinkinfo"), None, "The device and its link at the other end of each link."),
    Switch("errors", ("-e", "--errorcounters"), None, "Error counters of each link."),
    Switch("reset_errors", ("-re", "--reseterrorcounters"), None, "Set error counters to zero."),
    Switch("crc", ("-ec", "--crcerrorcounters"), None, "CRC errors of each lane.", modelled=False),
    Switch("throughput", ("-gt", "--getthroughput"), "KIND", "KiB that each link has carried: d payload, r all."),
    Switch("set_control", ("-sc", "--setcontrol"), "VALUE", "No longer there.", True),
    Switch("get_control", ("-gc", "--getcontrol"), "VALUE", "No longer there.", True),
    Switch("get_counters", ("-g", "--getcounters"), "VALUE", "No longer there; see -gt.", True),
    Switch("reset_counters", ("-r", "--resetcounters"), "VALUE", "No longer there.", True),
    Switch("low_power", ("-sLowPwrThres", "--setLowPowerThreshold"), "VALUE", "Low power threshold.", modelled=False),
    Switch("low_power_info", ("-gLowPwrInfo", "--getLowPowerInfo"), None, "Low power state.", modelled=False),
    Switch("set_bandwidth", ("-sBwMode", "--setBandwidthMode"), "MODE", "Bandwidth mode.", modelled=False),
    Switch("bandwidth", ("-gBwMode", "--getBandwidthMode"), None, "Bandwidth mode.", modelled=False),
    Switch("bridge", ("-cBridge", "--checkBridge"), None, "Whether NVLink bridges are there.", modelled=False),
    Switch("info", ("-info", "--info"), None, "Encryption, and versions of the links' firmware."),
)

_GONE = {
    "set_control": "Setting counter control is deprecated!",
    "get_control": "Getting counter control is deprecated!",
    "get_counters": ("Getting counters using option -g is deprecated. Please use option -gt/--getthroughput instead."),
    "reset_counters": "Resetting counters is deprecated!",
}

_CAPABILITIES = (
    "P2P is supported",
    "Access to system memory supported",
    "P2P atomics supported",
    "System memory atomics supported",
    "SLI is supported",
    "Link is supported",
)

_THROUGHPUT = {"d": "Data", "r": "Raw"}

_NO_LINKS = "Device does not have or support Nvlink"
_ALL_INACTIVE = "NVML: Unable to retrieve NVLink information as all links are inactive"
_IN_MIG_MODE = "Nvlink queries are not supported for Devices in MIG mode"


async def nvlink(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi nvlink`."""
    given = parse(context, SWITCHES, words, "nvlink")
    if "help" in given or not given:
        context.write("\n".join(section_help("nvlink", "NVLinks of the GPUs.", SWITCHES)) + "\n")
        return OK
    missing = next((switch for switch in SWITCHES if switch.key in given and not switch.modelled), None)
    if missing:
        return context.not_modelled(f"nvidia-smi nvlink {missing.names[0]}")
    if given.get("throughput") not in (None, *_THROUGHPUT):
        raise refuse(context, INVALID_COMBINATION, INVALID_ARGUMENT)
    gone = next((key for key in _GONE if key in given), None)
    if gone:
        raise refuse(context, _GONE[gone], INVALID_ARGUMENT)
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    shown = _throughput(given) or next((_VIEWS[key] for key in _VIEWS if key in given), _status)
    if "reset_errors" in given and not context.is_root:
        raise refuse(context, "Unable to reset NVLink error counters: Insufficient Permissions", NO_PERMISSION)
    for device in devices:
        links = _links(context, device, given)
        context.write("".join(f"{line}\n" for line in (gpu_line(device), *_shown(context, device, links, shown))))
    return OK


def _links(context: Context, device: Device, given: Mapping[str, str | None]) -> Sequence[int]:
    """The links asked for. Raises Refused."""
    link = given.get("link")
    if link is None:
        return range(device.product.nvlinks)
    if not link.isdecimal():
        raise refuse(context, f"Invalid NVLink: {link}", INVALID_ARGUMENT)
    return (int(link),)


_View = Callable[[Context, Device, Sequence[int]], Iterator[str]]


def _shown(context: Context, device: Device, links: Sequence[int], view: _View) -> Iterator[str]:
    if not device.product.nvlinks:
        yield _NO_LINKS
    elif device.state.mig_enabled:
        yield _IN_MIG_MODE
    elif view is not _reset and not (context.node.nvswitches and links_of_gpus.working(context.world, device.gpu.id)):
        yield _ALL_INACTIVE
    else:
        yield from view(context, device, links)


def speed(device: Device) -> str:
    """GB/s of one link in one direction, with as many decimals as there are."""
    mbytes = device.product.nvlink_mbytes_per_second
    return f"{mbytes // 1000}.{mbytes % 1000:03d}".rstrip("0").rstrip(".")


def _status(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    for link in links:
        yield f"\t Link {link}: {speed(device)} GB/s" if _active(device, link) else f"\t Link {link}: <inactive>"


def _active(device: Device, link: int) -> bool:
    return link < device.product.nvlinks and link not in device.world.nvlinks[device.gpu.id].down


def _capabilities(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    for link in links:
        for capability in _CAPABILITIES[:-1]:
            yield f"\t Link {link}, {capability}: true"
        last = "true" if architecture(device.product).link_is_supported else "false"
        yield f"\t Link {link}, {_CAPABILITIES[-1]}: {last}"


def _errors(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    found = {each.link: each for each in device.world.nvlinks[device.gpu.id].errors}
    for link in links:
        errors = found.get(link, NvLinkErrors(link))
        if architecture(device.product).tells_platform:
            yield from nvlink_counters.lines(device, errors)
            continue
        yield f"\t Link {link}: Replay Errors: {errors.replay}"
        yield f"\t Link {link}: Recovery Errors: {errors.recovery}"
        yield f"\t Link {link}: CRC Errors: {sum(errors.crc)}"
        yield ""


def _reset(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    context.simulation.apply(driver.ResetNvLinkErrors(context.host, device.index, context.identity.name))
    return iter(())


def _far_ends(device: Device, links: Sequence[int]) -> Iterator[tuple[int, str, int]]:
    """Link, bus id and port at the other end, of active links."""
    node = device.world.node(device.gpu.node)
    ports = list(switch_ports(node, device.product, device.gpu.module))
    for link in links:
        if _active(device, link) and link < len(ports):
            switch, port = ports[link]
            yield link, f"0000{node.nvswitches[switch].address}".upper(), port


def _throughput(given: Mapping[str, str | None]) -> _View | None:
    """The view of what links have carried, where `-gt` asks for it."""
    kind = given.get("throughput")
    if kind is None:
        return None
    word, raw = _THROUGHPUT[kind], kind == "r"

    def view(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
        for link in links:
            if _active(device, link):
                found = nvlink_traffic.carried(context.world, device.gpu.id, link, device.now)
                sent, received = (found.raw_sent, found.raw_received) if raw else (found.sent, found.received)
                yield f"\t Link {link}: {word} Tx: {sent // 1024} KiB"
                yield f"\t Link {link}: {word} Rx: {received // 1024} KiB"

    return view


def _info(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    yield "\t NVLE: disabled"
    yield "\t Firmware Version:"
    firmware = architecture(device.product).link_firmware
    yield from (f"\t     {name}: {version}" for name, version in firmware)
    if not firmware:
        yield "\t     N/A"


def _bus_ids(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    return (f"\t Link {link}: {bus_id}" for link, bus_id, _ in _far_ends(device, links))


def _remote(context: Context, device: Device, links: Sequence[int]) -> Iterator[str]:
    return (f"\t Link {link}: Remote Device {bus_id}: Link {port}" for link, bus_id, port in _far_ends(device, links))


_VIEWS: Mapping[str, _View] = {
    "capabilities": _capabilities,
    "errors": _errors,
    "reset_errors": _reset,
    "pci": _bus_ids,
    "remote": _remote,
    "info": _info,
    "status": _status,
}
