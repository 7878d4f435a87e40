"""What every process of an nccl-tests run knows and does: watching the others, speaking for NCCL, and failing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.commands.context import Context
from engine.commands.nccl._tests import report
from engine.commands.nccl._tests.operations import Operation
from engine.commands.nccl._tests.seats import Devices, Seat
from engine.commands.nccl._tests.settings import Settings
from engine.control import communicators, files
from engine.workloads import cuda
from engine.world.records import Meeting

if TYPE_CHECKING:
    from engine.workloads.nccl import Communicator

_SIGNALLED = 128
_SAID_BY_SHELL = {6: "Aborted", 9: "Killed", 15: "Terminated"}
CUDA_FAILED = 2
BY_NCCL = "NCCL"
"""The reason of a failure that NCCL tells each process in its own words."""
_LOST_GPU = "unspecified launch failure"  # which error a lost GPU gives is a guess; it depends on what runs there
_CONFIGURATIONS = ("/etc/nccl.conf", "{home}/.nccl.conf")


@dataclass(slots=True)
class Party:
    """A process of the run. `asked` are the settings as given, `settings` with the sizes that the memory allows."""

    ctx: Context
    operation: Operation
    asked: Settings
    settings: Settings
    seat: Seat
    devices: Devices
    pid: int

    @property
    def meeting(self) -> Meeting:
        return self.ctx.world.communicators[self.seat.name]

    @property
    def calls(self) -> tuple[str, ...]:
        """The callers of TimeTest, innermost first."""
        return (f"{self.operation.source}:{self.operation.call}", "common.cu:761", "common.cu:1507", "common.cu:1188")

    def stage(self) -> str:
        """How far the run is; "" when it is over."""
        return self.meeting.stage if self.meeting.members else ""

    def is_there(self) -> bool:
        """Whether this process still runs."""
        own = communicators.member(self.ctx.world, self.seat.name, self.seat.rank)
        return own is not None and own.pid == self.pid and not own.lost

    async def stage_after(self, stage: str) -> None:
        """Wait until the run has left `stage` or this process is no more; others let the time pass."""
        await self.ctx.flush()
        await self.ctx.clock.until(lambda: self.stage() != stage or not self.is_there())

    async def lost_status(self) -> int:
        """How the process ends that is no more: with the run (0), killed, or by an error of its GPU.

        From a host that went down nothing is heard: whoever started it there notices that by himself.
        """
        own = communicators.member(self.ctx.world, self.seat.name, self.seat.rank)
        if own is None or not own.lost:
            return 0
        if own.lost == "node_down":
            await self.ctx.clock.until(lambda: False)
        if own.lost not in ("gpu_lost", "gpu_error"):
            if self.ctx.terminal is not None and own.signal in _SAID_BY_SHELL:
                self.ctx.error(_SAID_BY_SHELL[own.signal])
            return _SIGNALLED + own.signal
        places = ("common.cu:418", "common.cu:548", "common.cu:612", "common.cu:733", *self.calls)
        error = cuda.ended_by(self.ctx.world, self.ctx.host, self.pid)
        self._say_failure(f"CUDA|{error.text if error else _LOST_GPU}", places)
        return CUDA_FAILED

    def refuse(self) -> int:
        """The process has no GPUs to work on: it says why. Returns its status."""
        self.ctx.stderr.write(self.devices.errors.encode())
        self._say_failure(self.devices.reason, self.devices.places)
        return self.devices.status

    def fail(self) -> int | None:
        """The run has failed: what NCCL warns of, and how the error goes up.

        Returns the status, or None where this process hears nothing of the error and waits on.
        """
        found, reason = self.meeting, self.meeting.reason
        if reason == BY_NCCL:
            own = [each for each in found.errors if each[0] in self.numbers()]
            if not own:
                return None
            for _, _, _, lines in own:
                self._say(lines)
            _, error, warning, _ = own[-1]
            reason = f"NCCL|{error} / {warning}"
        self._say_failure(reason, found.places)
        return found.status

    def _say_failure(self, reason: str, places: Sequence[str]) -> None:
        self._say(report.failure_lines(self.ctx.host.partition(".")[0], self.pid, reason, places))

    def _say(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.ctx.line(line)

    def listens(self) -> bool:
        """Whether NCCL was asked to say anything: by the environment or a file that it reads."""
        if "NCCL_DEBUG" in self.ctx.environment:
            return True
        paths = (path.format(home=self.ctx.identity.home) for path in _CONFIGURATIONS)
        return any("NCCL_DEBUG" in files.text(self.ctx.world, self.ctx.host, path, "") for path in paths)

    def numbers(self) -> range:
        """NCCL's ranks in this process."""
        count = len(self.devices.gpus)
        return range(self.seat.rank * count, (self.seat.rank + 1) * count)

    def say_nccl(self, communicator: Communicator) -> None:
        """What NCCL logs while it initialises."""
        for number in self.numbers():
            self._say(communicator.log(number))

    def say_connecting(self, communicator: Communicator) -> None:
        """What NCCL logs when it connects the ranks for the first collective."""
        if communicator.failure is None:
            for number in self.numbers():
                self._say(communicator.connecting(number, self.operation.name, max(self.settings.minbytes, 1)))
