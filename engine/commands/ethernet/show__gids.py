"""show_gids of mlnx-tools: the GID tables of RDMA ports. Format: the script of mlnx-tools, a capture.

Columns are set by tabs; indices come in the order of a directory listing.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device, by_name
from engine.commands.linux._support import paths
from engine.control import roce_gids

_HEAD = "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---"


def run(ctx: Context) -> int:
    """A line for each GID."""
    wanted, count = ctx.arguments[0] if ctx.arguments else "", 0
    ctx.line(_HEAD)
    found = by_name(ctx)
    if wanted and all(device.name != wanted for device in found):
        ctx.error(f"ls: cannot access '/sys/class/infiniband/{wanted}/ports/': No such file or directory")
    for device in found:
        for line in _lines(ctx, device) if wanted in ("", device.name) else ():
            ctx.line(line)
            count += 1
    ctx.line(f"n_gids_found={count}")
    return 0


def _lines(ctx: Context, device: Device) -> Iterator[str]:
    if not device.ethernet:
        yield _line(ctx, device, 0, paths.read_or(ctx, _folder(device) + "gids/0").strip(), "", roce_gids.V1)
        return
    for each in sorted(roce_gids.table(ctx.world, device.hca), key=lambda gid: str(gid.index)):
        address = each.address if each.is_ipv4 else ""
        yield _line(ctx, device, each.index, roce_gids.text(each.value), address, each.version, each.vlan)


def _line(ctx: Context, device: Device, index: int, gid: str, address: str, version: str, vlan: str = "") -> str:
    interface = vlan or device.hca.netdev
    if not device.ethernet:
        interface = paths.read_or(ctx, _folder(device) + "gid_attrs/ndevs/0")
    middle = f"\t{address}  \t" if address else "\t\t\t"
    return f"{device.name}\t1\t{index}\t{gid}{middle}{version.rpartition(' ')[2]}\t{interface.strip()}"


def _folder(device: Device) -> str:
    return f"/sys/class/infiniband/{device.name}/ports/1/"


COMMAND = Command(
    "show_gids",
    "show the GID tables of RDMA ports",
    run,
    "show_gids [DEVICE]",
    (),
    "RoCE programs name an entry by its index (ib_write_bw -x, NCCL_IB_GID_INDEX). Indices follow from the order in\n"
    "which addresses were added; v2 entries are RoCE over UDP.",
    complete=lambda ctx, words: [hca.name for hca in ctx.node.hcas],
)
