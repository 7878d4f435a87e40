"""slurmctld of Slurm 24.11, typed by hand: its version. systemd starts it.

Source: SchedMD/slurm src/slurmctld.
"""

from __future__ import annotations

from engine.commands.slurm._support.daemon_program import daemon_program

COMMAND = daemon_program("slurmctld", "Slurm's controller", {})
