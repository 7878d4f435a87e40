"""How a session with a BMC begins: through the host's own device, or over the network with a name and a password.

Modelled on ipmitool 1.8.19. Whatever goes wrong with a session over the network is told in one sentence; which it is
would be seen with -v only, which is not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.bmc._ipmitool.session import Failed, Session
from engine.commands.context import Context
from engine.commands.options import Parsed
from engine.control.bmc import answers
from engine.control.bmc_identity import account
from engine.control.host_names import owner, resolve
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

REMOTE = {
    "lan": (16, "Error: Unable to establish LAN session\nError: Unable to establish IPMI v1.5 / RMCP session"),
    "lanplus": (20, "Error: Unable to establish IPMI v2 / RMCP+ session"),
}
"""Interfaces over the network: the longest password, and what they say if there is no session."""

_TRIES = 20 * SECOND
_NO_ANSWER = 15 * SECOND
"""How long it tries before it gives up: over the network (four retries, each longer) and through the host's device."""

_NO_REPLY = {
    "mc": "Get Device ID command failed",
    "chassis": "Error sending Chassis Status command",
    "power": "Unable to get Chassis Power Status",
    "sel": "Get SEL Info command failed",
    "sdr": "Get Device ID command failed\nUnable to open SDR for reading",
    "sensor": "Get Device ID command failed\nUnable to open SDR for reading",
}

_LOCAL = "open"
_OTHERS = ("imb", "free", "serial-terminal", "serial-basic", "dummy", "usb")
_LONGEST_NAME = 16
_LEVELS = ("CALLBACK", "USER", "OPERATOR", "ADMINISTRATOR")
_HIGHEST = _LEVELS[-1]


async def opened(context: Context, parsed: Parsed) -> Session:
    """The session that the options ask for. Raises Failed."""
    host = parsed["hostname"]
    name = parsed["interface"] or ("lan" if host else _LOCAL)
    password = await _password(context, parsed)
    if name not in (_LOCAL, *REMOTE, *_OTHERS):
        raise _refuse(context, f"Error loading interface {name}")
    if name in _OTHERS:
        raise Failed(name)
    if name == _LOCAL:
        target, privilege = _through_device(context, parsed["device"] or "0"), _HIGHEST
    else:
        target, privilege = _over_network(context, name, parsed, password)
        if not answers(context.world, target, context.now, network=True):
            await context.sleep(_TRIES)
            raise _refuse(context, REMOTE[name][1])
    return Session(context, target, privilege, "csv" in parsed, parsed.count("verbose"), "utc" in parsed)


async def require_answer(session: Session, operands: Sequence[str]) -> None:
    """Raises Failed where the BMC does not answer its own host; each command says it in its own words."""
    context = session.context
    if not operands or answers(context.world, session.host, context.now, network=False):
        return
    await context.sleep(_NO_ANSWER)
    for line in _NO_REPLY.get(operands[0], _NO_REPLY["mc"]).split("\n"):
        context.error(line)
    raise Failed(operands[0])


def not_modelled(name: str | None) -> bool:
    """Whether an interface is known to the tool and missing here."""
    return name in _OTHERS


def _through_device(context: Context, number: str) -> str:
    names = (f"/dev/ipmi{number}", f"/dev/ipmi/{number}", f"/dev/ipmidev/{number}")
    if not context.is_root or not context.files.exists(names[0]):
        raise _refuse(context, f"Could not open device at {' or '.join(names)}: No such file or directory")
    return context.host


def _over_network(context: Context, interface: str, parsed: Parsed, password: str) -> tuple[str, str]:
    """The node whose BMC answers, and what the session may do."""
    longest, failure = REMOTE[interface]
    host, user = parsed["hostname"], parsed["username"] or ""
    if len(user) > _LONGEST_NAME:
        raise _refuse(context, "Username is too long (> 16 bytes)")
    if len(password) > longest:
        raise _refuse(context, f"{interface}: password is longer than {longest} bytes.")
    if not host:
        raise _refuse(context, "No hostname specified!")
    if resolve(context.world, host) is None:
        raise _refuse(context, f"Address lookup for {host} failed\nCould not open socket!\n{failure}")
    what, node = owner(context.world, host) or ("", "")
    known = account(context.world, node, user) if what == "bmc" else None
    level = _level(context, parsed["level"] or _HIGHEST)
    if known is None or not password or _LEVELS.index(level) > _LEVELS.index(known.privilege):
        raise _refuse(context, failure)
    return node, level


def _level(context: Context, name: str) -> str:
    """The privilege level that the session asks for."""
    level = name.removesuffix("+").upper()
    if level not in _LEVELS:
        context.error(f"Invalid privilege level {name}")
        return _HIGHEST
    return level


async def _password(context: Context, parsed: Parsed) -> str:
    """The last password that was given in any way; a session over the network asks for one if there is none."""
    given = None
    for key, value in parsed.given:
        given = _given(context, key, value) if key in ("password", "environment", "file") else given
    asks = "ask" in parsed or (given is None and parsed["hostname"])
    if asks and context.terminal is not None:
        given = await context.terminal.ask("Password: ", hidden=True)
    elif asks:
        context.write("Password: ")
    return given or ""


def _given(context: Context, key: str, value: str) -> str | None:
    if key == "password":
        return value
    if key == "environment":
        found = context.environment.get("IPMITOOL_PASSWORD") or context.environment.get("IPMI_PASSWORD")
        if found is None:
            context.error("Unable to read password from environment")
        return found
    return _from_file(context, value)


def _from_file(context: Context, name: str) -> str | None:
    path = name if name.startswith("/") else f"{context.directory.rstrip('/')}/{name}"
    try:
        text = context.files.read(path).decode("utf-8", "replace")
    except FileError as error:
        missing = not context.files.exists(path)
        context.error(f"File {name} does not exist" if missing else f"Unable to open file {name}: {error.text}")
        context.error(f"Unable to open password file {name}")
        context.error(f"Unable to read password from file {name}")
        return None
    return text.split("\n", 1)[0].split("\r")[0].split("\t")[0][:_LONGEST_FILE]


_LONGEST_FILE = 20


def _refuse(context: Context, text: str) -> Failed:
    context.error(text)
    return Failed(text)
