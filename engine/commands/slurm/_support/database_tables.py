"""The tables of sacctmgr: fields with their widths, and what each shows.

Source: SchedMD/slurm 24.11 src/sacctmgr/common.c (names of fields and widths; below 0 aligned to the left) and
src/common/print_fields.c; compared with 22.05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.control.slurm import associations
from engine.control.slurm.jobs import memory_text
from engine.control.slurm.times import full_time
from engine.world.records import SlurmAssociation, SlurmQos
from engine.world.world import World

Value = Callable[[World, Any], str]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its heading, its width, what it shows, and other names that -o may give it."""

    heading: str
    width: int
    value: Value
    names: tuple[str, ...] = ()

    def answers_to(self, word: str) -> bool:
        """Whether a word of `format=` means the field."""
        lowered = word.lower()
        return any(name.lower().startswith(lowered) for name in (self.heading.replace(" ", ""), *self.names))


def table(
    world: World, fields: Sequence[tuple[Field, int]], rows: Iterable[Any], style: str, heading: bool
) -> list[str]:
    """The lines of a table; `style` is "" for columns, `|` for a delimiter between and `||` for one after each, too."""
    if style:
        end = "|" if style == "||" else ""
        lines = ["|".join(field.heading for field, _ in fields) + end] if heading else []
        return [*lines, *("|".join(field.value(world, row) for field, _ in fields) + end for row in rows)]
    lines = []
    if heading:
        lines = ["".join(_cell(field.heading, width) for field, width in fields)]
        lines.append("".join("-" * abs(width) + " " for _, width in fields))
    return [*lines, *("".join(_cell(field.value(world, row), width) for field, width in fields) for row in rows)]


def _cell(text: str, width: int) -> str:
    size = abs(width)
    short = text if len(text) <= size else f"{text[: size - 1]}+"
    return (short.ljust(size) if width < 0 else short.rjust(size)) + " "


def limit(name: str) -> Value:
    """A limit that is a number."""
    return lambda world, row: str(dict(row.limits).get(name, ""))


def wall(name: str) -> Value:
    """A limit in minutes."""

    def show(world: World, row: Any) -> str:
        minutes = dict(row.limits).get(name)
        return "" if minutes is None else full_time(minutes * 60)

    return show


def tres(name: str) -> Value:
    """Limits on resources: `cpu=64,gres/gpu=16`."""

    def show(world: World, row: Any) -> str:
        parts = [(key.removeprefix(f"{name}/"), value) for key, value in row.limits if key.startswith(f"{name}/")]
        order = ("cpu", "mem", "energy", "node", "billing", "gres/gpu")
        known = sorted(parts, key=lambda part: order.index(part[0]) if part[0] in order else len(order))
        return ",".join(f"{key}={memory_text(value) if key == 'mem' else value}" for key, value in known)

    return show


def _qos(world: World, row: SlurmAssociation) -> str:
    found = row.qos or associations.allowed_qos(world, row.account, row.user)
    return ",".join(sorted(found))


def _cluster(world: World, row: Any) -> str:
    del row
    return world.inventory.cluster


def _nothing(world: World, row: Any) -> str:
    return ""


