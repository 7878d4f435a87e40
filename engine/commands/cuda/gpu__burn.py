"""gpu_burn (wilicc/gpu-burn): matrix products on all GPUs at once, compared with each other, for a time.

Texts, options and the order of what is done: source of gpu_burn-drv.cpp, whose lines its error messages name; operators
build it with `make`, where its compare.ptx lies beside it (that it is found is a guess of ours: we never leave its
folder). Each GPU has a process of its own. Speed: engine.workloads.benchmarks. A product of wrong figures is not
modelled: memory errors that the GPU finds end the process, and silent ones there are none, so that errors stay 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.cuda._support.program import Program, ProgramEnded, instance_of, job_of, open_gpus
from engine.commands.linux._support.processes import own_terminal
from engine.commands.options import Option
from engine.control import programs
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.physics import thermal
from engine.workloads import benchmarks, cuda
from engine.world.inventory import Gpu

_SIZE = 8192
_OPERATIONS = 1_100_048_498_688
"""Of a product of two matrices of that size, as the program counts them."""

_SHARE = 0.9
_DEFAULT_SECONDS, _SOFT_KILL, _TEMPERATURES = 10, 30, 5
_STARTING = 3 * SECOND
_NO_DEVICE, _NO_CLIENTS, _ABORTED = 19, 123, 134
_MODES = {(False, False): "float", (True, False): "double", (False, True): "tensor", (True, True): "double"}

HELP = f"""GPU Burn
Usage: gpu-burn [OPTIONS] [TIME]

-m X\tUse X MB of memory.
-m N%\tUse N% of the available GPU memory.  Default is 90%
-d\tUse doubles
-tc\tTry to use Tensor cores
-l\tLists all GPUs in the system
-i N\tExecute only on GPU N
-c FILE\tUse FILE as compare kernel.  Default is compare.ptx
-stts T\tSet timeout threshold to T seconds for using SIGTERM to abort child processes before using SIGKILL.  \
Default is {_SOFT_KILL}
-h\tShow this help message

Examples:
  gpu-burn -d 3600 # burns all GPUs with doubles for an hour
  gpu-burn -m 50% # burns using 50% of the available GPU memory
  gpu-burn -l # list GPUs
  gpu-burn -i 2 # burns only GPU of index 2
