"""`sacctmgr show ENTITY`: what each entity prints.

Source: SchedMD/slurm 24.11 src/sacctmgr (association_functions.c, event_functions.c, and the like); compared with
22.05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.commands.context import Context
from engine.commands.options import Parsed
from engine.commands.slurm._support import database_tables as tables
from engine.commands.slurm._support.client import error
from engine.commands.slurm._support.database_tables import Field
from engine.control.accounts import identity
from engine.control.slurm import associations
from engine.control.slurm.files import controller_host
from engine.control.slurm.nodes import survey
from engine.control.slurm.times import timestamp
from engine.control.slurm.version import at_least, release
from engine.world.records import SlurmAssociation
from engine.world.world import World

Where = dict[str, list[str]]
_ENTITIES_TEXT = (
    "No valid entity in list command\n"
    'Input line must include "Account", "Association", "Cluster", "Configuration",\n'
    '"Event", "Federation", "Problem", "QOS", "Resource", "Reservation",\n'
    '"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"'
)
_PROTOCOLS = {"22.05": 9728, "23.02": 9984, "23.11": 10240, "24.05": 10496, "24.11": 10752}
"""Numbers of the protocol by release (slurm_protocol_common.h: the version in the high byte)."""


def show(ctx: Context, parsed: Parsed, words: Sequence[str]) -> int:
    """`show` or `list` with what follows."""
    from engine.commands.slurm.sacctmgr import read

    if not words:
        ctx.error(_ENTITIES_TEXT)
        return 1
    entity = words[0].lower()
    found = next((item for item in _ENTITIES if len(entity) >= item[1] and item[0].startswith(entity)), None)
    if found is None:
        ctx.error(_ENTITIES_TEXT)
        return 1
    name, _, view = found
    if view is None:
        return ctx.not_modelled(f"sacctmgr show {name}")
    line = read(words[1:])
    where: Where = {}
    for key, _, text in line.where:
        where.setdefault(key.lower(), []).extend(part for part in text.split(",") if part)
    flags = [word.lower() for word in line.words]
    names = [word for word in line.words if word.lower() not in _FLAGS]
    if names:
        where.setdefault("name", []).extend(part for word in names for part in word.split(","))
    if (
        any(flag in ("withassoc", "withassociations", "withcoordinators", "withcoord") for flag in flags)
        or "associations" in parsed
    ):
        where["withassoc"] = ["yes"]
    return view(ctx, parsed, where)


_FLAGS = (
    "withassoc",
    "withassociations",
    "withdeleted",
    "withcoord",
    "withcoordinators",
    "tree",
    "onlydefaults",
    "wopinfo",
    "wolimits",
)


def _print(
    ctx: Context, parsed: Parsed, where: Where, known: Sequence[Field], rows: Iterable[Any], more: Sequence[Field] = ()
) -> int:
    """A table with the fields of `format=`, or those that the entity has."""
    fields = [(each, each.width) for each in known]
    if "format" in where:
        fields = []
        for word in where["format"]:
            name, percent, size = word.partition("%")
            found = next((each for each in (*known, *more) if each.answers_to(name)), None)
            if found is None:
                error(ctx, f" Unknown field '{name}'")
                return 1
            fields.append((found, int(size) if percent and size.lstrip("-").isdigit() else found.width))
    style = "|" if "parsable2" in parsed else "||" if "parsable" in parsed else ""
    for text in tables.table(ctx.world, fields, rows, style, "noheader" not in parsed):
        ctx.line(text)
    return 0


def _associations(ctx: Context, parsed: Parsed, where: Where) -> int:
    accounts = where.get("account", []) + where.get("accounts", []) + where.get("acct", [])
    users = where.get("user", []) + where.get("users", []) + where.get("name", [])
    rows = [
        each
        for each in associations.associations(ctx.world)
        if (not accounts or each.account in accounts) and (not users or each.user in users)
    ]
    return _print(ctx, parsed, where, tables.ASSOCIATION, rows, tables.MORE_OF_ASSOCIATION)


def _users(ctx: Context, parsed: Parsed, where: Where) -> int:
    names = where.get("name", []) + where.get("user", []) + where.get("users", [])
    rows = [each for each in associations.associations(ctx.world) if each.user and (not names or each.user in names)]
    if "withassoc" in where:
        head = [_of_association(each) for each in tables.USER]
        rest = [each for each in tables.ASSOCIATION if each.heading not in ("User",)]
        return _print(ctx, parsed, where, [*head, *rest], sorted(rows, key=lambda row: (row.user, row.account)))
    once = sorted({each.user for each in rows})
    return _print(ctx, parsed, where, tables.USER, once)


def _of_association(known: Field) -> Field:
    """A field of users as one of associations."""
    return Field(known.heading, known.width, lambda world, row: known.value(world, row.user), known.names)


def _accounts(ctx: Context, parsed: Parsed, where: Where) -> int:
    names = where.get("name", []) + where.get("account", []) + where.get("accounts", [])
    rows = [each for each in associations.accounts(ctx.world) if not names or each.name in names]
    return _print(ctx, parsed, where, tables.ACCOUNT, sorted(rows, key=lambda row: row.name))


def _qos(ctx: Context, parsed: Parsed, where: Where) -> int:
    names = where.get("name", []) + where.get("qos", [])
    rows = [each for each in associations.qualities(ctx.world) if not names or each.name in names]
    return _print(ctx, parsed, where, tables.QOS, rows, tables.MORE_OF_QOS)


def _tres(ctx: Context, parsed: Parsed, where: Where) -> int:
    return _print(ctx, parsed, where, tables.TRES, tables.TRES_ROWS)


def _cluster(ctx: Context, parsed: Parsed, where: Where) -> int:
    host = controller_host(ctx.inventory)
    own = {field.heading: field for field in tables.ASSOCIATION}
    order = ("Share", "GrpJobs", "GrpTRES", "GrpSubmit", "MaxJobs", "MaxTRES", "MaxSubmit", "MaxWall", "QOS", "Def QOS")
    fields = [
        own["Cluster"],
        Field("ControlHost", 15, lambda world, row: _address(world, host)),
        Field("ControlPort", 12, lambda world, row: "6817"),
        Field("RPC", 5, lambda world, row: str(_protocol(world))),
        *(own[name] for name in order),
    ]
    root = associations.association(ctx.world, associations.ROOT, "") or SlurmAssociation(associations.ROOT)
    return _print(ctx, parsed, where, fields, [root])


def _address(world: World, host: str) -> str:
    """Where slurmctld registered from."""
    return next((each.cidr.partition("/")[0] for each in world.node(host).addresses), host)


def _protocol(world: World) -> int:
    text = ".".join(release(world.inventory).split(".")[:2])
    return _PROTOCOLS.get(text, 10752 if at_least(world.inventory, 24, 11) else 9728)


def _events(ctx: Context, parsed: Parsed, where: Where) -> int:
    """Nodes that are set aside now."""
    cluster = survey(ctx.world)
    rows = []
    for name in cluster.configuration.nodes:
        record = cluster.record(name)
        if record.down or record.drain or record.fail:
            rows.append((name, record, cluster.condition(name).short))
    inventory = ctx.inventory
    fields = [
        Field("Cluster", 10, lambda world, row: inventory.cluster),
        Field("NodeName", -15, lambda world, row: row[0]),
        Field("TimeStart", 19, lambda world, row: timestamp(inventory, row[1].reason_time), ("Start",)),
        Field("TimeEnd", 19, lambda world, row: "Unknown", ("End",)),
        Field("State", 6, lambda world, row: row[2]),
        Field("Reason", 30, lambda world, row: row[1].reason),
        Field("User", 10, lambda world, row: _who(world, row[1].reason_user)),
    ]
    return _print(ctx, parsed, where, fields, rows)


def _who(world: World, name: str) -> str:
    return f"{name}({identity(world.inventory, name).uid})" if name else ""


def _runaway(ctx: Context, parsed: Parsed, where: Where) -> int:
    del parsed, where
    ctx.line(f"Runaway Jobs: No runaway jobs found on cluster {ctx.inventory.cluster}")
    return 0


View = Callable[[Context, Parsed, Where], int]
_ENTITIES: tuple[tuple[str, int, View | None], ...] = (
    ("accounts", 2, _accounts),
    ("associations", 2, _associations),
    ("clusters", 1, _cluster),
    ("configuration", 2, None),
    ("events", 1, _events),
    ("federations", 1, None),
    ("problems", 1, None),
    ("qos", 1, _qos),
    ("reservations", 4, None),
    ("resources", 4, None),
    ("runawayjobs", 2, _runaway),
    ("stats", 1, None),
    ("transactions", 1, None),
    ("tres", 2, _tres),
    ("users", 1, _users),
    ("wckeys", 1, None),
)
