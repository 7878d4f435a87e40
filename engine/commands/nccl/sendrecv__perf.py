"""sendrecv_perf of nccl-tests 2.17.6: how fast GPUs send to the next one in a ring.

Source: src/common.cu, util.cu and sendrecv.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("sendrecv", "how fast GPUs send to the next one in a ring")
