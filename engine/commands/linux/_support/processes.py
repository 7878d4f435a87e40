"""What `ps`, `top`, `pgrep` and `kill` know of a process: names, CPU time, memory share, control group. After
procps-ng 4.0.4.

CPU times follow from how much CPU a process asks for; of services it is the same as `systemctl status` shows. The
number of threads of GPU work is a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from engine.commands.context import Context
from engine.control import kernel_image, processes
from engine.control.accounts import accounts
from engine.control.cpu_times import cpu_used
from engine.control.units import Unit, all_units
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.world.records import Process

_TICK = 10_000_000
_THREADS_OF_GPU_WORK = 130
_NAME_LENGTH = 15


@dataclass(frozen=True)
class Row:
    """A process as it is shown at one moment."""

    process: Process
    now: int
    total_kib: int
    cpus: int
    uid: int
    memo: dict[tuple[str, int], str] = field(compare=False, repr=False)
    """Texts that many rows share, kept while one table is made."""

    @cached_property
    def kernel(self) -> bool:
        """Whether it is a thread of the kernel."""
        return self.process.command.startswith("[")

    @cached_property
    def name(self) -> str:
        """The kernel's name of it (comm), 15 characters at most for programs."""
        command = self.process.command
        if self.kernel:
            return command.strip("[]")
        if self.process.pid == 1:
            return "systemd"
        first = command.partition(" ")[0].rstrip(":").lstrip("-")
        return first.rpartition("/")[2][:_NAME_LENGTH]

    @property
    def arguments(self) -> str:
        return self.process.command

    @property
    def unit(self) -> Unit | None:
        return all_units().get(self.process.unit or "")

    @property
    def elapsed(self) -> int:
        """ns since its start."""
        return max(0, self.now - self.process.started)

    @property
    def cpu(self) -> int:
        """ns of CPU time."""
        return cpu_used(self.process, self.now)

    @property
    def cpu_permille(self) -> int:
        """CPU time by time alive."""
        elapsed = self.elapsed
        return self.cpu * 1000 // elapsed if elapsed >= _TICK else 0

    @property
    def memory_permille(self) -> int:
        return self.process.resident_kib * 1000 // self.total_kib

    @property
    def threads(self) -> int:
        if unit := self.unit:
            return unit.tasks
        return _THREADS_OF_GPU_WORK if self.process.gpus else 1

    @property
    def tty(self) -> str:
        return self.process.terminal or "?"

    @property
    def state(self) -> str:
        """STAT: the state and its marks."""
        process = self.process
        mark = "<" if process.nice < 0 else "N" if process.nice > 0 else ""
        text = process.state[0] + mark + process.state[1:]
        if self.kernel and self.name.startswith(("kworker/R", "kworker/0:0H")):
            text = text[0] + "<" + text[1:]
        if self.threads > 1 and "l" not in text:
            return text.removesuffix("+") + ("l+" if text.endswith("+") else "l")
        return text

    @property
    def control_group(self) -> str:
        process = self.process
        if self.kernel:
            return "-"
        if process.job is not None:
            return f"0::/system.slice/slurmstepd.scope/job_{process.job}/step_batch/user/task_0"
        if process.unit and process.unit.startswith("session-"):
            return f"0::/user.slice/user-{self.uid}.slice/{process.unit}"
        if process.unit == "init.scope":
            return "0::/init.scope"
        return f"0::/system.slice/{process.unit}" if process.unit else "0::/system.slice"

    @property
    def processor(self) -> int:
        return hash64(self.process.pid, self.process.started) % self.cpus


def rows(ctx: Context, *, own: bool = True) -> list[Row]:
    """All processes of the host by pid; with `own`, the running command itself too."""
    found = processes.processes(ctx.world, ctx.host)
    if own:
        found = [*found, _self(ctx)]
    uids = {account.name: account.uid for account in accounts(ctx.inventory)}
    total, cpus = processes.memory(ctx.world, ctx.host).total, kernel_image.cpus(ctx.node)
    memo: dict[tuple[str, int], str] = {}
    return [Row(process, ctx.now, total, cpus, uids.get(process.user, 65534), memo) for process in found]


def _self(ctx: Context) -> Process:
    """The process of the command that looks."""
    pid = ctx.world.systems[ctx.host].next_pid
    words = " ".join([ctx.name, *ctx.arguments])
    terminal = own_terminal(ctx)
    return Process(
        pid, 1, ctx.identity.name, words, ctx.now, resident_kib=4_608, virtual_kib=12_672, terminal=terminal, state="R+"
    )


def own_terminal(ctx: Context) -> str | None:
    """The terminal that the command is controlled by, as `pts/0`, or None. Its output may go elsewhere."""
    default = "" if ctx.terminal is None else "/dev/pts/0"
    return ctx.environment.get("SSH_TTY", default).removeprefix("/dev/") or None


def clock_time(duration: int, *, days: bool = True) -> str:
    """`00:02:04`, `1-03:04:05`: TIME of ps."""
    seconds = duration // SECOND
    day, rest = divmod(seconds, 86_400)
    text = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{day}-{text}" if day and days else text


def elapsed_time(duration: int) -> str:
    """`02:04`, `01:02:04`, `3-01:02:04`: ELAPSED of ps."""
    seconds = duration // SECOND
    day, rest = divmod(seconds, 86_400)
    short = f"{rest // 60 % 60:02d}:{rest % 60:02d}"
    if day:
        return f"{day}-{rest // 3600:02d}:{short}"
    return f"{rest // 3600:02d}:{short}" if rest >= 3600 else short
