"""ibdiagnet of NVIDIA's ibutils2 2.11: checks the whole fabric in stages and writes what it found to files.

Skeleton: the first half of a healthy console, the summary of another run, NVIDIA's manual (stages of a default run,
names of files). Guesses: the order of lines within later stages and the closing list of files. Not modelled: PHY and
cable information (its cable reader does not know OSFP modules), routing checks of very large fabrics, the database in
CSV, plugins' options.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.infiniband._diags.discovery import Node, discover
from engine.commands.infiniband._ibdiagnet import report, routing, survey
from engine.commands.infiniband._ibdiagnet.survey import COUNTER_NAMES, Stage
from engine.commands.mellanox._mft.arguments import Refused, Words, read
from engine.commands.options import Option
from engine.kernel.units import SECOND
from engine.physics.port_counters import ERRORS, ResetCounters
from engine.world.records import LogicalState

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("V", "version", help="print the version"),
    Option("i", "device", "DEVICE", help="the local device"),
    Option("p", "port", "PORT", help="the local port"),
    Option("o", "output_path", "DIRECTORY", help="where the files go [default = /var/tmp/ibdiagnet2]"),
    Option(None, "pc", help="clear the counters of all ports"),
    Option("P", "counter", "NAME=VALUE", help="a threshold of an error counter, or of all"),
    Option(None, "pm_pause_time", "SECONDS", help="between two looks at the counters [default = 1]"),
    Option(None, "ls", "SPEED", help="the speed that links should have: 2.5, 5, 10, 14, 25, 50, 100"),
    Option(None, "lw", "WIDTH", help="the width that links should have: 1x, 2x, 4x"),
    Option(None, "discovery_only", help="no more than the discovery"),
    Option(None, "skip", "STAGES", help="stages to skip: dup_guids, lids, links, sm, pm, nodes_info, ..."),
    Option("r", "routing", help="check the routes between all adapters, and for credit loops"),
    Option(None, "get_phy_info", help="(not modelled) PHY and bit error rates"),
    Option(None, "reset_phy_info", help="(not modelled) clear them"),
    Option(None, "get_cable_info", help="(not modelled) cables' memories"),
    Option(None, "sharp", help="(not modelled) aggregation trees"),
    Option(None, "rail_validation", help="(not modelled) check rails"),
)
_NOT_MODELLED = tuple(each.long or "" for each in _OPTIONS if each.help.startswith("(not modelled)"))
_SPEEDS, _WIDTHS = ("2.5", "5", "10", "14", "25", "50", "100"), ("1x", "2x", "4x", "8x", "12x")
_DIRECTORY = "/var/tmp/ibdiagnet2"
_FAILED = 1


async def run(context: Context) -> int:
    """All stages, one after the other."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        context.line(f"-E- Illegal argument: {refused}")
        return _FAILED
    if "help" in words:
        context.write(_USAGE)
        return 0
    if "version" in words:
        context.line('"IBDIAGNET 2.11.0.MLNX20241120", "IBDIAG 2.1.1", "IBDM 2.1.1", "IBIS 7.0.0"')
        return 0
    lacking = next((name for name in _NOT_MODELLED if name in words), None)
    if lacking:
        return context.not_modelled(f"ibdiagnet --{lacking}")
    limits = _limits(words)
    if isinstance(limits, str) or (wrong := _wrong_value(words)):
        context.line(f"-E- {limits if isinstance(limits, str) else wrong}")
        return _FAILED
    return await _examine(context, words, limits)


async def _examine(context: Context, words: Words, limits: dict[str, int]) -> int:
    context.write(report.HEAD)
    start = _local(context, words)
    if isinstance(start, str):
        context.line(f"{report.RULE}\nDiscovery\n-E- {start}")
        return _FAILED
    nodes = discover(context.world, start.hca)
    if "routing" in words and routing.too_many(nodes):
        return context.not_modelled("ibdiagnet -r on so large a fabric")
    stages = [_show(context, _discovery(context, nodes))]
    if "discovery_only" not in words:
        for stage in _first_checks(context, nodes):
            stages.append(_show(context, stage))
        stages.append(_show(context, await _counters(context, words, nodes, limits)))
        for stage in _last_checks(context, words, nodes):
            stages.append(_show(context, stage))
    closing = report.summary(stages)
    context.write(closing)
    path = words["output_path"].rstrip("/") or _DIRECTORY
    for line in report.write_files(context, path, nodes, stages, closing):
        context.line(line)
    return _FAILED if any(stage.errors for stage in stages) else 0


def _local(context: Context, words: Words) -> Device | str:
    """The device from which it looks, or why there is none."""
    if not context.is_root:
        return "Failed to open port: can't open UMAD port, permission denied"
    usable = [each for each in by_name(context) if not each.ethernet and words["device"] in ("", each.name)]
    active = [each for each in usable if each.state is LogicalState.ACTIVE]
    linked = [each for each in usable if each.state is not LogicalState.DOWN]
    chosen = next(iter((*active, *linked)), None)
    if words["port"] not in ("", "1") or (words["device"] and not usable):
        return f"No such device or port: {words['device'] or 'default'}:{words['port'] or '1'}"
    return chosen or "The local port is not in active, armed or init state"


