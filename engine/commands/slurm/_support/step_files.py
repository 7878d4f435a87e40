"""Where srun writes what its tasks say (`-o`, `-e`): one file, or one for each task, node or step.

Source: srun(1), SchedMD/slurm 24.11 src/srun/libsrun/fname.c. Files are written where srun runs. Standard error goes
with standard output unless it has a file of its own. `none` is /dev/null; a number means that task alone.
"""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.slurm._support.client import fail
from engine.commands.slurm._support.task_environment import Layout
from engine.hostfs.tree import FileError

_FIELD = re.compile(r"%(\d*)([%AajJNnstux])")


class StepFiles:
    """The files of one step. `output` and `error` are as they were given, "" for none."""

    def __init__(self, ctx: Context, layout: Layout, output: str, error: str) -> None:
        self._ctx = ctx
        self._layout = layout
        self._patterns = {False: "" if output == "all" else output, True: "" if error == "all" else error}

    def open(self) -> None:
        """Make the files empty. Raises UsageError where one cannot be written."""
        for is_error, pattern in self._patterns.items():
            if pattern in ("", "none") or pattern.isdigit():
                continue
            for path in dict.fromkeys(self._path(pattern, rank) for rank, _, _ in self._layout.places()):
                try:
                    self._ctx.files.write(path, b"")
                except FileError as error:
                    what = "stderr" if is_error else "stdout"
                    raise fail(self._ctx, f"Could not open {what} file: {error.text}") from None

    def write(self, rank: int, is_error: bool, data: bytes) -> bool:
        """Write what a task said. False if it goes to srun's own output."""
        pattern = self._patterns[is_error] or self._patterns[False]
        if not pattern:
            return False
        if pattern.isdigit():
            return int(pattern) != rank
        if pattern != "none":
            self._ctx.files.append(self._path(pattern, rank), data)
        return True

    def _path(self, pattern: str, rank: int) -> str:
        job, layout = self._layout.job, self._layout
        node = next(node for each, node, _ in layout.places() if each == rank)
        values = {
            "%": "%", "A": str(job.array_job or job.id), "a": str(job.array_task or 0), "j": str(job.id),
            "J": f"{job.id}.{layout.step}", "N": node, "n": str(layout.nodes.index(node)), "s": str(layout.step),
            "t": str(rank), "u": job.user, "x": job.name,
        }  # fmt: skip

        def expanded(match: re.Match[str]) -> str:
            value = values[match[2]]
            return value.zfill(min(int(match[1]), 10)) if match[1] and value.isdigit() else value

        path = _FIELD.sub(expanded, pattern)
        return path if path.startswith("/") else f"{self._ctx.directory.rstrip('/')}/{path}"
