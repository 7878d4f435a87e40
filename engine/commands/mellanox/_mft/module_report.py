"""The Module Info section of mlxlink -m: what is in the plug's memory and what it measures.

Labels and their order: captures of MFT 4.30 and 4.35. A passive cable has no sensors: it shows 0 with a range of 0, and
flags of loss and unlock that mean nothing while its link is up (a ConnectX-7 with such a cable).
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.commands.mellanox._mft.link_report import NOTHING, Rows
from engine.physics import links, optics
from engine.physics.optics import LANES, Product
from engine.world.world import World

_WEAK = -1041
"""Light in hundredths of a dBm below which a receiver says that there is none."""

_MADE = "24_03_18"


def module(world: World, port: str, now: int) -> Rows:
    """Rows of the plug in a port."""
    kind = optics.product(world, port)
    yield from _measured(world, port, now, kind)
    yield "Identifier", "OSFP" if kind else NOTHING
    yield "Compliance", compliance(kind, links.ethernet(world, port)) if kind else NOTHING
    yield "Cable Technology", kind.technology if kind else NOTHING
    yield "Cable Type", kind.kind if kind else NOTHING
    yield "OUI", ("Nvidia" if kind.vendor == "NVIDIA" else "Other") if kind else NOTHING
    yield "Vendor Name", kind.vendor if kind else NOTHING
    yield "Vendor Part Number", kind.part if kind else NOTHING
    yield "Vendor Serial Number", optics.serial(world, port) if kind else NOTHING
    yield "Rev", ("A3" if kind.vendor == "NVIDIA" else "00") if kind else NOTHING
    yield "Wavelength [nm]", kind.wavelength if kind else NOTHING
    yield "Transfer Distance [m]", _distance(world, port, kind)
    yield "Attenuation (5g,7g,12g,25g)[dB]", ("0,0,0,0" if not kind.optical else NOTHING) if kind else NOTHING
    yield "FW Version", ("47.171.1" if kind.optical else NOTHING) if kind else NOTHING
    yield "Digital Diagnostic Monitoring", ("Yes" if kind.optical else "No") if kind else NOTHING
    yield "Power Class", ("17.0 W max" if kind.optical else NOTHING) if kind else NOTHING
    yield "MAX Power", ("17.0" if kind.optical else NOTHING) if kind else NOTHING
    yield from _recovery(world, port, kind)
    yield from _rest(kind)
    yield from _states(world, port, kind)


def _measured(world: World, port: str, now: int, kind: Product | None) -> Rows:
    heat = optics.temperature(world, port, now)
    if kind is None or heat is None:
        none, zero = NOTHING, kind is not None
        yield "Temperature [C]", "0 [0..0]" if zero else none
        yield "Voltage [mV]", "0 [0..0]" if zero else none
        for label in ("Bias Current [mA]", "Rx Power Current [dBm]", "Tx Power Current [dBm]"):
            yield label, "0,0,0,0 [0..0]" if zero else none
        return
    volts = optics.voltage(world, port)
    yield "Temperature [C]", f"{heat // 1000} {_range(optics.TEMPERATURE_RANGE)}"
    yield "Voltage [mV]", f"{volts // 10}.{volts % 10} {_range(optics.VOLTAGE_RANGE)}"
    yield "Bias Current [mA]", f"{_thousandths(optics.bias(world, port))} {_range(optics.BIAS_RANGE)}"
    received, sent = (tuple(10 * light for light in law(world, port)) for law in (optics.received, optics.sent))
    yield "Rx Power Current [dBm]", f"{_thousandths(received)} {_range(optics.RECEIVED_RANGE)}"
    yield "Tx Power Current [dBm]", f"{_thousandths(sent)} {_range(optics.SENT_RANGE)}"


def _recovery(world: World, port: str, kind: Product | None) -> Rows:
    active = "ON,ON,ON,ON" if kind and kind.optical else NOTHING
    yield "CDR RX", active
    yield "CDR TX", active
    alarm = kind is not None and kind.optical and any(_dark_lanes(world, port))
    yield "LOS Alarm", ("Rx LOS" if alarm else NOTHING) if kind else NOTHING
    yield "SNR Media Lanes [dB]", NOTHING
    yield "SNR Host Lanes [dB]", NOTHING


def _rest(kind: Product | None) -> Rows:
    there = kind is not None
    yield "IB Cable Width", "1x,2x,4x,8x" if there else NOTHING
    yield "Memory Map Revision", "64" if there else NOTHING
    yield "Linear Direct Drive", "0" if there else NOTHING
    yield "Cable Breakout", "OSFP to OSFP" if there else NOTHING
    for label in (
        "SMF Length", "Cable Rx AMP", "Cable Rx Emphasis (Pre)", "Cable Rx Post Emphasis", "Cable Tx Equalization",
        "Wavelength Tolerance",
    ):  # fmt: skip
        yield label, NOTHING


def _states(world: World, port: str, kind: Product | None) -> Rows:
    there, light = kind is not None, kind is not None and kind.optical
    working = optics.working(world, port)
    state = "Ready state" if working else "Fault state"
    yield "Module State", state if there else NOTHING
    path = "DPActivated" if working else "DPDeactivated"
    yield "DataPath state [per lane]", _lanes([path] * LANES if light else [NOTHING] * LANES) if there else NOTHING
    dark = _dark_lanes(world, port) if light else [True, False, True, True]
    yield "Rx Output Valid [per lane]", _flags(light and not each for each in dark) if there else NOTHING
    yield "Nominal bit rate", NOTHING
    yield "Rx Power Type", ("Average power" if light else "OMA") if there else NOTHING
    yield "Manufacturing Date", _MADE if there else NOTHING
    rate = f"IB {'NDR' if kind and kind.rate >= 400 else 'HDR'}"
    yield "Active Set Host Compliance Code", rate if there else NOTHING
    yield "Active Set Media Compliance Code", ("400GBASE-SR4" if light else NOTHING) if there else NOTHING
    yield "Error Code Response", ("ConfigSuccess" if light else "ConfigUndefined") if there else NOTHING
    yield "Module FW Fault", "0" if there else NOTHING
    yield "DataPath FW Fault", "0" if there else NOTHING
    fault = [light and not working] * LANES
    yield "Tx Fault [per lane]", _flags(fault) if there else NOTHING
    yield "Tx LOS [per lane]", _flags([False] * LANES) if there else NOTHING
    yield "Tx CDR LOL [per lane]", _flags([False] * LANES) if there else NOTHING
    yield "Rx LOS [per lane]", _flags(dark) if there else NOTHING
    yield "Rx CDR LOL [per lane]", _flags(dark if light else [True] * LANES) if there else NOTHING
    yield "Tx Adaptive EQ Fault [per lane]", _flags([False] * LANES) if there else NOTHING


def compliance(kind: Product, ethernet: bool) -> str:
    """What a plug says that it complies with, for what its port speaks."""
    if ethernet:
        return "400GBASE-SR4" if kind.optical else "400GBASE-CR4"
    rate = "IB NDR" if kind.rate >= 400 else "IB HDR"
    return f"{rate},400GBASE-SR4" if kind.optical else rate


def _dark_lanes(world: World, port: str) -> list[bool]:
    return [light <= _WEAK for light in optics.received(world, port)]


def _distance(world: World, port: str, kind: Product | None) -> str:
    if kind is None:
        return NOTHING
    return "50" if kind.optical else str(world.inventory.cables[port].length_m)


def _range(limits: tuple[int | str, int | str]) -> str:
    return f"[{limits[0]}..{limits[1]}]"


def _thousandths(values: Iterable[int]) -> str:
    """`1.886,-0.120`."""
    return ",".join(f"{'-' if value < 0 else ''}{abs(value) // 1000}.{abs(value) % 1000:03d}" for value in values)


def _lanes(words: Iterable[str]) -> str:
    return ",".join(words)


def _flags(values: Iterable[bool]) -> str:
    return ",".join(str(int(value)) for value in values)
