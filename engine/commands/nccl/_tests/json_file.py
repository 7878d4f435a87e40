"""The JSON report of -J FILE.json.

Source: NVIDIA/nccl-tests 2.17.6 src/util.cu, with its spelling of keys. A file that exists is left alone: FILE.json.0
and so on are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.clock import shown
from engine.commands.nccl._tests.report import TIME_FORMAT, DeviceLine, Measured, nccl_code
from engine.commands.nccl._tests.settings import Settings
from engine.hostfs.tree import FileError

_ESCAPED = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\t": "\\t", "\n": "\\n"}


class Record:
    """The report of a run, written when it ends; nothing without -J or with another suffix."""

    def __init__(self, ctx: Context, settings: Settings) -> None:
        self.ctx, self.settings = ctx, settings
        self.path = ""
        self.content: dict[str, Any] = {}

    def open(self) -> None:
        """Find a name that is free, and begin."""
        given = self.settings.output_file
        directory, dot, suffix = given.rpartition(".")
        if not dot or suffix.lower() != "json" or not directory:
            return
        tree, number = paths.tree(self.ctx), 0
        path = given
        while tree.exists(paths.absolute(self.ctx, path)):
            path, number = f"{given}.{number}", number + 1
        try:
            tree.write(paths.absolute(self.ctx, path), b"")
        except FileError:
            self.ctx.line(f"# skipping json output; {path} not accessible")
            return
        self.ctx.line(f"# Writing JSON output to {path}")
        self.path = paths.absolute(self.ctx, path)
        self.content = {
            "version": 1,
            "start_time": self._time(),
            "args": [self.ctx.name, *self.ctx.arguments],
            "env": [f"{name}={value}" for name, value in self.ctx.environment.items()],
            "nccl_version": nccl_code(self.ctx.inventory.software["nccl"]),
        }

    def configuration(self, devices: Sequence[DeviceLine]) -> None:
        """What runs, and on which devices."""
        given = asdict(self.settings)
        step = "stepfactor" if self.settings.stepfactor > 1 else "stepbytes"
        names = {
            "nthreads": "nthreads", "ngpus": "ngpus", "minbytes": "minimum_bytes", "maxbytes": "maximum_bytes",
            step: "step_factor" if step == "stepfactor" else "step_bytes", "warmup_iters": "warmup_iters",
            "iters": "iterations", "agg_iters": "aggregated_iterations", "check": "validation", "cudagraph": "graph",
        }  # fmt: skip
        self.content["config"] = {
            **{key: given[name] for name, key in names.items()},
            "blocking_collectives": _truth(bool(self.settings.blocking)),
            "parallel_init": _truth(bool(self.settings.parallel_init)),
            "devices": [
                {
                    "rank": each.rank, "group": each.group, "pid": each.pid, "hostname": each.host,
                    "device": each.device, "device_hex": each.address, "device_info": each.name,
                }
                for each in devices
            ],
        }  # fmt: skip
        self.content["results"] = []

    def row(self, start: tuple[int, int, str, str, int], sides: Sequence[Measured]) -> None:
        """A row of the table."""
        if not self.path:
            return
        size, count, datatype, reduction, root = start
        entry: dict[str, Any] = {"size": size, "count": count, "type": datatype, "redop": reduction}
        entry["root"] = f"{root:6}"
        for name, side in zip(("out_of_place", "in_place"), sides, strict=True):
            entry[name] = {
                "cpu_time" if self.settings.report_cputime else "time": side.time, "alg_bw": side.algorithm,
                "bus_bw": side.bus, "nwrong": None if side.wrong is None else float(side.wrong),
            }  # fmt: skip
        self.content["results"].append({**entry, "actual_iterations": self.settings.iters, "experiment_name": ""})

    def results(self, average: float, least: float | None, wrong: int = 0) -> None:
        """The footer; `wrong` counts the checks that found something wrong."""
        okay = "unchecked" if least is None else _truth(average >= least * 0.9)
        self.content["out_of_bounds"] = {"count": wrong, "okay": _truth(not wrong)}
        self.content["average_bus_bandwidith"] = {"bandwidith": average, "okay": okay}
        self.content["errors"] = [""]

    def finish(self) -> None:
        """Write the file."""
        if self.path:
            self.content["end_time"] = self._time()
            paths.tree(self.ctx).write(self.path, text(self.content).encode())

    def _time(self) -> str:
        return shown(self.ctx, self.ctx.epoch, TIME_FORMAT)


def _truth(value: bool) -> str:
    return "true" if value else "false"


def text(value: Any) -> str:
    """A value as the program writes it: no spaces, slashes escaped, %lf for numbers with a point."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + ",".join(f"{text(name)}:{text(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(_ESCAPED.get(character, character) for character in value) + '"'
    if isinstance(value, float):
        return f"{value:f}" if not isnan(value) else '"nan"'
    return str(value)