def _discovery(context: Context, nodes: list[Node]) -> Stage:
    stage = Stage("Discovery")
    stage.lines.append(f"-I- Discovering ... {survey.count(nodes)} discovered.")
    stage.check("Discovery", [])
    for what, findings in (
        ("Duplicated GUIDs detection", survey.duplicated_guids(context.world)),
        ("Duplicated Node Description detection", []),
        ("Switch Info retrieving", []),
    ):
        stage.lines.append("")
        stage.check(what, findings)
    return stage


def _first_checks(context: Context, nodes: list[Node]) -> list[Stage]:
    lids, ports, manager = Stage("Lids Check"), Stage("Links Check"), Stage("Subnet Manager")
    lids.check("Lids Check", [])
    ports.check("Links Check", survey.links_not_active(nodes))
    manager.check("SM Info retrieving", [])
    manager.lines.append("")
    manager.check("Subnet Manager Check", survey.without_manager(context.world))
    return [lids, ports, manager]


async def _counters(context: Context, words: Words, nodes: list[Node], limits: dict[str, int]) -> Stage:
    """Two looks at the error counters with a pause between them."""
    stage, world = Stage("Port Counters"), context.world
    if "pc" in words:
        ports = tuple(port.id for node in nodes for port in node.ports if port.far is not None)
        context.simulation.apply(ResetCounters(ports))
        stage.check("Ports counters clearing", [])
        stage.lines.append("")
    before = survey.counters(world, nodes, context.now)
    stage.check("Ports counters retrieving", [])
    pause = int(words["pm_pause_time"] or 1)
    stage.lines += ["", f"-I- Going to sleep for {pause} seconds until next counters sample"]
    await context.sleep(pause * SECOND)
    after = survey.counters(world, nodes, context.now)
    stage.lines += [f"-I- Time left to sleep ... {pause} seconds.", ""]
    stage.check("Ports counters retrieving (second time)", [])
    stage.lines.append("")
    stage.check("Ports counters value Check", survey.over_threshold(nodes, after, limits))
    stage.lines.append("")
    stage.check("Ports counters Difference Check (during run)", survey.increased(nodes, before, after))
    return stage


def _last_checks(context: Context, words: Words, nodes: list[Node]) -> list[Stage]:
    information, speed, virtual = Stage("Nodes Information"), Stage("Speed / Width checks"), Stage("Virtualization")
    told, older = survey.firmware(context.world, nodes)
    information.lines += told
    information.check("FW Check", older, severe=False)
    against = f"to {words['ls']}" if words["ls"] else "to supported link speed"
    speed.lines.append(f"-I- Link Speed Check (Compare {against})")
    speed.check("Links Speed Check", survey.slow_links(nodes, words["ls"] or None))
    against = f"to {words['lw']}" if words["lw"] else "to supported link width"
    speed.lines += ["", f"-I- Link Width Check (Compare {against})"]
    speed.check("Links Width Check", survey.narrow_links(nodes, words["lw"] or None))
    virtual.check("Build Virtualization Info DB", [])
    routes = [routing.stage(context.world, nodes)] if "routing" in words else []
    rest = (_passed(name) for name in ("Partition Keys", "Temperature Sensing", "Create IBNetDiscover File"))
    return [information, speed, virtual, *routes, *rest]


def _passed(name: str) -> Stage:
    stage = Stage(name)
    stage.check(name, [])
    return stage


def _show(context: Context, stage: Stage) -> Stage:
    context.line("\n".join([report.RULE, stage.name, *stage.lines, ""]))
    return stage


def _limits(words: Words) -> dict[str, int] | str:
    """Thresholds by our names of the counters, or what is wrong with what was typed."""
    if "counter" not in words:
        return {}
    name, equals, value = words["counter"].partition("=")
    known = {theirs: ours for ours, theirs in COUNTER_NAMES.items()} | {ours: ours for ours in ERRORS}
    if not equals or not value.isdecimal() or (name != "all" and name not in known):
        return f"Illegal value for -P option: {words['counter']}"
    return {ours: int(value) for ours in (ERRORS if name == "all" else (known[name],))}


def _wrong_value(words: Words) -> str:
    for name, allowed in (("ls", _SPEEDS), ("lw", _WIDTHS)):
        if name in words and words[name] not in allowed:
            return f"Illegal value for --{name} option: {words[name]}"
    pause = words["pm_pause_time"]
    return "" if not pause or pause.isdecimal() else f"Illegal value for --pm_pause_time option: {pause}"


_USAGE = """\
ibdiagnet [-i DEVICE] [-p PORT] [-o DIRECTORY] [--pc] [-P COUNTER=VALUE] [--pm_pause_time SECONDS]
          [--ls SPEED] [--lw WIDTH] [-r] [--discovery_only]

Discovers the fabric and checks LIDs, links, the subnet manager, counters, firmware, speeds and widths. Files are
written to /var/tmp/ibdiagnet2.
"""
COMMAND = Command(
    "ibdiagnet",
    "check the whole InfiniBand fabric",
    run,
    synopsis="ibdiagnet [OPTION]...",
    options=_OPTIONS,
    manual="Counters are read twice, a second apart: the difference check tells what rises now, whatever has been\n"
    "counted before. -P all=1 tells of every counter that is not zero. --pc clears the counters first.\n"
    "The log is /var/tmp/ibdiagnet2/ibdiagnet2.log.",
)
