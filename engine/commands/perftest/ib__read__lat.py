"""ib_read_lat of perftest 24.10 (release 6.24). Formats and texts: see engine/commands/perftest/_program."""

from __future__ import annotations

from engine.commands.perftest._program.kinds import LATENCY, READ, Kind
from engine.commands.perftest._program.program import command

COMMAND = command(Kind("ib_read_lat", READ, LATENCY), "measure the latency of RDMA reads")
