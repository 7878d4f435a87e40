"""Network chunks that are too large: what a check counts, and what the driver tells of programs that go astray."""

from __future__ import annotations

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.commands.nccl.conftest import Typed
from tests.support.run import run_command

LINE = "srun -N2 -w dgx-03,dgx-04 --gpus-per-node=4 --ntasks-per-node=4"


def test_one_node_is_enough_and_the_test_program_tells(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed(f"{LINE} alltoall_perf -b 8M -e 8M")
    assert status == 0 and "# Out of bounds values : 0 OK" in text
    site.apply(parse_fault("nccl.chunks_unsafe target=dgx-04"))
    text, status = typed(f"{LINE} alltoall_perf -b 8M -e 8M")
    assert status == 1 and "# Out of bounds values : 2 FAILED" in text
    text, status = typed(f"{LINE} all_reduce_perf -b 8M -e 8M")
    assert status == 0 and "# Out of bounds values : 0 OK" in text


def test_large_messages_go_astray_on_every_node(typed: Typed, site: Simulation[World]) -> None:
    site.apply(parse_fault("nccl.chunks_unsafe target=dgx-04"))
    text, status = typed(f"{LINE} alltoall_perf -b 256M -e 512M -f 2")
    assert status != 0 and "Out of bounds" not in text
    for host in ("dgx-03", "dgx-04"):
        told = [entry.text for entry in site.world.logs[host].entries if "name=alltoall_perf" in entry.text]
        assert len(told) == 1 and "): 31, pid=" in told[0]


def test_a_gpu_that_wants_a_reset_takes_no_test(typed: Typed, site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.uncontained_error target=dgx-04/gpu6"))
    text, status = typed("ssh dgx-04 all_reduce_perf -b 1G -e 1G -g 8")
    assert status != 0 and "CUDA-capable device(s) is/are busy or unavailable" in text
    assert (
        "Reset" in run_command(site, "dgx-04", "root", "nvidia-smi --query-gpu=gpu_recovery_action --format=csv").stdout
    )
