"""gpu_burn: what it says, what it finds, and that the machine feels it."""

from __future__ import annotations

import re

from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.commands.cuda.conftest import IDLE, Run

HEAD = """Using compare file: compare.ptx
Burning for 60 seconds.
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-#)
"""
TAIL = """
Killing processes with SIGTERM (soft kill)
done

Tested 8 GPUs:
\tGPU 0: OK
\tGPU 1: OK
\tGPU 2: OK
\tGPU 3: OK
\tGPU 4: OK
\tGPU 5: OK
\tGPU 6: OK
\tGPU 7: OK
"""


def speeds(text: str) -> list[int]:
    """Gflop/s of each GPU in the last line of progress."""
    return [int(one) for one in re.findall(r"\((\d+) Gflop/s\)", text.rsplit("\r", maxsplit=1)[-1])]


def test_it_looks_like_the_real_one(run: Run) -> None:
    result = run("gpu_burn 60")
    masked = re.sub(r"GPU-[0-9a-f-]+", "GPU-#", result.stdout)
    assert masked.startswith(HEAD) and result.stdout.endswith(TAIL)
    assert "Initialized device 0 with 81079 MB of memory (" in result.stdout
    assert "MB of it), using FLOATS\nResults are 268435456 bytes each, thus performing " in result.stdout
    assert re.search(
        r"\r\d+\.\d%  proc'd: \d+ \(\d+ Gflop/s\) - .*  errors: 0 - .*  temps: \d+ C - .*  power: \d+ W", result.stdout
    )
    assert re.search(r"\n\tSummary at:   \w{3} \w{3} +\d+ [\d:]+ UTC \d{4}\n", result.stdout)
    assert (result.status, result.stderr) == (0, "")


def test_a_healthy_node_has_eight_alike(run: Run) -> None:
    found = speeds(run("gpu_burn 60").stdout)
    assert len(found) == 8 and max(found) < 1.02 * min(found) and 50_000 < min(found) < 53_000


def test_precision_and_memory_are_chosen(run: Run) -> None:
    text = run("gpu_burn -d -m 10% -i 3 30").stdout
    assert "using DOUBLES" in text and "Results are 536870912 bytes each" in text
    assert len(speeds(text)) == 1 and "Tested 1 GPUs" in text
    assert ", using Tensor Cores" in run("gpu_burn -tc -i 0 20").stdout


def test_a_gpu_held_down_is_the_slow_one(run: Run) -> None:
    run("nvidia-smi -i 5 -lgc 990", user="root")
    found = speeds(run("gpu_burn 60").stdout)
    assert found[5] < 0.7 * found[4] and found[4] > 50_000


def test_the_node_feels_it(run: Run, site: Simulation[World]) -> None:
    before = run("nvidia-smi --query-gpu=power.draw,temperature.gpu --format=csv,noheader,nounits").stdout
    run("gpu_burn -i 2 300")
    after = run("nvidia-smi --query-gpu=power.draw,temperature.gpu --format=csv,noheader,nounits").stdout
    heat = [[float(line.split(",")[1]) for line in text.splitlines()] for text in (before, after)]
    assert heat[1][2] >= heat[0][2]
    assert run("nvidia-smi --query-compute-apps=pid --format=csv,noheader").stdout == "", "its processes have ended"


def test_a_hung_gpu_never_ends_a_batch_and_is_killed(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu1", hung=True)
    text = run("gpu_burn 60").stdout
    assert "(force kill)" in text
    assert speeds(text)[1] == 0 and speeds(text)[2] > 50_000


def test_no_gpus(run: Run) -> None:
    result = run("gpu_burn 10", environment={"CUDA_VISIBLE_DEVICES": ""})
    assert result.status == 19 and "No CUDA devices\n" in result.stderr
    result = run("gpu_burn -l", environment={"CUDA_VISIBLE_DEVICES": ""})
    assert result.status == 134 and "No CUDA capable GPUs found." in result.stderr


def test_a_list_and_help(run: Run) -> None:
    assert run("gpu_burn -l").stdout.startswith("ID 0: NVIDIA H100 80GB HBM3, 85")
    assert run("gpu_burn --help").stdout.startswith("GPU Burn\nUsage: gpu-burn [OPTIONS] [TIME]\n")


def test_more_memory_than_there_is(run: Run) -> None:
    result = run("gpu_burn -m 900000 5")
    assert result.status == 123
    assert result.stderr.count("Couldn't init a GPU test: Error in C alloc") == 8
    assert result.stderr.endswith("No clients are alive!  Aborting\n")
