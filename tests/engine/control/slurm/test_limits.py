"""Limits of associations and qualities of service: what waits, what is refused, and what changes when one changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control.slurm import associations
from engine.control.slurm.associations import ChangeDatabase
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.files import slurm_conf
from engine.kernel.units import HOUR, MINUTE
from engine.world.records import SlurmAssociation, SlurmQos
from tests.engine.control.slurm.scene import Sim, job, opened, refusal, submit, wait
from tests.support.worlds import inventory


def enforcing(what: str = "associations,limits,qos", **settings: str) -> Sim:
    """The first site with AccountingStorageEnforce, and other settings of slurm.conf."""
    simulation = opened()
    lines = [f"AccountingStorageEnforce={what}", *(f"{key}={value}" for key, value in settings.items())]
    text = slurm_conf(inventory())
    kept = [
        line for line in text.splitlines() if line.partition("=")[0] not in [each.partition("=")[0] for each in lines]
    ]
    simulation.world.slurm.update("", configuration=("\n".join([*lines, *kept]) + "\n", ""))
    return simulation


def limit(simulation: Sim, user: str, *, account: str = "research", **changes: object) -> None:
    """Change the association of a user (or with user "" of the account)."""
    tree = tuple(
        replace(each, **changes) if (each.account, each.user) == (account, user) else each  # type: ignore[arg-type]
        for each in associations.associations(simulation.world)
    )
    assert simulation.apply(ChangeDatabase("root", associations=tree)) is None


def quality(simulation: Sim, qos: SlurmQos, *users: str) -> None:
    """A quality of service that some users may have."""
    known = (*associations.qualities(simulation.world), qos)
    assert simulation.apply(ChangeDatabase("root", qos=known)) is None
    for user in users:
        limit(simulation, user, qos=("normal", qos.name))


def reason(simulation: Sim, number: int) -> str:
    """Why a job waits after a look at the queue."""
    wait(simulation)
    return job(simulation, number).reason


@pytest.mark.parametrize(
    ("limits", "asked", "expected"),
    [
        ((("grptres/gres/gpu", 2),), {"gpus_per_node": 3}, "AssocGrpGRES"),
        ((("grptres/cpu", 10),), {"gpus_per_node": 1}, "AssocGrpCpuLimit"),
        ((("grptres/node", 0),), {}, "AssocGrpNodeLimit"),
        ((("grpjobs", 0),), {}, "AssocGrpJobsLimit"),
        ((("maxjobs", 0),), {}, "AssocMaxJobsLimit"),
        ((("maxtres/gres/gpu", 2),), {"gpus_per_node": 4}, "AssocMaxGRESPerJob"),
        ((("maxwall", 30),), {"time_limit": HOUR}, "AssocMaxWallDurationPerJobLimit"),
    ],
)
def test_limits_of_an_association(limits: tuple[tuple[str, int], ...], asked: dict[str, int], expected: str) -> None:
    simulation = enforcing()
    limit(simulation, "jonas", limits=limits)
    number = submit(simulation, user="jonas", **asked)
    assert reason(simulation, number) == expected
    limit(simulation, "jonas", limits=())
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_a_limit_of_the_account_binds_all_of_its_users() -> None:
    simulation = enforcing()
    limit(simulation, "", limits=(("grptres/gres/gpu", 22),))
    fits = submit(simulation, user="jonas", gpus_per_node=2)
    exceeds = submit(simulation, user="wei", gpus_per_node=1)
    wait(simulation)
    assert (job(simulation, fits).state, job(simulation, exceeds).reason) == ("RUNNING", "AssocGrpGRES")


@pytest.mark.parametrize(
    ("limits", "asked", "expected"),
    [
        ((("maxtrespu/gres/gpu", 4),), {"gpus_per_node": 5}, "QOSMaxGRESPerUser"),
        ((("maxjobspu", 0),), {}, "QOSMaxJobsPerUserLimit"),
        ((("maxtrespa/gres/gpu", 0),), {"gpus_per_node": 1}, "MaxGRESPerAccount"),
        ((("grptres/gres/gpu", 0),), {"gpus_per_node": 1}, "QOSGrpGRES"),
        ((("maxwall", 10),), {"time_limit": HOUR}, "QOSMaxWallDurationPerJobLimit"),
        ((("mintres/gres/gpu", 4),), {"gpus_per_node": 1}, "QOSMinGRES"),
    ],
)
def test_limits_of_a_quality_of_service(
    limits: tuple[tuple[str, int], ...], asked: dict[str, int], expected: str
) -> None:
    simulation = enforcing()
    quality(simulation, SlurmQos("small", limits=limits), "jonas")
    assert reason(simulation, submit(simulation, user="jonas", qos="small", **asked)) == expected


def test_what_runs_counts_against_the_limit() -> None:
    simulation = enforcing()
    quality(simulation, SlurmQos("small", limits=(("maxtrespu/gres/gpu", 4),)), "jonas")
    first = submit(simulation, user="jonas", qos="small", gpus_per_node=3, sleep=60)
    second = submit(simulation, user="jonas", qos="small", gpus_per_node=3)
    wait(simulation)
    assert (job(simulation, first).state, job(simulation, second).reason) == ("RUNNING", "QOSMaxGRESPerUser")
    simulation.advance(2 * MINUTE)
    assert job(simulation, second).state == "RUNNING"


def test_what_is_refused_at_submission() -> None:
    simulation = enforcing()
    quality(simulation, SlurmQos("strict", limits=(("maxwall", 10),), flags=("DenyOnLimit",)), "jonas")
    limit(simulation, "wei", limits=(("maxsubmit", 1),))
    assert refusal(simulation, account="nosuch") is SlurmError.INVALID_ACCOUNT
    assert refusal(simulation, qos="nosuch") is SlurmError.INVALID_QOS
    assert refusal(simulation, user="priya", qos="strict") is SlurmError.INVALID_QOS
    assert refusal(simulation, user="jonas", qos="strict", time_limit=HOUR) is SlurmError.POLICY
    assert refusal(simulation, array="1-3") is SlurmError.POLICY


def test_limits_that_nobody_enforces_bind_nobody() -> None:
    simulation = enforcing("associations")
    limit(simulation, "jonas", limits=(("maxjobs", 0),))
    number = submit(simulation, user="jonas")
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"


def test_a_partition_that_takes_other_accounts_or_qualities_only() -> None:
    simulation = enforcing()
    read = simulation.world.slurm[""].configuration
    assert read is not None
    text = (
        read[0]
        .replace("PartitionName=batch", "PartitionName=batch AllowAccounts=vision")
        .replace("PartitionName=debug", "PartitionName=debug DenyQos=normal")
    )
    simulation.world.slurm.update("", configuration=(text, ""))
    assert reason(simulation, submit(simulation)) == "AccountNotAllowed"
    assert reason(simulation, submit(simulation, partition="debug", time_limit=10 * MINUTE)) == "QOSNotAllowed"


def test_only_operators_change_the_database() -> None:
    simulation = opened()
    assert simulation.apply(ChangeDatabase("wei", associations=(SlurmAssociation("root"),))) is SlurmError.ACCESS_DENIED
    assert associations.association(simulation.world, "research", "wei") is not None
