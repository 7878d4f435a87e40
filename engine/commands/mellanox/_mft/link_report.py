"""What mlxlink says about a port: rows of its sections, from the port's state, its plug and its counters.

Labels, order and words: captures of MFT 4.30 and 4.35 (ConnectX-7 with copper, a 400G transceiver's DOM lines,
BlueField-3), mstflint's mlxlink sources. Guesses: what an InfiniBand port that looks for a partner shows as physical
state, the FEC that an NDR link over fibre takes, and the words of recommendations beyond "No issue was observed",
"Bad signal integrity" and those of the list of status opcodes. Rates from the last clearing on; raw errors are spread
over the lanes by the light that they get.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.adapter_firmware import running_version
from engine.kernel.random import hash64
from engine.kernel.units import MINUTE
from engine.physics import link_quality, links, optics, port_counters
from engine.world.inventory import Hca
from engine.world.records import PhysicalState
from engine.world.world import World

Rows = Iterator[tuple[str, str]]

NOTHING = "N/A"
_NEVER = "15E-255"
_SPEED_BITS = {"SDR": 0x1, "DDR": 0x2, "QDR": 0x4, "FDR10": 0x8, "FDR": 0x10, "EDR": 0x20, "HDR": 0x40, "NDR": 0x80}
_PORT_SPEEDS = {
    400: ("NDR", "HDR", "EDR", "FDR", "SDR"),
    200: ("HDR", "EDR", "FDR", "QDR", "SDR"),
    100: ("EDR", "FDR", "FDR10", "QDR", "DDR", "SDR"),
}
_CABLE_SPEEDS = {
    400: ("NDR", "HDR", "EDR", "FDR", "SDR"),
    200: ("HDR", "EDR", "FDR", "FDR10", "QDR", "DDR", "SDR"),
    100: ("EDR", "FDR", "FDR10", "QDR", "DDR", "SDR"),
}
_ETHERNET_SPEEDS = "0x00013ff2 (400G_4X,200G_2X,200G_4X,100G_1X,100G_2X,100G_4X,50G_1X,50G_2X,40G,25G,10G,1G)"
_COPPER_FEC = "Ethernet_Consortium_LL_50G_RS_FEC_PLR -(272,257+1)"
_FEC = {"NDR": "Interleaved_Standard_RS_FEC_PLR - (544,514)", "HDR": "RS-FEC - (544,514) + PLR"}
_ADVICE = {
    0: (NOTHING, "No issue was observed"),
    1: ("PHY FW", "Port is closed by command"),
    2: ("PHY FW", "Auto-negotiation failure"),
    15: ("PHY FW", "Bad signal integrity"),
    34: ("PHY FW", "Speed degradation"),
    57: ("PHY FW", "Signal not detected"),
    1024: ("MNG FW", "Cable is unplugged"),
    1030: ("MNG FW", "Module temperature shutdown"),
}


def operational(world: World, port: str) -> Rows:
    """Operational Info."""
    up, ethernet = links.link_up(world, port), links.ethernet(world, port)
    disabled = not world.ports[port].enabled
    yield "State", "Active" if up else "Disable" if disabled else "Polling"
    searching = "ETH_AN_FSM_ABILITY_DETECT" if ethernet else "Initializing"
    yield "Physical state", "LinkUp" if up else NOTHING if disabled and not ethernet else searching
    yield "Speed", _speed(world, port) if up else NOTHING
    yield "Width", f"{links.lanes(world, port)}x" if up else NOTHING
    yield "FEC", fec(world, port) if up else NOTHING
    yield "Loopback Mode", NOTHING if disabled else "No Loopback"
    yield "Auto Negotiation", "ON"


def supported(world: World, port: str) -> Rows:
    """Supported Info."""
    kind = optics.product(world, port)
    if links.ethernet(world, port):
        yield "Enabled Link Speed (Ext.)", _ETHERNET_SPEEDS
        yield "Supported Cable Speed (Ext.)", _ETHERNET_SPEEDS if kind else NOTHING
        return
    yield "Enabled Link Speed", _mask(_PORT_SPEEDS[_rate_of(world, port)])
    limit = _cable_limit(world, port)
    yield "Supported Cable Speed", _mask(_CABLE_SPEEDS[limit]) if kind and limit in _CABLE_SPEEDS else NOTHING


def troubleshooting(world: World, port: str) -> Rows:
    """Troubleshooting Info."""
    opcode = status(world, port)
    group, advice = _ADVICE[opcode]
    yield "Status Opcode", str(opcode)
    yield "Group Opcode", group
    yield "Recommendation", advice


def tool(world: World, hca: Hca | None, firmware: str, version: str) -> Rows:
    """Tool Information."""
    yield "Firmware Version", running_version(world, hca) if hca else firmware
    yield "amBER Version", "3.6"
    yield "MFT Version", f"mft {version}-139"


def status(world: World, port: str) -> int:
    """The number that firmware gives for what is wrong with a link, 0 for nothing."""
    if not world.ports[port].enabled:
        return 1
    if optics.product(world, port) is None and not links.link_up(world, port):
        return 1024
    if not optics.working(world, port) and world.optics[optics.cage(world.inventory, port)].shut_down:
        return 1030
    if links.link_up(world, port):
        if link_quality.error_exponent(world, port) <= link_quality.BAD:
            return 15
        return 34 if links.lanes(world, port) < links.LANES else 0
    far = links.peer(world.inventory, port)
    dark = far is None or not optics.working(world, far) or not world.ports[far].enabled or not links.served(world, far)
    return 57 if dark else 2


def counters(world: World, port: str, now: int) -> Rows:
    """Physical Counters and BER Info."""
    up, ethernet = links.link_up(world, port), links.ethernet(world, port)
    since = max(0, now - port_counters.last_cleared(world, port))
    errors = port_counters.errors(world, port, now)
    rows = [("Time Since Last Clear [Min]", f"{since * 10 // MINUTE / 10:.1f}")]
    symbols = errors["symbol_error"]
    after = ber(link_quality.after_correction(world, port)) if symbols else _NEVER
    if not ethernet:
        rows += [("Symbol Errors", str(symbols)), ("Symbol BER", after)]
    rows += [("Effective Physical Errors", str(symbols)), ("Effective Physical BER", after)]
    raw = link_quality.before_correction(world, port)
    rows.append(("Raw Physical Errors Per Lane", ",".join(map(str, lane_errors(world, port, since, now)))))
    rows += [
        ("Link Down Counter", str(errors["link_downed"])),
        ("Link Error Recovery Counter", str(errors["link_error_recovery"])),
        ("Raw Physical BER", ber(raw)),
    ]
    yield from ((label, value if up else NOTHING) for label, value in rows)


def lane_errors(world: World, port: str, since: int, now: int) -> tuple[int, ...]:
    """Bit errors before correction by lane in the last `since` ns: those of a healthy signal, and since it is bad those
    of the bad one; most of them come in by the lanes with least light.
    """
    lanes = links.lanes(world, port)
    bad = 0
    if link_quality.error_exponent(world, port) < link_quality.CLEAN:
        bad = min(since, now - world.port_counters[port].since)
    times = ((link_quality.healthy(world, port), since - bad), (link_quality.before_correction(world, port), bad))
    rate = links.rate(world, port)
    total = sum(rate * lasted * raw.hundredths // 100 // 10**raw.exponent for raw, lasted in times)
    weights = [100 + hash64(world.seed, "lane", port, lane) % 150 for lane in range(lanes)]
    for lane, loss in enumerate(world.connectors[port].loss[:lanes]):
        weights[lane] += loss * loss
    return tuple(total * weight // sum(weights) for weight in weights)


def ber(rate: link_quality.BitErrorRate) -> str:
    """As firmware writes a rate: `4E-9`."""
    if not rate.hundredths:
        return _NEVER
    if rate.hundredths < 100:
        return f"{rate.hundredths // 10}E-{rate.exponent + 1}"
    return f"{rate.hundredths // 100}E-{rate.exponent}"


def fec(world: World, port: str) -> str:
    """The error correction that a link runs with."""
    kind, generation = optics.product(world, port), links.generation(world, port).name
    if kind and not kind.optical and generation == "NDR":
        return _COPPER_FEC
    if links.ethernet(world, port):
        return "Standard_RS-FEC - (544,514)"
    return _FEC.get(generation, "No FEC")


def up_or_nothing(world: World, port: str, text: str) -> str:
    """The text, if the port has a link."""
    return text if links.physical_state(world, port) is PhysicalState.LINK_UP else NOTHING


def _speed(world: World, port: str) -> str:
    if links.ethernet(world, port):
        return f"{links.rate(world, port)}G"
    return f"IB-{links.generation(world, port).name}"


def _rate_of(world: World, port: str) -> int:
    rate = links.place(world.inventory, port).device.rate
    return next(known for known in _PORT_SPEEDS if known <= rate or known == min(_PORT_SPEEDS))


def _cable_limit(world: World, port: str) -> int:
    """What the plug's memory says that it can do."""
    kind = optics.product(world, port)
    return kind.rate if kind else 0


def _mask(names: tuple[str, ...]) -> str:
    return f"0x{sum(_SPEED_BITS[name] for name in names):08x} ({','.join(names)})"
