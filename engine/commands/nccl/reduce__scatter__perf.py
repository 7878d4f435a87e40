"""reduce_scatter_perf of nccl-tests 2.17.6: how fast GPUs add up data and give each a part of the sum.

Source: src/common.cu, util.cu and reduce_scatter.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("reduce_scatter", "how fast GPUs add up data and give each a part of the sum")
