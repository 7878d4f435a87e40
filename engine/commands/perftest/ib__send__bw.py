"""ib_send_bw of perftest 24.10 (release 6.24). Formats and texts: see engine/commands/perftest/_program."""

from __future__ import annotations

from engine.commands.perftest._program.kinds import BANDWIDTH, SEND, Kind
from engine.commands.perftest._program.program import command

COMMAND = command(Kind("ib_send_bw", SEND, BANDWIDTH), "measure the bandwidth of RDMA sends")
