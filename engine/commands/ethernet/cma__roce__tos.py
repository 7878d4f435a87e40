"""cma_roce_tos of mlnx-tools: the type of service of connections that rdma_cm makes. Words: the script of mlnx-tools.

The real one makes a directory in configfs and takes it away again; the value stays with the device.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.ethernet._adapters.finding import by_device
from engine.commands.options import Option, UsageError, parse
from engine.control import modules
from engine.physics.ethernet.settings import SetRoce

_OPTIONS = (
    Option("h", None, help="print this text"),
    Option("d", None, "DEVICE", help="the RDMA device, mlx5_0 if not given"),
    Option("p", None, "PORT", help="its port, 1 if not given"),
    Option("t", None, "TOS", help="the type of service from now on"),
)
_MODULE, _MOST = "rdma_cm", 255


def run(ctx: Context) -> int:
    """Set the value if one was given, and show it."""
    try:
        parsed = parse("cma_roce_tos", _OPTIONS, ctx.arguments)
    except UsageError as error:
        ctx.stderr.write(error.text.encode())
        return 0
    if "h" in parsed:
        ctx.write("Set/Show RoCE default ToS of RDMA_CM applications\n\nUsage:\n\tcma_roce_tos OPTIONS\n")
        return 0
    if not ctx.is_root:
        ctx.line("You must be root to run this")
        return 1
    name, port = parsed["d"] or "mlx5_0", parsed["p"] or "1"
    if not modules.is_loaded(ctx.world, ctx.host, _MODULE):
        ctx.line("Module rdma_cm is not loaded or does not support configfs")
        return 1
    hca = by_device(ctx, name)
    if hca is None:
        ctx.error(f"mkdir: cannot create directory '{name}': No such device")
        ctx.line(f"Failed to create configuration for {name}")
        return 1
    if port != "1":
        ctx.line(f"Device {name} port {port} does not exist")
        return 1
    if text := parsed["t"]:
        if not text.isdigit() or int(text) > _MOST:
            ctx.error("/usr/bin/cma_roce_tos: line 99: echo: write error: Invalid argument")
        else:
            ctx.simulation.apply(SetRoce((hca.port,), (("connection_tos", int(text)),)))
    ctx.line(str(ctx.world.roce[hca.port].connection_tos))
    return 0


COMMAND = Command(
    "cma_roce_tos",
    "show or set the type of service of RDMA_CM connections",
    run,
    "cma_roce_tos [-d DEVICE] [-p PORT] [-t TOS]",
    _OPTIONS,
    "106 is DSCP 26 with the bits that say that the sender can be told of congestion. It concerns programs that\n"
    "connect through rdma_cm (ib_write_bw -R); others choose a traffic class themselves.",
    complete=lambda ctx, words: [hca.name for hca in ctx.node.hcas],
)
