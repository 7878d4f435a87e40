"""How much CPU time a process has used: of services what such a daemon needs, of work what it asks for, of init and the
kernel's threads a little that grows with time.

What `ps`, `top`, `systemctl status` and /proc/PID/stat show is this one figure. The shares of the system's own are
guesses that look like a server's after weeks.
"""

from __future__ import annotations

from engine.control.unit_messages import cpu_time
from engine.control.units import all_units
from engine.world.records import Process

_MILLIONTHS = {
    "/sbin/init": 17,
    "[rcu_preempt]": 190,
    "[kcompactd0]": 9,
    "[kcompactd1]": 9,
    "[khugepaged]": 4,
    "[kauditd]": 1,
    "[migration/0]": 3,
    "[ksoftirqd/0]": 2,
    "[jbd2/md0-8]": 6,
    "[jbd2/nvme0n1p2-8]": 6,
    "[md0_raid1]": 14,
}


def cpu_used(process: Process, now: int) -> int:
    """CPU time (ns) since the start of `process`."""
    elapsed = max(0, now - process.started)
    unit = all_units().get(process.unit or "")
    if unit and unit.runs_process:
        return cpu_time(unit, elapsed)
    return elapsed * process.cpu_permille // 1000 + elapsed * _MILLIONTHS.get(process.command, 0) // 1_000_000
