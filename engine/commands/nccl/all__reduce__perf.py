"""all_reduce_perf of nccl-tests 2.17.6: how fast GPUs add up data and give everybody the sum.

Source: src/common.cu, util.cu and all_reduce.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("all_reduce", "how fast GPUs add up data and give everybody the sum")
