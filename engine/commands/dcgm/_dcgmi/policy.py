"""`dcgmi policy`: what counts as a violation, and listening for violations. Texts: dcgmi/Policy.cpp of DCGM 4.4.2.

`--reg` looks every ten seconds (the callback's own pace is not known); actions and validations are kept and shown, but
nothing carries them out.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.dcgm._dcgmi.arguments import (
    HOST,
    JSON,
    VERBOSE,
    Argument,
    Parsed,
    Subsystem,
    not_negative,
    refusal,
)
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Box, Tree
from engine.control.dcgm import host_engine, modules
from engine.control.dcgm import policy as kept
from engine.control.dcgm.policy import Condition, Violation
from engine.kernel.calendar import local
from engine.kernel.units import SECOND
from engine.world.records import EntityGroup, ViolationPolicy

SAME = "**** Non-homogenous settings across group. Use with \u2013v flag to see details.\n"
_LOOKS_EVERY = 10 * SECOND
SUBSYSTEM = Subsystem(
    "policy",
    "sets what counts as a violation of a group's GPUs, and tells of violations.",
    (
        Argument("g", "group", "groupId", "the group", int),
        VERBOSE,
        Argument("M", "maxpages", "max", "more retired pages than this", int),
        Argument("T", "maxtemp", "max", "a temperature above this", int),
        Argument("P", "maxpower", "max", "a power above this", int),
        Argument("e", "eccerrors", None, "double-bit errors"),
        Argument("p", "pcierrors", None, "PCIe replays"),
        Argument("n", "nvlinkerrors", None, "NVLink errors"),
        Argument("x", "xiderrors", None, "Xids"),
        JSON,
        HOST,
    ),
    (
        Argument("", "get", None, "show the policy"),
        Argument("", "reg", None, "tell of violations until Ctrl-C"),
        Argument("", "set", "actn,val", "action 0 none, 1 reset; validation 0 none, 1 to 3 a diagnostic's level"),
        Argument("", "clear", None, "no conditions"),
    ),
)
_SWITCHES = {
    "eccerrors": Condition.DOUBLE_BIT,
    "pcierrors": Condition.PCI,
    "maxpages": Condition.PAGES,
    "maxtemp": Condition.THERMAL,
    "maxpower": Condition.POWER,
    "nvlinkerrors": Condition.NVLINK,
    "xiderrors": Condition.XID,
}
_ACTIONS = ("None", "Reset GPU")
_VALIDATIONS = (
    "None",
    "System Validation (Short)",
    "System Validation (Medium)",
    "System Validation (Long)",
    "System Validation (Extended)",
)
_SAID = {
    Condition.DOUBLE_BIT: ("A double-bit ECC error has violated policy manager values.", "DBE error count"),
    Condition.PCI: ("A PCIe replay event has violated policy manager values.", "PCIe replay count"),
    Condition.THERMAL: ("The maximum thermal limit has violated policy manager values.", "Temperature"),
    Condition.POWER: ("The maximum power limit has violated policy manager values.", "Power"),
}


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "maxpages", "maxtemp", "maxpower", "group")
    if "set" in parsed:
        if not _SWITCHES.keys() & parsed.values.keys():
            raise refusal("No conditions specified", "set")
        text = parsed.text("set")
        if "," not in text or len(text) != 3:
            raise refusal("Must use action,validation (csv) format", "set")
        if text[0] not in "01":
            raise refusal("The action must be 0 or 1", "set")
        if text[2] not in "0123":
            raise refusal("The validation must be between 0 and 3 (inclusive)", "set")
    if "verbose" in parsed and "get" not in parsed:
        raise refusal("Verbose option only available with the get policy arg (--get)")


async def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    group = client.group(parsed.number("group", host_engine.ALL_GPUS))
    if group is None or not client.need(modules.POLICY):
        _refuse(parsed, Return.NOT_CONFIGURED if group is None else Return.MODULE_NOT_LOADED)
    assert group is not None
    if "get" in parsed:
        return _get(client, group, parsed)
    if "reg" in parsed:
        return await _listen(client, group)
    action, validation = (int(parsed.text("set", "0,0")[at]) for at in (0, 2))
    conditions = sum(bit for name, bit in _SWITCHES.items() if name in parsed) if "set" in parsed else 0
    set_policy = kept.SetPolicy(
        client.host,
        tuple(gpu.index for gpu in client.gpus_of(group)),
        conditions,
        parsed.number("maxpages"),
        parsed.number("maxtemp"),
        parsed.number("maxpower"),
        action,
        validation,
    )
    client.ctx.simulation.apply(set_policy)
    client.ctx.line("Policy successfully set.")
    return OK


def _refuse(parsed: Parsed, failed: Return) -> None:
    reason = GROUP_NOT_FOUND if failed is Return.NOT_CONFIGURED else failed.text
    if "get" in parsed:
        raise failed.ends(f"Error: Cannot get group info from remote node. Return: {reason}\n")
    if "reg" in parsed:
        text = "Error: Cannot register to receive policy violations from the remote node. Return: "
        raise failed.ends(f"{text}{reason}\n")
    raise failed.ends(f"Error: Cannot set policy for remote node. Return: {reason}\nErrors for group:\n")


def _get(client: Client, group: EntityGroup, parsed: Parsed) -> int:
    client.ctx.line("Policy information")
    policies = [kept.policy(client.world, client.host, gpu.index) for gpu in client.gpus_of(group)]
    verbose = "verbose" in parsed
    for one in policies if verbose else policies[:1]:
        together = [one] if verbose else policies
        tree = Tree(30, 50)
        tree.headers = ["Policy Information", f"GPU ID: {one.gpu}" if verbose else group.name]
        _fill(tree, together)
        client.ctx.write(tree.json() if "json" in parsed else tree.text())
        if not verbose:
            client.ctx.write(SAME)
    return OK


def _fill(tree: Tree, policies: list[ViolationPolicy]) -> None:
    first = policies[0]

    def put(label: str, part: Callable[[ViolationPolicy], object], show: Callable[[Box], None]) -> None:
        box = tree.at(label)
        if len({part(each) for each in policies}) > 1:
            box.value = "****"
        else:
            show(box)

    put("Violation conditions", lambda each: each.conditions, lambda box: _conditions(box, first))
    put("Isolation mode", lambda each: 0, lambda box: box.set_or_append("Manual"))
    put("Action on violation", lambda each: each.action, lambda box: box.set_or_append(_ACTIONS[first.action]))
    put(
        "Validation after action",
        lambda each: each.validation,
        lambda box: box.set_or_append(_VALIDATIONS[first.validation]),
    )
    put("Validation failure action", lambda each: 0, lambda box: box.set_or_append("None"))


def _conditions(box: Box, one: ViolationPolicy) -> None:
    texts = {
        Condition.DOUBLE_BIT: "Double-bit ECC errors",
        Condition.PCI: "PCI errors and replays",
        Condition.PAGES: f"Max retired pages threshold - {one.pages}",
        Condition.THERMAL: f"Max temperature threshold - {one.temperature}",
        Condition.POWER: f"Max power threshold - {one.power}",
        Condition.NVLINK: "NVLink Errors",
        Condition.XID: "XID error detected.",
    }
    for condition, text in texts.items():
        if one.conditions & condition:
            box.set_or_append(text)
    if not one.conditions:
        box.value = "None"


async def _listen(client: Client, group: EntityGroup) -> int:
    """Tell of violations; only Ctrl-C ends it."""
    client.ctx.line("Listening for violations.")
    before = {gpu.index: kept.counts(gpu) for gpu in client.gpus_of(group)}
    while True:
        await client.ctx.sleep(_LOOKS_EVERY)
        for gpu in client.gpus_of(group):
            for violation in kept.violations(gpu, before[gpu.index]):
                client.ctx.write(_told(client, violation))
            before[gpu.index] = kept.counts(gpu)


def _told(client: Client, violation: Violation) -> str:
    moment = local(client.ctx.inventory.timezone, client.ctx.epoch)
    stamp = f"Timestamp: {moment:%a %b} {moment.day:2d} {moment:%H:%M:%S %Y}\n"
    if violation.condition is Condition.XID:
        return f"{stamp}XID error {violation.figure} detected.\n"
    if violation.condition is Condition.NVLINK:
        text = f"NVLink Counter {violation.field} has violated policy manager values.\n"
        return f"{stamp}{text}NVLink Counter value: {violation.figure}\n"
    text, name = _SAID[violation.condition]
    return f"{stamp}{text}\n{name}: {violation.figure}\n"
