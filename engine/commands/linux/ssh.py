"""ssh of OpenSSH 9.6p1 (Ubuntu 24.04): a command or a login on another host of the site. Error texts after OpenSSH's
sources.

People have keys everywhere and log in as themselves; root does not log in. Forwarding and jump hosts are not modelled.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context, Place
from engine.commands.linux._support import clock, paths, remote, ssh_config
from engine.commands.linux._support.names import Resolver
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.commands.streams import NoInput
from engine.control import logins
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND
from engine.world.records import BootPhase

VERSION = "OpenSSH_9.6p1 Ubuntu-3ubuntu13.5, OpenSSL 3.0.13 30 Jan 2024"
SYNOPSIS = "ssh [OPTION]... [USER@]HOST [COMMAND [ARGUMENT]...]"
_UNMODELLED = {"G": "-G", "f": "-f", "N": "-N", "D": "forwarding (-D)", "L": "forwarding (-L)", "R": "forwarding (-R)",
               "W": "forwarding (-W)", "w": "tunnels (-w)", "J": "jump hosts (-J)", "O": "-O", "Q": "-Q", "M": "-M",
               "s": "subsystems (-s)"}  # fmt: skip

OPTIONS = (
    *(Option(letter) for letter in "46AaCfGgKkMNsXxYy"),
    Option("n", help="do not read standard input"),
    Option("q", help="quiet: no warnings"),
    Option("T", help="no terminal"),
    Option("t", help="a terminal, even for a command"),
    Option("V", help="print the version"),
    Option("v", help="tell what is going on"),
    *(Option(letter, None, "VALUE") for letter in "BbcDEeFIJLmOPQRSWw"),
    Option("i", None, "FILE", help="the key to use"),
    Option("l", None, "USER", help="the user to log in as"),
    Option("o", None, "OPTION", help="a setting as in ~/.ssh/config: ConnectTimeout=5"),
    Option("p", None, "PORT", help="the port, 22 if not given"),
    Option(None, "help", help="print this text and end"),
)


async def run(ctx: Context) -> int:
    """Run a command on a host, or log in."""
    parsed = _parsed(ctx)
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    if "V" in parsed:
        ctx.error(VERSION)
        return 0
    for key, what in _UNMODELLED.items():
        if key in parsed:
            return ctx.not_modelled(f"ssh {what}")
    if not parsed.operands:
        raise UsageError(_usage(), remote.FAILED)
    destination, *words = parsed.operands
    target = _target(ctx, parsed, destination)
    resolver = Resolver(ctx)
    address = resolver.address_of(target.name)
    if "v" in parsed:
        _tell(ctx, target, address)
    what, name = (resolver.owner_of(address) if address else None) or ("", "")
    if what == "switch" and name in ctx.inventory.switches and ctx.world.switches[name].powered:
        return await _on_switch(ctx, target, name, words)
    interactive = ctx.logins is not None and (not words or "t" in parsed) and "T" not in parsed
    terminal = ctx.environment.get("TERM", "xterm-256color") if interactive else None
    found = remote.connect(ctx, target, resolver, terminal=terminal)
    if isinstance(found, remote.Failure):
        return await _failed(ctx, found)
    if "v" in parsed:
        ctx.error(f'Authenticated to {target.name} ([{address}]:22) using "publickey".')
    if words:
        return await _command(ctx, parsed, target, found, " ".join(words))
    return await _shell(ctx, parsed, target, found)


def _parsed(ctx: Context) -> Parsed:
    """Options may also stand between the host and the command."""
    try:
        parsed = parse("ssh", OPTIONS, ctx.arguments, trailer=_usage(), status=remote.FAILED, permute=False)
    except UsageError as error:
        text = error.text.replace("ssh: invalid option -- '", "unknown option -- ").replace("ssh: option", "option")
        first, _, rest = text.partition("\n")
        raise UsageError(first.rstrip("'") + "\n" + rest, remote.FAILED) from None
    if len(parsed.operands) > 1 and parsed.operands[1].startswith("-") and len(parsed.operands[1]) > 1:
        more = parse("ssh", OPTIONS, parsed.operands[1:], trailer=_usage(), status=remote.FAILED, permute=False)
        return Parsed([parsed.operands[0], *more.operands], parsed.given + more.given)
    return parsed


def _usage() -> str:
    shown = [option for option in OPTIONS if option.help]
    return "\n".join([f"usage: {SYNOPSIS}", "", *option_lines(shown), ""])


def _target(ctx: Context, parsed: Parsed, destination: str) -> remote.Target:
    text = destination.removeprefix("ssh://")
    user, at, host = text.rpartition("@")
    port = ""
    if destination.startswith("ssh://"):
        host, _, port = host.rstrip("/").partition(":")
    config = ssh_config.settings(ctx, host, parsed.all("o"))
    port = parsed["p"] or port or config.get("port", "22")
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise UsageError(f"Bad port '{port}'\n", remote.FAILED)
    wait = ssh_config.seconds(config.get("connecttimeout", ""))
    name = config.get("hostname", host).replace("%h", host)
    chosen = parsed["l"] or (user if at else "") or config.get("user") or ctx.identity.name
    return remote.Target(name, chosen, int(port), wait * SECOND if wait else None)


async def _on_switch(ctx: Context, target: remote.Target, switch: str, words: list[str]) -> int:
    """A session on a switch, which has a command line of its own."""
    from engine.commands._switch_os import session

    refusal = session.entered(ctx, switch, target.user)
    if refusal:
        ctx.error(refusal)
        return remote.FAILED
    return await session.run(ctx, switch, words)


def _tell(ctx: Context, target: remote.Target, address: str | None) -> None:
    """The few lines of -v that people look for."""
    ctx.error(VERSION)
    ctx.error("debug1: Reading configuration data /etc/ssh/ssh_config")
    if address:
        ctx.error(f"debug1: Connecting to {target.name} [{address}] port {target.port}.")


async def _failed(ctx: Context, failure: remote.Failure) -> int:
    if failure.gap:
        return ctx.not_modelled(failure.gap)
    if failure.after:
        await ctx.sleep(failure.after)
    ctx.error(failure.text)
    return remote.FAILED


async def _command(ctx: Context, parsed: Parsed, target: remote.Target, place: Place, text: str) -> int:
    await ctx.flush()
    stdin = NoInput() if "n" in parsed else None
    # Without -t the command has no terminal there, whatever its output goes to here.
    stdout = None if "t" in parsed else ctx.stdout
    status = await remote.while_up(ctx, place.host, lambda: ctx.runner.script(text, place, stdin=stdin, stdout=stdout))
    if status is None:
        return _cut_off(ctx, target, place)
    if "t" in parsed and ctx.terminal is not None and "q" not in parsed:
        ctx.error(f"Connection to {target.name} closed.")
    return status


async def _shell(ctx: Context, parsed: Parsed, target: remote.Target, place: Place) -> int:
    """A login at the terminal, or a shell that reads its commands from standard input."""
    script = await ctx.stdin.read() if ctx.stdin.attached and "n" not in parsed else b""
    if ctx.logins is not None and not script:
        return await _login(ctx, parsed, target, place)
    if "T" not in parsed and "q" not in parsed:
        ctx.error("Pseudo-terminal will not be allocated because stdin is not a terminal.")
    await ctx.flush()
    text = script.decode("utf-8", "surrogateescape")
    status = await remote.while_up(
        ctx, place.host, lambda: ctx.runner.script(text, place, stdin=NoInput(), stdout=ctx.stdout)
    )
    return _cut_off(ctx, target, place) if status is None else status


async def _login(ctx: Context, parsed: Parsed, target: remote.Target, place: Place) -> int:
    assert ctx.logins is not None
    for line in welcome(ctx, place):
        ctx.line(line)
    await ctx.flush()
    source = place.environment["SSH_CONNECTION"].split()[0]
    number = ctx.simulation.apply(logins.OpenSession(place.host, place.identity.name, source))
    stack = ctx.logins
    try:
        status = await remote.while_up(ctx, place.host, lambda: stack.login(place))
    finally:
        ctx.simulation.apply(logins.CloseSession(place.host, number))
    if status is None:
        return _cut_off(ctx, target, place)
    if "q" not in parsed:
        ctx.error(f"Connection to {target.name} closed.")
    return status


def welcome(ctx: Context, place: Place) -> list[str]:
    """What a login shows before its prompt: the system, the message of the day, and the last login."""
    software = ctx.inventory.software
    system = f"Welcome to {software.get('os', 'Ubuntu')} (GNU/Linux {software.get('kernel', '')} x86_64)"
    motd = paths.read_or(ctx, "/etc/motd") if place.host == ctx.host else _remote_motd(ctx, place)
    last = [login for login in logins.history(ctx.world, place.host) if login.user == place.identity.name]
    lines = [system, *motd.rstrip("\n").split("\n")]
    if last:
        when = clock.shown(ctx, ctx.epoch_at(last[-1].start), "%a %b %e %H:%M:%S %Y")
        lines.append(f"Last login: {when} from {last[-1].source}")
    return lines


def _remote_motd(ctx: Context, place: Place) -> str:
    try:
        return HostTree(ctx.simulation, place.host, place.identity).read("/etc/motd").decode()
    except FileError:
        return ""


def _cut_off(ctx: Context, target: remote.Target, place: Place) -> int:
    """The other side has gone."""
    gone = ctx.world.nodes[place.host].phase is BootPhase.OFF
    ctx.error(
        "client_loop: send disconnect: Broken pipe" if gone else f"Connection to {target.name} closed by remote host."
    )
    return remote.FAILED


COMMAND = Command(
    "ssh",
    "run a command on another host, or log in there",
    run,
    SYNOPSIS,
    tuple(option for option in OPTIONS if option.help),
    """Without COMMAND, you log in; `exit` comes back. With one, it runs there, and its status is returned; 255 means
that ssh itself failed. The words of COMMAND are joined and read by the shell over there: quote what is meant for
it.

`No route to host` means that nothing answers at the address (power off, still in firmware), `Connection refused`
that the host is up but sshd does not listen. ~/.ssh/config may give hosts other names (Host, HostName, User,
Port).""",
)
