"""uuidgen of util-linux 2.39.3. Random UUIDs come from the simulation's chance, named ones from a hash (RFC 4122)."""

from __future__ import annotations

from hashlib import md5, sha1

from engine.commands.context import Context
from engine.commands.linux._support.gnu import refuse
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed
from engine.control.chance import fresh_stream
from engine.kernel.units import MICROSECOND

# RFC 4122, appendix C: they differ in their first 32 bits only.
_NAMESPACES = {"@dns": 0x6BA7B810, "@url": 0x6BA7B811, "@oid": 0x6BA7B812, "@x500": 0x6BA7B814}
_NAMESPACE_REST = bytes.fromhex("9dad11d180b400c04fd430c8")
_SINCE_1582 = 0x01B21DD213814000  # between the Gregorian reform and 1970, in units of 100 ns
_BY_TIME, _BY_MD5, _RANDOM, _BY_SHA1 = 1, 3, 4, 5


def run(ctx: Context, parsed: Parsed) -> int:
    """Print a UUID."""
    named = "md5" in parsed or "sha1" in parsed
    if parsed.operands:
        raise refuse(ctx, f"unexpected operand: '{parsed.operands[0]}'")
    if named != ("name" in parsed and "namespace" in parsed):
        raise refuse(ctx, "--namespace and --name, and --md5 or --sha1, go together")
    if named:
        space = _NAMESPACES.get(parsed["namespace"] or "")
        if space is None:
            return ctx.not_modelled("uuidgen --namespace other than @dns, @url, @oid and @x500")
        ctx.line(_named(space, parsed["name"] or "", "md5" in parsed))
        return 0
    ctx.line(_timed(ctx) if "time" in parsed else _random(ctx))
    return 0


def _named(space: int, name: str, by_md5: bool) -> str:
    """By a hash of the name space and the name."""
    data = space.to_bytes(4, "big") + _NAMESPACE_REST + name.encode()
    digest = md5(data, usedforsecurity=False) if by_md5 else sha1(data, usedforsecurity=False)
    return _text(int.from_bytes(digest.digest()[:16], "big"), _BY_MD5 if by_md5 else _BY_SHA1)


def _random(ctx: Context) -> str:
    stream = fresh_stream(ctx.simulation, ctx.host, "uuidgen")
    return _text(stream.bits() << 64 | stream.bits(), _RANDOM)


def _timed(ctx: Context) -> str:
    """By time and the first network card's address."""
    ticks = ctx.epoch // (MICROSECOND // 10) + _SINCE_1582
    address = next((each.mac for each in ctx.node.addresses), "00:00:00:00:00:00")
    low, middle, high = ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0x0FFF
    clock_sequence = 1
    number = low << 96 | middle << 80 | high << 64 | clock_sequence << 48 | int(address.replace(":", ""), 16)
    return _text(number, _BY_TIME)


def _text(number: int, version: int) -> str:
    """128 bits as a UUID, with its version and RFC 4122's variant put in."""
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0b11 << 62) | 0b10 << 62
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


COMMAND = program(
    "uuidgen",
    "make a UUID",
    run,
    suite=UTIL_LINUX,
    options=(
        Option("r", "random", help="a random one, as is usual"),
        Option("t", "time", help="one made of the time and this host"),
        Option("n", "namespace", "SPACE", help="with --name: @dns, @url, @oid or @x500"),
        Option("N", "name", "NAME", help="make it of NAME"),
        Option("m", "md5", help="by MD5"),
        Option("s", "sha1", help="by SHA-1"),
        Option("x", "hex", help="NAME is in hexadecimal"),
    ),
)
