"""The Ethernet adapter behind an interface or an RDMA device."""

from __future__ import annotations

from engine.commands.context import Context
from engine.control import adapter_qos
from engine.world.inventory import Hca


def by_interface(ctx: Context, name: str) -> Hca | None:
    """The adapter whose interface has this name; None for other interfaces and for none."""
    return next((hca for hca in adapter_qos.adapters(ctx.world, ctx.host) if hca.netdev == name), None)


def by_device(ctx: Context, name: str) -> Hca | None:
    """The RDMA device of this name, whatever it speaks."""
    return next((hca for hca in ctx.node.hcas if hca.name == name), None)