_NUMBER, _TRES, _WALL = 7, 13, 11
ASSOCIATION: tuple[Field, ...] = (
    Field("Cluster", 10, _cluster),
    Field("Account", 10, lambda world, row: row.account),
    Field("User", 10, lambda world, row: row.user),
    Field("Partition", 10, _nothing),
    Field("Share", 9, lambda world, row: str(row.shares), ("Fairshare",)),
    Field("Priority", 10, _nothing),
    Field("GrpJobs", 7, limit("grpjobs")),
    Field("GrpTRES", _TRES, tres("grptres")),
    Field("GrpSubmit", 9, limit("grpsubmit"), ("GrpSubmitJobs",)),
    Field("GrpWall", _WALL, wall("grpwall")),
    Field("GrpTRESMins", _TRES, tres("grptresmins")),
    Field("MaxJobs", 7, limit("maxjobs")),
    Field("MaxTRES", _TRES, tres("maxtres"), ("MaxTRESPerJob",)),
    Field("MaxTRESPerNode", 14, tres("maxtrespernode"), ("MaxTRESPN",)),
    Field("MaxSubmit", 9, limit("maxsubmit"), ("MaxSubmitJobs",)),
    Field("MaxWall", _WALL, wall("maxwall"), ("MaxWallDurationPerJob",)),
    Field("MaxTRESMins", _TRES, tres("maxtresmins")),
    Field("QOS", 20, _qos, ("QOSLevel",)),
    Field("Def QOS", 9, lambda world, row: row.default_qos, ("DefaultQOS",)),
    Field("GrpTRESRunMin", _TRES, tres("grptresrunmins"), ("GrpTRESRunMins",)),
)
MORE_OF_ASSOCIATION = (
    Field("ParentName", 10, lambda world, row: row.parent, ("ParentName",)),
    Field("Def Acct", 10, lambda world, row: associations.default_account(world, row.user), ("DefaultAccount",)),
    Field("Admin", 9, lambda world, row: associations.admin_level(world, row.user), ("AdminLevel",)),
)
USER: tuple[Field, ...] = (
    Field("User", 10, lambda world, row: row, ("Name",)),
    Field("Def Acct", 10, associations.default_account, ("DefaultAccount",)),
    Field("Admin", 9, associations.admin_level, ("AdminLevel",)),
)
ACCOUNT: tuple[Field, ...] = (
    Field("Account", 10, lambda world, row: row.name, ("Name",)),
    Field("Descr", 20, lambda world, row: row.description, ("Description",)),
    Field("Org", 20, lambda world, row: row.organization, ("Organization",)),
)


def _preempts(world: World, row: SlurmQos) -> str:
    return ",".join(sorted(row.preempts))


QOS: tuple[Field, ...] = (
    Field("Name", 10, lambda world, row: row.name),
    Field("Priority", 10, lambda world, row: str(row.priority)),
    Field("GraceTime", 10, lambda world, row: full_time(row.grace // 10**9)),
    Field("Preempt", 10, _preempts),
    Field("PreemptExemptTime", 19, _nothing),
    Field("PreemptMode", 11, lambda world, row: row.preempt_mode or "cluster"),
    Field("Flags", 40, lambda world, row: ",".join(row.flags)),
    Field("UsageThres", 10, _nothing),
    Field("UsageFactor", 11, lambda world, row: "1.000000"),
    Field("GrpTRES", _TRES, tres("grptres")),
    Field("GrpTRESMins", _TRES, tres("grptresmins")),
    Field("GrpTRESRunMin", _TRES, tres("grptresrunmins")),
    Field("GrpJobs", _NUMBER, limit("grpjobs")),
    Field("GrpSubmit", 9, limit("grpsubmit")),
    Field("GrpWall", _WALL, wall("grpwall")),
    Field("MaxTRES", _TRES, tres("maxtres"), ("MaxTRESPerJob",)),
    Field("MaxTRESPerNode", 14, tres("maxtrespernode"), ("MaxTRESPN",)),
    Field("MaxTRESMins", _TRES, tres("maxtresmins")),
    Field("MaxWall", _WALL, wall("maxwall"), ("MaxWallDurationPerJob",)),
    Field("MaxTRESPU", _TRES, tres("maxtrespu"), ("MaxTRESPerUser",)),
    Field("MaxJobsPU", 9, limit("maxjobspu"), ("MaxJobsPerUser",)),
    Field("MaxSubmitPU", 11, limit("maxsubmitpu"), ("MaxSubmitJobsPerUser",)),
    Field("MaxTRESPA", _TRES, tres("maxtrespa"), ("MaxTRESPerAccount",)),
    Field("MaxJobsPA", 9, limit("maxjobspa"), ("MaxJobsPerAccount",)),
    Field("MaxSubmitPA", 11, limit("maxsubmitpa"), ("MaxSubmitJobsPerAccount",)),
    Field("MinTRES", _TRES, tres("mintres")),
)
MORE_OF_QOS = (Field("Descr", 20, lambda world, row: row.description, ("Description",)),)
TRES: tuple[Field, ...] = (
    Field("Type", 8, lambda world, row: row[0]),
    Field("Name", 15, lambda world, row: row[1]),
    Field("ID", 6, lambda world, row: str(row[2])),
)
TRES_ROWS = (
    ("cpu", "", 1), ("mem", "", 2), ("energy", "", 3), ("node", "", 4), ("billing", "", 5), ("fs", "disk", 6),
    ("vmem", "", 7), ("pages", "", 8), ("gres", "gpu", 1001),
)  # fmt: skip
