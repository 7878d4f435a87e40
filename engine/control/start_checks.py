"""Why a service's start fails: what its program writes and with which status it ends. One function per program, found
by the unit's `check`.

Texts: nvidia-persistenced's source; fabric manager captures of a version mismatch and of a machine without NVSwitches;
Slurm 24.11's gres.c.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import modules, packages
from engine.control.units import NVSWITCH_CONFIG, Unit
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Failure:
    """A start that fails: what the program writes before it ends, and its exit status."""

    texts: tuple[str, ...]
    status: int = 1


def failure(world: World, host: str, unit: Unit) -> Failure | None:
    """Why `unit` cannot start on `host` as things stand, or None if it can."""
    check = _CHECKS.get(unit.check or unit.name)
    return check(world, host) if check else None


def _persistenced(world: World, host: str) -> Failure | None:
    """It opens the device files through libnvidia-cfg, which refuses a kernel module of another version."""
    loaded, library = modules.driver_version(world, host), packages.library_version(world, host)
    if loaded is not None and loaded == library:
        return None
    return Failure(
        (
            "Verbose syslog connection opened",
            "Now running with user ID 112 and group ID 114",
            "Failed to query NVIDIA devices. Please ensure that the NVIDIA device files (/dev/nvidia*) exist, "
            "and that user 112 has read and write permissions for those files.",
            "Shutdown ({pid})",
        )
    )


def _fabricmanager(world: World, host: str) -> Failure | None:
    loaded, own = modules.driver_version(world, host), packages.fabric_manager_version(world, host)
    if loaded is None:
        return Failure(
            (
                "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING "
                "Nothing to do [NV_WARN_NOTHING_TO_DO]",
                f'"/usr/bin/nv-fabricmanager -c {NVSWITCH_CONFIG}" failed! Exit code: 1',
            )
        )
    if loaded != own:
        return Failure(
            (
                f"fabric manager NVIDIA GPU driver interface version {own} don't match with driver version {loaded}. "
                "Please update with matching NVIDIA driver package.",
            )
        )
    return None


def _slurmd(world: World, host: str) -> Failure | None:
    from engine.control.slurm import registration

    return _fatal("slurmd", registration.slurmd_refusal(world, host))


def _slurmctld(world: World, host: str) -> Failure | None:
    from engine.control.slurm import registration

    return _fatal("slurmctld", registration.slurmctld_refusal(world))


def _fatal(daemon: str, line: str | None) -> Failure | None:
    return Failure((f"{daemon}: {line}",)) if line else None


_CHECKS: dict[str, Callable[[World, str], Failure | None]] = {
    "persistenced": _persistenced,
    "fabricmanager": _fabricmanager,
    "slurmd": _slurmd,
    "slurmctld.service": _slurmctld,
}
