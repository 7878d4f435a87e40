"""nvsm (NVIDIA System Management, DGX OS): health of the machine in checks, alerts, and its parts.

Forms: the NVSM user guide (show health, the `Properties:` lists of fans, power supplies, GPUs and drives, alerts), as
far as it is known from memory and second hand; no capture was at hand, so spacing and some names of properties are
guesses. Which checks there are is cut down to what the model knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.gpu._nvsm.dump import dump
from engine.commands.linux._support.clock import shown as worded
from engine.control import bmc, driver, packages
from engine.control.bmc import Sensor
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import GIB, SECOND
from engine.physics import supplies
from engine.physics.pcie import answers, link
from engine.physics.power import psu_output
from engine.world.inventory import Gpu

_WIDTH = 61
_TAKES = 40 * SECOND
_RATES = {1: "2.5GT/s", 2: "5GT/s", 3: "8GT/s", 4: "16GT/s", 5: "32GT/s", 6: "64GT/s"}


@dataclass(frozen=True, slots=True)
class _Check:
    text: str
    healthy: bool


@dataclass(frozen=True, slots=True)
class _Alert:
    """Something that is wrong now: the component, NVSM's number for it, what is said and advised."""

    component: str
    number: str
    message: str
    advice: str
    severity: str = "Critical"
    since: int | None = None


async def run(ctx: Context) -> int:
    """`nvsm show ...` and `nvsm dump health`; what else there is, is not modelled."""
    words = list(ctx.arguments)
    if words in (["--help"], ["-h"]):
        ctx.line("usage: nvsm [-h] [--version] {show {health,alerts,fans,psus,gpus,drives,version},dump health}")
        return 0
    if not ctx.is_root:
        ctx.error("ERROR: nvsm must be run as root")
        return 1
    if words == ["dump", "health"]:
        return await dump(ctx)
    if words[:1] != ["show"] or len(words) < 2:
        return ctx.not_modelled(f"nvsm {' '.join(words)}".rstrip())
    shown = _SHOWN.get(words[1]) if len(words) == 2 else None
    if shown is None:
        return ctx.not_modelled(f"nvsm {' '.join(words)}")
    return await _health(ctx) if words[1] == "health" else _print(ctx, shown(ctx))


def _print(ctx: Context, lines: Iterator[str]) -> int:
    for line in lines:
        ctx.line(line)
    return 0


async def _health(ctx: Context) -> int:
    await ctx.sleep(_TAKES)
    checks = list(_checks(ctx))
    healthy = sum(check.healthy for check in checks)
    ctx.line("Info\n----")
    ctx.line(f"Timestamp: {_stamp(ctx, ctx.now)}\nVersion: {_version(ctx)}\n")
    ctx.line("Checks\n------")
    for check in checks:
        ctx.line(f"{check.text:.<{_WIDTH}} {'Healthy' if check.healthy else 'Unhealthy'}")
    ctx.line("\nHealth Summary\n--------------")
    ctx.line(f"{healthy} out of {len(checks)} checks are healthy")
    ctx.line(f"Overall system status is {'healthy' if healthy == len(checks) else 'unhealthy'}")
    return 0 if healthy == len(checks) else 1


def _checks(ctx: Context) -> Iterator[_Check]:
    node, world = ctx.node, ctx.world
    yield _Check("Verify installed DIMM memory sticks", True)
    yield _Check(f"Number of logical CPU cores [{node.cpu.sockets * node.cpu.cores * node.cpu.threads}]", True)
    for gpu in node.gpus:
        there = answers(world, ctx.host, gpu.address)
        found = link(world, ctx.host, gpu.address)
        wide = there and found.width == found.max_width
        fast = there and found.generation == found.max_generation
        yield _Check(f"GPU link speed [{gpu.address}][{_RATES[gpu.product.pcie_generation]}]", fast)
        yield _Check(f"GPU link width [{gpu.address}][x{gpu.product.pcie_width}]", wide)
    found_gpus = len(_visible(ctx))
    yield _Check(f"Number of GPUs [{len(node.gpus)}]", found_gpus == len(node.gpus))
    for psu in node.psus:
        yield _Check(f"Status of PSU{psu.index}", supplies.psu_working(world, psu))
    for fan in node.fans:
        yield _Check(f"Status of fan module FAN{fan.index}", not world.fans[fan.id].failed)
    for drive in node.drives:
        yield _Check(f"Status of drive {drive.name}n1", answers(world, ctx.host, drive.address))
    for sensor in _of(ctx, "degrees C"):
        yield _Check(f"Temperature {sensor.name}", sensor.status in ("ok", "nc"))


def _visible(ctx: Context) -> list[Gpu]:
    """The GPUs that the driver shows."""
    world, host = ctx.world, ctx.host
    if driver.nvml(world, host).status is not driver.NvmlStatus.OK:
        return []
    return [gpu for gpu in driver.bound_gpus(world, host) if not driver.is_lost(world, gpu.id)]


def _of(ctx: Context, unit: str) -> list[Sensor]:
    return [sensor for sensor in bmc.sensors(ctx.world, ctx.host, ctx.now) if sensor.unit == unit]


def _alerts(ctx: Context) -> list[_Alert]:
    node, world, found = ctx.node, ctx.world, []
    times = {entry.sensor: entry.time for entry in world.sel[ctx.host].entries}
    for psu in node.psus:
        since = times.get(f"STATUS_PSU{psu.index}")
        if world.psus[psu.id].failed:
            advice = "Please replace the PSU."
            found.append(_Alert(f"PSU{psu.index}", "NV-PSU-01", "Power supply module has failed.", advice, since=since))
        elif not supplies.has_input(world, psu):
            advice = "Please check the power cord and the power distribution."
            text = "Input to the power supply module has been lost."
            found.append(_Alert(f"PSU{psu.index}", "NV-PSU-02", text, advice, since=since))
    for fan in node.fans:
        if world.fans[fan.id].failed:
            since = times.get(f"SPD_FAN_SYS{fan.index}_F")
            advice = "Please replace the fan module."
            found.append(_Alert(f"FAN{fan.index}", "NV-FAN-01", "Fan module has failed.", advice, since=since))
    return found


