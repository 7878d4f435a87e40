"""The modules of the host engine: which are loaded, may be loaded, or could not be.

Core and NvSwitch are loaded at the start; the others when a request first needs them (`dcgmi modules -l` on a V100
under DCGM 3.1.3). dcgm-exporter and profiling fields load Profiling, which DCGM before 4.0 cannot load for Blackwell
(NVIDIA/dcgm-exporter#707), nor one that does not run as root (dcgm-exporter#22, #68).
"""

from __future__ import annotations

from enum import Enum

from engine.control.dcgm import daemon
from engine.world.world import World

NAMES = (
    "Core", "NvSwitch", "VGPU", "Introspection", "Health", "Policy", "Config", "Diag", "Profiling", "SysMon", "MnDiag",
)  # fmt: skip
CORE, NVSWITCH, INTROSPECTION, HEALTH, POLICY, CONFIG, DIAG, PROFILING = 0, 1, 3, 4, 5, 6, 7, 8
_AT_THE_START = (CORE, NVSWITCH)
_BLACKWELL_FROM = 4


class State(Enum):
    """How `dcgmi modules -l` tells of a module."""

    NOT_LOADED = "Not loaded"
    LOADED = "Loaded"
    DENYLISTED = "Denylisted"
    FAILED = "Failed to load"
    PAUSED = "Paused"


def release(world: World) -> int:
    """The major version of the site's DCGM."""
    return int(world.inventory.software.get("dcgm", "4.4.2").partition(".")[0])


def listed(world: World) -> tuple[str, ...]:
    """The modules that this version has."""
    return NAMES if release(world) >= _BLACKWELL_FROM else NAMES[:-1]


def state(world: World, host: str, module: int) -> State:
    """What a request that needs `module` would find; for Profiling, which is always asked for, its state now."""
    engine = world.host_engines[host]
    if module in engine.denied:
        return State.DENYLISTED
    if module == PROFILING:
        gpus = world.node(host).gpus
        too_new = bool(gpus) and gpus[0].product.architecture == "Blackwell"
        if (too_new and release(world) < _BLACKWELL_FROM) or not daemon.runs_as_root(world, host):
            return State.FAILED
        return State.LOADED
    return State.LOADED if module in _AT_THE_START or module in engine.loaded else State.NOT_LOADED


def shown(world: World, host: str, module: int) -> State:
    """The state that is listed: Profiling counts as loaded once it was asked for, and as paused while it is."""
    found = state(world, host, module)
    engine = world.host_engines[host]
    if module == PROFILING and found is State.LOADED:
        if engine.profiling_paused:
            return State.PAUSED
        return State.LOADED if module in engine.loaded else State.NOT_LOADED
    return found
