"""gather_perf of nccl-tests 2.17.6: how fast one GPU collects every rank's part.

Source: src/common.cu, util.cu and gather.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("gather", "how fast one GPU collects every rank's part")
