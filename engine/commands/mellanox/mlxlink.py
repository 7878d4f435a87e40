"""mlxlink of MFT 4.30: a port's link, what its plug measures, bit error rates; switches the port off and on.

Texts: mstflint's mlxlink sources, captures of MFT 4.30. A switch's port is reached in-band, `-d lid-0x3 -p 9/2` (cage
and half). Not modelled: PCIe ports, eye openings, PRBS tests, forced speeds, transmitter settings, cables' memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices, link_report
from engine.commands.mellanox._mft.arguments import Refused, read
from engine.commands.mellanox._mft.fec_report import capabilities, histogram
from engine.commands.mellanox._mft.module_report import module
from engine.commands.mellanox._mft.sections import Section, document, show
from engine.commands.options import Option
from engine.control.subnet_manager.lids import end_port, lid
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.port_control import SwitchPort
from engine.physics.port_counters import ResetCounters
from engine.world.adapters import function_number
from engine.world.inventory import Hca, Switch

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "device", "DEVICE", help="the device: /dev/mst/mt4129_pciconf0, mlx5_0, 18:00.0, lid-3"),
    Option("p", "port", "PORT", help="the port; of a switch CAGE/HALF"),
    Option("m", "show_module", help="what the plug is and measures"),
    Option("c", "show_counters", help="errors and bit error rates"),
    Option(None, "show_mo", help="the same as --show_module"),
    Option(None, "show_ber", help="the same as --show_counters"),
    Option(None, "show_fec", help="error corrections that the port can do"),
    Option(None, "rx_fec_histogram", help="histogram of corrected errors, with --show_histogram"),
    Option(None, "show_histogram", help="show the histogram"),
    Option(None, "clear_histogram", help="(not modelled) clear the histogram"),
    Option("a", "port_state", "UP|DN|TG", help="switch the port on, off, or off and on"),
    Option(None, "pc", help="clear the counters"),
    Option(None, "json", help="print as JSON"),
    Option(None, "yes", help="ask nothing"),
    Option("e", "show_eye", help="(not modelled) eye openings"),
    Option("s", "speeds", "SPEEDS", help="(not modelled) enable speeds"),
    Option("k", "fec", "FEC", help="(not modelled) choose an error correction"),
    Option("l", "loopback", "MODE", help="(not modelled) loop the port back"),
    Option("b", "ber_collect", "FILE", help="(not modelled) write a report"),
    Option(None, "amber_collect", "FILE", help="(not modelled) write a report"),
    Option(None, "port_type", "TYPE", help="(not modelled) PCIE or others"),
    Option(None, "test_mode", "MODE", help="(not modelled) PRBS tests"),
    Option(None, "show_serdes_tx", help="(not modelled) transmitter settings"),
    Option(None, "show_device", help="(not modelled) the device"),
    Option(None, "show_links", help="(not modelled) PCIe links"),
    Option(None, "cable", help="(not modelled) a cable's memory"),
    Option(None, "show_ber_monitor", help="of switches only"),
)
_NOT_MODELLED = tuple(each.long or "" for each in _OPTIONS if "(not modelled)" in each.help)
_STATES = ("UP", "DN", "TG")
_WAIT = 2 * SECOND


async def run(context: Context) -> int:
    """Do what is asked, then show the port."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        return _fail(context, f"failed to parse arguments. Unknown option: {refused}")
    if "help" in words:
        context.write(_USAGE)
        return 0
    if "version" in words:
        context.line(f"mlxlink, mft {_version(context)}-139, built on Nov 20 2024, 10:48:51. Git SHA Hash: N/A")
        return 0
    for name in _NOT_MODELLED:
        if name in words:
            return context.not_modelled(f"mlxlink --{name}")
    if "device" not in words:
        return _fail(context, "Please provide a device name")
    if "port_state" in words and words["port_state"].upper() not in _STATES:
        return _fail(context, "Please provide a valid paos command [UP(up)/DN(down)/TG(toggle)]")
    found = _port(context, words["device"], words["port"])
    if isinstance(found, int):
        return found
    device, port = found
    if "port_state" in words:
        await _switch(context, port, words["port_state"].upper())
        return 0
    unseen = port not in context.inventory.cables and links.link_up(context.world, port)
    if unseen and ("show_module" in words or "show_mo" in words):
        return context.not_modelled("the plug of a port whose cable the site leaves out")
    if "pc" in words:
        context.line("\nClearing Counters")
        context.simulation.apply(ResetCounters((port,)))
    return _print(context, device, port, set(words.options))


def _print(context: Context, device: Hca | Switch, port: str, asked: set[str]) -> int:
    sections = [(title, tuple(rows)) for title, rows in _sections(context, device, port, asked)]
    if "json" in asked:
        context.line(document(sections))
        return 0
    show(context, sections)
    if "show_ber_monitor" in asked and isinstance(device, Hca):
        context.line(" ")
        return _fail(context, '"--show_ber_monitor" option is not supported for HCA')
    context.line()
    return 0


