"""nproc of GNU coreutils 9.4."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gnu import extra_operand
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed
from engine.control import kernel_image
from engine.physics.paths.near import span


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the number of logical CPUs, at least 1."""
    ignored = parsed["ignore"] or "0"
    if not ignored.strip().isdigit():
        ctx.error(f"nproc: invalid number: {word(ctx.environment, ignored)}")
        return 1
    if parsed.operands:
        raise extra_operand(ctx, parsed.operands[0])
    ctx.line(str(max(1, _processors(ctx, parsed) - int(ignored))))
    return 0


def _processors(ctx: Context, parsed: Parsed) -> int:
    threads = ctx.environment.get("OMP_NUM_THREADS", "").partition(",")[0]
    if "all" not in parsed and threads.isdigit() and int(threads):
        return int(threads)
    allowed = "" if "all" in parsed else ctx.place.allowed_cpus
    return sum(map(len, map(span, allowed.split(",")))) if allowed else kernel_image.cpus(ctx.node)


COMMAND = program(
    "nproc",
    "print how many processors there are",
    run,
    options=(
        Option(None, "all", help="all that are installed"),
        Option(None, "ignore", "N", help="leave out N of them"),
    ),
    manual="OMP_NUM_THREADS, where set, is what this program may use, and is printed unless --all is given.",
)
