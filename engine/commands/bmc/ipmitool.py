"""ipmitool 1.8.19 (Ubuntu 24.04): sensors, event log, power and identity of a node's BMC, through /dev/ipmi0 of the
node itself or over the network.

Texts of errors and the forms of output are ipmitool's own (its sources); the words of the usage text are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.commands.bmc._ipmitool import opening
from engine.commands.bmc._ipmitool.chassis import chassis, power
from engine.commands.bmc._ipmitool.dcmi import dcmi
from engine.commands.bmc._ipmitool.management import controller, fru, network, users
from engine.commands.bmc._ipmitool.sdr import sdr
from engine.commands.bmc._ipmitool.sel import sel
from engine.commands.bmc._ipmitool.sensor import sensor
from engine.commands.bmc._ipmitool.session import Failed, Session, version
from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse

_OPTIONS = (
    Option("h", name="help", help="print this text"),
    Option("V", name="version", help="print the version"),
    Option("v", name="verbose", help="say more"),
    Option("c", name="csv", help="separate values by commas"),
    Option("d", argument="N", name="device", help="use /dev/ipmiN"),
    Option("I", argument="intf", name="interface", help="the way to the BMC: open, lan, lanplus"),
    Option("H", argument="hostname", name="hostname", help="the BMC's name or address on the network"),
    Option("p", argument="port", name="port", help="the BMC's port"),
    Option("U", argument="username", name="username", help="the name to log in with"),
    Option("P", argument="password", name="password", help="the password"),
    Option("E", name="environment", help="take the password from IPMITOOL_PASSWORD or IPMI_PASSWORD"),
    Option("f", argument="file", name="file", help="read the password from a file"),
    Option("a", name="ask", help="ask for the password"),
    Option("L", argument="level", name="level", help="the privilege level of the session"),
    Option("C", argument="ciphersuite", name="cipher", help="the cipher suite of the session"),
    Option("A", argument="authtype", name="authentication", help="the type of authentication"),
    Option("R", argument="retry", name="retry", help="how often to try"),
    Option("N", argument="seconds", name="timeout", help="how long to wait for an answer"),
    Option("Z", name="utc", help="show times in UTC"),
    Option("4", name="ipv4", help="use IPv4"),
    Option("6", name="ipv6", help="(not modelled) use IPv6"),
    *(Option(letter, argument="value", name=f"-{letter}", help="(not modelled)") for letter in "zSDekymbtBTloO"),
    *(Option(letter, name=f"-{letter}", help="(not modelled)") for letter in "gsKY"),
)

_Main = Callable[[Session, Sequence[str]], int]
_COMMANDS: dict[str, _Main] = {
    "lan": network,
    "chassis": chassis,
    "power": power,
    "mc": controller,
    "bmc": controller,
    "sdr": sdr,
    "sensor": sensor,
    "fru": fru,
    "sel": sel,
    "user": users,
    "dcmi": dcmi,
}
_SUMMARIES = {
    "raw": "(not modelled) Send a request byte by byte",
    "lan": "Network settings",
    "chassis": "Status and power of the chassis",
    "power": "The same as chassis power",
    "event": "(not modelled) Send events",
    "mc": "The management controller itself",
    "sdr": "Sensors and their readings",
    "sensor": "Sensors with all their limits",
    "fru": "Boards and their serial numbers",
    "sel": "System event log",
    "pef": "(not modelled) Event filters",
    "sol": "(not modelled) Console over the network",
    "user": "Accounts of the management controller",
    "channel": "(not modelled) Channels",
    "session": "(not modelled) Sessions",
    "dcmi": "Data Center Management Interface",
    "shell": "(not modelled) Interactive shell",
    "exec": "(not modelled) Run commands from a file",
}
_OTHERS = (
    "i2c", "spd", "gendev", "tsol", "isol", "nm", "sunoem", "kontronoem", "picmg", "fwum", "firewall", "delloem", "set",
    "hpm", "ekanalyzer", "ime", "vita", "lan6",
)  # fmt: skip


async def _run(context: Context) -> int:
    parsed = parse(context.name, _OPTIONS, context.arguments, trailer=_usage(context))
    if "help" in parsed:
        raise UsageError(_usage(context), 0)
    if "version" in parsed:
        context.line(f"{context.name} version {version(context)}")
        return 0
    if parsed.operands[:1] == ["help"]:
        raise UsageError(_command_list(), 0)
    lacking = _lacking(parsed)
    if lacking:
        return context.not_modelled(f"ipmitool {lacking}")
    try:
        session = await opening.opened(context, parsed)
        await opening.require_answer(session, parsed.operands)
        return _command(session, parsed.operands)
    except Failed:
        return 1


def _lacking(parsed: Parsed) -> str | None:
    """An option or interface that the real tool has and ours has not."""
    if opening.not_modelled(parsed["interface"]):
        return f"-I {parsed['interface']}"
    if "ipv6" in parsed:
        return "-6"
    return next((key for key, _ in parsed.given if key.startswith("-")), None)


def _command(session: Session, operands: Sequence[str]) -> int:
    name, *arguments = operands or ("",)
    if name in _COMMANDS:
        return _COMMANDS[name](session, arguments)
    if name in _SUMMARIES or name in _OTHERS:
        return session.context.not_modelled(f"ipmitool {name}")
    session.context.error(f"Invalid command: {name}" if name else "No command provided!")
    raise UsageError(_command_list(), 1)


def _command_list() -> str:
    return "\n".join(["Commands:", *(f"\t{name:<12}  {text}" for name, text in _SUMMARIES.items()), "", ""])


def _usage(context: Context) -> str:
    head = f"{context.name} version {version(context)}\n\nusage: {context.name} [options...] <command>\n\n"
    return head + "\n".join(option_lines(_OPTIONS)) + "\n\n" + _command_list()


COMMAND = Command(
    "ipmitool",
    "utility for controlling IPMI-enabled devices",
    _run,
    synopsis="ipmitool [options...] <command> [arguments]",
    options=_OPTIONS,
    manual="On a node itself it needs root. From elsewhere: ipmitool -I lanplus -H dgx-01-bmc -U admin -P PASSWORD sel "
    "elist. The BMC answers while the node is off.",
)
