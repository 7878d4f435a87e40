"""Slurm's MPI plugins: which there are, and how one ends a step whose program broke.

A task that leaves without MPI_Finalize takes its step with it: the PMIx server's error handler kills the step. Texts:
SchedMD/slurm 24.11 src/interfaces/mpi.c and src/plugins/mpi/pmix/pmixp_client_v2.c; lines of NVIDIA/cuda-quantum#2944
(pmix_v4). Ubuntu 24.04 has PMIx 5. What pmi2 says instead was not looked up; it is given the same.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.slurm._support.task_environment import Layout
from engine.control.slurm.times import timestamp

MPI_PLUGINS = ("none", "pmi2", "cray_shasta", "pmix", "pmix_v5")
PLUGIN_LIST = (
    "MPI plugin types are...\n\tnone\n\tpmi2\n\tcray_shasta\n\tpmix\nspecific pmix plugin versions available: pmix_v5\n"
)
_LOST_CONNECTION = -61  # PMIX_ERR_LOST_CONNECTION


def unknown_plugin(name: str) -> str:
    """What srun says of an --mpi that it does not have."""
    return (
        f"srun: error: Couldn't find the specified plugin name for mpi/{name} looking at all files\n"
        f"srun: error: cannot find mpi plugin for mpi/{name}\n"
        f"srun: error: MPI: Cannot create context for mpi/{name}\n"
        f"srun: fatal: Could not load the mpi plugin {name}\n"
    )


def broken_lines(ctx: Context, layout: Layout, rank: int) -> list[str]:
    """What the slurmstepds say when `rank` left its program and the step is killed."""
    node = next(node for number, node, _ in layout.places() if number == rank)
    step = f"{layout.job.id}.{layout.step}"
    what = f"Error handler invoked: status = {_LOST_CONNECTION}, source = [slurm.pmix.{step}:{rank}]"
    where = f"mpi/pmix_v5: _errhandler: {node} [{layout.nodes.index(node)}]: pmixp_client_v2.c:211"
    when = timestamp(ctx.inventory, ctx.now)
    return [
        f"slurmstepd: error:  {where}: {what}",
        f"slurmstepd: error: *** STEP {step} ON {layout.nodes[0]} CANCELLED AT {when} ***",
    ]
