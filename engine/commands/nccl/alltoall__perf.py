"""alltoall_perf of nccl-tests 2.17.6: how fast every GPU sends a part to every other.

Source: src/common.cu, util.cu and alltoall.cu.
"""

from __future__ import annotations

from engine.commands.nccl._tests.program import test

COMMAND = test("alltoall", "how fast every GPU sends a part to every other")
