"""`dcgmi fieldgroup`: named lists of fields. Texts: dcgmi/FieldGroup.cpp and CommandLineParser.cpp of DCGM 4.4.2."""

from __future__ import annotations

from engine.commands.dcgm._dcgmi.arguments import HOST, JSON, Argument, Parsed, Subsystem, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, Client, Return
from engine.commands.dcgm._dcgmi.output import Tree
from engine.control.dcgm import fields, host_engine
from engine.world.records import FieldGroup

_FIELDS_IN_A_LINE = 9
SUBSYSTEM = Subsystem(
    "fieldgroup",
    "makes and shows groups of field numbers, which other subsystems then take together.",
    (
        Argument("g", "fieldgroup", "fieldGroupId", "the field group meant", int),
        Argument("f", "fieldids", "fieldIds", "fields of a new group, with commas"),
        JSON,
        HOST,
    ),
    (
        Argument("l", "list", None, "show all field groups"),
        Argument("i", "info", None, "show the field group"),
        Argument("d", "delete", None, "remove the field group"),
        Argument("c", "create", "fieldGroupName", "make a field group"),
    ),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    for name in ("info", "delete"):
        if name in parsed and "fieldgroup" not in parsed:
            raise refusal("No fieldGroupId given (specify with --fieldgroup)", name)
    if "create" in parsed and "fieldids" not in parsed:
        raise refusal("No field IDs given (specify with --fieldids)", "create")


def run(client: Client, parsed: Parsed) -> int:
    """Do what is asked."""
    json, number = "json" in parsed, parsed.number("fieldgroup", -1)
    groups = host_engine.field_groups(client.world, client.host)
    if "list" in parsed:
        client.ctx.line(f"{len(groups)} field group{' ' if len(groups) == 1 else 's '}found.")
        client.ctx.write("".join(_shown(group, json) for group in groups))
        return OK
    if "create" in parsed:
        return _create(client, parsed.text("create"), parsed.text("fieldids"))
    if "delete" in parsed:
        if not client.ctx.simulation.apply(host_engine.DestroyFieldGroup(client.host, number)):
            text = f"Error: Cannot destroy field group {number}. Return: {GROUP_NOT_FOUND}.\n"
            raise Return.NOT_CONFIGURED.ends(text)
        client.ctx.line(f"Successfully removed field group {number}")
        return OK
    found = next((group for group in groups if group.id == number), None)
    if found is None:
        text = f"Error: Unable to retrieve information about field group {number}. Return: The Field Group is not found"
        raise Return.NOT_CONFIGURED.ends(f"{text}.\n")
    client.ctx.write(_shown(found, json))
    return OK


def _shown(group: FieldGroup, json: bool) -> str:
    tree = Tree(20, 60)
    tree.headers = ["FIELD GROUPS"]
    tree.at("ID").value = str(group.id)
    tree.at("Name").value = group.name
    words, box, last = [str(number) for number in group.fields], tree.at("Field IDs"), len(group.fields) - 1
    line, count = "", 0
    for position, word in enumerate(words):
        line += word + (", " if position < last else "")
        if count > _FIELDS_IN_A_LINE:
            box.set_or_append(line)
            line, count = "", 0
        count += 1
    if line or not words:
        box.set_or_append(line or "None")
    return tree.json() if json else tree.text()


def _create(client: Client, name: str, text: str) -> int:
    for position, character in enumerate(text):
        if not (character.isdigit() or (character == "," and position)):
            word = "first character" if position == 0 else "character"
            raise Return.BAD_PARAMETER.ends(
                f'Error: Invalid {word} detected: "{character}" while parsing for field IDs.\n'
            )
    numbers = tuple(int(word) for word in text.split(",") if word)
    failed = Return.BAD_PARAMETER
    if all(number in fields.table() for number in numbers):
        failed = Return.DUPLICATE_KEY
        made = client.ctx.simulation.apply(host_engine.CreateFieldGroup(client.host, name, numbers))
        if made is not None:
            client.ctx.line(f'Successfully created field group "{name}" with a field group ID of {made}')
            return OK
    raise failed.ends(f"Error: Cannot create field group {name}. Return: {failed.text}\n")
