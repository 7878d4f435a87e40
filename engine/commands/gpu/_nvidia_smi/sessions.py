"""`nvidia-smi encodersessions` and `fbcsessions`: a line a second for each GPU, on which nobody encodes or captures.

Heads and rows: a transcript of driver 535 on a T4. They go on until Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.library import OK, answering, open_library, select
from engine.commands.gpu._nvidia_smi.words import HELP, Switch, parse, section_help
from engine.kernel.units import SECOND

SWITCHES = (HELP, Switch("id", ("-i", "--id"), "ID", "GPUs by index, bus id or UUID, with commas."))

_ENCODER = (
    "# GPU Session    Process   Codec       H       V Average     Average",
    "# Idx      Id         Id    Type     Res     Res     FPS Latency(us)",
)
_ENCODER_WIDTHS = (8, 11, 8, 8, 8, 8, 12)

_CAPTURE = (
    "# GPU   Session   Process   Display   Session Diff. Map  Class. Map       Capture   Max H   Max V     H     V   "
    "Average       Average",
    "# Idx        Id        Id   Ordinal      Type     State       State          Mode     Res     Res   Res   Res   "
    "    FPS   Latency(us)",
)
_CAPTURE_WIDTHS = (10, 10, 10, 10, 10, 12, 14, 8, 8, 6, 6, 10, 14)


async def encodersessions(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi encodersessions`."""
    return await _sessions(
        context, words, ("encodersessions", "Sessions of the video encoder."), _ENCODER, _ENCODER_WIDTHS
    )


async def fbcsessions(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi fbcsessions`."""
    about = ("fbcsessions", "Sessions of frame buffer capture.")
    return await _sessions(context, words, about, _CAPTURE, _CAPTURE_WIDTHS)


async def _sessions(
    context: Context, words: Sequence[str], about: tuple[str, str], head: tuple[str, str], widths: Sequence[int]
) -> int:
    given = parse(context, SWITCHES, words, about[0])
    if "help" in given:
        context.write("\n".join(section_help(*about, SWITCHES)) + "\n")
        return OK
    library = await open_library(context)
    devices = await answering(context, library, select(context, library, given.get("id")))
    context.write("".join(f"{line}\n" for line in head))
    while True:
        for device in devices:
            context.line(f"{device.index:>5}" + "".join(f"{'-':>{width}}" for width in widths))
        await context.sleep(SECOND)
