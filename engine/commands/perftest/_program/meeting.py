"""How the two ends of a perftest run meet: TCP, then what each says of itself (perftest_communication.c).

The TCP connection takes its own way, by names and addresses as other programs resolve them; the test itself goes over
the RDMA devices. Over rdma_cm (-R) the address must be one of an RDMA device's interface. Ends that were given
different options are not modelled, except where what happens is known: one-sided reads and writes of different verbs or
of more than the other's buffer end with a remote access error, GIDs at one end only with a short read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support import talking
from engine.commands.linux._support.connections import NO_ANSWER_AFTER
from engine.commands.linux._support.names import Resolver
from engine.commands.perftest._program import device, tables
from engine.commands.perftest._program.device import Device, Failed
from engine.commands.perftest._program.kinds import READ, SEND, WRITE, Kind
from engine.commands.perftest._program.options import RULE, Settings
from engine.commands.perftest._program.tables import Address
from engine.control import neighbours, sockets, verbs
from engine.control.subnet_manager.lids import lid
from engine.kernel.random import hash64
from engine.world.inventory import Hca

_NO_SOCKET = " Unable to init the socket connection"
_PSN_MASK = 0xFFFFFF


class Gap(Exception):
    """What the two ends would do now is not modelled."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Two ends that know each other: the devices, GPUs whose memory is used, bytes of a packet, what the other said."""

    own: Device
    other: Hca
    own_gpu: str | None
    other_gpu: str | None
    packet: int
    refused: bool
    """Whether the other end's memory refuses what this end is about to do."""
    same_gid_type: bool
    astray: bool = False
    """Whether another host answers for the other end's address, and gets the packets."""


def _astray(ctx: Context, own: Device, address: str, other: Hca) -> bool:
    if not (own.ethernet and own.gid_is_ipv4) or own.hca.id == other.id:
        return False
    return neighbours.answering(ctx.world, own.hca, address) not in (None, other.port)


