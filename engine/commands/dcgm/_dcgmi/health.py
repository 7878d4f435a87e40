"""`dcgmi health`: setting, showing and checking health watches. Texts: dcgmi/Health.cpp of DCGM 4.4.2.

A system that the tool has no name for (Xids that concern none in particular) is called `Internal error`, as there.
"""

from __future__ import annotations

from itertools import groupby

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return, group_number
from engine.commands.dcgm._dcgmi.output import Box, Tree
from engine.control.dcgm import health, modules
from engine.control.dcgm.health import Health, Incident, System

_WIDTH = 54
_FOOTER = (
    " Letters of -s: a all, p PCIe (*), m memory (*), i InfoROM, t heat and power (*), n NVLink.\n"
    " (*) looks at the last minute"
)
SUBSYSTEM = Subsystem(
    "health",
    "watches the health of the GPUs of a group.",
    (
        Argument("g", "group", "groupId", "the group, or g, s, i, c, a for all of a kind"),
        JSON,
        Argument("m", "max-keep-age", "seconds", "how long samples are kept [default = 600]", float),
        Argument("u", "update-interval", "seconds", "how often they are taken [default = 30]", float),
        HOST,
    ),
    (
        Argument("f", "fetch", None, "show what is watched"),
        Argument("s", "set", "flags", "watch systems [default = pm]"),
        Argument("", "clear", None, "watch nothing"),
        Argument("c", "check", None, "show what went wrong with what is watched"),
    ),
    _FOOTER,
)
_LETTERS = {
    "p": System.PCIE,
    "m": System.MEMORY,
    "i": System.INFOROM,
    "t": System.THERMAL | System.POWER,
    "n": System.NVLINK,
}
_ALL = (
    System.PCIE | System.MEMORY | System.INFOROM | System.THERMAL | System.POWER | System.NVLINK
    | System.NVSWITCH_NONFATAL | System.NVSWITCH_FATAL
)  # fmt: skip
_LISTED = (
    (System.PCIE, "PCIe"),
    (System.NVLINK, "NVLINK"),
    (System.MEMORY, "Memory"),
    (System.SM, "SM"),
    (System.INFOROM, "InfoROM"),
    (System.THERMAL, "Thermal"),
    (System.POWER, "Power"),
    (System.DRIVER, "Driver"),
    (System.NVSWITCH_NONFATAL, "NvSwitch NF"),
    (System.NVSWITCH_FATAL, "NvSwitch F"),
)
_SYSTEMS = {
    System.PCIE: "PCIe system",
    System.NVLINK: "NVLINK system",
    System.MEMORY: "Memory system",
    System.SM: "SM system",
    System.INFOROM: "InfoROM system",
    System.THERMAL: "Thermal system",
    System.POWER: "Power system",
    System.DRIVER: "Driver",
}
_WORDS = {Health.PASS: "Healthy", Health.WARN: "Warning", Health.FAIL: "Failure"}


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    group_number(parsed.text("group", "g"))
    if "set" in parsed:
        _systems(parsed.text("set"))


def _systems(letters: str) -> int:
    """The mask that letters ask for. Raises Ended."""
    if letters == "a":
        return _ALL
    found = 0
    for position, letter in enumerate(letters):
        if letter not in _LETTERS:
            raise refusal("Invalid flags detected", "set")
        if letter in letters[position + 1 :]:
            raise refusal("Duplicate flags detected", "set")
        found |= _LETTERS[letter]
    if not found:
        raise refusal("No flags detected", "set")
    return found


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    number = group_number(parsed.text("group", "g"))
    action = next(name for name in ("set", "clear", "fetch", "check") if name in parsed)
    verb = {"set": "set", "clear": "set", "fetch": "get", "check": "check"}[action]
    failed = Return.NOT_CONFIGURED if client.group(number) is None else None
    if not client.need(modules.HEALTH):
        failed = Return.MODULE_NOT_LOADED
    if failed:
        text = GROUP_NOT_FOUND if failed is Return.NOT_CONFIGURED else failed.text
        raise Return.GENERIC.ends(f"Error: Unable to {verb} health watches. Return: {text}\n")
    if verb == "set":
        systems = _systems(parsed.text("set")) if action == "set" else 0
        client.ctx.simulation.apply(health.SetWatches(client.host, number, systems))
        client.ctx.line("Health monitor systems set successfully.")
        return OK
    tree = _fetched(client, number) if action == "fetch" else _checked(client, number)
    client.ctx.write(tree.json() if "json" in parsed else tree.text())
    return OK


def _fetched(client: Client, number: int) -> Tree:
    client.ctx.line("Health monitor systems report")
    tree, systems = Tree(18, 70), health.watched(client.world, client.host, number)
    for bit, name in _LISTED:
        tree.at(name).value = "On" if systems & bit else "Off"
    return tree


def _checked(client: Client, number: int) -> Tree:
    """The report. Raises Ended where nothing is watched."""
    if not health.watched(client.world, client.host, number):
        raise Return.GENERIC.ends("Error: Health watches not enabled. Please enable watches. \n")
    incidents = health.check(client.world, client.host, number, client.ctx.now)
    tree = Tree(28, 60)
    tree.headers = ["Health Monitor Report"]
    tree.at("Overall Health").value = _WORDS[health.overall(incidents)]
    for (kind, entity), found in groupby(incidents, key=lambda each: (each.kind, each.number)):
        of_entity = list(found)
        box = tree.at(kind).at(str(entity))
        box.value = _WORDS[health.overall(of_entity)]
        _errors(box.at("Errors"), of_entity)
    return tree


def _errors(box: Box, incidents: list[Incident]) -> None:
    """Errors of an entity by system; those of one system follow each other with commas."""
    for system, found in groupby(incidents, key=lambda each: each.system):
        of_system = list(found)
        inner = box.at(_SYSTEMS.get(system, "Internal error"))
        inner.value = _WORDS[health.overall(of_system)]
        inner.more += _wrapped(", ".join(each.error.message for each in of_system))


def _wrapped(text: str) -> list[str]:
    """A message cut at words so that it fits, by the tool's own rule (which may leave out a character at a cut)."""
    text = text.replace("\n", " ")
    if len(text) <= _WIDTH:
        return [text]
    lines, end, start = [], 0, 0
    while start < len(text):
        end = _cut(text, end + _WIDTH)
        while start < len(text) and text[start] == " ":
            start += 1
        if start >= len(text):
            break
        lines.append(text[start : end + 1])
        start = end + 2
    return lines


def _cut(text: str, end: int) -> int:
    """Where a line that may reach `end` ends: at the end of a word."""
    last = len(text) - 1
    if end >= last:
        return last
    while text[end] != " " and text[end + 1] not in " .,/":
        end -= 1
    while text[end] == " ":
        end -= 1
    return end
