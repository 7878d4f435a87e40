"""Faults of GPU memory, firmware, programs, NVLinks and the fabric manager on a whole site: what they do to the work
there, how they are told, and what mends them.
"""

from __future__ import annotations

from functools import cache

import pytest

from engine.control import boot, driver, nvlink_fabric, packages, service_state, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.control.slurm import jobs
from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics.load import gpu_processes
from engine.simulation import open_site
from engine.workloads import cuda
from engine.workloads.training import failure_lines
from engine.world.records import EccCounts, Job, RecoveryAction
from engine.world.world import World
from tests.engine.control.node_scene import kernel_log
from tests.engine.workloads.training.scene import submit

Sim = Simulation[World]
BUSY, GPU = "dgx-01", "dgx-01/gpu3"
IDLE, IDLE_GPU = "dgx-04", "dgx-04/gpu3"


@cache
def _site() -> Sim:
    simulation = open_site("dgx-h100-4")
    simulation.advance(5 * MINUTE)
    return simulation


@pytest.fixture
def site() -> Sim:
    return _site().fork()


def fault(simulation: Sim, line: str, after: int = MINUTE) -> None:
    simulation.apply(parse_fault(line))
    simulation.advance(after)


def numbers(simulation: Sim, gpu: str) -> list[int]:
    """The Xids of a GPU since the site opened, in order."""
    node, address = gpu.partition("/")[0], simulation.world.inventory.gpu(gpu).address
    start = f"NVRM: Xid (PCI:{address.rpartition('.')[0]}): "
    texts = [text.removeprefix(start) for text in kernel_log(simulation, node) if text.startswith(start)]
    return [int(text.partition(",")[0]) for text in texts]


def the_job(simulation: Sim) -> Job:
    """The standing job of the busy node, over or not."""
    (number,) = [key for key in simulation.world.jobs.changed() if BUSY in simulation.world.jobs[key].nodes]
    return simulation.world.jobs[number]


def reset(simulation: Sim, gpu: str) -> str | None:
    """Stop who has the GPU open, and reset it."""
    node, index = gpu.partition("/")[0], int(gpu[-1])
    unit = service_state.find(simulation.world, node, driver.HOST_ENGINE)
    assert unit is not None
    service_state.change(simulation.world, node, unit, active=False)
    simulation.world.gpus.update(gpu, persistence=False)
    return simulation.apply(driver.ResetGpu(node, index, "root"))  # type: ignore[no-any-return]


def reboot(simulation: Sim, node: str) -> None:
    simulation.apply(boot.Reboot(node, "root"))
    simulation.advance(10 * MINUTE)


@pytest.mark.parametrize(
    ("line", "chain", "error", "recovery"),
    [
        ("gpu.memory_uncorrectable", [48, 171, 63, 94, 94, 154], 214, RecoveryAction.DRAIN_AND_RESET),
        ("gpu.memory_uncorrectable spread=uncontained", [48, 171, 63, 95, 95, 154], 214, RecoveryAction.RESET),
        ("gpu.row_remap_failure", [48, 171, 64, 94, 94, 154], 214, RecoveryAction.DRAIN_AND_RESET),
        ("gpu.sram_errors", [48, 172, 94, 94], 214, RecoveryAction.NONE),
        ("gpu.gsp_timeout how=crash", [120, 154], 719, RecoveryAction.RESET),
        ("gpu.program_errors program=job xid=31", [31], 700, RecoveryAction.NONE),
        ("gpu.program_errors program=job xid=13", [13, 13, 13, 43], 700, RecoveryAction.NONE),
        ("gpu.context_timeout", [13, 13, 13, 109], 700, RecoveryAction.NONE),
        ("gpu.context_timeout stuck=yes", [13, 13, 13, 109, 154], 700, RecoveryAction.RESET),
        ("nvlink.link_down link=7", [74, 45, 154], 220, RecoveryAction.RESET),
    ],
)
def test_a_job_dies_of_an_xid_with_the_error_that_it_means(
    site: Sim, line: str, chain: list[int], error: int, recovery: RecoveryAction
) -> None:
    name, _, parameters = line.partition(" ")
    fault(site, f"{name} target={GPU} {parameters}")
    assert numbers(site, GPU) == chain
    assert site.world.gpus[GPU].recovery is recovery
    job = the_job(site)
    run = site.world.training[str(job.id)]
    assert job.state == "FAILED" and job.exit_code != 0 and gpu_processes(site.world, GPU) == []
    assert run.ending is not None and (run.ending.ranks, run.ending.cuda_error) == ((3,), error)
    told = failure_lines.lines(site.world, job, run)
    assert f"CUDA error: {cuda.cuda_error(error).text}" in "\n".join(told)


