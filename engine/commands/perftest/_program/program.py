"""A perftest program from its command line to its exit status."""

from __future__ import annotations

from functools import partial

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import talking
from engine.commands.perftest._program import device, options, tables
from engine.commands.perftest._program.device import Failed
from engine.commands.perftest._program.kinds import Kind
from engine.commands.perftest._program.measuring import Measuring
from engine.commands.perftest._program.meeting import Gap, Meeting
from engine.commands.perftest._program.options import Settings
from engine.kernel.units import SECOND

_SYNOPSIS = "{name} [OPTION]... [HOST]"


async def _run(kind: Kind, ctx: Context) -> int:
    reading = options.read(kind, ctx.arguments)
    if reading.gap:
        return ctx.not_modelled(reading.gap)
    if reading.settings is None:
        ctx.write(reading.text)
        return 1
    ctx.write(reading.settings.notes)
    async with talking.program(ctx, cpu_permille=1000, resident_kib=14_336) as pid:
        try:
            return await _measure(ctx, kind, reading.settings, pid)
        except Failed as failure:
            for line in failure.lines:
                ctx.error(line)
            return 1
        except Gap as gap:
            return ctx.not_modelled(str(gap))
        except talking.Killed:
            return talking.KILLED_STATUS


async def _measure(ctx: Context, kind: Kind, settings: Settings, pid: int) -> int:
    """Open the device, meet the other end, measure."""
    opened = device.open_device(ctx, kind, settings)
    if settings.full and not settings.client:
        ctx.line(tables.WAITING)
    meeting = Meeting(ctx, kind, settings, pid)
    await meeting.begin()
    await talking.sleep(ctx, pid, SECOND)
    joined = await meeting.join(opened)
    return await Measuring(ctx, kind, settings, pid, meeting.talk, joined).run()


def command(kind: Kind, summary: str) -> Command:
    """The command of a program."""
    shown = tuple(option for option in options.OPTIONS if not option.help.startswith("(not modelled)"))
    return Command(
        kind.name,
        summary,
        partial(_run, kind),
        _SYNOPSIS.format(name=kind.name),
        shown,
        "Without HOST it waits for one client, and ends with it; with HOST it connects to the server that waits there\n"
        "(TCP port 18515; -p chooses another). Give both ends the same options. -d names the device of this end:\n"
        "the two ends may use different ones.",
    )
