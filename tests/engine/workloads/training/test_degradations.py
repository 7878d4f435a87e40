"""The columns `fsdp` and `tp8` of the table of degradations: steps of a job on four DGX H100, as factors of healthy
steps.

FSDP trains 13 billion parameters, TP8 some 30 billion with tensor parallel groups of eight. A factor may be 15 % off.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from engine.control.slurm import jobs
from engine.control.slurm.queue import CancelJob
from engine.kernel.units import DAY, SECOND
from engine.world.records import TrainingRegime
from tests.engine.workloads.degradations import CASES, HOSTS, Case
from tests.engine.workloads.training.scene import Sim, opened, regime, submit

_PROGRAMS = {
    "fsdp": "srun python train.py --fsdp --num-layers 40 --hidden-size 5120 --seq-length 4096 --micro-batch-size 2",
    "tp8": "srun python train.py --num-layers 60 --hidden-size 6656 --seq-length 4096 --micro-batch-size 1"
    " --tensor-model-parallel-size 8 --global-batch-size 32",
}
_PCIE_ONLY, _ONE_NIC, _HALF_RAIL = (2.57, 5.60), (1.01, 1.10), (1.02, 1.16)

EXPECTED: Mapping[str, tuple[float, float]] = {
    "gpu-x8": _ONE_NIC, "gpu-gen4": _ONE_NIC, "gpu-gen2": (1.12, 1.83), "nic-x8": _ONE_NIC, "nic-gen4": _ONE_NIC,
    "uplink-gen4": (1.0, 1.0), "nvlink-17": (1.0, 1.02), "nvlink-9": (1.02, 1.26), "nvlink-0": _PCIE_ONLY,
    "partition": _PCIE_ONLY, "nvls-off": (1.0, 1.07), "p2p-disable": _PCIE_ONLY, "acs-one": (1.02, 1.11),
    "acs-all": (1.02, 1.11), "iommu-one": (1.06, 1.42), "iommu-all": (1.06, 1.42), "no-gdr-one": (1.04, 1.25),
    "no-gdr-all": (1.04, 1.25), "rail-hdr-one": _HALF_RAIL, "rail-hdr-all": _HALF_RAIL, "nic-down": (1.0, 1.01),
    "hca-4": (1.02, 1.14), "mtu-ib": (1.0, 1.0), "socket-100": (9.78, 10.95), "hot-half": (1.79, 1.65),
    "hot-quarter": (3.38, 3.12), "hot-node": (1.12, 1.09), "power-500": (1.15, 1.11), "power-brake": (3.38, 3.12),
    "hbm-retry": (1.03, 1.02), "sharp": (1.0, 0.96),
}  # fmt: skip
"""(fsdp, tp8) by case."""

STUCK = ("hung", "nic-dies")
_ELSEWHERE = {"numa", "congested", "one-process"}  # of programs that one starts by hand; other traffic has its own test


@cache
def _empty() -> Sim:
    """The site without jobs."""
    simulation = opened()
    for job in jobs.active(simulation.world):
        simulation.apply(CancelJob(job.id, "root"))
    simulation.advance(10 * SECOND)
    return simulation


def trained(program: str, case: Case) -> TrainingRegime:
    """The pace of a job on all nodes of the edited site."""
    simulation = _empty().fork()
    exports = "".join(f"export {name}={value}\n" for name, value in case.environment.items())
    if not case.later:
        case.edit(simulation.world)
    script = f"#!/bin/bash\n{exports}{_PROGRAMS[program]}\n"
    number = submit(simulation, script, nodes=len(HOSTS), node_list=HOSTS, time_limit=DAY, name=program)
    return regime(simulation, number)


@cache
def healthy(program: str) -> int:
    step = trained(program, Case(lambda world: None)).step
    assert step is not None
    return step


def test_healthy_steps() -> None:
    assert healthy("fsdp") / SECOND == pytest.approx(1.43, rel=0.04)
    assert healthy("tp8") / SECOND == pytest.approx(2.09 * 32.8 / 30, rel=0.06)


def test_every_case_is_looked_at() -> None:
    assert set(EXPECTED) | {*STUCK} | _ELSEWHERE == set(CASES)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("program", _PROGRAMS)
def test_degradation(program: str, name: str) -> None:
    step = trained(program, CASES[name]).step
    assert step is not None
    expected = EXPECTED[name][list(_PROGRAMS).index(program)]
    assert step / healthy(program) == pytest.approx(expected, rel=0.15)
    if expected >= 1.05:
        assert step > 1.02 * healthy(program)


def test_a_hung_gpu_lets_all_wait() -> None:
    assert trained("fsdp", CASES["hung"]).stall is not None