"""


@dataclass
class Arguments:
    """What was asked: seconds, MiB of memory or (None) its share, precision, the one GPU, seconds of patience."""

    seconds: int = _DEFAULT_SECONDS
    memory: int | None = None
    share: float = _SHARE
    doubles: bool = False
    tensors: bool = False
    only: int | None = None
    patience: int = _SOFT_KILL
    help: bool = False
    list: bool = False


@dataclass
class _Client:
    """A process on a GPU: products so far (-1: it died), the last speed in Gflop/s, when the next batch is done."""

    program: Program
    gpu: Gpu
    batch: int
    due: int = 0
    products: int = 0
    speed: float = 0.0
    began: int = 0
    faulty: bool = False
    temperature: int = 0
    power: int = 0

    @property
    def dead(self) -> bool:
        return self.products < 0


@dataclass
class _Burn:
    """All clients, and when the program began."""

    context: Context
    arguments: Arguments
    clients: list[_Client] = field(default_factory=list)
    started: int = 0
    next_report: float = 10.0

    @property
    def mode(self) -> str:
        return _MODES[self.arguments.doubles, self.arguments.tensors]


def parse(words: Sequence[str]) -> Arguments:
    """The arguments as the program reads them: an option is known by what its word contains, what follows options is
    the time.
    """
    found, values = Arguments(), list(words)
    while values:
        word = values.pop(0)
        if "-h" in word or "-l" in word:
            return Arguments(help="-h" in word, list="-h" not in word)
        if word == "-stts":
            found.patience = _whole(values.pop(0)) if values else _SOFT_KILL
        elif "-d" in word:
            found.doubles = True
        elif "-tc" in word:
            found.tensors = True
        elif word.startswith("-m"):
            _memory(found, word[2:] or (values.pop(0) if values else ""))
        elif word.startswith("-i"):
            found.only = _whole(word[2:] or (values.pop(0) if values else ""))
        elif word.startswith("-c"):
            values = values if word[2:] else values[1:]
        else:
            found.seconds = _whole(word)
    return found


def _whole(text: str) -> int:
    """A number as atoi reads it."""
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    return int(digits or 0)


def _memory(found: Arguments, text: str) -> None:
    number = _whole(text)
    if number and text == f"{number}%":
        found.share = number / 100
    elif number and text == str(number):
        found.memory = number


async def run(context: Context) -> int:
    """Burn."""
    arguments = parse(context.arguments)
    if arguments.help:
        context.write(HELP)
        return 0
    try:
        gpus = open_gpus(context)
    except cuda.CudaError as error:
        return _no_devices(context, arguments, error)
    if cuda.on_mig(context.world, gpus):
        return context.not_modelled("gpu_burn on a MIG device")
    if arguments.list:
        for number, gpu in enumerate(gpus):
            total = (gpu.product.memory_total - 1) * (1 << 20) // 1_000_000
            context.line(f"ID {number}: {gpu.product.name}, {total}MB")
        return 0
    if arguments.only is not None:
        if arguments.only >= len(gpus):
            context.error("Couldn't init a GPU test: Error (gpu_burn-drv.cpp:112): invalid device ordinal")
            context.error("read[0] error 0\n\nNo clients are alive!  Aborting")
            return _NO_CLIENTS
        gpus = (gpus[arguments.only],)
    return await _burn(_Burn(context, arguments), gpus)


def _no_devices(context: Context, arguments: Arguments, error: cuda.CudaError) -> int:
    context.error(f"Couldn't init CUDA: Error (gpu_burn-drv.cpp:283): {error.text}")
    if arguments.list:
        context.error("terminate called after throwing an instance of 'std::runtime_error'")
        context.error("  what():  No CUDA capable GPUs found.\n")
        return _ABORTED
    context.error("No CUDA devices")
    return _NO_DEVICE


async def _burn(burn: _Burn, gpus: Sequence[Gpu]) -> int:
    context = burn.context
    if burn.arguments.seconds <= 0:
        return context.not_modelled("gpu_burn without a time")
    context.line(f"Using compare file: compare.ptx\nBurning for {burn.arguments.seconds} seconds.")
    await context.runner.run(["nvidia-smi", "-L"], context.place, stdout=context.stdout, stderr=context.stderr)
    try:
        for number, gpu in enumerate(gpus):
            _start(burn, number, gpu)
        await context.sleep(_STARTING)
        return await _listen(burn)
    except ProgramEnded as ended:
        return ended.status
    finally:
        for client in burn.clients:
            context.simulation.apply(programs.EndProgram(context.host, client.program.pid))


def _start(burn: _Burn, number: int, gpu: Gpu) -> None:
    """A process for a GPU, which takes its memory."""
    context, arguments = burn.context, burn.arguments
    free = cuda.memory_left(context.world, gpu) - cuda.CONTEXT_MIB
    used = arguments.memory if arguments.memory is not None else int(free * arguments.share)
    each = _SIZE * _SIZE * (8 if arguments.doubles else 4)
    batch = (used * (1 << 20) - 2 * each) // each
    what = "using DOUBLES" if arguments.doubles else "using FLOATS"
    tensor = ", using Tensor Cores" if arguments.tensors else ""
    total = gpu.product.memory_total - gpu.product.memory_reserved - 1
    said = f"{total} MB of memory ({free} MB available, using {used} MB of it), {what}{tensor}"
    context.line(f"Initialized device {number} with {said}")
    context.line(f"Results are {each} bytes each, thus performing {max(batch, 0)} iterations")
    memory = max(0, min(used + cuda.CONTEXT_MIB, free + cuda.CONTEXT_MIB))
    start = cuda.StartProgram(
        context.host,
        context.identity.name,
        " ".join([context.name, *context.arguments]),
        cuda.device_indices(context.world, [gpu]),
        memory,
        "burn",
        job_of(context),
        own_terminal(context),
        cpus=context.place.cpus,
        instance=instance_of(context, [gpu]),
    )
    pid: int = context.simulation.apply(start)
    client = _Client(Program(context, [gpu], pid), gpu, batch)
    burn.clients.append(client)
    try:
        cuda.make_context(context.world, gpu, pid)
        refused = "Error in C alloc (gpu_burn-drv.cpp:189): out of memory" if used > free else ""
        refused = "Low mem for result. aborting.\n" if batch < 1 else refused
    except cuda.CudaError as error:
        refused = f"Error (gpu_burn-drv.cpp:113): {error.text}"
    if refused:
        context.error(f"Couldn't init a GPU test: {refused}")
        client.products = -1


async def _listen(burn: _Burn) -> int:
    """Tell progress each time a batch of products is done, until the time is over."""
    context = burn.context
    burn.started = context.now
    end = burn.started + burn.arguments.seconds * SECOND
    for client in burn.clients:
        client.began, client.due = burn.started, _due(burn, client)
    while context.now <= end:
        if all(client.dead for client in burn.clients):
            context.error("\n\nNo clients are alive!  Aborting")
            return _NO_CLIENTS
        times = [client.due for client in burn.clients if not client.dead]
        await _pass_until(burn, min(*times, end + SECOND, context.now + _TEMPERATURES * SECOND) if times else end)
        ready = [client for client in burn.clients if not client.dead and client.due <= context.now]
        for client in ready:
            _done(burn, client)
        if ready:
            await _tell(burn)
    context.write("\nKilling processes with SIGTERM (soft kill)\n")
    await context.flush()
    await context.sleep(burn.arguments.patience * SECOND)
    if any(context.world.gpus[client.gpu.id].hung for client in burn.clients):
        context.write("\nKilling processes with SIGKILL (force kill)\n")
    context.write(f"done\n\nTested {len(burn.clients)} GPUs:\n")
    for number, client in enumerate(burn.clients):
        context.line(f"\tGPU {number}: {'FAULTY' if client.faulty else 'OK'}")
    return 0


async def _pass_until(burn: _Burn, time: int) -> None:
    """Let time pass; a client that loses its GPU says so and is dead."""
    await burn.context.sleep(max(time - burn.context.now, 0))
    for client in burn.clients:
        if client.dead:
            continue
        try:
            await client.program.spend(0)
        except cuda.CudaError as error:
            burn.context.error(f"Failure during compute: Error in Record event (gpu_burn-drv.cpp:329): {error.text}")
            client.products, client.faulty = -1, True


def _due(burn: _Burn, client: _Client) -> int:
    """When the client's next batch is done: never on a GPU that hangs. No two batches take exactly as long (by up to
    0.4 %, a guess).
    """
    context = burn.context
    speed = benchmarks.burn_of(context.world, client.gpu.id, burn.mode)
    if not speed:
        return 1 << 62
    drift = hash64(context.simulation.seed, client.gpu.uuid, context.now) % 801 - 400
    return context.now + int(client.batch * _OPERATIONS / speed * (1 + drift / 100_000))


def _done(burn: _Burn, client: _Client) -> None:
    now = burn.context.now
    client.products += client.batch
    client.speed = client.batch * _OPERATIONS / max(now - client.began, 1)
    client.temperature = thermal.temperature(burn.context.world, client.gpu.id, now) // 1000
    client.power = thermal.power(burn.context.world, client.gpu.id, now) // 1000
    client.began, client.due = now, _due(burn, client)


async def _tell(burn: _Burn) -> None:
    context, clients = burn.context, burn.clients
    elapsed = min((context.now - burn.started) // SECOND / burn.arguments.seconds * 100, 100.0)
    products = "- ".join(f"{client.products} ({client.speed:.0f} Gflop/s) " for client in clients)
    errors = "- ".join(f"{-client.dead} {' (DIED!)' if client.dead else ''}" for client in clients)
    heat = "- ".join(f"{client.temperature} C " if client.temperature else "-- " for client in clients)
    power = "- ".join(f"{client.power} W " if client.power else "-- " for client in clients)
    context.write(f"\r{elapsed:.1f}%  proc'd: {products}  errors: {errors}  temps: {heat}  power: {power}")
    await context.flush()
    if burn.next_report < elapsed:
        burn.next_report = elapsed + 10
        context.write("\n\tSummary at:   ")
        await context.runner.run(["date"], context.place, stdout=context.stdout)
        context.write("\n")


COMMAND = Command(
    "gpu_burn",
    "multiply matrices on all GPUs for a time, and see whether the results agree",
    run,
    synopsis="gpu_burn [OPTION]... [SECONDS]",
    options=(
        Option("m", "memory", "X|N%", help="MB of memory on each GPU, or a share of what is free (default 90%)"),
        Option("d", "doubles", help="double precision"),
        Option("tc", "tensors", help="tensor cores where the library can use them"),
        Option("l", "list", help="list the GPUs and end"),
        Option("i", "only", "N", help="only on this GPU"),
        Option("h", "help", help="show the options"),
    ),
    manual="Drain a node before you burn it: nothing else has a chance beside it. Clocks, power and temperatures show\n"
    "in nvidia-smi while it runs; a GPU that is slower than its neighbours, or dies, is what it finds.",
)
