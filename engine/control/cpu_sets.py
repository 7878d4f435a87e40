"""Which CPUs the processes of people's sessions may run on: all of them, unless AllowedCPUs= of user.slice says less.

systemd.resource-control(5): a slice's AllowedCPUs= becomes the cpuset of its cgroup; drop-ins are read in the order of
their names, and the last value counts. That a changed file counts at once (for sessions that begin afterwards), without
`systemctl daemon-reload`, is a simplification. Jobs of Slurm are in system.slice and not concerned.
"""

from __future__ import annotations

import re

from engine.control import files
from engine.world.world import World

DROP_INS = "/etc/systemd/system/user.slice.d/"

_SETTING = re.compile(r"^\s*AllowedCPUs\s*=\s*([\d,\-\s]*)$", re.MULTILINE)
_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def of_sessions(world: World, host: str) -> str:
    """The list of CPUs of sessions that begin now, such as `0-55,112-167`; "" for all."""
    written = world.files[files.files_key(host, DROP_INS)].files
    names = sorted(path for path in written if path.startswith(DROP_INS) and path.endswith(".conf"))
    allowed = ""
    for name in names:
        for value in _SETTING.findall(files.text(world, host, name, "")):
            allowed = ",".join(value.replace(",", " ").split())
    return allowed if _LIST.fullmatch(allowed) else ""
