"""`dcgmi group`: groups of GPUs and NVSwitches. Texts: dcgmi/Group.cpp and CommandLineParser.cpp of DCGM 4.4.2."""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, not_negative, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, BadEntities, Client, Return, entities
from engine.commands.dcgm._dcgmi.output import Box, Tree
from engine.control.dcgm import host_engine
from engine.world.records import EntityGroup

SUBSYSTEM = Subsystem(
    "group",
    "makes and shows groups of GPUs, which other subsystems then take together.",
    (
        Argument("i", "info", None, "show the group"),
        Argument("r", "remove", "entityId", "take entities out of the group"),
        Argument("a", "add", "entityId", "add entities: 0,1 or gpu:0,nvswitch:1 or {0-3} or *"),
        Argument("", "default", None, "all GPUs are in the new group"),
        Argument("", "defaultnvswitches", None, "all NVSwitches are in the new group"),
        JSON,
        HOST,
    ),
    (
        Argument("l", "list", None, "show all groups"),
        Argument("g", "group", "groupId", "the group meant", int),
        Argument("d", "delete", "groupId", "remove a group", int),
        Argument("c", "create", "groupName", "make a group"),
    ),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    not_negative(parsed, "delete", "group")
    adds, removes, info = "add" in parsed, "remove" in parsed, "info" in parsed
    if "group" in parsed and not (info or adds or removes):
        raise refusal("No action has been specified for the group")
    for given, verb in ((adds, "Add"), (removes, "Remove")):
        if given and ("delete" in parsed or info):
            raise refusal(
                f"{verb} device(s) cannot be used with the delete group (--delete) or group info (--info) options"
            )
    if adds and removes:
        raise refusal("Both add and remove device are set. Please use one at a time")
    if parsed.text("create") in ("--default", "--defaultnvswitches", "-a", "--add"):
        raise refusal("No group name given", "create")
    if "create" in parsed and "default" in parsed and "defaultnvswitches" in parsed:
        raise refusal("Both --default and --defaultnvswitches are set. Please use one at a time")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    if "list" in parsed:
        return _list(client, "json" in parsed)
    if "create" in parsed:
        return _create(client, parsed)
    if "delete" in parsed:
        return _delete(client, parsed.number("delete"))
    number = parsed.number("group")
    if "info" in parsed:
        return _info(client, number, "json" in parsed)
    add = "add" in parsed
    return _change(client, number, parsed.text("add" if add else "remove"), add)


def _fill(box: Box, group: EntityGroup) -> None:
    box.at("Group ID").value = str(group.id)
    box.at("Group Name").value = group.name
    box.at("Entities").value = ", ".join(f"{kind} {number}" for kind, number in group.members) or "None"


def _list(client: Client, json: bool) -> int:
    groups = host_engine.groups(client.world, client.host)
    tree = Tree(20, 60)
    tree.headers = ["GROUPS", f"{len(groups)} group{' ' if len(groups) == 1 else 's '}found."]
    for group in groups:
        _fill(tree.at("Groups").at(str(group.id)), group)
    client.ctx.write(tree.json() if json else tree.text())
    return OK


def _info(client: Client, number: int, json: bool) -> int:
    group = client.group(number)
    if group is None:
        text = f"Error: Unable to retrieve information about group {number}. Return: {GROUP_NOT_FOUND}.\n"
        raise Return.NOT_CONFIGURED.ends(text)
    tree = Tree(20, 60)
    tree.headers = ["GROUP INFO"]
    _fill(tree.at(str(number)), group)
    client.ctx.write(tree.json() if json else tree.text())
    return OK


def _create(client: Client, parsed: Parsed) -> int:
    name = parsed.text("create")
    gpus, switches, *_ = host_engine.groups(client.world, client.host)
    members = gpus.members if "default" in parsed else switches.members if "defaultnvswitches" in parsed else ()
    kinds, numbers = tuple(kind for kind, _ in members), tuple(number for _, number in members)
    made = client.ctx.simulation.apply(host_engine.CreateGroup(client.host, name, kinds, numbers))
    if made is None:
        failed = Return.MAX_LIMIT
        raise failed.ends(f"Error: Cannot create group {name}. Return: {failed.text}\n")
    client.ctx.line(f'Successfully created group "{name}" with a group ID of {made}')
    return _change(client, made, parsed.text("add"), True) if parsed.text("add") and not members else OK


def _delete(client: Client, number: int) -> int:
    if number in (host_engine.DEFAULT_GPUS, host_engine.DEFAULT_SWITCHES):
        failed, text = Return.NOT_CONFIGURED, "Setting not configured"
        raise failed.ends(f"Error: Cannot destroy group {number}. Return: {text}.\n")
    if not client.ctx.simulation.apply(host_engine.DestroyGroup(client.host, number)):
        text = f"Error: Cannot destroy group {number}. Return: {GROUP_NOT_FOUND}.\n"
        raise Return.NOT_CONFIGURED.ends(text)
    client.ctx.line(f"Successfully removed group {number}")
    return OK


def _change(client: Client, number: int, text: str, add: bool) -> int:
    """Add entities or take them out, one by one; the first that cannot be ends it."""
    try:
        wanted = entities(client, text)
    except BadEntities as error:
        raise Return.BAD_PARAMETER.ends(f"Error: parsing for GPUs failed. Error: {error}\n") from None
    for done, (kind, entity) in enumerate(wanted):
        found, known = client.group(number), _exists(client, kind, entity)
        action = host_engine.ChangeGroup(client.host, number, kind, entity, add)
        if found is None or not known or not client.ctx.simulation.apply(action):
            _refuse(kind, entity, number, add, done, found)
    client.ctx.line(f"{'Add to' if add else 'Remove from'} group operation successful.")
    return OK


def _exists(client: Client, kind: str, number: int) -> bool:
    if kind == host_engine.GPU:
        return number < len(client.gpus())
    return kind == host_engine.SWITCH and number in host_engine.switches(client.world, client.host)


def _refuse(kind: str, entity: int, number: int, add: bool, done: int, found: EntityGroup | None) -> None:
    failed = Return.BAD_PARAMETER if found else Return.NOT_CONFIGURED
    reason = GROUP_NOT_FOUND
    if found:
        whether = "already in the group" if add else "not part of the group"
        reason = f"{failed.text}.\nThe GPU was not found or is {whether}"
    first = "Operation partially successful." if done else ""
    verb, where = ("add", "into") if add else ("remove", "in")
    text = f"{first}\nError: Unable to perform {verb} of {kind} {entity} {where} group {number}. Return: {reason}.\n"
    raise failed.ends(text)
