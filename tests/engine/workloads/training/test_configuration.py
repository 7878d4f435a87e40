"""What scripts train: said, or usual for so many GPUs."""

from __future__ import annotations

import pytest

from engine.kernel.units import MINUTE
from engine.workloads.training.configuration import from_script, parameters

SAID = """#!/bin/bash
#SBATCH --nodes=4
export NCCL_DEBUG=INFO NCCL_IB_HCA="mlx5_0,mlx5_3"
BASE=/data; export DATA=$BASE/x HERE=$(pwd)
srun --export=ALL,NCCL_SOCKET_IFNAME=bond0 python -u pretrain_gpt.py \\
    --num-layers 60 --hidden-size=6656 --seq-length 4096 \\
    --tensor-model-parallel-size 8 --micro-batch-size 1 \\
    --global-batch-size 32 --save-interval 250 --log-interval 1
"""


def test_what_a_script_says() -> None:
    plan = from_script(SAID, 32, 8)
    assert (plan.layers, plan.hidden, plan.sequence) == (60, 6656, 4096)
    assert (plan.tensor_parallel, plan.pipeline_parallel, plan.microbatches) == (8, 1, 8)
    assert (plan.checkpoint_interval, plan.log_interval) == (250, 1)
    assert not plan.sharded
    assert 32e9 < plan.parameters < 33.5e9


@pytest.mark.parametrize("ranks", [1, 2, 4, 6, 8, 16, 24, 32, 64, 128, 256, 2048, 16_384])
def test_any_number_of_gpus_gets_a_layout_that_fits(ranks: int) -> None:
    gpus = min(ranks, 8)
    plan = from_script("srun python train.py", ranks, gpus)
    group = plan.tensor_parallel * plan.pipeline_parallel
    assert ranks % group == 0 and gpus % plan.tensor_parallel == 0
    assert plan.microbatches >= plan.pipeline_parallel
    weights = plan.parameters * 18 // (group * (ranks // group if plan.sharded else 1))
    assert ranks < 8 or weights < 200 * 10**9


def test_nonsense_is_made_to_fit() -> None:
    text = "srun python t.py --tensor-model-parallel-size 7 --pipeline-model-parallel-size 900 --num-layers 0 --tp x"
    plan = from_script(text, 12, 4)
    assert (plan.tensor_parallel, plan.layers) == (4, 32)
    assert 12 % (plan.tensor_parallel * plan.pipeline_parallel) == 0


def test_how_long_a_collective_may_take() -> None:
    assert from_script("srun python train.py", 8, 8).watchdog == 10 * MINUTE
    assert from_script("srun python t.py --distributed-timeout-minutes 30", 8, 8).watchdog == 30 * MINUTE
    assert from_script("export DEEPSPEED_TIMEOUT=5\nsrun python t.py", 8, 8).watchdog == 5 * MINUTE


def test_sizes_of_known_models() -> None:
    assert parameters(40, 5120) == pytest.approx(13e9, rel=0.03)
    assert parameters(80, 8192) == pytest.approx(65e9, rel=0.03)
