"""cma_roce_mode of mlnx-tools: the RoCE version of connections that rdma_cm makes. Words: the script of mlnx-tools."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.ethernet._adapters.finding import by_device
from engine.commands.options import Option, UsageError, parse
from engine.control import interface_settings, modules
from engine.control.roce_gids import VERSIONS

_OPTIONS = (
    Option("h", None, help="print this text"),
    Option("d", None, "DEVICE", help="the RDMA device, mlx5_0 if not given"),
    Option("p", None, "PORT", help="its port, 1 if not given"),
    Option("m", None, "MODE", help="1: RoCE v1, 2: RoCE v2 from now on"),
)
_MODULE = "rdma_cm"


def run(ctx: Context) -> int:
    """Set the version if one was given, and show it."""
    try:
        parsed = parse("cma_roce_mode", _OPTIONS, ctx.arguments)
    except UsageError as error:
        ctx.stderr.write(error.text.encode())
        return 0
    if "h" in parsed:
        ctx.write("Set/Show RoCE mode of RDMA_CM applications\n\nUsage:\n\tcma_roce_mode OPTIONS\n")
        return 0
    if not ctx.is_root:
        ctx.line("you must be root to run this")
        return 1
    name, port = parsed["d"] or "mlx5_0", parsed["p"] or "1"
    if not modules.is_loaded(ctx.world, ctx.host, _MODULE):
        ctx.line("module rdma_cm is not loaded or does not support configfs")
        return 1
    hca = by_device(ctx, name)
    if hca is None:
        ctx.error(f"mkdir: cannot create directory '{name}': No such device")
        ctx.line(f"failed to create configuration for {name}")
        return 1
    if port != "1":
        ctx.line(f"device {name} port {port} does not exist")
        return 1
    if parsed["m"] in ("1", "2"):
        version = VERSIONS[int(parsed["m"]) - 1]
        changes = (("connection_mode", version),)
        ctx.simulation.apply(interface_settings.SetOnInterface(ctx.host, hca.netdev, changes))
    ctx.line(interface_settings.state(ctx.world, ctx.host, hca.netdev).connection_mode)
    return 0


COMMAND = Command(
    "cma_roce_mode",
    "show or set the RoCE version of RDMA_CM connections",
    run,
    "cma_roce_mode [-d DEVICE] [-p PORT] [-m MODE]",
    _OPTIONS,
    "It concerns programs that connect through rdma_cm; others choose an entry of the GID table (show_gids).",
    complete=lambda ctx, words: [hca.name for hca in ctx.node.hcas],
)
