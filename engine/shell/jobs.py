"""Background jobs of a login: `cmd &`, `jobs`, `fg`, `wait`, `kill %1`, with bash's words."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from engine.shell.execution import Execution


@dataclass
class Job:
    """One job. `status` is None while it runs."""

    number: int
    pid: int
    text: str
    execution: Execution
    task: asyncio.Task[int] | None = None
    status: int | None = None

    @property
    def state(self) -> str:
        """As `jobs` words it."""
        if self.status is None:
            return "Running"
        if self.execution.cancelled:
            return "Terminated"
        return "Done" if self.status == 0 else f"Exit {self.status}"


@dataclass
class Jobs:
    """The jobs of one login."""

    jobs: list[Job] = field(default_factory=list)

    def add(self, pid: int, text: str, execution: Execution) -> Job:
        """A new job with the next number."""
        job = Job(max((job.number for job in self.jobs), default=0) + 1, pid, text, execution)
        self.jobs.append(job)
        return job

    def find(self, word: str) -> Job | None:
        """`%1`, `%%`, `%+`, `%-`, `%name` or a pid."""
        if not word.startswith("%"):
            return next((job for job in self.jobs if str(job.pid) == word), None)
        name = word[1:]
        if name in ("", "%", "+"):
            return self.jobs[-1] if self.jobs else None
        if name == "-":
            return self.jobs[-2] if len(self.jobs) > 1 else None
        if name.isdigit():
            return next((job for job in self.jobs if job.number == int(name)), None)
        return next((job for job in reversed(self.jobs) if job.text.startswith(name)), None)

    def lines(self, *, pids: bool = False) -> list[str]:
        """What `jobs` prints; finished jobs are told once."""
        lines = [self._line(job, pids) for job in self.jobs]
        self.jobs = [job for job in self.jobs if job.status is None]
        return lines

    def finished_lines(self) -> list[str]:
        """Lines about jobs that ended since the last prompt; they are forgotten then."""
        ended = [job for job in self.jobs if job.status is not None]
        lines = [self._line(job, False) for job in ended]
        self.jobs = [job for job in self.jobs if job.status is None]
        return lines

    def running(self) -> list[Job]:
        """Jobs that have not ended."""
        return [job for job in self.jobs if job.status is None]

    def _line(self, job: Job, pids: bool) -> str:
        mark = "+" if job is self.jobs[-1] else "-" if len(self.jobs) > 1 and job is self.jobs[-2] else " "
        pid = f"{job.pid} " if pids else ""
        tail = " &" if job.status is None else ""
        return f"[{job.number}]{mark}  {pid}{job.state:<24}{job.text}{tail}"
