"""ib_read_bw of perftest 24.10 (release 6.24). Formats and texts: see engine/commands/perftest/_program."""

from __future__ import annotations

from engine.commands.perftest._program.kinds import BANDWIDTH, READ, Kind
from engine.commands.perftest._program.program import command

COMMAND = command(Kind("ib_read_bw", READ, BANDWIDTH), "measure the bandwidth of RDMA reads")
