"""`dcgmi dmon`: values of fields, sample by sample.

Layout: dcgmi/DeviceMonitor.cpp of DCGM 4.4.2: a first column of 11 characters, columns six wider than their field and
two apart, the head again after 14 rounds, doubles with three decimals, N/A for blanks; before 4.0 the first head cell
was `# Entity`. Fields of entities that are not in the table of values (NVSwitches, links, CPUs) leave their rows out.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Interrupted
from engine.commands.dcgm._dcgmi.arguments import HOST, Argument, Parsed, Subsystem, not_negative, refusal
from engine.commands.dcgm._dcgmi.client import GROUP_NOT_FOUND, OK, BadEntities, Client, Return, entities
from engine.control.dcgm import fields, host_engine, modules, profilers
from engine.control.dcgm.fields import Field
from engine.kernel.units import MILLISECOND

_FIRST, _WIDER, _APART, _ROUNDS_BETWEEN_HEADS = 11, 6, 2, 14
_SPECIAL = {"all_gpus": host_engine.ALL_GPUS, "all_nvswitches": host_engine.ALL_SWITCHES}

SUBSYSTEM = Subsystem(
    "dmon",
    "shows values of fields, sample by sample.",
    (
        HOST,
        Argument("i", "entity-id", "entityId", "these entities [default: all GPUs]"),
        Argument("g", "group-id", "groupId", "the entities of a group"),
        Argument("d", "delay", "delay", "milliseconds between samples [default = 1000]", int),
        Argument("c", "count", "count", "end after so many samples [default: go on]", int),
    ),
    (
        Argument("f", "field-group-id", "fieldGroupId", "the fields of a field group", int),
        Argument("e", "field-id", "fieldId", "these fields, by number, with commas"),
        Argument("l", "list", None, "show names and numbers of all fields"),
    ),
)


def check(parsed: Parsed) -> None:
    """Raises Ended for options that do not fit."""
    if "group-id" in parsed and "entity-id" in parsed:
        raise refusal("Only one of --entity-id and --group-id can be provided")
    if "list" in parsed:
        if {"group-id", "entity-id", "delay", "count"} & parsed.values.keys():
            raise refusal("Invalid parameters with list arg. Usage : dmon -l")
        return
    not_negative(parsed, "count", "field-group-id")
    if parsed.number("delay", 1000) < 1:
        raise refusal("Invalid value", "delay")
    if "field-id" in parsed and not parsed.text("field-id")[:1].isdigit():
        raise refusal("Invalid value", "field-id")


async def run(client: Client, parsed: Parsed) -> int:
    """List the fields, or sample until the count is reached or Ctrl-C comes."""
    if "list" in parsed:
        _list(client)
        return OK
    numbers = _entities(client, parsed)
    chosen = _fields(client, parsed)
    if any(field.id in fields.PROFILING for field in chosen):
        _need_profiling(client)
    try:
        await _sample(client, numbers, chosen, parsed)
    except Interrupted:
        client.ctx.write("\n\ndmon was stopped due to receiving a signal\n")
        await client.ctx.flush()
        raise
    return OK


def _need_profiling(client: Client) -> None:
    if not client.need(modules.PROFILING):
        failed = Return.MODULE_NOT_LOADED
        raise failed.ends(f"Error setting watches. Result: {failed.number}: {failed.text}\n\n")
    if profilers.holder(client.world, client.host):
        failed = Return.PROFILING_LIBRARY
        raise failed.ends(f"Error setting watches. Result: {failed.text}\n\n")


async def _sample(client: Client, numbers: Sequence[int], chosen: Sequence[Field], parsed: Parsed) -> None:
    count, delay = parsed.number("count"), parsed.number("delay", 1000) * MILLISECOND
    _head(client, chosen)
    rounds = since_head = 0
    while True:
        gpus = {gpu.index: gpu for gpu in client.gpus()}
        for number in numbers:
            gpu = gpus.get(number)
            values = [fields.shown(field, fields.value(gpu, field) if gpu else None) for field in chosen]
            client.ctx.line(f"{f'GPU {number}':<{_FIRST}}" + _cells(chosen, values))
        rounds += 1
        if rounds == count:
            return
        await client.ctx.sleep(delay)
        if since_head == _ROUNDS_BETWEEN_HEADS:
            _head(client, chosen)
            since_head = 0
        since_head += 1


def _head(client: Client, chosen: Sequence[Field]) -> None:
    first = "#Entity" if client.release >= (4, 0) else "# Entity"
    client.ctx.line(f"{first:<{_FIRST}}" + _cells(chosen, [field.short_name for field in chosen]))
    client.ctx.line(f"{'ID':<{_FIRST}}" + _cells(chosen, [field.unit for field in chosen]))


def _cells(chosen: Sequence[Field], texts: Sequence[str]) -> str:
    return "".join(_cell(text, field.width + _WIDER) for field, text in zip(chosen, texts, strict=True))


def _cell(text: str, width: int) -> str:
    shown = text if len(text) <= width else text[: width - 3] + "..."
    return f"{shown:<{width + _APART}}"


def _list(client: Client) -> None:
    terminal = client.ctx.terminal
    width = min(120, terminal.columns if terminal else 80)
    long = max(20, width - 30)
    line = "_" * (long + 30)
    client.ctx.write(f"{line}\n{'Long Name':<{long}}{'Short Name':<20}{'Field ID':<10}\n{line}\n")
    for field in fields.table().values():
        tag = field.tag if len(field.tag) <= long else field.tag[: long - 3] + "..."
        client.ctx.line(f"{tag:<{long}} {field.short_name:<20}{field.id}")


def _fields(client: Client, parsed: Parsed) -> list[Field]:
    """The fields asked for. Raises Ended."""
    failed = Return.BAD_PARAMETER
    if "field-group-id" in parsed:
        number = parsed.number("field-group-id")
        found = next((g for g in host_engine.field_groups(client.world, client.host) if g.id == number), None)
        if found is None:
            missing = Return.NOT_CONFIGURED
            text = f"Unable to retrieve information about field group {number}. Error: {missing.number}: "
            raise missing.ends(f"{text}The Field Group is not found\n")
        return [fields.table()[each] for each in found.fields if each in fields.table()]
    chosen = []
    for word in parsed.text("field-id").split(","):
        digits = word.lstrip(" ")
        if not digits[:1].isdigit():
            raise failed.ends(f"Error: Expected numerical fieldId. Got '{word}' instead.\n")
        number = int("".join(c for c in digits if c.isdigit()))
        if number not in fields.table():
            where = "See dcgm_fields.h for a list of valid field IDs."
            raise failed.ends(f"Error: Got invalid field ID. '{number}'. {where}\n")
        chosen.append(fields.table()[number])
    return chosen


def _entities(client: Client, parsed: Parsed) -> list[int]:
    """GPU ids to sample. Raises Ended."""
    text = parsed.text("entity-id", "-1")
    if text != "-1":
        return _listed(client, text)
    name = parsed.text("group-id", "-1")
    number = host_engine.ALL_GPUS if name == "-1" else _SPECIAL.get(name)
    if number is None:
        if not name.isdecimal():
            raise Return.BAD_PARAMETER.ends(f"Expected a numerical groupId. Instead, got '{name}'\n")
        number = int(name)
    group = client.group(number)
    if group is None:
        failed = Return.NOT_CONFIGURED
        text = f"Enable to retrieve information about group. Error: {failed.number}: {GROUP_NOT_FOUND}\n"
        raise failed.ends(text)
    found = sorted(entity for kind, entity in group.members if kind == host_engine.GPU)
    if not found:
        raise Return.NO_DATA.ends("No data returned from the hostengine.\n")
    return found


def _listed(client: Client, text: str) -> list[int]:
    try:
        wanted = entities(client, text)
    except BadEntities as error:
        raise Return.BAD_PARAMETER.ends(f"{error}\n") from None
    known = len(client.gpus())
    for kind, number in wanted:
        if kind != host_engine.GPU or number >= known:
            failed = Return.BAD_PARAMETER
            said = f"Error: Got error {failed.number} {failed.text} while adding {kind} {number} to our entity group."
            raise failed.ends(f"{said}\n")
    return sorted({number for _, number in wanted})