@pytest.mark.parametrize(
    "line", ["gpu.memory_slow", "gpu.program_errors", "nvlink.errors", "gpu.gsp_timeout", "fabric_manager.stopped"]
)
def test_what_ends_nothing_leaves_the_job(site: Sim, line: str) -> None:
    target = BUSY if line.startswith("fabric") else GPU
    fault(site, f"{line} target={target}", after=10 * MINUTE)
    assert the_job(site).state == "RUNNING" and len(gpu_processes(site.world, GPU)) == 1


def test_noise_names_a_program_that_is_not_the_jobs(site: Sim) -> None:
    (holder,) = gpu_processes(site.world, GPU)
    fault(site, f"gpu.program_errors target={GPU} every=1m times=4", after=HOUR)
    assert numbers(site, GPU) == [31] * 4
    lines = [text for text in kernel_log(site, BUSY) if "): 31, pid=" in text]
    assert len({text.partition("pid=")[2].partition(",")[0] for text in lines}) == 4
    assert not any(f"pid={holder.pid}," in text for text in lines)
    assert site.world.gpus[GPU].fatal is None and site.world.gpus[GPU].recovery is RecoveryAction.NONE


def test_an_idle_gpu_meets_its_bad_memory_with_the_next_work(site: Sim) -> None:
    fault(site, f"gpu.memory_uncorrectable target={IDLE_GPU} every=1m times=1", after=HOUR)
    assert numbers(site, IDLE_GPU) == []
    submit(site, "#!/bin/bash\nsrun python train.py\n")
    site.advance(10 * MINUTE)
    assert numbers(site, IDLE_GPU) == [48, 171, 63, 94, 94, 154]


def test_a_pending_remapping_ends_with_a_reset_and_with_a_restart(site: Sim) -> None:
    for mend in ("reset", "reboot"):
        simulation = site.fork()
        fault(simulation, f"gpu.memory_uncorrectable target={IDLE_GPU} when=always")
        assert simulation.world.gpus[IDLE_GPU].remap.pending
        if mend == "reset":
            assert reset(simulation, IDLE_GPU) is None
        else:
            reboot(simulation, IDLE)
        state = simulation.world.gpus[IDLE_GPU]
        assert (state.remap.pending, state.remap.uncorrectable, state.recovery) == (False, 1, RecoveryAction.NONE)
        assert (state.volatile, state.aggregate.dram_uncorrected) == (EccCounts(), 1)
        assert len(numbers(simulation, IDLE_GPU)) == 4


def test_a_dying_bank_fails_again_after_each_reset_until_remapping_fails(site: Sim) -> None:
    fault(site, f"gpu.memory_uncorrectable target={IDLE_GPU} every=10m when=always")
    for _ in range(10):
        assert reset(site, IDLE_GPU) is None
        site.advance(20 * MINUTE)
    remap = site.world.gpus[IDLE_GPU].remap
    assert remap.failure and remap.uncorrectable == 8 and 64 in numbers(site, IDLE_GPU)
    site.apply(OrderHands("replace", IDLE_GPU, "alex"))
    site.advance(4 * HOUR)
    state = site.world.gpus[IDLE_GPU]
    assert not state.remap.failure and state.aggregate == EccCounts() and state.bound


def test_the_failure_flag_outlasts_all_but_another_board(site: Sim) -> None:
    fault(site, f"gpu.row_remap_failure target={IDLE_GPU} why=table when=always")
    assert site.world.gpus[IDLE_GPU].remap.uncorrectable == 512
    reset(site, IDLE_GPU)
    reboot(site, IDLE)
    site.apply(OrderHands("reseat", IDLE_GPU, "alex"))
    site.advance(3 * HOUR)
    assert site.world.gpus[IDLE_GPU].remap.failure


def test_a_gpu_that_has_to_be_reset_refuses_the_next_job(site: Sim) -> None:
    fault(site, f"gpu.memory_uncorrectable target={IDLE_GPU} when=always spread=uncontained")
    number = submit(site, "#!/bin/bash\nsrun python train.py\n")
    site.advance(5 * MINUTE)
    job, run = site.world.jobs[str(number)], site.world.training[str(number)]
    assert (job.state, job.exit_code) == ("FAILED", 1)
    told = "\n".join(failure_lines.lines(site.world, job, run))
    assert "[rank3]: RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable" in told
    assert reset(site, IDLE_GPU) is None
    number = submit(site, "#!/bin/bash\nsrun python train.py\n")
    site.advance(5 * MINUTE)
    assert site.world.jobs[str(number)].state == "RUNNING"


