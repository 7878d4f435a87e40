"""The recovery action that the driver asks for, and the Xid 154 that tells its change (gpuRefreshRecoveryAction of the
open kernel modules, from 565 on; a reset and a new load of the driver start at none without a line).

Several errors ask for several actions: the strongest counts, in the order reboot, reset, drain and reset, drain P2P.
"""

from __future__ import annotations

from engine.control.xid import catalogue, lines
from engine.kernel.simulation import Simulation
from engine.world.records import RecoveryAction
from engine.world.world import World

RECOVERY_ACTION_CHANGED = 154
HAS_RECOVERY_ACTION = 565

_ACTIONS = {
    RecoveryAction.NONE: (0, "None"),
    RecoveryAction.RESET: (1, "GPU Reset Required"),
    RecoveryAction.REBOOT: (2, "Node Reboot Required"),
    RecoveryAction.DRAIN_P2P: (3, "Drain P2P"),
    RecoveryAction.DRAIN_AND_RESET: (4, "Drain and Reset"),
}
_WEAKEST_FIRST = (
    RecoveryAction.NONE,
    RecoveryAction.DRAIN_P2P,
    RecoveryAction.DRAIN_AND_RESET,
    RecoveryAction.RESET,
    RecoveryAction.REBOOT,
)


def demand_recovery(simulation: Simulation[World], gpu_id: str, action: RecoveryAction) -> None:
    """An error asks for an action; a stronger one that was asked for before stays."""
    before = simulation.world.gpus[gpu_id].recovery
    if _WEAKEST_FIRST.index(action) > _WEAKEST_FIRST.index(before):
        change_recovery(simulation, gpu_id, action)


def change_recovery(simulation: Simulation[World], gpu_id: str, action: RecoveryAction) -> None:
    """The driver wants another recovery action for a GPU, and says so in an Xid 154."""
    before = simulation.world.gpus[gpu_id].recovery
    if action is before:
        return
    simulation.world.gpus.update(gpu_id, recovery=action)
    release = lines.loaded_release(simulation.world, gpu_id.partition("/")[0])
    if release >= HAS_RECOVERY_ACTION:
        (old, old_name), (new, new_name) = _ACTIONS[before], _ACTIONS[action]
        values: catalogue.Values = {"old": old, "old_name": old_name, "new": new, "new_name": new_name}
        text = catalogue.text(RECOVERY_ACTION_CHANGED, release, values)
        lines.xid(simulation, gpu_id, RECOVERY_ACTION_CHANGED, text)
