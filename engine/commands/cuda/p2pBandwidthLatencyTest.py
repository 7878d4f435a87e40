"""p2pBandwidthLatencyTest of CUDA's samples, for CUDA 13.0: bandwidth and latency of every pair of GPUs.

Texts: source of NVIDIA/cuda-samples v13.0 (p2pBandwidthLatencyTest.cu, helper_string.h), whose lines its error messages
name; compared with captures of eight H100. Words that are no option are passed over. That it was built under
/usr/local/src is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.cuda._p2p.matrices import INT_BYTES, LATENCY_REPEATS, REPEATS, Pairs
from engine.commands.cuda._support.program import Program, ProgramEnded, open_gpus, running
from engine.commands.options import Option
from engine.kernel.units import MIB, MICROSECOND, MILLISECOND
from engine.workloads import cuda
from engine.world.inventory import Gpu

_SOURCE = "/usr/local/src/cuda-samples/Samples/5_Domain_Specific/p2pBandwidthLatencyTest/p2pBandwidthLatencyTest.cu"
# Lines of the checks behind calls that can fail: counting GPUs, choosing one, allocating the first and the second
# buffer, waiting for copies one way, both ways and for small ones.
_COUNTING, _CHOOSING, _ONE_BUFFER, _TWO_BUFFERS = 610, 108, 168, 172
_ONE_WAY, _BOTH_WAYS, _SMALL = 235, 389, 532
_ELEMENTS = 40_000_000
_SETTING_UP = 15 * MILLISECOND
_HELP = (
    "Usage:  p2pBandwidthLatencyTest [OPTION]...\n"
    "Tests bandwidth/latency of GPU pairs using P2P and without P2P\n"
    "\n"
    "Options:\n"
    "--help\t\tDisplay this help menu\n"
    "--p2p_read\tUse P2P reads for data transfers between GPU pairs and show corresponding results.\n"
    " \t\tDefault used is P2P write operation.\n"
    "--sm_copy                      Use SM intiated p2p transfers instead of Copy Engine\n"
    "--numElems=<NUM_OF_INT_ELEMS>  Number of integer elements to be used in p2p copy.\n"
)
_NOTE = (
    "\n***NOTE: In case a device doesn't have P2P access to other one, it falls back to normal memcopy procedure.\n"
    "So you can see lesser Bandwidth (GB/s) and unstable Latency (us) in those cases.\n\n"
)
_LAST = (
    "\nNOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.\n"
)


class _Failed(Exception):
    """A check of the program failed at a line of its source, and it ends."""

    def __init__(self, error: cuda.CudaError, line: int) -> None:
        super().__init__(f"Cuda failure {_SOURCE}:{line}: '{error.text}'")
        self.text = str(self)


async def run(context: Context) -> int:
    """Run the test."""
    try:
        return await _run(context)
    except (cuda.CudaError, _Failed) as error:
        failure = error if isinstance(error, _Failed) else _Failed(error, _COUNTING)
        context.line(failure.text)
        return 1
    except ProgramEnded as ended:
        return ended.status


async def _run(context: Context) -> int:
    """All of it. Raises CudaError while CUDA is initialised, then _Failed, ProgramEnded and Interrupted."""
    gpus = open_gpus(context)
    if _flag(context.arguments, "help"):
        context.write(_HELP)
        return 0
    elements = _integer(context.arguments, "numElems") if _flag(context.arguments, "numElems") else _ELEMENTS
    if elements <= 0:
        return context.not_modelled("p2pBandwidthLatencyTest with no elements to copy")
    if cuda.on_mig(context.world, gpus):
        return context.not_modelled("p2pBandwidthLatencyTest on a MIG device")
    context.write(f"[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n{_device_lines(gpus)}")
    _claim(context, gpus)
    buffer = elements * INT_BYTES // MIB
    room = min(cuda.memory_left(context.world, gpu) for gpu in gpus) - cuda.CONTEXT_MIB
    async with running(context, gpus, cuda.CONTEXT_MIB + (2 * buffer if room >= 2 * buffer else 0)) as program:
        pairs = Pairs(context.world, gpus, program.pid, elements, _flag(context.arguments, "sm_copy"))
        _connectivity(context, pairs)
        if room < 2 * buffer:
            context.line("Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)")
            raise _Failed(cuda.cuda_error(cuda.OUT_OF_MEMORY), _ONE_BUFFER if room < buffer else _TWO_BUFFERS)
        await _measure(program, pairs, _flag(context.arguments, "p2p_read"))
    context.write(_LAST)
    return 0


def _flag(words: Sequence[str], name: str) -> bool:
    """Whether an option is given: any number of dashes, any case, with or without a value."""
    return any(word.lstrip("-").partition("=")[0].lower() == name.lower() for word in words)


def _integer(words: Sequence[str], name: str) -> int:
    """The value of the last option that begins with `name`, as atoi reads it."""
    given = [word.lstrip("-")[len(name) :] for word in words if word.lstrip("-").lower().startswith(name.lower())]
    digits = re.match(r"=?\s*([+-]?\d+)", given[-1]) if given else None
    return int(digits[1]) if digits else 0


def _device_lines(gpus: Sequence[Gpu]) -> str:
    lines = []
    for number, gpu in enumerate(gpus):
        domain, bus, rest = gpu.address.split(":")
        device = rest.partition(".")[0]
        place = f"pciBusID: {int(bus, 16):x}, pciDeviceID: {int(device, 16):x}, pciDomainID:{int(domain, 16):x}"
        lines.append(f"Device: {number}, {gpu.product.name}, {place}\n")
    return "".join(lines)


def _claim(context: Context, gpus: Sequence[Gpu]) -> None:
    """Make a context on each GPU. Raises _Failed."""
    try:
        for gpu in gpus:
            cuda.make_context(context.world, gpu)
    except cuda.CudaError as error:
        raise _Failed(error, _CHOOSING) from None


def _connectivity(context: Context, pairs: Pairs) -> None:
    """Who can use whose memory, in words and as a matrix."""
    everyone = range(len(pairs.gpus))
    for here in everyone:
        for there in everyone:
            if here != there:
                can = "CAN" if pairs.access(here, there) else "CANNOT"
                context.line(f"Device={here} {can} Access Peer Device={there}")
    context.write(_NOTE)
    context.write("P2P Connectivity Matrix\n     D\\D" + "".join(f"{there:>6}" for there in everyone) + "\n")
    for here in everyone:
        cells = "".join(f"{int(here == there or pairs.access(here, there)):>6}" for there in everyone)
        context.line(f"{here:>6}\t{cells}")


async def _measure(program: Program, pairs: Pairs, reads: bool) -> None:
    """All matrices, each when it is complete. Raises _Failed, ProgramEnded and Interrupted."""
    for peers, reading in ((False, False), (True, False), *(((True, True),) if reads else ())):
        title = "P2P=Disabled Bandwidth" if not peers else f"P2P=Enabled Bandwidth (P2P {_way(reading)})"
        await _bandwidths(program, pairs, f"Unidirectional {title} Matrix (GB/s)", peers=peers, reads=reading)
    for peers in (False, True):
        title = f"Bidirectional P2P={'Enabled' if peers else 'Disabled'} Bandwidth Matrix (GB/s)"
        await _bandwidths(program, pairs, title, peers=peers, both=True)
    for peers, reading in ((False, False), (True, False), *(((True, True),) if reads else ())):
        title = "P2P=Disabled Latency" if not peers else f"P2P=Enabled Latency (P2P {_way(reading)})"
        await _latencies(program, pairs, f"{title} Matrix (us)", peers=peers)


def _way(reading: bool) -> str:
    return "Reads" if reading else "Writes"


async def _bandwidths(
    program: Program, pairs: Pairs, title: str, *, peers: bool, reads: bool = False, both: bool = False
) -> None:
    """A matrix of GB/s, measured row by row."""
    program.context.line(title)

    def measure(here: int, there: int) -> float:
        now = program.context.now
        if both:
            return pairs.both_ways(here, there, title, peers=peers, time=now)
        return pairs.bandwidth(here, there, title, peers=peers, reads=reads, time=now)

    rows = []
    for here in range(len(pairs.gpus)):
        rows.append([measure(here, there) for there in range(len(pairs.gpus))])
        moved = pairs.elements * INT_BYTES * REPEATS
        took = sum(_SETTING_UP + int(moved / rate) for rate in rows[-1])
        await _spend(program, took, _BOTH_WAYS if both else _ONE_WAY)
    program.context.write(_matrix("   D\\D", rows))
    await program.context.flush()


async def _latencies(program: Program, pairs: Pairs, title: str, *, peers: bool) -> None:
    """Two matrices of us: by the GPU's clock, and by the processor's."""
    program.context.line(title)
    rows = []
    for here in range(len(pairs.gpus)):
        rows.append([pairs.latency(here, there, title, peers=peers) for there in range(len(pairs.gpus))])
        took = sum(_SETTING_UP + int(gpu * MICROSECOND) * LATENCY_REPEATS for gpu, _ in rows[-1])
        await _spend(program, took, _SMALL)
    program.context.write(_matrix("   GPU", [[gpu for gpu, _ in row] for row in rows]))
    program.context.write(_matrix("\n   CPU", [[processor for _, processor in row] for row in rows]))
    await program.context.flush()


async def _spend(program: Program, duration: int, line: int) -> None:
    """Let copies run; `line` is that of the check behind them. Raises _Failed, ProgramEnded and Interrupted."""
    try:
        await program.wait_for(*program.gpus)
        await program.spend(duration)
    except cuda.CudaError as error:
        raise _Failed(error, line) from None


def _matrix(corner: str, rows: Sequence[Sequence[float]]) -> str:
    lines = [corner + "".join(f"{there:>6} " for there in range(len(rows)))]
    lines += [f"{here:>6} " + "".join(f"{value:>6.2f} " for value in row) for here, row in enumerate(rows)]
    return "".join(f"{line}\n" for line in lines)


COMMAND = Command(
    "p2pBandwidthLatencyTest",
    "measure bandwidth and latency between all pairs of GPUs",
    run,
    synopsis="p2pBandwidthLatencyTest [OPTION]...",
    options=(
        Option(None, "help", help="show this help"),
        Option(None, "p2p_read", help="measure reads from the peer as well"),
        Option(None, "sm_copy", help="copy with a kernel instead of the copy engine"),
        Option(None, "numElems", "N", help="how many integers to copy (40000000)"),
    ),
    manual=(
        "Copies between all pairs of GPUs, first through host memory (P2P=Disabled), then directly where the GPUs can\n"
        "use each other's memory, one way and both ways; then the time of a small copy. The diagonal is a GPU's own\n"
        "memory. A low row and column belong to one GPU, a low pair to what lies between two."
    ),
)