class Meeting:
    """This end's part in it."""

    def __init__(self, ctx: Context, kind: Kind, settings: Settings, pid: int) -> None:
        self.ctx, self.kind, self.settings, self.pid = ctx, kind, settings, pid
        self.talk: talking.Talk

    async def begin(self) -> None:
        """Connect to the server, or wait for a client. Raises Failed."""
        self.talk = await (self._call() if self.settings.client else self._answer())

    async def _answer(self) -> talking.Talk:
        ctx, port = self.ctx, self.settings.port
        if ctx.simulation.apply(sockets.Listen(ctx.host, port, self.pid, ctx.identity.name, ctx.name, once=True)):
            raise Failed(f"Couldn't listen to port {port}", _NO_SOCKET)
        return await talking.accept(ctx, self.pid)

    async def _call(self) -> talking.Talk:
        ctx, name, port = self.ctx, self.settings.server or "", self.settings.port
        address = Resolver(ctx).address_of(name)
        if address is None:
            text = f"Name or service not known for ai_family: 2 service: {name} port: {port}"
            raise Failed(text, "Problem in resolving basic address and port", _NO_SOCKET)
        if self.settings.rdma_cm:
            self._check_rdma_cm(address)
        number = ctx.simulation.apply(sockets.Connect(ctx.host, self.pid, address, port))
        if isinstance(number, int):
            return await talking.connected(ctx, self.pid, number)
        if number == sockets.NO_ROUTE:
            await talking.sleep(ctx, self.pid, NO_ANSWER_AFTER)
        raise Failed(f"Couldn't connect to {name}:{port}", _NO_SOCKET)

    def _check_rdma_cm(self, address: str) -> None:
        """The address must be reached over the interface of an RDMA device."""
        way = sockets.way(self.ctx.world, self.ctx.host, address)
        names = {hca.netdev for hca in self.ctx.node.hcas}
        if way is None or not names & {way.own.name, *way.own.members}:
            raise Failed("Received 10 times ADDR_ERROR", " Unable to perform rdma_client function", _NO_SOCKET)

    async def join(self, opened: Device) -> Joined:
        """Tell each other everything, and print it. Raises Failed and Gap."""
        ctx, kind, settings = self.ctx, self.kind, self.settings
        own_packet = device.packet(ctx, settings, opened.hca)
        other = await self._exchange(self._introduction(own_packet))
        self._compare(other)
        packet = min(own_packet, int(other["packet"]))
        if settings.connection == "UD" and settings.size > packet and not settings.all:
            raise Gap(f"{kind.name} -c UD with messages of more than a packet")
        gpu = device.chosen_gpu(ctx, self.pid, settings)
        if gpu is not None and ctx.world.gpus[gpu.id].mig_enabled:
            raise Gap("memory of a MIG device")
        key = device.register(ctx, self.pid, settings, opened, gpu)
        own = device.with_gid(ctx, settings, opened)
        addresses = self._addresses(own, key, device.buffer_address(ctx, self.pid, settings, gpu))
        if settings.full:
            for line in tables.box(kind, settings, own, packet):
                ctx.line(line)
        keys = await self._exchange(
            {
                "addresses": [asdict(address) for address in addresses],
                "hca": own.hca.id,
                "gpu": gpu.id if gpu else None,
                "gid_index": own.gid_index,
                "gid_type": own.gid_type,
                "ipv4": own.gid_is_ipv4,
                "address": own.ipv4_address,
            }
        )
        self._connect(own, addresses, keys)
        theirs = [Address(**address) for address in keys["addresses"]]
        self._show(own, addresses, theirs)
        await self._exchange({"ready": True})
        return Joined(
            own,
            ctx.inventory.hca(keys["hca"]),
            gpu.id if gpu else None,
            keys["gpu"],
            packet,
            refused=other["verb"] != kind.verb or settings.size > max(int(other["size"]), 4096),
            same_gid_type=keys["gid_type"] == own.gid_type,
            astray=_astray(ctx, own, str(keys["address"]), ctx.inventory.hca(keys["hca"])),
        )

    def _introduction(self, packet: int) -> dict[str, Any]:
        settings = self.settings
        return {
            "perftest": True,
            "packet": packet,
            "verb": self.kind.verb,
            "test": self.kind.test,
            "size": settings.size,
            **{key: getattr(settings, key) for key in ("qp", "bidirectional", "all", "connection", "rdma_cm")},
            "messages": (settings.iters, settings.duration, settings.run_infinitely),
        }

    def _compare(self, other: Mapping[str, Any]) -> None:
        """Raises Gap where both ends want different things, unless what follows is known."""
        mine = json.loads(json.dumps(self._introduction(0)))
        if "perftest" not in other:
            raise Gap(f"{self.kind.name} with another program at the other end")
        must = ["test", "qp", "bidirectional", "all", "connection", "rdma_cm"]
        one_sided = self.kind.bandwidth and not self.settings.bidirectional and self.kind.verb in (READ, WRITE)
        must += [] if one_sided else ["verb", "size", "messages"]
        if other["verb"] == SEND or self.kind.verb == SEND:
            must.append("verb")
        for key in must:
            if other[key] != mine[key]:
                raise Gap(f"{self.kind.name} with another {key} at the other end")

    def _short_read(self) -> tuple[str, ...]:
        way = "from" if self.settings.client else "to"
        return (
            "ethernet_read_keys: Couldn't read remote address",
            f" Unable to read {way} socket/rdma_cm",
            " Failed to exchange data between server and clients",
        )

    async def _exchange(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Say something and hear the other. Raises Failed where it has gone."""
        self.talk.say(json.dumps(message, sort_keys=True))
        text = await self.talk.hear()
        if text is None:
            raise Failed(*self._short_read())
        try:
            found = json.loads(text)
        except ValueError:
            found = {}
        return found if isinstance(found, dict) else {}

    def _addresses(self, own: Device, key: int, memory: int) -> list[Address]:
        ctx, settings = self.ctx, self.settings
        numbers: tuple[int, ...] = ctx.simulation.apply(verbs.CreateQueuePairs(own.hca.id, settings.qp))
        number = 0 if own.ethernet else lid(ctx.world, own.hca.port)
        part = max(settings.size, 4096)
        return [
            Address(
                number,
                queue_pair,
                hash64(ctx.world.seed, "psn", ctx.host, self.pid, ctx.now, index) & _PSN_MASK,
                key,
                memory + (settings.qp + index) * part,
                own.gid,
            )
            for index, queue_pair in enumerate(numbers)
        ]

    def _connect(self, own: Device, addresses: list[Address], keys: Mapping[str, Any]) -> None:
        """Move the queue pairs to ready. Raises Failed."""
        if (own.gid_index >= 0) != (keys["gid_index"] >= 0):
            # With a GID the message has another length.
            raise Failed(*self._short_read())
        if own.gid_index >= 0 and bool(keys["ipv4"]) != own.gid_is_ipv4:
            text = "\n Found Incompatibility issue with GID types."
            raise Failed(text, " Please Try to use a different IP version.\n")
        if own.ethernet and own.gid_is_ipv4 and not self._resolves(own, str(keys["address"])):
            text = f"Failed to modify QP {addresses[0].queue_pair} to RTR"
            raise Failed(text, " Unable to Connect the HCA's through the link")
        if own.gid_index >= 0 and own.gid_is_empty:
            text = f"Failed to modify QP {addresses[0].queue_pair} to RTR"
            raise Failed(text, " Unable to Connect the HCA's through the link")

    def _resolves(self, own: Device, address: str) -> bool:
        """Whether the kernel finds a neighbour behind the other end's address."""
        return neighbours.resolves(self.ctx.world, own.hca, address)

    def _show(self, own: Device, addresses: list[Address], theirs: list[Address]) -> None:
        if not self.settings.full:
            return
        for side, shown in (("local", addresses), ("remote", theirs)):
            for address in shown:
                for line in tables.address_lines(self.kind, side, address, own.reads):
                    self.ctx.line(line)
        self.ctx.line(RULE)
        self.ctx.line(tables.header(self.kind, self.settings))
