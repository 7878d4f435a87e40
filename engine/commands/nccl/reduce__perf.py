"""reduce_perf of nccl-tests 2.17.6: how fast GPUs add up data on one of them.

Source: src/common.cu, util.cu and reduce.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("reduce", "how fast GPUs add up data on one of them")
