"""What scontrol does to reservations: create, update and delete.

Source: SchedMD/slurm 24.11 src/scontrol/create_res.c and src/common/parse_time.c (texts of refusals), update_res in
src/scontrol/scontrol.c; compared with 22.05. Groups, licences, cores and burst buffers are not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.slurm._support.session import QUIET, Session, split, stands_for
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.numbers import whole
from engine.control.slurm.reservations import FLAGS, CreateReservation, DeleteReservation, UpdateReservation, find
from engine.control.slurm.times import parse_limit, parse_moment
from engine.control.slurm.version import at_least
from engine.kernel.units import DAY

# Tags in the order in which scontrol tries them: (name, letters it takes, field; "" for what is not modelled).
_TAGS = (
    ("Accounts", 1, "accounts"), ("AllowedPartitions", 2, ""), ("Comment", 3, "comment"), ("Flags", 2, "flags"),
    ("Groups", 1, ""), ("Users", 1, "users"), ("QOS", 1, ""), ("ReservationName", 1, "name"), ("BurstBuffer", 2, ""),
    ("StartTime", 2, "start"), ("EndTime", 1, "end"), ("Duration", 1, "duration"), ("MaxStartDelay", 2, ""),
    ("NodeCnt", 5, "node_count"), ("NodeCount", 5, "node_count"), ("CoreCnt", 5, ""), ("CoreCount", 5, ""),
    ("Nodes", 5, "nodes"), ("Features", 2, "features"), ("Licenses", 2, ""), ("PartitionName", 1, "partition"),
    ("TRES", 1, ""),
)  # fmt: skip
_NOTE = (
    "Note, unless nodes are directly requested a reservation must exist in a single partition.\n"
    "If no partition is requested the default partition is assumed."
)
_FOR_EVER = 365 * DAY


@dataclass(slots=True)
class _Given:
    """What a line says of a reservation; `message` ends each refusal."""

    message: str
    fields: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, str] = field(default_factory=dict)
    """`+` or `-` of fields that are added to or taken from."""


def create_reservation(session: Session, arguments: Sequence[str]) -> None:
    """`create reservation TAG=VALUE...`."""
    given = _Given("No reservation created.")
    if not _read(session, arguments, given):
        return
    fields = given.fields
    if refused := _lacking(fields):
        session.error(f"{refused}  {given.message}")
        return
    if not session.reached("Error creating the reservation"):
        return
    partition = in_force(session.ctx.world).partition(fields.get("partition", ""))
    if partition and not fields.get("node_count") and fields.get("nodes", "ALL").upper() == "ALL":
        fields["nodes"] = ",".join(partition.nodes)
        fields["flags"] = (*fields.get("flags", ()), "PART_NODES")
    answer = session.ctx.simulation.apply(CreateReservation(session.ctx.identity.name, **fields))
    if isinstance(answer, SlurmError):
        session.failed("Error creating the reservation", answer)
        about_nodes = answer in (SlurmError.NODES_BUSY, SlurmError.NODE_CONFIGURATION)
        if about_nodes and not ("nodes" in fields and at_least(session.ctx.inventory, 23, 11)):
            session.ctx.line(_NOTE)
    else:
        session.ctx.line(f"Reservation created: {answer}")


def _lacking(fields: dict[str, Any]) -> str:
    """What a new reservation lacks, or has too much of."""
    if "start" not in fields:
        return "A start time must be given."
    if "end" not in fields and "duration" not in fields:
        return "An end time or duration must be given."
    if "end" in fields and "duration" in fields and fields["start"] + fields["duration"] != fields["end"]:
        return "StartTime + Duration does not equal EndTime."
    if "end" in fields and fields["start"] > fields["end"]:
        return "Start time cannot be after end time."
    if not any(name in fields for name in ("nodes", "node_count", "partition")):
        return "CoreCnt, Nodes, NodeCnt, BurstBuffer or Licenses must be specified."
    if not any(name in fields for name in ("users", "accounts")):
        return "Either Users/Groups and/or Accounts must be specified."
    return ""


def update_reservation(session: Session, arguments: Sequence[str]) -> None:
    """`update reservation=NAME TAG=VALUE...`."""
    given = _Given("No reservation update.")
    if not _read(session, arguments, given):
        return
    fields = given.fields
    name = fields.pop("name", "")
    if not name:
        session.error("Reservation must be given.  No reservation update.")
        return
    for kept in ("partition", "features", "node_count"):
        if fields.pop(kept, None) is not None:
            session.gap(f"scontrol update {kept} of a reservation")
            return
    if not session.reached("Error updating the reservation"):
        return
    _merge(session, name, given)
    refused = session.ctx.simulation.apply(UpdateReservation(session.ctx.identity.name, name, **fields))
    if refused:
        session.failed("Error updating the reservation", refused)
    elif session.quiet != QUIET:
        session.ctx.line("Reservation updated.")


def _merge(session: Session, name: str, given: _Given) -> None:
    """`users+=NAME` and `flags-=FLAG` change what there is."""
    before = find(session.ctx.world, name)
    for tag, sign in given.changes.items():
        known: tuple[str, ...] = getattr(before, tag) if before else ()
        named = given.fields[tag]
        rest = tuple(each for each in known if each not in named)
        given.fields[tag] = (*rest, *named) if sign == "+" else rest


def delete_reservation(session: Session, name: str) -> None:
    """`delete reservation=NAME`."""
    if session.reached("slurm_delete_reservation error"):
        refused = session.ctx.simulation.apply(DeleteReservation(session.ctx.identity.name, name))
        if refused:
            session.failed("slurm_delete_reservation error", refused)


def _read(session: Session, arguments: Sequence[str], given: _Given) -> bool:
    """Understand `tag=value` arguments. False if one was refused."""
    for argument in arguments:
        tag, value = split(argument)
        if value is None and stands_for(tag, "reservation", 3):
            continue
        if tag.lower() == "reservation":
            tag = "ReservationName"
        sign = tag[-1:] if tag[-1:] in ("+", "-") else ""
        if value is None or not value:
            hint = "most options have a parameter after '='."
            session.error(f"Misformatted parameter '{argument}', {hint}  {given.message}")
            return False
        if not _take(session, argument, tag.rstrip("+-"), value, given):
            return False
        name = next((field for known, least, field in _TAGS if stands_for(tag.rstrip("+-"), known, least)), "")
        if sign and name in ("users", "accounts", "flags"):
            given.changes[name] = sign
    return True


def _take(session: Session, argument: str, tag: str, value: str, given: _Given) -> bool:
    entry = next((entry for entry in _TAGS if stands_for(tag, entry[0], entry[1])), None)
    if entry is None:
        session.error(f"Unknown parameter {argument}.  {given.message}")
        return False
    name, _, tag_field = entry
    if not tag_field:
        session.gap(f"scontrol reservation {name}")
        return False
    try:
        given.fields[tag_field] = _value(session, tag_field, value)
    except ValueError as refused:
        why = str(refused) or _REFUSALS[tag_field].format(argument=argument, value=value)
        session.error(f"{why}  {given.message}")
        return False
    return True


_REFUSALS = {
    "start": "Invalid start time {argument}.", "end": "Invalid end time {argument}.",
    "duration": "Invalid duration {argument}.", "node_count": '"{value}" is not a valid node count',
}  # fmt: skip


def _value(session: Session, name: str, text: str) -> Any:
    """The value of a tag. Raises ValueError, with a text of its own where it has one."""
    ctx = session.ctx
    if name in ("start", "end"):
        try:
            return parse_moment(text, ctx.inventory, ctx.now)
        except ValueError:
            raise ValueError from None
    if name == "duration":
        try:
            return parse_limit(text) or _FOR_EVER
        except ValueError:
            raise ValueError from None
    if name == "node_count":
        count = whole(text)
        if not count:
            raise ValueError
        return count
    if name == "flags":
        return _flags(text)
    return tuple(word for word in text.split(",") if word) if name in ("users", "accounts") else text


def _flags(text: str) -> tuple[str, ...]:
    """Flags by their names or beginnings. Raises ValueError for one that there is none of."""
    found = []
    for word in text.split(","):
        flag = next((flag for flag in FLAGS if word and flag.startswith(word.upper())), None)
        if flag is None:
            raise ValueError(f"Error parsing flags {text}.  Invalid flag {word}.")
        found.append(flag)
    return tuple(found)
