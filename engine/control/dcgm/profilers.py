"""Profilers of NVIDIA (Nsight Compute, Nsight Systems) and DCGM's profiling module want the same counters of a GPU: who
comes first has them (NVIDIA's notes on profiling beside DCGM; `dcgmi profile --pause` is for that).

The host engine then reads no profiling field, and watching one fails as in a capture of two host engines on one node:
`The third-party Profiling module returned an unrecoverable error`. That it reads them again as soon as the profiler has
ended is a guess.
"""

from __future__ import annotations

from engine.control.dcgm import host_engine
from engine.world.records import Process
from engine.world.world import World

PROGRAMS = ("ncu", "nsys")
COMMAND = "/usr/local/cuda/bin/ncu --set full -o sweep python3 bench_kernels.py"


def holder(world: World, host: str) -> Process | None:
    """The profiler that has the counters: one that runs since before the host engine started."""
    since = host_engine.started(world, host)
    running = (each for each in world.systems[host].processes if _program(each) in PROGRAMS)
    return next((each for each in running if each.started <= since), None)


def _program(process: Process) -> str:
    return process.command.split(" ", 1)[0].rpartition("/")[2]
