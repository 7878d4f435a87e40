"""scatter_perf of nccl-tests 2.17.6: how fast one GPU sends each rank its part.

Source: src/common.cu, util.cu and scatter.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("scatter", "how fast one GPU sends each rank its part")
