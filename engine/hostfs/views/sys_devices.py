"""/sys/devices: the device tree. /sys/class and /sys/bus are links into it."""

from __future__ import annotations

from engine.hostfs.nodes import directory
from engine.hostfs.realms import SYSFS
from engine.hostfs.views import _sys_cpu, _sys_hwmon, _sys_pci, _sys_virtual

DIRECTORY = directory(
    lambda machine: {
        **_sys_pci.roots(machine),
        **_sys_hwmon.platform(machine),
        "system/cpu": directory(_sys_cpu.cpus, fixed=True),
        "system/node": directory(_sys_cpu.numa_nodes),
        "virtual": directory(_sys_virtual.devices),
    },
    realm=SYSFS,
)
