"""Why a service's start fails: what its program writes and with which status it ends. One function per program, found
by the unit's `check`.

Texts: nvidia-persistenced's source; fabric manager captures of a version mismatch and of a machine without NVSwitches;
Slurm 24.11's gres.c; opensm 3.3.23's osm_vendor_ibumad.c (a guess: that systemd sees the start fail). That the fabric
manager of an NVLink 5 node says the same without its subnet manager as on a machine without NVSwitches:
siderolabs/extensions#717. dcgm-exporter: its counter_config.go.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import modules, packages
from engine.control.units import NVSWITCH_CONFIG, Unit
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

LOADS_MODULES = "modules_load"
"""The check of the unit that loads the modules of /etc/modules-load.d when it starts."""


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


def _modules_load(world: World, host: str) -> Failure | None:
    """It loads what /etc/modules-load.d names (modules-load.c of systemd 255), and fails if one cannot be."""
    from engine.control import modprobe_settings, module_rules

    texts = []
    for name in modprobe_settings.named_to_load(world, host):
        if not modules.exists(world, host, name):
            texts.append(f"Failed to find module '{name}'")
        elif not modules.is_loaded(world, host, name) and (why := module_rules.why_not(world, host, name)):
            texts.append(f"Failed to insert module '{modules.canonical(name)}': {module_rules.ERRORS[why]}")
    return Failure(tuple(texts)) if texts else None


def _fabricmanager(world: World, host: str) -> Failure | None:
    loaded, own = modules.driver_version(world, host), packages.fabric_manager_version(world, host)
    if loaded is None or packages.lacks_subnet_manager(world, host):
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


def _docker(world: World, host: str) -> Failure | None:
    """It reads its configuration first."""
    from engine.control.containers import daemon

    why = daemon.refusal(world, host)
    return Failure((why,)) if why else None


def _slurmd(world: World, host: str) -> Failure | None:
    from engine.control.slurm import slurmd

    return _refused("slurmd", slurmd.refusal(world, host))


def _slurmctld(world: World, host: str) -> Failure | None:
    from engine.control.slurm import slurmctld

    return _refused("slurmctld", slurmctld.refusal(world, host))


def _slurmdbd(world: World, host: str) -> Failure | None:
    from engine.control.slurm import slurmdbd

    return _refused("slurmdbd", slurmdbd.refusal(world, host))


def _munge(world: World, host: str) -> Failure | None:
    from engine.control import munge

    why = munge.refusal(world, host)
    return Failure((f"munged: Error: {why}",)) if why else None


def _opensm(world: World, host: str) -> Failure | None:
    """It must be able to open the port that its file names (osm_vendor_ibumad.c: osm_vendor_open_port)."""
    from engine.control.subnet_manager import configuration

    guid = int(dict(configuration.read(world, host).settings).get("guid", 0))
    if not guid or any(hca.port_guid == guid for hca in world.node(host).hcas):
        return None
    version = world.inventory.software.get("opensm", "")
    return Failure(
        (
            f"OpenSM {version}",
            f"osm_vendor_open_port: ERR 5422: Unable to find requested CA guid 0x{guid:x}",
            "osm_vendor_bind: ERR 5424: Unable to open port 0x" + f"{guid:x}",
            "Exiting SM",
        )
    )


def _dcgm_exporter(world: World, host: str) -> Failure | None:
    """It reads its list of metrics first."""
    from engine.control.dcgm import exporter_counters

    why = exporter_counters.refusal(world, host)
    return Failure((f'level=ERROR msg="{why}"',)) if why else None


def _refused(daemon: str, lines: tuple[str, ...]) -> Failure | None:
    return Failure(tuple(f"{daemon}: {line}" for line in lines)) if lines else None


def _kubelet(world: World, host: str) -> Failure | None:
    """It reads its configuration first."""
    from engine.control.kubernetes.kubelet import configuration

    why = configuration.refusal(world, host)
    if why is None:
        return None
    return Failure(("E{klog} {pid:7d} " + why.replace("{", "{{").replace("}", "}}"),))


_CHECKS: dict[str, Callable[[World, str], Failure | None]] = {
    "docker": _docker,
    "kubelet.service": _kubelet,
    LOADS_MODULES: _modules_load,
    "persistenced": _persistenced,
    "fabricmanager": _fabricmanager,
    "slurmd": _slurmd,
    "slurmctld.service": _slurmctld,
    "slurmdbd.service": _slurmdbd,
    "munge.service": _munge,
    "opensm.service": _opensm,
    "nvidia-dcgm-exporter.service": _dcgm_exporter,
}
