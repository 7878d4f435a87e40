"""ibqueryerrors of infiniband-diags: the ports of the fabric whose error counters are above a threshold.

Format: ibqueryerrors.c of rdma-core 54, captures, and runs of the real tool on a simulator. Every counter that is not 0
is told unless a threshold is set (the file that comes with it sets none). It first asks the subnet manager for service
levels: without one it ends without a word of its own, status 0. As in the real tool, --details names what it finds by
the fields of the other attribute.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags import cache
from engine.commands.infiniband._diags.destination import resolve_guid, route_of
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import Fabric, Node, find_by_guid, led_by, listed, unanswered
from engine.commands.infiniband._diags.error_report import Report, Style
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import Failed, fail, program, told_timeouts, warn
from engine.commands.options import Option, Parsed
from engine.control.subnet_manager.managers import master_at
from engine.kernel.units import SECOND

OPTIONS = (
    Option("s", "suppress", "<err1,err2,...>", help="leave these errors out"),
    Option("c", "suppress-common", help="leave common errors out"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option("G", "port-guid", "<port_guid>", help="only the node with this port GUID"),
    Option("S", argument="<port_guid>", name="port_guid", help="the same"),
    Option("D", "Direct", "<dr_path>", help="only the node at the end of a direct route"),
    Option(None, "skip-sl", help="do not ask for service levels"),
    Option("r", "report-port", help="tell the link of each port as well"),
    Option(None, "threshold-file", "<val>", help="thresholds, instead of /etc/infiniband-diags/error_thresholds"),
    Option("R", "GNDN", help="does nothing"),
    Option(None, "data", help="data counters of ports with errors, too"),
    Option(None, "switch", help="only switches"),
    Option(None, "ca", help="only channel adapters"),
    Option(None, "router", help="only routers"),
    Option(None, "details", help="why packets were discarded or spoiled, too"),
    Option(None, "counters", help="data counters and no errors"),
    Option("k", "clear-errors", help="reset error counters after reading"),
    Option("K", "clear-counts", help="reset data counters after reading"),
    Option(None, "load-cache", "<file>", help="take the fabric from this file"),
    Option("o", "outstanding_smps", "<val>", help="how many packets may be under way at a time"),
)
_WAITED = 3 * SECOND


async def run(context: Context, parsed: Parsed) -> int:
    """Report nodes and a summary; 1 if a port is above a threshold."""
    device = local_device(context, parsed)
    if device is None:
        raise fail(context, f"Failed to open port; {parsed['Ca'] or '(null)'}:{parsed['Port'] or 0}\n")
    if "Direct" in parsed and "load_cache" in parsed:
        context.error("Cannot specify cache and direct route path")
        raise Failed
    whole = Fabric(context.world, device.hca)
    guid, found = await _asked_for(context, parsed, device, whole)
    nodes = [found] if found and "load_cache" not in parsed else _fabric(context, parsed, whole)
    rename(context, parsed, nodes)
    report = Report(context, Style.of(context, parsed))
    if "port_guid" not in parsed and "skip_sl" not in parsed and not await _knows_levels(context, device):
        return 0
    for node in _chosen(context, parsed, nodes, guid):
        await report.node(node)
    return report.summary()


async def _asked_for(context: Context, parsed: Parsed, device: Device, whole: Fabric) -> tuple[int | None, Node | None]:
    """The port GUID of the node that is asked for (None for all), and the node where it was found: then the scan goes
    no further.
    """
    if "Direct" in parsed:
        found = led_by(whole.first, route_of(parsed["Direct"]))
        return found.port_guid if found else 0, found
    if "port_guid" not in parsed:
        return None, None
    guid = unsigned(parsed["port_guid"])
    found = await resolve_guid(context, device, whole, guid)
    if found is None:
        warn(context, "main", f"Failed to resolve {parsed['port_guid']}; attempting full scan")
    return guid, found


def _fabric(context: Context, parsed: Parsed, whole: Fabric) -> list[Node]:
    if "load_cache" not in parsed:
        told_timeouts(context, unanswered(context.world, whole.nodes))
        return whole.nodes
    nodes = cache.read(context, parsed["load_cache"])
    if nodes is None:
        context.error("loading cached fabric failed")
        raise Failed
    return nodes


async def _knows_levels(context: Context, device: Device) -> bool:
    """Whether the subnet manager answers."""
    if not device.manager_lid:
        warn(context, "sa_get_handle", "No SM/SA found on port (null):0")
        return False
    if master_at(context.world, device.manager_lid) is None:
        await context.sleep(_WAITED)
        context.error("Query SA failed: Connection timed out; sa call path_query failed")
        return False
    return True


def _chosen(context: Context, parsed: Parsed, nodes: list[Node], guid: int | None) -> list[Node]:
    if guid is None:
        return listed(nodes)
    found = find_by_guid(nodes, guid)
    if found is None:
        context.error(f"Failed to find node: {parsed['port_guid'] or parsed['Direct']}")
    return [found] if found else []


COMMAND = program(
    "ibqueryerrors",
    "query and report InfiniBand port counters",
    run,
    options=OPTIONS,
    without="cDGKLnRrSs",
    manual="Reports every port with an error counter above its threshold (0 where the threshold file sets none), and\n"
    "ends with status 1 if there are any. -k resets error counters after reading, -K data counters. Needs root.\n"
    "PortXmitWait is congestion, not an error; -s PortXmitWait leaves it out.",
)
