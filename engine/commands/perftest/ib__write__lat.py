"""ib_write_lat of perftest 24.10 (release 6.24). Formats and texts: see engine/commands/perftest/_program."""

from __future__ import annotations

from engine.commands.perftest._program.kinds import LATENCY, WRITE, Kind
from engine.commands.perftest._program.program import command

COMMAND = command(Kind("ib_write_lat", WRITE, LATENCY), "measure the latency of RDMA writes")
