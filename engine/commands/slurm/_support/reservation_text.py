"""What `scontrol show reservation` and `sinfo -T` print of reservations.

Source: SchedMD/slurm src/api/reservation_info.c (slurm_sprint_reservation_info) and src/sinfo/print.c
(print_sinfo_reservation); compared with 22.05, which has Watts.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.slurm._support.records_text import record
from engine.control.slurm.configuration import in_force
from engine.control.slurm.reservations import is_active
from engine.control.slurm.times import full_time, timestamp
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.kernel.units import SECOND
from engine.world.records import SlurmReservation
from engine.world.world import World

_FLAG_ORDER = (
    "MAINT", "FLEX", "OVERLAP", "IGNORE_JOBS", "HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY", "SPEC_NODES",
    "ALL_NODES", "ANY_NODES", "STATIC", "PART_NODES", "FIRST_CORES", "REPLACE", "REPLACE_DOWN", "PURGE_COMP",
    "NO_HOLD_JOBS_AFTER_END", "MAGNETIC",
)  # fmt: skip
_NULL = "(null)"


def reservation_text(world: World, reservation: SlurmReservation, now: int, *, one_line: bool) -> str:
    """A reservation's record."""
    inventory = world.inventory
    nodes = [in_force(world).nodes[name] for name in reservation.nodes if name in in_force(world).nodes]
    cores = sum(node.cpus // node.threads for node in nodes)
    cpus = sum(node.cpus for node in nodes)
    watts = "" if at_least(inventory, 23, 11) else " Watts=n/a"
    flags = ",".join(flag for flag in _FLAG_ORDER if flag in reservation.flags)
    lines = [
        f"ReservationName={reservation.name} StartTime={timestamp(inventory, reservation.start)} "
        f"EndTime={timestamp(inventory, reservation.end)} Duration={_duration(reservation)}",
        f"Nodes={fold(reservation.nodes)} NodeCnt={len(nodes)} CoreCnt={cores} "
        f"Features={reservation.features or _NULL} PartitionName={reservation.partition or _NULL} Flags={flags}",
        f"TRES=cpu={cpus}",
        f"Users={','.join(reservation.users) or _NULL} Groups={_NULL} "
        f"Accounts={','.join(reservation.accounts) or _NULL} Licenses={_NULL} State={_state(reservation, now)} "
        f"BurstBuffer={_NULL}{watts}",
        f"MaxStartDelay={_NULL}",
    ]
    if reservation.comment:
        lines.append(f"Comment={reservation.comment}")
    return record(lines, one_line)


def reservation_table(world: World, reservations: Sequence[SlurmReservation], now: int, heading: bool) -> list[str]:
    """The lines of `sinfo -T`. The heading makes its column as wide as the longest name, and the rows with it."""
    width = max([9, *(len(each.name) for each in reservations)])
    rows = [
        (
            each.name, _state(each, now), timestamp(world.inventory, each.start), timestamp(world.inventory, each.end),
            _duration(each), fold(each.nodes),
        )
        for each in reservations
    ]  # fmt: skip
    titles = ("RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST")
    shown = [titles, *rows] if heading else rows
    return [
        f"{name:<{width}}  {state:>8}  {start:>19}  {end:>19}  {lasts:>11}  {nodes}"
        for name, state, start, end, lasts, nodes in shown
    ]


def _state(reservation: SlurmReservation, now: int) -> str:
    return "ACTIVE" if is_active(reservation, now) else "INACTIVE"


def _duration(reservation: SlurmReservation) -> str:
    return full_time((reservation.end - reservation.start) // SECOND)
