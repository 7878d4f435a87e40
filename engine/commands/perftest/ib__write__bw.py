"""ib_write_bw of perftest 24.10 (release 6.24). Formats and texts: see engine/commands/perftest/_program."""

from __future__ import annotations

from engine.commands.perftest._program.kinds import BANDWIDTH, WRITE, Kind
from engine.commands.perftest._program.program import command

COMMAND = command(Kind("ib_write_bw", WRITE, BANDWIDTH), "measure the bandwidth of RDMA writes")
