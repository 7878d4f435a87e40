"""`scontrol update partitionname=NAME state=STATE`.

Source: SchedMD/slurm 24.11 src/scontrol/update_part.c; compared with 22.05. Other fields of a partition are changed in
slurm.conf and read with `scontrol reconfigure`.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.slurm._support.session import Session, split, stands_for
from engine.control.slurm.partitions import STATES, UpdatePartition


def update_partition(session: Session, arguments: Sequence[str]) -> None:
    """Change the state of a partition."""
    name, state = "", ""
    for argument in arguments:
        tag, value = split(argument)
        if stands_for(tag, "PartitionName", 3):
            name = value or ""
        elif stands_for(tag, "State", 2):
            state = _state(value or "")
            if not state:
                session.error(f"Invalid input: {argument}")
                session.error("Acceptable State values are UP, DOWN, DRAIN and INACTIVE")
                session.failed("slurm_update error", "No error")
                return
        else:
            session.gap(f"scontrol update {tag} of a partition")
            return
    if session.reached("slurm_update error"):
        refused = session.ctx.simulation.apply(UpdatePartition(name, session.ctx.identity.name, state))
        if refused:
            session.failed("slurm_update error", refused)


def _state(text: str) -> str:
    return next((state for state in STATES if text and state.startswith(text.upper())), "")
