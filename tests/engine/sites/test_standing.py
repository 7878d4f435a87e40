"""Work in place of a site's own: what replaces what, and what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.simulation import open_site
from engine.sites.build import load_site
from engine.sites.catalogue import site_document
from engine.sites.model import StandingModel
from engine.sites.standing import standing_mistakes

JOB = {
    "name": "base-70b", "user": "priya", "partition": "batch", "nodes": "dgx-[01-04]", "gpus_per_node": 8,
    "workload": "training", "started_before": "2d", "time_limit": "7d",
}  # fmt: skip
WAITING = {
    "name": "next", "user": "wei", "partition": "batch", "node_count": 2, "gpus_per_node": 8, "workload": "training",
    "submitted_before": "1h", "time_limit": "1d",
}  # fmt: skip


def standing(**changes: Any) -> StandingModel:
    """One job on all nodes of the small site, with some keys of it changed."""
    return StandingModel.model_validate({"jobs": [{**JOB, **changes}]})


def told(work: StandingModel) -> list[tuple[tuple[str | int, ...], str]]:
    return list(standing_mistakes(site_document("dgx-h100-4"), work))


def test_all_jobs_are_replaced_and_partitions_stay() -> None:
    plain, other = load_site("dgx-h100-4"), load_site("dgx-h100-4", {}, standing())
    assert [job.name for job in plain.standing_jobs] == ["llama-sft", "eval-mmlu"]
    assert [(job.name, job.nodes[-1]) for job in other.standing_jobs] == [("base-70b", "dgx-04")]
    assert other.partitions == plain.partitions


def test_no_work_at_all() -> None:
    simulation = open_site("dgx-h100-4", 1, {}, StandingModel())
    assert not any(simulation.world.systems[f"dgx-0{number}"].processes for number in range(1, 5))


def test_a_partition_over_the_whole_machine_and_a_run_on_it() -> None:
    partition = {"name": "all", "nodes": "dgx-[01-32]", "default": True}
    job = {**JOB, "partition": "all", "nodes": "dgx-[01-32]"}
    work = StandingModel.model_validate({"partitions": [partition], "jobs": [job], "queue": [WAITING]})
    assert list(standing_mistakes(site_document("dgx-h100-su"), work)) == [
        (("queue", 0, "partition"), 'unknown partition "batch"; choose from all')
    ]
    simulation = open_site(
        "dgx-h100-su", 1, {}, StandingModel.model_validate({"partitions": [partition], "jobs": [job]})
    )
    (number,) = simulation.world.training.changed()
    assert simulation.world.training[number].ranks == 256


@pytest.mark.parametrize(
    ("changes", "where", "words"),
    [
        ({"user": "prya"}, ("jobs", 0, "user"), 'did you mean "priya"'),
        ({"partition": "bach"}, ("jobs", 0, "partition"), 'did you mean "batch"'),
        ({"nodes": "dgx-[04-05]"}, ("jobs", 0, "nodes"), 'unknown node "dgx-05"'),
        ({"gpus_per_node": 9}, ("jobs", 0, "nodes"), "dgx-01 has 8 GPUs left for it"),
    ],
)
def test_what_the_site_does_not_have_is_told(changes: dict[str, Any], where: tuple[str | int, ...], words: str) -> None:
    ((path, text),) = told(standing(**changes))
    assert path == where
    assert words in text


def test_a_second_job_on_full_nodes_is_told() -> None:
    work = StandingModel.model_validate({"jobs": [JOB, {**JOB, "nodes": "dgx-02", "gpus_per_node": 1}]})
    assert told(work) == [(("jobs", 1, "nodes"), "dgx-02 has 0 GPUs left for it")]
