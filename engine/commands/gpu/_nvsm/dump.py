"""`nvsm dump health`: an archive in /tmp for NVIDIA's support.

What it prints and the archive's name follow the NVSM user guide; which files are in it, and their names, are guesses:
each is the output of a command of the host.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths, tape
from engine.commands.linux._support.clock import shown
from engine.commands.linux._support.tape import Member
from engine.commands.streams import Capture, NoInput
from engine.hostfs.tree import FileError

_COMMANDS = (
    ("health.txt", "nvsm show health"),
    ("alerts.txt", "nvsm show alerts"),
    ("dmesg.txt", "dmesg"),
    ("dmidecode.txt", "dmidecode"),
    ("fru.txt", "ipmitool fru print"),
    ("journal.txt", "journalctl -b 0 --no-pager"),
    ("lspci.txt", "lspci -vvv"),
    ("nvidia-smi.txt", "nvidia-smi -q"),
    ("sdr.txt", "ipmitool sdr elist"),
    ("sel.txt", "ipmitool sel elist"),
    ("topology.txt", "nvidia-smi topo -m"),
)


async def dump(ctx: Context) -> int:
    """Collect, and write the archive."""
    root = f"nvsm-health-{ctx.host}-{shown(ctx, ctx.epoch, '%Y%m%d%H%M%S')}"
    target = f"/tmp/{root}.tar.xz"
    ctx.line(f"Writing output to {target}")
    await ctx.flush()
    found = [Member(root, "d", 0o755, ctx.epoch)]
    for name, line in _COMMANDS:
        kept = Capture()
        await ctx.runner.script(line, ctx.place, stdin=NoInput(), stdout=kept, stderr=kept)
        found.append(Member(f"{root}/{name}", "-", 0o644, ctx.epoch, bytes(kept.data)))
    try:
        paths.tree(ctx).write(target, tape.packed(tape.archived(found), "xz"))
    except FileError as error:
        ctx.error(f"ERROR: {target}: {error.text}")
        return 1
    ctx.line("Done.")
    return 0
