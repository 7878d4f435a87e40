"""Reaching another host over ssh: whether it can be reached and entered, and running something there until it ends or
the host goes away.

Texts are OpenSSH 9.6's. A host without power answers no ARP request, which Linux gives up after three seconds: No
route to host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from engine.commands.context import Context, Place
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.sessions import remote_place
from engine.control import boot, cpu_sets, network, systemd
from engine.control.accounts import Identity, identity
from engine.kernel.errors import BreakfixError
from engine.kernel.units import MILLISECOND
from engine.world.records import BootPhase

NO_ROUTE_AFTER = 3_070 * MILLISECOND
FAILED = 255
_PORT = 22


@dataclass(frozen=True, slots=True)
class Target:
    """Whom to reach: the name as typed, the user, and how long to wait (ns; None: as long as it takes)."""

    name: str
    user: str
    port: int = _PORT
    patience: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nobody answers: the error line, how long it took to find out, and what is not modelled if that is the
    reason.
    """

    text: str
    after: int = 0
    gap: str = ""


def connect(ctx: Context, target: Target, resolver: Resolver, *, terminal: str | None = None) -> Place | Failure:
    """Where a command on the target would run, or why it cannot."""
    address = resolver.address_of(target.name)
    if address is None:
        return Failure(f"ssh: Could not resolve hostname {target.name.lower()}: Name or service not known")
    what, host = resolver.owner_of(address) or ("", "")
    start = f"ssh: connect to host {target.name} port {target.port}: "
    if what == "switch" and not network.reachable(ctx.world, ctx.host, address):
        return _nobody(start, target)
    if what in ("bmc", "switch"):
        return Failure("", gap=f"logging in to the {'BMC of ' if what == 'bmc' else 'switch '}{host} over ssh")
    if not what or not (host == ctx.host or network.reachable(ctx.world, ctx.host, address)):
        return _nobody(start, target)
    if target.port != _PORT or not boot.is_up(ctx.world, host) or not systemd.is_active(ctx.world, host, "ssh"):
        return Failure(start + "Connection refused")
    source = "127.0.0.1" if host == ctx.host else resolver.own_address()
    who = _entering(ctx, target)
    if who is None:
        return Failure(f"{target.user}@{target.name}: Permission denied (publickey).")
    place = remote_place(host, who, source, address, terminal=terminal)
    return replace(place, confined=cpu_sets.of_sessions(ctx.world, host))


def _nobody(start: str, target: Target) -> Failure:
    if target.patience is not None and target.patience < NO_ROUTE_AFTER:
        return Failure(start + "Connection timed out", target.patience)
    return Failure(start + "No route to host", NO_ROUTE_AFTER)


def _entering(ctx: Context, target: Target) -> Identity | None:
    """Who logs in: people come as themselves, with their keys; root does not log in."""
    if target.user != ctx.identity.name or target.user == "root":
        return None
    try:
        who = identity(ctx.inventory, target.user)
    except BreakfixError:
        return None
    return who if who.shell == "/bin/bash" else None


async def while_up(ctx: Context, host: str, work: Callable[[], Awaitable[int]]) -> int | None:
    """The status of `work` on a host, or None if the host went away first."""
    boots = ctx.world.nodes[host].boots
    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    if task.done():
        return task.result()
    watch = asyncio.ensure_future(_gone(ctx, host, boots))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for each in (task, watch):
            each.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)


async def _gone(ctx: Context, host: str, boots: int) -> None:
    """Returns once the host's system is down, or another one."""

    def gone() -> bool:
        state = ctx.world.nodes[host]
        return state.phase is not BootPhase.RUNNING or state.boots != boots

    await ctx.clock.until(gone)
