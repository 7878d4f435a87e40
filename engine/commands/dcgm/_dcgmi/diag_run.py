"""A run of the diagnostics as it happens: nvvs puts load on the GPUs, test after test, and looks at them.

While it runs there is a process of it on the GPUs, which nvidia-smi shows and which heats them; another run is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.context import Interrupted
from engine.commands.dcgm._dcgmi.client import Client, Return
from engine.control import programs
from engine.control.dcgm import host_engine
from engine.control.dcgm.readings import Reading, xids
from engine.kernel.units import MINUTE, SECOND
from engine.workloads import cuda
from engine.workloads.dcgm_diag import plugins, software
from engine.workloads.dcgm_diag.outcome import TestRun
from engine.workloads.dcgm_diag.plan import SOFTWARE, Parameters, Test, word

_PROGRAM = "/usr/libexec/datacenter-gpu-manager-4/nvvs"
_ACCOUNT = "nvidia-dcgm"
_EARLY = ("diagnostic", "targeted_stress", "targeted_power")
_KILLED = "The DCGM diagnostic subprocess was terminated due to signal 15\n**************\n"


class Stopped(Exception):
    """The run did not come to its end: the value that says why, and what is added to its text."""

    def __init__(self, value: Return, detail: str = "") -> None:
        super().__init__(value)
        self.value, self.detail = value, detail


@dataclass(frozen=True, slots=True)
class Request:
    """What is to run: tests, how `-r` named them, parameters, DCGM's GPU ids, the interval of early checks and the
    timeout (in seconds, 0: none), and whether dcgmi is its own host engine.
    """

    tests: Sequence[Test]
    name: str
    parameters: Parameters
    gpus: Sequence[int]
    interval: int = 0
    timeout: int = 0
    embedded: bool = False

    def command(self) -> str:
        """nvvs as ps shows it."""
        return f"{_PROGRAM} --channel-fd 11 --specifiedtest {word(self.name)} --configless"


async def run(client: Client, request: Request) -> tuple[list[TestRun], list[Reading]]:
    """Run the tests. Gives what they found and the GPUs as they are after it. Raises Stopped."""
    found: list[TestRun] = []
    end = client.ctx.now + request.timeout * SECOND if request.timeout else None
    client.ctx.simulation.apply(host_engine.DiagnosticRuns(client.host, client.world.systems[client.host].next_pid))
    try:
        for test in request.tests:
            if request.interval and any(each.errors for each in found):
                found.append(plugins.skipped(test, _gpus(client, request)))
                continue
            found.append(await _test(client, request, test, found, end))
    except Interrupted:
        raise Stopped(Return.KILLED) from None
    finally:
        if client.engine.diagnostic:
            client.ctx.simulation.apply(host_engine.DiagnosticRuns(client.host, 0))
    return found, _gpus(client, request)


def _gpus(client: Client, request: Request) -> list[Reading]:
    return [gpu for gpu in client.gpus() if gpu.index in request.gpus]


async def _test(client: Client, request: Request, test: Test, found: list[TestRun], end: int | None) -> TestRun:
    """One test. Raises Stopped and Interrupted."""
    if test is SOFTWARE:
        await _sleep(client, request, request.parameters.time(test), None, end)
        return software.run(_gpus(client, request), request.parameters, client.release)
    gpus = _gpus(client, request)
    user = client.ctx.identity.name if request.embedded else _ACCOUNT
    refused = plugins.refused(test, gpus, {}, user) if gpus else None
    if refused:
        return refused
    before = plugins.look(gpus, client.ctx.now)
    answering = [gpu.gpu for gpu in gpus if not gpu.lost]
    start = cuda.StartProgram(
        client.host,
        user,
        request.command(),
        cuda.device_indices(client.world, answering),
        plugins.memory_wanted(test, gpus),
        test.workload,
    )
    pid: int = client.ctx.simulation.apply(start)
    try:
        await _work(client, request, test, pid, before, end)
        while any(client.world.gpus[gpu.id].hung for gpu in answering):
            await _sleep(client, request, MINUTE, pid, end)
    finally:
        client.ctx.simulation.apply(programs.EndProgram(client.host, pid))
    return plugins.judge(test, _gpus(client, request), before, request.parameters, found[-1].test)


async def _work(
    client: Client, request: Request, test: Test, pid: int, before: plugins.Before, end: int | None
) -> None:
    """The time that a test takes. It is over sooner where a GPU ends its program, and with early checks at the first
    that finds something.
    """
    left = request.parameters.time(test)
    early = request.interval * SECOND if request.interval and test.name in _EARLY else 0
    while left > 0:
        step = min(early or plugins.LOOKS_EVERY, left)
        await _sleep(client, request, step, pid, end)
        left -= step
        ended = not programs.runs(client.world, client.host, pid)
        if ended or (early and any(_troubled(client, request, before))):
            return


def _troubled(client: Client, request: Request, before: plugins.Before) -> Iterator[bool]:
    return (any(True for _ in plugins.problems(gpu, before)) for gpu in _gpus(client, request))


async def _sleep(client: Client, request: Request, duration: int, pid: int | None, end: int | None) -> None:
    """Let time pass. Raises Stopped if the host engine went away, somebody ended nvvs or the time is over."""
    if end is not None and client.ctx.now + duration > end:
        await client.ctx.sleep(max(0, end - client.ctx.now))
        raise Stopped(Return.TIMEOUT)
    start = client.ctx.now
    await client.ctx.sleep(duration)
    if not request.embedded and not host_engine.is_running(client.world, client.host):
        raise Stopped(Return.NOT_CONNECTED)
    if pid is None or programs.runs(client.world, client.host, pid):
        return
    if not any(xids(client.world, gpu.gpu, start) for gpu in _gpus(client, request)):
        raise Stopped(Return.KILLED, _KILLED)
