"""hypercube_perf of nccl-tests 2.17.6: how fast GPUs collect every rank's part, pairwise.

Source: src/common.cu, util.cu and hypercube.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("hypercube", "how fast GPUs collect every rank's part, pairwise")
