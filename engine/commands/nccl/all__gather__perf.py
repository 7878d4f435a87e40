"""all_gather_perf of nccl-tests 2.17.6: how fast GPUs collect every rank's part on all of them.

Source: src/common.cu, util.cu and all_gather.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("all_gather", "how fast GPUs collect every rank's part on all of them")