def _show_alerts(ctx: Context) -> Iterator[str]:
    alerts = _alerts(ctx)
    if not alerts:
        yield "/systems/localhost/alerts\nTargets:\nVerbs:\n    cd\n    show"
    for number, alert in enumerate(alerts):
        yield from _listed(
            f"/systems/localhost/alerts/alert{number}",
            (
                ("system_name", ctx.host),
                ("message_details", ""),
                ("component_id", alert.component),
                ("description", alert.message),
                ("event_time", _stamp(ctx, ctx.now if alert.since is None else alert.since)),
                ("recommended_action", alert.advice),
                ("alert_id", alert.number),
                ("system_serial", ctx.node.serial),
                ("message", f"System entered degraded mode: {alert.message}"),
                ("severity", alert.severity),
            ),
        )


def _show_fans(ctx: Context) -> Iterator[str]:
    for member, sensor in enumerate(_of(ctx, "RPM")):
        reading = "N/A" if sensor.value is None else f"{sensor.value // 1000} RPM"
        yield from _listed(
            f"/chassis/localhost/thermal/fans/{sensor.name}",
            (
                ("Status_State", "Enabled"),
                ("Status_Health", {"ok": "OK", "nc": "Warning"}.get(sensor.status, "Critical")),
                ("Name", sensor.name),
                ("MemberId", str(member)),
                ("ReadingUnits", "RPM"),
                ("LowerThresholdNonCritical", f"{(sensor.thresholds.lower_nc or 0) // 1000}.000"),
                ("Reading", reading),
                ("LowerThresholdCritical", f"{(sensor.thresholds.lower_cr or 0) // 1000}.000"),
            ),
        )


def _show_psus(ctx: Context) -> Iterator[str]:
    for psu in ctx.node.psus:
        well = supplies.psu_working(ctx.world, psu)
        yield from _listed(
            f"/chassis/localhost/power/PSU{psu.index}",
            (
                ("Status_State", "Present"),
                ("Status_Health", "OK" if well else "Critical"),
                ("LastPowerOutputWatts", str(psu_output(ctx.world, psu, ctx.now) // 1000)),
                ("Name", f"PSU{psu.index}"),
                ("MemberId", str(psu.index)),
                ("PowerSupplyType", "AC"),
                ("PowerCapacityWatts", str(psu.watts)),
            ),
        )


def _show_gpus(ctx: Context) -> Iterator[str]:
    for gpu in _visible(ctx):
        state = ctx.world.gpus[gpu.id]
        yield from _listed(
            f"/systems/localhost/gpus/GPU{gpu.index}",
            (
                ("Inventory_ModelName", gpu.product.name),
                ("Inventory_UUID", state.uuid),
                ("Inventory_SerialNumber", state.serial),
                ("Specifications_MaxPCIeGen", str(gpu.product.pcie_generation)),
                ("Specifications_MaxPCIeLinkWidth", f"{gpu.product.pcie_width}x"),
                ("Connections_PCIeLocation", gpu.address),
                ("Connections_PCIeLinkWidth", f"{link(ctx.world, ctx.host, gpu.address).width}x"),
                ("Status_Health", "OK"),
            ),
        )


def _show_drives(ctx: Context) -> Iterator[str]:
    for drive in ctx.node.drives:
        yield from _listed(
            f"/systems/localhost/storage/drives/{drive.name}n1",
            (
                ("Capacity", str(drive.bytes)),
                ("CapacityGiB", str(drive.bytes // GIB)),
                ("Model", drive.model),
                ("SerialNumber", drive.serial),
                ("Revision", drive.firmware),
                ("Name", "Non-Volatile Memory Express"),
                ("Status_State", "Enabled"),
                ("Status_Health", "OK" if answers(ctx.world, ctx.host, drive.address) else "Critical"),
            ),
        )


def _show_version(ctx: Context) -> Iterator[str]:
    yield f"nvsm: {_version(ctx)}"


def _listed(path: str, properties: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield path
    yield "Properties:"
    yield from (f"    {name} = {value}".rstrip() for name, value in properties)
    yield "Targets:\nVerbs:\n    cd\n    show\n"


def _version(ctx: Context) -> str:
    package = packages.installed(ctx.world, ctx.host).get("nvsm")
    return package.version if package else "unknown"


def _stamp(ctx: Context, time: int) -> str:
    """A time in NVSM's form: Tue Mar  2 15:03:12 2021 +0000."""
    return worded(ctx, ctx.inventory.start + time, "%a %b %e %H:%M:%S %Y %z")


_SHOWN: Mapping[str, Callable[[Context], Iterator[str]]] = MappingProxyType(
    {
        "health": _show_version,
        "alerts": _show_alerts,
        "fans": _show_fans,
        "psus": _show_psus,
        "gpus": _show_gpus,
        "drives": _show_drives,
        "version": _show_version,
    }
)

COMMAND = Command(
    "nvsm",
    "NVIDIA System Management",
    run,
    "nvsm show {health,alerts,fans,psus,gpus,drives,version}",
    (),
    "Needs root. nvsm show health takes most of a minute; nvsm dump health packs an archive for support. "
    "Its other verbs and objects are not modelled.",
)
