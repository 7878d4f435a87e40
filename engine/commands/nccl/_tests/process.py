"""One process of an nccl-tests run, from its start to its end. The first of them conducts; the others wait for it,
print what NCCL says to them, and fail when it fails.

Source: NVIDIA/nccl-tests 2.17.6 src/common.cu (main, run). How long CUDA and MPI take to start is a guess.
"""

from __future__ import annotations

from dataclasses import replace

from engine.commands.context import Context
from engine.commands.nccl._tests import model, seats
from engine.commands.nccl._tests.conductor import Conductor
from engine.commands.nccl._tests.operations import Operation
from engine.commands.nccl._tests.party import Party
from engine.commands.nccl._tests.settings import Ended, read
from engine.control import communicators
from engine.workloads import cuda


async def perform(ctx: Context, operation: Operation) -> int:
    """Run the test `operation`, as one process of however many there are."""
    try:
        settings, said = read(operation.program, ctx.arguments)
    except Ended as ended:
        ctx.stderr.write(ended.errors.encode())
        ctx.write(ended.output)
        return ended.status
    ctx.write(said)
    if gap := _gap(operation, settings.device_implementation, ctx.environment):
        return ctx.not_modelled(gap)
    seat = seats.seat_of(ctx)
    devices = seats.devices_of(ctx, settings, seat)
    if cuda.on_mig(ctx.world, devices.gpus):
        return ctx.not_modelled("NCCL on a MIG device")
    limit = seats.largest(ctx, devices, settings) if devices.gpus else settings.maxbytes
    reduced = replace(settings, maxbytes=min(settings.maxbytes, limit), minbytes=min(settings.minbytes, limit))
    pid = seats.join(ctx, reduced, seat, devices)
    party = Party(ctx, operation, settings, reduced, seat, devices, pid)
    try:
        return await (Conductor(party).conduct() if seat.rank == 0 else follow(party))
    finally:
        if communicators.member(ctx.world, seat.name, seat.rank) is not None:
            ctx.simulation.apply(communicators.Leave(seat.name, seat.rank))


def _gap(operation: Operation, kernels: int, environment: object) -> str:
    """What of the request is not modelled, or ""."""
    if kernels:
        return f"{operation.program} -D (kernels of the test's own)"
    split = ("NCCL_TESTS_SPLIT", "NCCL_TESTS_SPLIT_MASK")
    found = next((name for name in split if name in environment), None)  # type: ignore[operator]
    return f"{found} (several communicators in one run)" if found else ""


async def follow(party: Party) -> int:
    """The part of every process but the first."""
    ctx = party.ctx
    await party.stage_after(communicators.GATHERING)
    if not party.is_there():
        return await party.lost_status()
    if party.devices.status and party.stage() != communicators.FAILED:
        return party.refuse()
    await party.stage_after(communicators.CONNECTING)
    if party.stage() == communicators.WORKING and party.listens():
        communicator = model.connect(ctx.world, party.meeting, ctx.now)
        party.say_nccl(communicator)
        party.say_connecting(communicator)
        await ctx.flush()
    await party.stage_after(communicators.WORKING)
    if party.stage() == communicators.FAILED and party.is_there():
        status = party.fail()
        if status is not None:
            return status
        await party.stage_after(communicators.FAILED)
    return await party.lost_status()
