"""hostname 3.23 (Debian): the host's names and addresses."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.context import Context
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed
from engine.control import network
from engine.control.containers.inside import container

_SUITE = Suite("hostname 3.23", trailer="{usage}", status=255, short_help=True, short_version=True)


def run(ctx: Context, parsed: Parsed) -> int:
    """Print a name, or addresses."""
    inside = container(ctx.world, ctx.host, ctx.environment)
    if inside is not None:
        if parsed.given or parsed.operands:
            return ctx.not_modelled("options of hostname in a container")
        ctx.line(inside.hostname)
        return 0
    resolver = Resolver(ctx)
    full = resolver.canonical(ctx.host)
    if parsed.operands or "file" in parsed:
        if not ctx.is_root:
            ctx.error("hostname: you must be root to change the host name")
            return 1
        return ctx.not_modelled("changing a host's name")
    known = resolver.line_of(ctx.host)
    answers: dict[str, Callable[[], str]] = {
        "all_ip_addresses": lambda: " ".join(_addresses(ctx)) + " ",
        "ip_address": lambda: known[0] if known else "",
        "all_fqdns": lambda: " ".join(resolver.name_of(address) or "" for address in _addresses(ctx)) + " ",
        "fqdn": lambda: full,
        "domain": lambda: full.partition(".")[2],
        "alias": lambda: " ".join(name for name in known[2:] if name != ctx.host),
        "yp": lambda: "(none)",
    }
    chosen = next((key for key, _ in reversed(parsed.given) if key in answers), None)
    ctx.line(answers[chosen]() if chosen else ctx.host)
    return 0


def _addresses(ctx: Context) -> list[str]:
    found = [each for each in network.interfaces(ctx.world, ctx.host) if each.kind != "loopback" and each.up]
    plain = [address.partition("/")[0] for each in found for address in each.addresses]
    return [address for address in plain if not address.startswith("fe80")]


COMMAND = program(
    "hostname",
    "print the host's name or addresses",
    run,
    suite=_SUITE,
    synopsis="hostname [OPTION]",
    options=(
        Option("a", "alias", help="other names of the host"),
        Option("A", "all-fqdns", help="all full names"),
        Option("b", "boot", help="ignored"),
        Option("d", "domain", help="the domain"),
        Option("f", "fqdn", help="the full name"),
        Option(None, "long", name="fqdn", help="the same"),
        Option("F", "file", "FILE", help="take the name from FILE (root only)"),
        Option("i", "ip-address", help="the address of the name"),
        Option("I", "all-ip-addresses", help="all addresses of the host"),
        Option("s", "short", help="the short name"),
        Option("y", "yp", help="the NIS domain"),
    ),
    manual="Without options, the host's name. -I lists the addresses of all interfaces, -i what the name resolves to.",
)