def _sections(context: Context, device: Hca | Switch, port: str, asked: set[str]) -> Iterator[Section]:
    world, hca = context.world, device if isinstance(device, Hca) else None
    yield "Operational Info", tuple(link_report.operational(world, port))
    yield "Supported Info", tuple(link_report.supported(world, port))
    yield "Troubleshooting Info", tuple(link_report.troubleshooting(world, port))
    yield "Tool Information", tuple(link_report.tool(world, hca, device.firmware, _version(context)))
    if asked & {"show_module", "show_mo"}:
        yield "Module Info", tuple(module(world, port, context.now))
    if asked & {"show_counters", "show_ber"}:
        yield "Physical Counters and BER Info", tuple(link_report.counters(world, port, context.now))
    if "show_fec" in asked:
        yield "FEC Capability Info", tuple(capabilities(world, port))
    if asked & {"rx_fec_histogram", "show_histogram"}:
        yield "Histogram of FEC Errors", tuple(histogram(world, port, context.now))


def _port(context: Context, name: str, number: str) -> tuple[Hca | Switch, str] | int:
    """The device and the port that are meant, or the status of the refusal."""
    if name.startswith("lid-"):
        return _switch_port(context, name, number)
    hca = devices.opened(context, name)
    if hca is None:
        return _fail(context, f'Failed to open device: "{name}", {devices.trouble(context, name)}')
    sisters = devices.adapters(context)
    slot = hca.address.rpartition(".")[0]
    functions = [each for each in sisters if each.address.rpartition(".")[0] == slot]
    if not number:
        return hca, hca.port
    if not number.isdecimal() or not int(number):
        return _fail(context, "Invalid port number!")
    if len(functions) > 1:
        if int(number) > len(functions):
            return _fail(context, "Please Provide Valid Port Number (1/2)")
        if int(number) - 1 != function_number(hca):
            return _fail(context, f"Please Provide the Physical Device of Port {number}")
    elif int(number) != 1:
        return _fail(context, "Invalid port number!")
    return hca, hca.port


def _switch_port(context: Context, name: str, number: str) -> tuple[Switch, str] | int:
    """A port of a switch that is reached over the fabric, from an adapter that has a link."""
    refused = f'Failed to open device: "{name}", Connection timed out'
    try:
        wanted = int(name.removeprefix("lid-"), 0)
    except ValueError:
        return _fail(context, f'Failed to open device: "{name}", Invalid argument')
    if not context.is_root:
        return _fail(context, f'Failed to open device: "{name}", Permission denied')
    if not any(links.link_up(context.world, hca.port) and not _is_ethernet(hca) for hca in context.node.hcas):
        return _fail(context, refused)
    switches = [each for each in context.inventory.switches.values() if each.kind == "infiniband"]
    switch = next((each for each in switches if lid(context.world, end_port(f"{each.name}/1")) == wanted), None)
    if switch is None:
        return _fail(context, refused)
    cage, _, half = number.partition("/")
    if not number:
        return _fail(context, "Please provide a valid port number")
    if not cage.isdecimal() or (half and half not in ("1", "2")):
        return _fail(context, "Invalid port number!")
    local = 2 * int(cage) - 2 + int(half or 1)
    if not 1 <= local <= switch.outer_ports:
        return _fail(context, "Invalid port number!")
    return switch, f"{switch.name}/{local}"


def _is_ethernet(hca: Hca) -> bool:
    return hca.link_layer == "Ethernet"


async def _switch(context: Context, port: str, state: str) -> None:
    """Switch a port off, on, or both, as the firmware does it."""
    if state in ("DN", "TG"):
        context.line("\nConfiguring Port State (Down)...")
        context.simulation.apply(SwitchPort(port, False))
        await context.sleep(_WAIT)
    if state in ("UP", "TG"):
        context.line("\nConfiguring Port State (Up)...")
        context.simulation.apply(SwitchPort(port, True))


def _version(context: Context) -> str:
    return context.inventory.software.get("mft", "4.30.1")


def _fail(context: Context, text: str) -> int:
    context.error(f"-E- {text}")
    return 1


_USAGE = """\
NAME:
    mlxlink - shows and configures links of NVIDIA's network devices

SYNOPSIS:
    mlxlink -d DEVICE [-p PORT] [OPTIONS]

QUERIES:
    -m |--show_module      the plug: kind, part, temperature, light
    -c |--show_counters    errors and bit error rates
    --show_fec             error corrections
    --rx_fec_histogram --show_histogram
                           errors by how many were corrected at once

COMMANDS:
    -a |--port_state UP|DN|TG    switch the port on, off, or off and on
    --pc                         clear the counters

    --json                       as JSON
"""
COMMAND = Command(
    "mlxlink",
    "show and configure the link of a network port",
    run,
    synopsis="mlxlink -d DEVICE [-p PORT] [OPTION]...",
    options=_OPTIONS,
    manual="State is the firmware's: Polling looks for a partner, Disable is switched off. Raw BER is that of the\n"
    "bare signal (1E-7 and better is usual with PAM4), Effective and Symbol BER what is left after correction;\n"
    "15E-255 means that nothing was counted. Ports of switches: -d lid-3 -p 9/2, the second half of cage 9.",
)
