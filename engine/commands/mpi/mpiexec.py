"""mpiexec of Open MPI 4.1.6: another name of mpirun."""

from __future__ import annotations

from engine.commands.mpi.mpirun import named

COMMAND = named("mpiexec")
