"""nvbandwidth 0.8: bandwidth and latency of copies between host memory and GPUs, and between GPUs.

Texts, options and the order of what is done: source of NVIDIA/nvbandwidth v0.8 (nvbandwidth.cpp, error_handling.h),
whose paths and line numbers its error messages have. Operators build it; that it was built under /usr/local/src is a
guess. Test cases of several nodes need a build of their own and are not in this one's list.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.cuda._nvbandwidth.arguments import HELP, OPTIONS, Arguments, InvalidArguments, parse
from engine.commands.cuda._nvbandwidth.measuring import Cell, Measurement, Plan
from engine.commands.cuda._nvbandwidth.output import ERROR, RUNNING, WAIVED, Json, Matrix, Text
from engine.commands.cuda._nvbandwidth.testcases import TEST_CASES, Kind, TestCase, find
from engine.commands.cuda._support.program import Program, ProgramEnded, open_gpus, running
from engine.control import driver
from engine.workloads import cuda, gpu_copies
from engine.world.inventory import Gpu

_SOURCE = "/usr/local/src/nvbandwidth"
_FAILED, _NO_LIBRARY = 1, 127
_DEFAULT_BUFFER = 512
_SMALL = (
    "NOTE: You have chosen a buffer size that is smaller than the default buffer size. It is suggested to use the "
    "default buffer size (64MB) to achieve maximal peak bandwidth."
)
_BOTH = "You cannot specify both testcase and testcasePrefix options at the same time"
_NO_PREFIX = "Specified list of testcase prefixes did not match any testcases"

# Expression, function and place of the calls that can fail, as the program's error macro has them.
_INIT = ("cuInit(0)", "int main(int, char**)", "nvbandwidth.cpp:270")
_HOST_CONTEXT = (
    "cuDevicePrimaryCtxRetain(&targetCtx, targetDeviceId)",
    "HostBuffer::HostBuffer(size_t, int)",
    "memcpy.cpp:213",
)
_DEVICE_CONTEXT = (
    "cuDevicePrimaryCtxRetain(&primaryCtx, deviceIdx)",
    "DeviceBuffer::DeviceBuffer(size_t, int)",
    "memcpy.cpp:242",
)
_ALLOCATION = (
    "cuMemAlloc((CUdeviceptr*)&buffer, bufferSize)",
    "DeviceBuffer::DeviceBuffer(size_t, int)",
    "memcpy.cpp:244",
)
_WAITING = (
    "nodeHelper->streamSynchronizeWrapper(stream)",
    "std::vector<double> MemcpyOperation::doMemcpyCore(MemcpyDispatchInfo&)",
    "memcpy.cpp:470",
)

Output = Text | Json


class _Failed(Exception):
    """A call failed: what the program says of it, and it ends."""

    def __init__(self, error: cuda.CudaError, where: tuple[str, str, str]) -> None:
        expression, function, place = where
        said = f"[{error.name}] {error.text} in expression {expression} in {function}() : {_SOURCE}/{place}\n"
        super().__init__(said)
        self.text = said


async def run(context: Context) -> int:
    """Run nvbandwidth."""
    try:
        arguments = parse(context.arguments)
    except InvalidArguments:
        Text(context.write).version()
        words = " ".join([context.name, *context.arguments])
        context.write(f"ERROR: Invalid Arguments \n{words} :\n\n{HELP}\n")
        return _FAILED
    if driver.nvml(context.world, context.host).status is driver.NvmlStatus.NO_LIBRARY:
        text = "error while loading shared libraries: libcuda.so.1: cannot open shared object file"
        context.error(f"{context.name}: {text}: No such file or directory")
        return _NO_LIBRARY
    kind = Json if "json" in arguments else Text
    output = kind(context.write, "verbose" in arguments, "perfFormatter" in arguments)
    try:
        return await _run(context, arguments, output)
    except cuda.CudaError as error:
        if error.code == cuda.INSUFFICIENT_DRIVER:
            return context.not_modelled("nvbandwidth over a driver that is older than it")
        return _error(context, output, _Failed(error, _INIT).text)
    except _Failed as failure:
        return _error(context, output, failure.text)
    except ProgramEnded as ended:
        return ended.status


async def _run(context: Context, arguments: Arguments, output: Output) -> int:
    """All of it. Raises CudaError while CUDA is initialised, then _Failed, ProgramEnded and Interrupted."""
    output.version()
    plain = isinstance(output, Text)
    if "help" in arguments:
        context.write(f"{HELP}\n" if plain else "")
        return 0
    if "list" in arguments:
        context.write(_listing() if plain else "")
        return 0
    if all(arguments.words.values()):
        return _error(context, output, _BOTH)
    gpus = open_gpus(context)
    if cuda.on_mig(context.world, gpus):
        return context.not_modelled("nvbandwidth on a MIG device")
    if arguments.numbers["bufferSize"] < _DEFAULT_BUFFER:
        output.warning(_SMALL)
    state = driver.nvml(context.world, context.host)
    version = cuda.version_number(cuda.driver_cuda(context.world, context.host))
    output.platform(version, state.library_version, context.host, [_display(gpu) for gpu in gpus])
    wanted = _wanted(arguments)
    if not wanted:
        return _error(context, output, _NO_PREFIX)
    async with running(context, gpus, _held(context, gpus, arguments)) as program:
        for name in wanted:
            await _test(program, name, arguments, output)
    output.end()
    return 0


def _held(context: Context, gpus: Sequence[Gpu], arguments: Arguments) -> int:
    """MiB that the program holds on each GPU, as far as there is room: a context, and two buffers as most tests do."""
    room = min(cuda.memory_left(context.world, gpu) for gpu in gpus)
    return max(0, min(room, cuda.CONTEXT_MIB + 2 * arguments.numbers["bufferSize"]))


def _error(context: Context, output: Output, text: str) -> int:
    """Say what is wrong where the form of the output says it. Gives the status."""
    if isinstance(output, Json):
        output.error(text)
    else:
        context.error(text)
    return _FAILED


def _listing() -> str:
    listed = "".join(f"{index}, {case.name}:\n{case.about}\n\n" for index, case in enumerate(TEST_CASES))
    return f"Index, Name:\n\tDescription\n=======================\n{listed}"


def _display(gpu: Gpu) -> str:
    """A device as the program names it: `NVIDIA H100 80GB HBM3 (00000000:1b:00)`."""
    domain, bus, rest = gpu.address.split(":")
    return f"{gpu.product.name} ({int(domain, 16):08x}:{bus}:{rest.partition('.')[0]})"


def _wanted(arguments: Arguments) -> Sequence[str]:
    """What to run: the named test cases, those that begin in a way, or all."""
    if prefixes := arguments.words["testcasePrefixes"]:
        return [case.name for case in TEST_CASES if case.name.startswith(tuple(prefixes))]
    return arguments.words["testcase"] or [case.name for case in TEST_CASES]


async def _test(program: Program, name: str, arguments: Arguments, output: Output) -> None:
    """Run one test case. Raises _Failed, ProgramEnded and Interrupted."""
    context, gpus = program.context, program.gpus
    case = find(name)
    if isinstance(case, str):
        output.case(name, ERROR, case)
        return
    pairs = [(gpu, peer) for gpu in gpus for peer in gpus if gpu.id != peer.id]
    if case.needs_peers and not any(gpu_copies.can_access(context.world, *pair) for pair in pairs):
        output.case(case.name, WAIVED)
        return
    output.case(case.name, RUNNING)
    measurement = Measurement(context.world, case, gpus, _plan(context, arguments), program.pid)
    cells = []
    for row, column in measurement.places():
        cells.append(await _measure(program, measurement, row, column))
        output.detail(cells[-1].lines)
    for number, part in enumerate(case.parts or ("",)):
        matrix = _matrix(measurement, cells, number, f"_{part.lower()}" if part else "")
        output.results(matrix, case.header.format(part))
    await context.flush()


def _plan(context: Context, arguments: Arguments) -> Plan:
    place, numbers = context.place, arguments.numbers
    moves = "disableAffinity" not in arguments
    memory = gpu_copies.Memory(place.allowed_cpus, place.memory_nodes, moves, place.confined)
    return Plan(
        numbers["bufferSize"],
        numbers["testSamples"],
        numbers["loopCount"],
        "useMean" in arguments,
        "skipVerification" not in arguments,
        memory,
    )


async def _measure(program: Program, measurement: Measurement, row: int, column: int) -> Cell:
    """One cell, in the time that it takes. Raises _Failed, ProgramEnded and Interrupted."""
    cell = measurement.measure(row, column, program.context.now)
    host = measurement.case.kind in (Kind.HOST, Kind.ALL_HOST, Kind.HOST_LATENCY)
    _allocate(program, cell.gpus, measurement, _HOST_CONTEXT if host else _DEVICE_CONTEXT)
    try:
        await program.wait_for(*cell.gpus)
        await program.spend(cell.duration)
    except cuda.CudaError as error:
        raise _Failed(error, _WAITING) from None
    return cell


def _allocate(program: Program, gpus: Sequence[Gpu], measurement: Measurement, where: tuple[str, str, str]) -> None:
    """Make contexts and buffers on GPUs. Raises _Failed where one is taken or full."""
    world = program.context.world
    own = world.systems[program.context.host].processes
    held = next((process.gpu_memory for process in own if process.pid == program.pid), 0)
    needed = cuda.CONTEXT_MIB + measurement.plan.buffer * _buffers(measurement.case)
    for gpu in gpus:
        try:
            cuda.make_context(world, gpu, program.pid)
        except cuda.CudaError as error:
            raise _Failed(error, where) from None
        if cuda.memory_left(world, gpu) + held < needed:
            raise _Failed(cuda.cuda_error(cuda.OUT_OF_MEMORY), _ALLOCATION)


def _buffers(case: TestCase) -> int:
    """How many buffers' worth a GPU holds at least."""
    if case.kind in (Kind.HOST_LATENCY, Kind.PEER_LATENCY):
        return 0
    return 3 if case.both else 2 if case.kind in (Kind.PEER_BOTH_WAYS, Kind.LOCAL, Kind.POOL) else 1


def _matrix(measurement: Measurement, cells: Sequence[Cell], number: int, suffix: str) -> Matrix:
    width = len(measurement.gpus)
    rows: list[list[float | None]] = [[None] * width for _ in range(measurement.rows)]
    for cell in cells:
        rows[cell.row][cell.column] = cell.values[number]
    latency = measurement.case.kind in (Kind.HOST_LATENCY, Kind.PEER_LATENCY)
    return Matrix(measurement.case.name + suffix, rows, latency)


COMMAND = Command(
    "nvbandwidth",
    "measure bandwidth of copies between host memory and GPUs",
    run,
    synopsis="nvbandwidth [OPTION]...",
    options=OPTIONS,
    manual=(
        "Without test cases it runs all of them. Rows and columns of a matrix are the host or the GPUs by CUDA's\n"
        "device numbers. CUDA_VISIBLE_DEVICES says which GPUs there are. With -d, host memory lies where the program\n"
        "happens to run (numactl -N), else beside each GPU; numactl -m places it in any case."
    ),
)