@pytest.mark.parametrize("line", ["fabric_manager.stopped", "fabric_manager.version_mismatch"])
def test_without_a_fabric_manager_new_programs_get_802(site: Sim, line: str) -> None:
    fault(site, f"{line} target={IDLE}")
    assert not nvlink_fabric.registered(site.world, IDLE)
    with pytest.raises(cuda.CudaError) as refused:
        cuda.open_devices(site.world, IDLE, {}, "alex")
    assert refused.value.code == cuda.NOT_READY
    number = submit(site, "#!/bin/bash\nsrun python train.py\n")
    site.advance(5 * MINUTE)
    told = failure_lines.lines(site.world, site.world.jobs[str(number)], site.world.training[str(number)])
    assert any("Error 802: system not yet initialized" in text for text in told)
    if line.endswith("mismatch"):
        assert packages.fabric_manager_version(site.world, IDLE) != site.world.inventory.software["driver"]
        site.apply(packages.Upgrade(IDLE, "nvidia-fabricmanager-*", "590.48.01", by="root", command="apt install"))
    assert site.apply(systemd.StartUnit(IDLE, FABRIC_MANAGER, "root")) is None
    assert cuda.open_devices(site.world, IDLE, {}, "alex")


def test_a_disabled_fabric_manager_is_missed_after_the_next_restart(site: Sim) -> None:
    fault(site, f"fabric_manager.stopped target={IDLE} how=disabled")
    assert nvlink_fabric.registered(site.world, IDLE)
    reboot(site, IDLE)
    assert not nvlink_fabric.registered(site.world, IDLE)


def test_an_nvswitch_takes_a_part_of_all_gpus_links_and_all_work(site: Sim) -> None:
    fault(site, f"nvswitch.fatal target={BUSY}/nvswitch1")
    gpus = [gpu.id for gpu in site.world.node(BUSY).gpus]
    assert {len(site.world.nvlinks[gpu].down) for gpu in gpus} == {4}
    assert all(numbers(site, gpu).count(74) == 4 and numbers(site, gpu).count(45) == 1 for gpu in gpus)
    log = [entry.text for entry in site.world.logs[BUSY].entries]
    assert any("SXid (PCI:0000:06:00.0): 12020, Fatal, Link " in text for text in log)
    assert any(text.startswith("detected NVSwitch fatal error 12020 on fid 0") for text in log)
    run = site.world.training[str(the_job(site).id)]
    assert run.ending is not None and run.ending.cuda_error == 220 and run.ending.ranks == tuple(range(8))
    assert [reset(site, gpu) for gpu in gpus] == [None] * 8
    assert all(site.world.nvlinks[gpu].down == () for gpu in gpus)


@pytest.mark.parametrize(("cause", "hands"), [("seating", "reseat"), ("board", "replace")])
def test_a_link_that_does_not_train_needs_hands(site: Sim, cause: str, hands: str) -> None:
    fault(site, f"nvlink.link_down target={IDLE_GPU} link=7 cause={cause}")
    reset(site, IDLE_GPU)
    reboot(site, IDLE)
    assert site.world.nvlinks[IDLE_GPU].down == (7,)
    site.apply(OrderHands(hands, IDLE_GPU, "alex"))
    site.advance(4 * HOUR)
    assert site.world.nvlinks[IDLE_GPU].down == () and site.world.gpus[IDLE_GPU].bound


def test_a_link_that_fails_by_chance_may_return(site: Sim) -> None:
    fault(site, f"nvlink.link_down target={IDLE_GPU} link=7 every=10m when=always")
    assert reset(site, IDLE_GPU) is None
    assert site.world.nvlinks[IDLE_GPU].down == ()
    site.advance(30 * MINUTE)
    assert site.world.nvlinks[IDLE_GPU].down == (7,)


def test_slow_memory_slows_the_whole_job(site: Sim) -> None:
    number = the_job(site).id
    before = site.world.training[str(number)].regimes[-1].step
    fault(site, f"gpu.memory_slow target={GPU} bandwidth=30", after=10 * MINUTE)
    after = site.world.training[str(number)].regimes[-1].step
    assert before is not None and after is not None and after > before
    assert site.world.gpus[GPU].volatile.dram_corrected > 100 and numbers(site, GPU) == []
    assert jobs.job(site.world, number) is not None


def test_firmware_that_stalls_again_after_a_reset(site: Sim) -> None:
    fault(site, f"gpu.gsp_timeout target={IDLE_GPU} every=10m")
    assert site.world.gpus[IDLE_GPU].recovery is RecoveryAction.RESET
    assert reset(site, IDLE_GPU) is None and not site.world.gpus[IDLE_GPU].gsp_stalled
    site.advance(30 * MINUTE)
    assert site.world.gpus[IDLE_GPU].gsp_stalled
