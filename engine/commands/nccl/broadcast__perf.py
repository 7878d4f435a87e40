"""broadcast_perf of nccl-tests 2.17.6: how fast one GPU sends its data to all others.

Source: src/common.cu, util.cu and broadcast.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("broadcast", "how fast one GPU sends its data to all others")
