"""Arrays, reservations, partitions, allocations and the database as people type them."""

from __future__ import annotations

import pytest

from engine.control.slurm import arrays, jobs
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.support.sessions import type_lines


def typed(site: Simulation[World], *lines: str, user: str = "priya") -> str:
    """What a terminal shows for lines that batch scripts and allocations run beside."""
    shown = b"".join(each.output for each in type_lines(site, list(lines), user=user))
    return shown.decode().replace("\r\n", "\n")


def test_an_array_by_its_numbers(site: Simulation[World], run: Run) -> None:
    number = run("sbatch --parsable -a 1-5%2 --gpus=1 --wrap 'sleep 600'").stdout.strip()
    site.advance(3 * SECOND)
    assert f"{number}_[3-5%2]" in run("squeue").stdout
    assert run(f"squeue -h -r -j {number} -o %i").stdout.split() == [f"{number}_{task}" for task in (3, 4, 5, 1, 2)]
    assert run(f"squeue -h -j {number}_2 -o '%i %K %F'").stdout == f"{number}_2 2 {number}\n"
    assert run(f"scancel {number}_[4-5]").status == 0
    assert run(f"squeue -h -t PD -j {number} -o %K").stdout == "3%2\n"
    listed = run(f"sacct -n -X -P -j {number} -o JobID,State").stdout
    assert f"{number}_4|CANCELLED by" in listed and f"{number}_1|RUNNING" in listed


def test_a_task_knows_its_array(site: Simulation[World]) -> None:
    shown = typed(
        site,
        "sbatch -a 3-7:2 --wrap 'echo $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT, $SLURM_ARRAY_TASK_MAX at most'",
        "sleep 20; cat slurm-*_5.out",
    )
    assert "5 of 3, 7 at most" in shown


def test_holding_an_array_holds_what_waits(site: Simulation[World], run: Run) -> None:
    number = int(run("sbatch --parsable -a 1-4%1 --wrap 'sleep 600'").stdout)
    site.advance(3 * SECOND)
    assert run(f"scontrol hold {number}").status == 0
    assert {job.held for job in arrays.members(site.world, number) if job.state == "PENDING"} == {True}
    assert run(f"scontrol update jobid={number} arraytaskthrottle=3").status == 0
    assert jobs.active_job(site.world, number).array_limit == 3


def test_a_reservation_from_its_making_to_its_end(run: Run, site: Simulation[World]) -> None:
    made = run(
        "scontrol create reservation reservationname=burn starttime=now duration=60 users=priya nodes=dgx-04",
        user="root",
    )
    assert made.stdout == "Reservation created: burn\n"
    assert "dgx-04" in next(line for line in run("sinfo").lines if " resv " in line)
    assert run("sinfo -T").lines[1].split()[:2] == ["burn", "ACTIVE"]
    assert run("scontrol update reservation=burn users+=wei", user="root").stdout == "Reservation updated.\n"
    assert "Users=priya,wei" in run("scontrol show reservation burn").stdout
    assert run("scontrol delete reservation=burn", user="root").status == 0
    assert run("scontrol show res").stdout == "No reservations in the system\n"


_NOT_MADE = "  No reservation created."


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("nodes=dgx-04 users=priya", f"scontrol: error: A start time must be given.{_NOT_MADE}"),
        ("starttime=now nodes=dgx-04", f"scontrol: error: An end time or duration must be given.{_NOT_MADE}"),
        ("starttime=now duration=x", f"scontrol: error: Invalid duration duration=x.{_NOT_MADE}"),
        ("starttime=now duration=1 foo=2", f"scontrol: error: Unknown parameter foo=2.{_NOT_MADE}"),
        ("duration=1 flags=foo", f"scontrol: error: Error parsing flags foo.  Invalid flag foo.{_NOT_MADE}"),
        ("starttime=now duration=1 users=wei nodes=x", "Error creating the reservation: Invalid node name specified"),
    ],
)  # fmt: skip
def test_reservations_that_are_refused(run: Run, words: str, text: str) -> None:
    result = run(f"scontrol create reservation reservationname=r {words}", user="root")
    assert (result.stderr, result.status) == (f"{text}\n", 1)


def test_users_make_none(run: Run) -> None:
    result = run("scontrol create reservation starttime=now duration=1 users=priya nodes=dgx-04")
    assert result.stderr == "Error creating the reservation: Access/permission denied\n"


def test_a_partition_that_is_closed_starts_nothing(run: Run, site: Simulation[World]) -> None:
    assert run("scontrol update partitionname=debug state=down", user="root").status == 0
    number = int(run("sbatch --parsable -p debug -t 5 --wrap hostname").stdout)
    site.advance(3 * SECOND)
    assert jobs.active_job(site.world, number).reason == "PartitionDown"
    assert "debug      down" in run("sinfo").stdout
    assert run("scontrol update partitionname=debug state=up", user="root").status == 0
    site.advance(3 * SECOND)
    assert jobs.active_job(site.world, number).started is not None


