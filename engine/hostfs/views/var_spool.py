"""/var/spool: queues of cron, rsyslog and Slurm."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory

CRONTAB, SLURM, SYSLOG_UID, ADM = 105, 64030, 102, 4


def _table(machine: Machine) -> Children:
    slurm = {"slurmctld": directory(mode=0o700, uid=SLURM, gid=SLURM)} if machine.is_head else {"slurmd": directory()}
    return {
        "cron/crontabs": directory(mode=0o1730, gid=CRONTAB),
        "rsyslog": directory(mode=0o700, uid=SYSLOG_UID, gid=ADM),
        **(slurm if machine.inventory.partitions else {}),
    }


DIRECTORY = directory(_table, fixed=True)
