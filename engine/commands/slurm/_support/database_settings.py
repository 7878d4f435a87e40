"""What sacctmgr's `name=value` words mean: limits, resources, lists of qualities of service.

Source: sacctmgr(1), SchedMD/slurm 24.11 src/sacctmgr/common.c. A value of -1 takes a limit away; times are minutes or
days-hours:minutes:seconds; `+=` and `-=` change a list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine.control.slurm.times import parse_limit
from engine.kernel.units import MINUTE, SECOND
from engine.world.records import SlurmAssociation, SlurmQos

# (name as it may be written, letters it takes, key of the limit, kind)
_LIMITS = (
    ("GrpJobs", 4, "grpjobs", "number"), ("GrpSubmitJobs", 4, "grpsubmit", "number"), ("GrpWall", 4, "grpwall", "time"),
    ("GrpTRESRunMins", 8, "grptresrunmins", "tres"), ("GrpTRESMins", 8, "grptresmins", "tres"),
    ("GrpTRES", 7, "grptres", "tres"),
    ("MaxJobsPerUser", 8, "maxjobspu", "number"), ("MaxJobsPU", 9, "maxjobspu", "number"),
    ("MaxJobsPerAccount", 11, "maxjobspa", "number"), ("MaxJobsPA", 9, "maxjobspa", "number"),
    ("MaxSubmitJobsPerUser", 14, "maxsubmitpu", "number"), ("MaxSubmitPU", 11, "maxsubmitpu", "number"),
    ("MaxSubmitJobsPerAccount", 17, "maxsubmitpa", "number"), ("MaxSubmitPA", 11, "maxsubmitpa", "number"),
    ("MaxJobs", 4, "maxjobs", "number"), ("MaxSubmitJobs", 4, "maxsubmit", "number"),
    ("MaxWallDurationPerJob", 4, "maxwall", "time"),
    ("MaxTRESPerUser", 11, "maxtrespu", "tres"), ("MaxTRESPU", 9, "maxtrespu", "tres"),
    ("MaxTRESPerAccount", 11, "maxtrespa", "tres"), ("MaxTRESPA", 9, "maxtrespa", "tres"),
    ("MaxTRESPerNode", 11, "maxtrespernode", "tres"), ("MaxTRESPN", 9, "maxtrespernode", "tres"),
    ("MaxTRESMinsPerJob", 8, "maxtresmins", "tres"), ("MaxTRESPerJob", 7, "maxtres", "tres"),
    ("MinTRESPerJob", 7, "mintres", "tres"),
)  # fmt: skip
SHOWN = {
    "maxtrespu": "MaxTRESPerUser", "maxtrespa": "MaxTRESPerAccount", "maxjobspu": "MaxJobsPerUser",
    "maxjobspa": "MaxJobsPerAccount", "maxsubmitpu": "MaxSubmitJobsPerUser", "maxwall": "MaxWall",
    "maxsubmitpa": "MaxSubmitJobsPerAccount", "grptres": "GrpTRES", "maxtres": "MaxTRES", "grpjobs": "GrpJobs",
    "grpsubmit": "GrpSubmitJobs", "maxjobs": "MaxJobs", "maxsubmit": "MaxSubmitJobs", "grpwall": "GrpWall",
    "maxtrespernode": "MaxTRESPerNode", "mintres": "MinTRESPerJob",
}  # fmt: skip
"""Names of limits as sacctmgr tells of them."""
_TRES = re.compile(r"(cpu|mem|node|energy|billing|gres/gpu|gres/gpu:\w+)=(-?\d{1,15})([kmgtp]?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 1, "m": 1, "g": 1024, "t": 1024**2, "p": 1024**3}
QOS_FLAGS = (
    "DenyOnLimit", "EnforceUsageThreshold", "NoReserve", "PartitionMaxNodes", "PartitionMinNodes", "OverPartQOS",
    "PartitionTimeLimit", "RequiresReservation", "NoDecay", "UsageFactorSafe", "Relative",
)  # fmt: skip


class BadSetting(Exception):
    """A value that sacctmgr refuses; the text is its line."""


def find_limit(name: str) -> tuple[str, str] | None:
    """(key, kind) of the limit that a word means."""
    lowered = name.lower()
    for full, least, key, kind in _LIMITS:
        if len(lowered) >= min(least, len(full)) and full.lower().startswith(lowered):
            return key, kind
    return None


def read_limit(name: str, text: str) -> dict[str, int | None] | None:
    """Limits by key that a setting makes (None: taken away); None if the word is no limit. Raises BadSetting."""
    found = find_limit(name)
    if found is None:
        return None
    key, kind = found
    if kind == "tres":
        return _tres(key, name, text)
    if text == "-1":
        return {key: None}
    if kind == "time":
        try:
            limit = parse_limit(text)
        except ValueError:
            raise BadSetting(f" Bad {name} time format: {text}") from None
        return {key: None if limit is None else limit // MINUTE}
    if not text.isdigit():
        raise BadSetting(f" Bad value for {name} ({text})")
    return {key: int(text)}


def _tres(key: str, name: str, text: str) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for part in text.split(","):
        match = _TRES.fullmatch(part)
        if match is None:
            raise BadSetting(f" Bad value for {name} ({part})")
        value = int(match[2]) * (_UNITS[match[3].lower()] if match[1].lower() == "mem" else 1)
        found[f"{key}/{match[1].lower()}"] = None if value < 0 else value
    return found


def with_limits(known: tuple[tuple[str, int], ...], changes: Mapping[str, int | None]) -> tuple[tuple[str, int], ...]:
    """Limits after a change."""
    merged: dict[str, int | None] = {**dict(known), **changes}
    return tuple(sorted((key, value) for key, value in merged.items() if value is not None))


def listed(before: tuple[str, ...], sign: str, text: str) -> tuple[str, ...]:
    """A list after `=`, `+=` or `-=`."""
    names = tuple(name for name in text.strip("'\"").split(",") if name)
    if sign == "+":
        return tuple(dict.fromkeys((*before, *names)))
    return tuple(name for name in before if name not in names) if sign == "-" else names


def changed_association(
    before: SlurmAssociation, settings: list[tuple[str, str, str]], inherited: tuple[str, ...]
) -> SlurmAssociation:
    """An association after `set NAME=VALUE...`. Raises BadSetting."""
    after = before
    for name, sign, text in settings:
        lowered = name.lower()
        if lowered in ("qos", "qoslevel"):
            after = replace(after, qos=listed(after.qos or inherited, sign, text))
        elif "defaultqos".startswith(lowered) and len(lowered) > 7:
            after = replace(after, default_qos="" if text == "-1" else text)
        elif lowered in ("fairshare", "share", "shares"):
            after = replace(after, shares=_whole(name, text))
        elif lowered == "parent":
            after = replace(after, parent=text)
        elif (limits := read_limit(name, text)) is not None:
            after = replace(after, limits=with_limits(after.limits, limits))
        else:
            raise BadSetting(f" Unknown option: {name}={text}\n Use keyword 'where' to modify condition")
    return after


def changed_qos(before: SlurmQos, settings: list[tuple[str, str, str]]) -> SlurmQos:
    """A quality of service after `set NAME=VALUE...`. Raises BadSetting."""
    after = before
    for name, sign, text in settings:
        lowered = name.lower()
        simple = _simple_of_qos(lowered, sign, text, after)
        if simple is not None:
            after = replace(after, **simple)
        elif (limits := read_limit(name, text)) is not None:
            after = replace(after, limits=with_limits(after.limits, limits))
        else:
            raise BadSetting(f" Unknown option: {name}={text}\n Use keyword 'where' to modify condition")
    return after


def _simple_of_qos(name: str, sign: str, text: str, before: SlurmQos) -> dict[str, Any] | None:
    if name == "priority":
        return {"priority": 0 if text == "-1" else _whole(name, text)}
    if name == "description":
        return {"description": text}
    if name == "preempt":
        return {"preempts": listed(before.preempts, sign, text)}
    if name == "preemptmode":
        return {"preempt_mode": "" if text.lower() == "cluster" else text.lower()}
    if name == "gracetime":
        return {"grace": _whole(name, text) * SECOND}
    if name == "flags":
        wanted = listed(before.flags, sign, text)
        known = {flag.lower(): flag for flag in QOS_FLAGS}
        if any(flag.lower() not in known for flag in wanted):
            raise BadSetting(f" Unknown QOS flag used in:\n  '{text}'")
        return {"flags": tuple(known[flag.lower()] for flag in wanted)}
    return None


def _whole(name: str, text: str) -> int:
    if not text.isdigit():
        raise BadSetting(f" Bad value for {name} ({text})")
    return int(text)
