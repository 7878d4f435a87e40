"""Our output against captures of Slurm 22.05.8 with a full queue: arrays, dependencies, limits, reservations, the
database.

The cluster of the captures was new (no use so far, no jobs of the past), and its main scheduler had not yet handed over
to backfill; the fixture makes both so. Rows of squeue and `sinfo -N` are compared in any order, since real ones have
ties there. Masked beside what the other captures mask are priorities: the real cluster has a node in FUTURE state.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from engine.control.slurm import accounting, jobs, lifecycle, looks, priority
from engine.control.slurm.nodes import Cluster
from engine.control.slurm.scheduler import Pass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import SlurmAccount, SlurmAssociation, SlurmDatabase
from engine.world.world import World
from tests.engine.commands.slurm.captured_cluster import (
    FOLDER,
    SILENT,
    capture,
    captured_cluster,
    command_of,
    run,
    status,
)
from tests.engine.commands.slurm.test_captures import masked

DATABASE = tuple(f"00-acct{which}" for which in ("1", "2", "3", "4", "5", "6", "-dup", "-baduser"))
LOADED = (
    "sacctmgr_-P_show_assoc_format_cluster,account,user,qos", "sacctmgr_list_tres", "sacctmgr_show_account",
    "sacctmgr_show_assoc", "sacctmgr_show_bogus", "sacctmgr_show_qos", "sacctmgr_show_runawayjobs",
    "sacctmgr_show_user", "sprio_-w", "squeue", "squeue_-a", "squeue_-l", "squeue_-r", "squeue_-s", "squeue_--steps",
    "squeue_-t_PD", "squeue_-t_R_-h", "squeue_-u_alice", "squeue_-A_ml", "squeue_--qos_high", "squeue_-w_gpu-001",
    "squeue_-P", "squeue_-S_-p", "squeue_--start", "scontrol_show_job", "sinfo", "sinfo_-s",
    "sinfo_-e", "sinfo_-N", "sinfo_-p_batch_-t_idle,mix", "sinfo_-t_alloc_-h_-o__N",
)  # fmt: skip
OPERATIONS = ("05-res", "05-res2", "05-res-err", "05-part-down", "05-part-bad")
AFTER = ("06-faults-scontrol_show_reservation",)
_ANY_ORDER = re.compile(r"squeue|sinfo -N|sinfo -o")
_MORE = (
    (re.compile(r"(?<= )\d:\d\d(?= +\d+ (gpu|\())"), "T"),
    (re.compile(r"(?<= )0:\d\d(?= gpu)"), "T"),
)
_JOBS = (
    ("alice", "-J llama-pretrain -N8 --gpus-per-node=8 --ntasks-per-node=8 --cpus-per-task=12 --mem=1500G "
              "-t 1-00:00:00 -o /root/slurmt/out/%j.out"),
    ("alice", "-J eval -N1 --gres=gpu:h100:4 -c 16 --mem=200G -t 4:00:00"),
    ("bob", "-J nccl-burnin -N2 --gpus-per-node=8 -c 8 --mem=100G -t 2:00:00"),
    ("bob", "-J notebook -p interactive -N1 --gpus=1 -c 4 --mem=32G -t 1:00:00"),
    ("bob", "-J arr -a 1-12%3 -N1 --gpus=2 -c 4 --mem=32G -t 1:00:00"),
    ("alice", "-J tiny -N1 -c 1 --mem=1G -t 5"),
    ("alice", "-J failjob -N1 -c 1 --mem=1G -t 5"),
    ("alice", "-J timeoutjob -N1 -c 1 --mem=1G -t 1"),
)  # fmt: skip
_LATER = (
    ("alice", "-J bigpend -N18 --gpus-per-node=8 -t 10:00:00 --mem=100G"),
    ("bob", "-J behind -N12 --gpus-per-node=8 -t 10:00:00 --mem=100G"),
    ("alice", "-J held -H -N1 --gpus=1"),
    ("alice", "-J dep -d afterok:1 -N1 --gpus=1"),
    ("alice", "-J later --begin=now+2hours -N1 --gpus=1"),
    ("alice", "-J reqdown -w gpu-019 -N1 --gpus=8"),
    ("alice", "-J partlimit -p interactive -N4 --gpus-per-node=8"),
    ("alice", "-J timelimit -p interactive -N1 -t 3-0 --gpus=1"),
    ("alice", "-J qosgpu --qos=high -N4 --gpus-per-node=8"),
    ("alice", "-J exclu --exclusive -x gpu-[001-016] -N4 --gpus-per-node=8"),
    ("alice", "-J depnever -d afterok:7 -N1 --gpus=1"),
)


@pytest.fixture(scope="module")
def shared_here(shared: Path) -> Path:
    """Where the captures are."""
    if not (shared / FOLDER / "conf").is_dir():
        pytest.skip("the captures of Slurm are not here")
    return shared


@pytest.fixture(scope="module")
def new_database(shared_here: Path) -> Simulation[World]:
    """The cluster before anybody had an account."""
    simulation = captured_cluster(shared_here)
    simulation.world.slurm_database[""] = SlurmDatabase(
        accounts=(SlurmAccount("root", "default root account", "root"),),
        associations=(SlurmAssociation("root"), SlurmAssociation("root", "root", default=True)),
    )
    return simulation


@pytest.fixture(scope="module")
def phases(new_database: Simulation[World], shared_here: Path) -> dict[str, Simulation[World]]:
    """The cluster with its queue, and after what its administrators did to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accounting, "past", lambda world: ())
        patch.setattr(priority, "_fair_share", lambda *arguments: 0)
        patch.setattr(looks, "Pass", _between_backfills)
        loaded = new_database.fork()
        for name in DATABASE:
            run(loaded, command_of(shared_here, f"out/{name}.out")[1])
        loaded.advance(4 * SECOND)
        for name in SILENT:
            loaded.world.slurm_nodes.update(name, responding=False)
        _submit(loaded, _JOBS)
        loaded.advance(4 * SECOND)
        lifecycle.complete(loaded, jobs.active_job(loaded.world, 6), 0)
        lifecycle.complete(loaded, jobs.active_job(loaded.world, 7), 7)
        _submit(loaded, _LATER)
        loaded.advance(7 * SECOND)
        after = loaded.fork()
        for name in OPERATIONS:
            run(after, command_of(shared_here, f"out/{name}.out")[1])
    return {"03": loaded, "05": loaded, "06": after}


