"""What batch scripts export and say."""

from __future__ import annotations

from engine.control.slurm import script

SAID = """#!/bin/bash
#SBATCH --nodes=4
export NCCL_DEBUG=INFO NCCL_IB_HCA="mlx5_0,mlx5_3"
BASE=/data; export DATA=$BASE/x HERE=$(pwd)
srun --export=ALL,NCCL_SOCKET_IFNAME=bond0 python -u pretrain_gpt.py \\
    --num-layers 60 --hidden-size=6656 --fsdp --bf16 \\
    --seq-length 4096 # a comment
"""


def test_variables_that_reach_the_ranks() -> None:
    found = dict(script.exports(SAID))
    said = {"NCCL_DEBUG": "INFO", "NCCL_IB_HCA": "mlx5_0,mlx5_3", "NCCL_SOCKET_IFNAME": "bond0"}
    assert found == said | {"DATA": "/data/x"}
    assert dict(script.exports("A=1 srun x\nB=2\nexport C=$A\n")) == {"A": "1", "C": "1"}
    assert script.exports("export A=1\nunset A\n# export B=2\n") == ()
    assert dict(script.exports("A=1\nexport A\nexport PATH=$PATH:/opt/x\nenv B=2 srun x")) == {"A": "1", "B": "2"}
    assert script.is_launched_by("srun torchrun --nproc-per-node 8 t.py", "torchrun")


def test_options_of_all_commands() -> None:
    assert script.options(SAID) == {
        "export": "ALL,NCCL_SOCKET_IFNAME=bond0", "num-layers": "60", "hidden-size": "6656", "fsdp": "", "bf16": "",
        "seq-length": "4096",
    }  # fmt: skip


def test_commands_of_a_line() -> None:
    assert script.commands("cd /x && srun a | tee b; echo 'c;d'") == [
        ["cd", "/x"], ["srun", "a"], ["tee", "b"], ["echo", "c;d"],
    ]  # fmt: skip
    assert script.commands('echo "open') == []
