"""The files that a batch job writes: opened at its launch where it tells all the time how far it is, else written when
it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.control import files as host_files
from engine.control.accounts import identity
from engine.control.slurm import files, scripts, workload
from engine.kernel.simulation import Simulation
from engine.world.records import Job, WrittenFile, WrittenFiles
from engine.world.world import World


def open_at_start(simulation: Simulation[World], job: Job) -> None:
    """A batch job that tells how its work goes on writes its output file all the time."""
    sources = workload.live_files(job)
    if sources:
        _put_files(simulation, job, dict.fromkeys(sources, b""), job.started or 0, sources)


def write_at_end(simulation: Simulation[World], job: Job) -> None:
    """The output file of a batch job as it stands at its end; one that was written all the time says it itself."""
    if workload.live_files(job):
        return
    path = workload.output_path(job, job.standard_output)
    if scripts.begun(simulation.world, job.id):
        path = workload.output_path(job, job.standard_error or job.standard_output)
        before = _content(simulation.world, job, path)
        said = "".join(f"{line}\n" for line in workload.stopped(simulation.world, job))
        _put_files(simulation, job, {path: before + said.encode()}, simulation.now)
    else:
        _put_files(simulation, job, {path: workload.output_text(simulation.world, job).encode()}, simulation.now)


def _content(world: World, job: Job, path: str) -> bytes:
    """What stands in a file that the job wrote."""
    host = job.nodes[0] if job.nodes else files.controller_host(world.inventory)
    written = world.files[host_files.files_key(host, path)].files.get(path)
    return written.content if written is not None and written.content is not None else b""


def _put_files(
    simulation: Simulation[World],
    job: Job,
    contents: Mapping[str, bytes],
    time: int,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Put files of a job where it runs, owned by its user; `sources` name those that are written all the time."""
    world = simulation.world
    owner = identity(world.inventory, job.user)
    host = job.nodes[0] if job.nodes else files.controller_host(world.inventory)
    added: dict[str, dict[str, WrittenFile]] = {}
    for path, content in contents.items():
        written = WrittenFile(content, 0o664, owner.uid, owner.gid, time, source=sources.get(path, ""))
        added.setdefault(host_files.files_key(host, path), {})[path] = written
    for key, more in added.items():
        world.files[key] = WrittenFiles(MappingProxyType({**world.files[key].files, **more}))