def _between_backfills(cluster: Cluster, now: int, depth: int | None = None) -> Pass:
    del depth
    return Pass(cluster, now, 1000)


def _submit(simulation: Simulation[World], jobs_: tuple[tuple[str, str], ...]) -> None:
    for user, options in jobs_:
        assert run(simulation, f'sbatch {options} --wrap "sleep 900"', user).status == 0


def differing(ours: list[str], theirs: list[str], any_order: bool) -> list[str]:
    """The lines that only one side has."""
    real, own = ([_plain(line) for line in masked(lines)] for lines in (theirs, ours))
    if any_order:
        real, own = sorted(real), sorted(own)
    found = difflib.unified_diff(real, own, "real", "ours", lineterm="", n=0)
    return [line for line in found if line[:1] in "+-" and line.strip() not in ("+", "-", "--- real", "+++ ours")]


def _plain(line: str) -> str:
    for pattern, stands_for in _MORE:
        line = pattern.sub(stands_for, line)
    return line


def test_the_database_from_its_first_account_on(new_database: Simulation[World], shared_here: Path) -> None:
    simulation = new_database.fork()
    for name in DATABASE:
        user, line = command_of(shared_here, f"out/{name}.out")
        result = run(simulation, line, user)
        assert (result.stderr + result.stdout).splitlines() == [
            text for text in (shared_here / FOLDER / f"out/{name}.out").read_text().splitlines()[1:-1]
        ]
        assert result.status == status(shared_here, f"out/{name}.out")


@pytest.mark.parametrize("name", [*(f"03-load-{view}" for view in LOADED), *OPERATIONS, *AFTER])
def test_as_captured(phases: dict[str, Simulation[World]], shared_here: Path, name: str) -> None:
    path = f"out/{name}.out"
    user, line = command_of(shared_here, path)
    simulation = phases[name[:2]].fork()
    result = run(simulation, line, user)
    ours = (result.stderr + result.stdout).splitlines()
    assert differing(ours, capture(shared_here, path), bool(_ANY_ORDER.search(line))) == []