def test_an_allocation_and_steps_within_it(site: Simulation[World]) -> None:
    shown = typed(site, "salloc -N1 --gpus=4 bash -c 'srun --gpus=1 --exact nvidia-smi -L; echo $SLURM_JOB_NUM_NODES'")
    number = site.world.slurm[""].next_job - 1
    assert shown.count("UUID: GPU-") == 1
    assert f"salloc: Granted job allocation {number}\n" in shown
    assert shown.endswith(f"salloc: Relinquishing job allocation {number}\n")
    job = jobs.active_job(site.world, number)
    assert (job.name, job.state, [step.id for step in job.steps]) == ("interactive", "COMPLETED", ["0"])


def test_steps_beside_each_other_get_other_gpus(site: Simulation[World]) -> None:
    first, second = "srun --exact --gpus=3 sleep 9", "srun --exact --gpus=1 env | grep STEP_GPUS"
    assert "SLURM_STEP_GPUS=7" in typed(site, f"salloc -N1 --gpus=4 bash -c '{first} & sleep 1; {second}; wait'")


def test_each_task_sees_its_own_gpu(site: Simulation[World]) -> None:
    shown = typed(site, "srun -n2 --gpus-per-task=1 nvidia-smi -L")
    found = [line.partition("UUID: ")[2] for line in shown.splitlines() if line.startswith("GPU 0")]
    assert len(found) == len(set(found)) == 2


def test_what_tasks_say_goes_to_files(site: Simulation[World]) -> None:
    shown = typed(
        site, "srun -n2 -l -o step-%t.txt hostname; cat step-0.txt step-1.txt; srun -o all.txt nosuch; cat all.txt"
    )
    assert shown.startswith("0: dgx-") and "\n1: dgx-" in shown
    assert "execve(): nosuch: No such file or directory" in shown.rpartition("srun: error")[2]


def test_a_limit_that_is_set_and_taken_away(run: Run, site: Simulation[World]) -> None:
    assert run("sacctmgr -i modify user priya set GrpTRES=gres/gpu=16", user="root").status == 0
    assert run("sacctmgr -n -P show assoc user=priya format=grptres").stdout == "gres/gpu=16\n"
    number = int(run("sbatch --parsable --gpus=1 --wrap 'sleep 60'").stdout)
    site.advance(3 * SECOND)
    assert jobs.active_job(site.world, number).reason == "AssocGrpGRES"
    assert run("sacctmgr -i modify user priya set GrpTRES=gres/gpu=-1", user="root").status == 0
    site.advance(3 * SECOND)
    assert jobs.active_job(site.world, number).state == "RUNNING"


def test_users_change_nothing_in_the_database(run: Run) -> None:
    result = run("sacctmgr -i modify user wei set MaxJobs=1")
    assert (result.stderr, result.status) == (" Error with request: Access/permission denied\n", 1)


def test_changes_are_asked_about(run: Run) -> None:
    assert "Changes Discarded" in run("sacctmgr add account lab", user="root").stdout
    assert "lab" not in run("sacctmgr show account").stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("modify user priya set qos+=nosuch", " You gave a bad qos 'nosuch'.  Use 'list qos' to get complete list.\n"),
        ("modify user priya set foo=1", " Unknown option: foo=1\n Use keyword 'where' to modify condition\n"),
        ("modify user priya set MaxJobs=x", " Bad value for MaxJobs (x)\n"),
        ("add user wei", " Need name of account or wckey to add.\n"),
        ("foo", "invalid keyword: foo\n"),
    ],
)
def test_what_sacctmgr_refuses(run: Run, words: str, text: str) -> None:
    result = run(f"sacctmgr -i {words}", user="root")
    assert (result.stderr, result.status) == (text, 1)


def test_an_account_with_active_jobs_stays(run: Run) -> None:
    result = run("sacctmgr -i delete user priya", user="root")
    assert "Job(s) active, cancel job(s) before remove" in result.stdout
    assert "priya" in run("sacctmgr show user").stdout


def test_sprio_adds_up(run: Run, site: Simulation[World]) -> None:
    number = run("sbatch --parsable -N4 --gpus-per-node=8 --nice=5 --wrap 'sleep 60'").stdout.strip()
    site.advance(3 * SECOND)
    row = next(line.split() for line in run("sprio -l").lines if line.split()[:1] == [number])
    priority, *parts = (int(word) for word in row[-9:])
    *plus, nice = parts
    assert priority == sum(plus) - nice


def test_sreport_hands_out_no_more_than_there_is(run: Run) -> None:
    row = run("sreport -n -P cluster utilization").stdout.strip().split("|")
    used, down, planned_down, idle, planned, reported = (int(word) for word in row[1:])
    assert used + down + planned_down + idle + planned == reported > 0


def test_start_times_of_what_waits(run: Run, site: Simulation[World]) -> None:
    number = run("sbatch --parsable -N4 --gpus-per-node=8 -t 60 --wrap 'sleep 60'").stdout.strip()
    site.advance(3 * SECOND)
    row = next(line.split() for line in run("squeue --start -h").lines if line.split()[0] == number)
    assert row[7] == "dgx-[01-04]" and row[5] != "N/A"
    assert f"StartTime={row[5]}" in run(f"scontrol show job {number}").stdout
