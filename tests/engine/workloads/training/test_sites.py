"""What a site file says of its standing training jobs, and what scenarios ask about them."""

from __future__ import annotations

from importlib.resources import files

import pytest

from engine.control.driver import LockClocks
from engine.control.slurm import accounting
from engine.facts.facts import Facts
from engine.facts.values import Value
from engine.kernel.documents import DocumentError, read_document
from engine.kernel.units import MINUTE
from engine.simulation import new_simulation
from engine.sites.build import build_inventory
from engine.workloads.training import runs
from tests.engine.workloads.training.scene import STANDING, Sim, job, opened, rank, signal

_TEXT = files("engine.sites").joinpath("dgx-h100-4.yaml").read_text("utf-8")
_JOB = "workload: training, started_before: 5h12m, time_limit: 2d"


def site(training: str) -> Sim:
    """The first site, whose training job is described."""
    text = _TEXT.replace(_JOB, f"{_JOB}, training: {training}")
    assert text != _TEXT
    return new_simulation(build_inventory(read_document(text.encode(), "site.yaml"), {}), 1)


def test_a_site_says_what_its_job_trains() -> None:
    simulation = site("{layers: 60, hidden: 6656, tensor_parallel: 8, global_batch: 16, variables: {NCCL_DEBUG: WARN}}")
    number = accounting.standing_numbers(simulation.world.inventory, 1)[0]
    run = runs.run_of(simulation.world, number)
    assert run is not None
    plan = run.configuration
    assert (plan.layers, plan.hidden, plan.tensor_parallel, plan.microbatches) == (60, 6656, 8, 4)
    assert "export NCCL_DEBUG=WARN\nsrun python -u train.py" in job(simulation, number).script
    assert rank(simulation, "dgx-01", 0, number).environment == (("NCCL_DEBUG", "WARN"),)


@pytest.mark.parametrize("wrong", ["{layers: 0}", "{layer: 40}", "{variables: {'1X': y}}"])
def test_mistakes_are_told(wrong: str) -> None:
    with pytest.raises(DocumentError):
        site(wrong)


def ask(simulation: Sim, text: str) -> Value:
    return Facts().evaluate(simulation.world, simulation.now, text, {})


def test_facts_of_a_job() -> None:
    simulation = opened()
    assert ask(simulation, f"job.training({STANDING}) and job.progressing({STANDING})")
    assert ask(simulation, f"job.step_time({STANDING}) > 1.5s and job.step_time({STANDING}) < 1.6s")
    assert ask(simulation, f"job.step({STANDING}) > 12000 and job.last_checkpoint({STANDING}) == 12000")
    assert ask(simulation, f"job.slow_ranks({STANDING}) == 0")
    simulation.apply(LockClocks("dgx-02", 3, 990, 990, "root"))
    assert ask(simulation, f"job.slow_ranks({STANDING}) == 1 and job.slowest_rank({STANDING}) == 11")
    assert ask(simulation, f"job.slowest_gpu({STANDING})") == "dgx-02/gpu3"
    signal(simulation, "dgx-01", 4, 19)
    assert ask(simulation, f"not job.progressing({STANDING})")
    assert ask(simulation, f"job.hung_gpu({STANDING})") == "dgx-01/gpu4"
    simulation.advance(11 * MINUTE)
    assert ask(simulation, "all job where not job.training(job)")
