"""/sys/kernel/config/rdma_cm: what connections that rdma_cm makes begin with, by RDMA device (drivers/infiniband/core's
cma_configfs.c of Linux 6.8).

There a directory stands for a device once somebody has made it; here all devices have theirs already.
"""

from __future__ import annotations

from engine.control import interface_settings, modules
from engine.control.roce_gids import VERSIONS
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Effect, Node, directory, file
from engine.hostfs.tree import ErrorCode
from engine.world.inventory import Hca

_MODULE, _MOST = "rdma_cm", 255


def tree(machine: Machine) -> Children:
    """/sys/kernel/config."""
    if not modules.is_loaded(machine.world, machine.host, _MODULE):
        return {}
    ethernet = [hca for hca in machine.node.hcas if hca.link_layer == "Ethernet"]
    return {"rdma_cm": directory({f"{hca.name}/ports/1": directory(_port(hca)) for hca in ethernet})}


def _port(hca: Hca) -> dict[str, Node]:
    def tos(machine: Machine) -> str:
        return f"{machine.world.roce[hca.port].connection_tos}\n"

    def set_tos(_machine: Machine, text: bytes) -> Effect:
        word = text.decode("utf-8", "replace").strip()
        if not word.isdigit() or int(word) > _MOST:
            return ErrorCode.INVALID
        from engine.physics.ethernet.settings import SetRoce

        return SetRoce((hca.port,), (("connection_tos", int(word)),))

    def mode(machine: Machine) -> str:
        return f"{interface_settings.state(machine.world, machine.host, hca.netdev).connection_mode}\n"

    def set_mode(machine: Machine, text: bytes) -> Effect:
        word = text.decode("utf-8", "replace").strip()
        if word not in VERSIONS:
            return ErrorCode.INVALID
        return interface_settings.SetOnInterface(machine.host, hca.netdev, (("connection_mode", word),))

    return {"default_roce_tos": file(tos, on_write=set_tos), "default_roce_mode": file(mode, on_write=set_mode)}
