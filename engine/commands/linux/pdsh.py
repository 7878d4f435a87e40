"""pdsh 2.34: a command on many hosts at once, each line with its host's name. Error lines after pdsh's sources.

Lines appear by time and then in the order of the hosts (the real one prints them as they happen to come).
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import fanout, nodeset
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.kernel.errors import BreakfixError

SYNOPSIS = "pdsh [OPTION]... COMMAND"
OPTIONS = (
    Option("w", None, "HOSTS", name="hosts", help="on these hosts, as dgx-[01-04]; -HOST leaves one out"),
    Option("x", None, "HOSTS", name="exclude", help="not on these"),
    Option("a", None, name="all", help="on all hosts"),
    Option("g", None, "GROUP", name="group", help="on a group of hosts"),
    Option("P", None, "PARTITION", name="partition", help="on the hosts of a Slurm partition"),
    Option("R", None, "NAME", name="rcmd", help="how to run (ssh)"),
    Option("f", None, "N", name="fanout", help="at most N hosts at a time, 32 if not given"),
    Option("l", None, "USER", name="user", help="log in as USER"),
    Option("t", None, "SECONDS", name="connect_timeout", help="give up connecting after so long"),
    Option("u", None, "SECONDS", name="command_timeout", help="stop the command after so long"),
    Option("N", None, name="no_label", help="lines without the host's name"),
    Option("S", None, name="largest", help="return the largest status of all hosts"),
    Option("b", None, name="batch", help="one Ctrl-C ends it"),
    Option("K", None, name="keep_domain", help="whole host names"),
    Option("q", None, name="list", help="list the settings and end"),
    Option("L", None, name="modules", help="list the modules and end"),
    Option("V", None, name="version", help="print the version and end"),
    Option("d", None, name="debug", help="tell more"),
    Option("s", None, name="separate", help="standard error apart"),
    Option("h", "help", help="print this text and end"),
)


async def run(ctx: Context) -> int:
    """Run the command on the hosts."""
    parsed = parse("pdsh", OPTIONS, ctx.arguments, trailer=_usage(), permute=False)
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    if "version" in parsed:
        ctx.line("pdsh-2.34")
        ctx.line("rcmd modules: ssh,exec (default: ssh)")
        ctx.line("misc modules: slurm")
        return 0
    if "list" in parsed or "modules" in parsed:
        return ctx.not_modelled("pdsh -q and -L")
    if parsed["rcmd"] not in (None, "ssh"):
        return ctx.not_modelled(f"pdsh -R {parsed['rcmd']}")
    hosts = _hosts(ctx, parsed)
    if not hosts:
        ctx.error(f"pdsh@{ctx.host}: no remote hosts specified")
        return 1
    if not parsed.operands:
        return ctx.not_modelled("pdsh without a command (its interactive mode)")
    return await _run(ctx, parsed, hosts)


def _usage() -> str:
    return "\n".join([f"Usage: {SYNOPSIS}", *option_lines(OPTIONS), ""])


def _hosts(ctx: Context, parsed: Parsed) -> list[str]:
    words = ",".join(parsed.all("hosts")) or ctx.environment.get("WCOLL", "")
    try:
        listed = fanout.expand_hosts([words]) if words else []
        groups = nodeset.groups(ctx.inventory)
        chosen = [host for host in listed if not host.startswith("-")]
        for name in [*parsed.all("group"), *parsed.all("partition")]:
            if name not in groups:
                raise UsageError(f"pdsh@{ctx.host}: Unknown group: {name}\n")
            chosen += groups[name]
        if "all" in parsed:
            chosen += list(ctx.inventory.node_names)
        left_out = {host[1:] for host in listed if host.startswith("-")}
        left_out |= set(fanout.expand_hosts(parsed.all("exclude")))
    except BreakfixError as error:
        raise UsageError(f"pdsh@{ctx.host}: {error.message}\n") from None
    return [host for host in dict.fromkeys(chosen) if host not in left_out]


async def _run(ctx: Context, parsed: Parsed, hosts: list[str]) -> int:
    def hear(host: str, is_error: bool, line: bytes) -> None:
        label = b"" if "no_label" in parsed else f"{host}: ".encode()
        (ctx.stderr if is_error else ctx.stdout).write(label + line + b"\n")

    fan = fanout.Fan(
        ctx=ctx,
        hosts=hosts,
        command=" ".join(parsed.operands),
        hear=hear,
        user=parsed["user"] or ctx.identity.name,
        fanout=int(parsed["fanout"]) if (parsed["fanout"] or "").isdigit() else 32,
        connect_timeout=fanout.seconds(parsed["connect_timeout"] or "0") or 0,
        command_timeout=fanout.seconds(parsed["command_timeout"] or "0") or 0,
    )
    statuses = await fan.run()
    for host in hosts:
        status = statuses[host]
        if status == fanout.TIMED_OUT:
            ctx.error(f"pdsh@{ctx.host}: {host}: command timeout")
        elif status:
            ctx.error(f"pdsh@{ctx.host}: {host}: ssh exited with exit code {status}")
    return max(statuses.values(), default=0) if "largest" in parsed else 0


COMMAND = Command(
    "pdsh",
    "run a command on many hosts at once",
    run,
    SYNOPSIS,
    OPTIONS,
    """HOSTS is a list such as dgx-[01-04],head-01; $WCOLL is used if none is given. Pipe the output through `dshbak
-c` to fold equal ones.""",
)
