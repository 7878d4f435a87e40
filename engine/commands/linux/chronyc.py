"""chronyc of chrony 4.5: how far the host's clock is off, and setting it right at once.

Formats: chronyc(1) and src/client.c of chrony 4.5. Small offsets and delays are hashed noise of the size that a local
network gives.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.strftime import Moment, format_time
from engine.commands.options import Option, Parsed
from engine.control import host_clock, host_names, service_state
from engine.kernel.random import hash64
from engine.kernel.units import MINUTE, SECOND

_SUITE = Suite("chronyc (chrony) version 4.5 (+READLINE +SECHASH +IPV6 -DEBUG)", trailer="", short_help=True)
_POLL = 1024


def run(ctx: Context, parsed: Parsed) -> int:
    """One command of the line."""
    words = parsed.operands
    if not words:
        return ctx.not_modelled("chronyc without a command")
    command = next((name for name in _COMMANDS if name == words[0]), None)
    if command is None:
        known = (
            "sourcestats",
            "ntpdata",
            "activity",
            "serverstats",
            "rtcdata",
            "online",
            "offline",
            "burst",
            "waitsync",
        )
        if words[0] in known:
            return ctx.not_modelled(f"chronyc {words[0]}")
        ctx.line("Unrecognized command")
        return 1
    if not service_state.is_active(ctx.world, ctx.host, host_clock.CHRONY):
        ctx.line("506 Cannot talk to daemon")
        return 1
    return _COMMANDS[command](ctx, parsed)


def _tracking(ctx: Context, parsed: Parsed) -> int:
    source = _source(ctx)
    stratum, noise = _stratum(ctx), _noise(ctx)
    ahead = host_clock.offset(ctx.world, ctx.host, ctx.now) + noise
    reference = host_names.resolve(ctx.world, source) or "192.0.2.1"
    number = "".join(f"{int(part):02X}" for part in reference.split("."))
    last = ctx.epoch - ctx.now % (_POLL * SECOND)
    rows = [
        ("Reference ID", f"{number} ({source})"),
        ("Stratum", str(stratum)),
        ("Ref time (UTC)", format_time(Moment(last, "Etc/UTC"), "%a %b %d %H:%M:%S %Y")),
        ("System time", f"{_seconds(abs(ahead))} seconds {'fast' if ahead >= 0 else 'slow'} of NTP time"),
        ("Last offset", f"{'+' if noise >= 0 else '-'}{_seconds(abs(noise))} seconds"),
        ("RMS offset", f"{_seconds(abs(noise) + 9_000)} seconds"),
        ("Frequency", "3.412 ppm slow"),
        ("Residual freq", "+0.001 ppm"),
        ("Skew", "0.057 ppm"),
        ("Root delay", "0.000412385 seconds" if stratum > 2 else "0.011840722 seconds"),
        ("Root dispersion", "0.001118704 seconds"),
        ("Update interval", f"{_POLL}.2 seconds"),
        ("Leap status", "Normal"),
    ]
    for name, value in rows:
        ctx.line(f"{name:<16}: {value}")
    return 0


def _sources(ctx: Context, parsed: Parsed) -> int:
    noise = _noise(ctx) // 1000
    ahead = host_clock.offset(ctx.world, ctx.host, ctx.now) // SECOND
    sample = f"{-ahead:+d}s" if ahead else f"{-noise:+d}us"
    verbose = "verbose" in parsed or "-v" in parsed.operands
    if verbose:
        return ctx.not_modelled("chronyc sources -v")
    ctx.line("MS Name/IP address         Stratum Poll Reach LastRx Last sample               ")
    ctx.line("=" * 79)
    since = ctx.now // SECOND % _POLL
    ctx.line(
        f"^* {_source(ctx):<27}{_stratum(ctx) - 1:>5}  10   377{_age(since):>6}  {sample:>7}[{sample:>7}] +/-"
        f"{'420us' if _stratum(ctx) > 2 else '12ms':>7}"
    )
    return 0


def _makestep(ctx: Context, parsed: Parsed) -> int:
    if not ctx.is_root:
        ctx.line("501 Not authorised")
        return 1
    ctx.simulation.apply(host_clock.MakeStep(ctx.host))
    ctx.line("200 OK")
    return 0


_COMMANDS = {"tracking": _tracking, "sources": _sources, "makestep": _makestep}


def _source(ctx: Context) -> str:
    """Where the host has the time from: the head node, which has it from the site's server."""
    return host_clock.source(ctx.world, ctx.host)


def _stratum(ctx: Context) -> int:
    return 2 if ctx.node.role == "head" else 3


def _noise(ctx: Context) -> int:
    """ns by which a clock that is kept differs: within 15 microseconds."""
    return hash64(ctx.world.seed, "chrony", ctx.host, ctx.now // MINUTE) % 30_000 - 15_000


def _seconds(duration: int) -> str:
    return f"{duration // SECOND}.{duration % SECOND:09d}"


def _age(seconds: int) -> str:
    return f"{seconds // 60}m" if seconds > 600 else str(seconds)


COMMAND = program(
    "chronyc", "ask chronyd how well the clock is kept", run, suite=_SUITE, synopsis="chronyc [OPTION]... [COMMAND]...",
    options=(
        Option("n", None, help="addresses, no names", name="numeric"),
        Option("v", None, help="version", name="version"),
        Option("a", None, help="nothing (kept for old scripts)", name="old"),
    ),
    manual="""`chronyc tracking` tells how far the clock is from the time of its source, `chronyc sources` which that
    is, `chronyc makestep` sets it right at once. A clock that is off by more than a second is stepped only when chronyd
    starts or is told to.""",
)  # fmt: skip
