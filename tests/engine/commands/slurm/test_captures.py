"""Our output against captures of Slurm 22.05.8: the same configuration, the same commands, the same order.

Masked are times, process numbers, and what belongs to the machine underneath (load, free memory, operating system).
Left out are captures of job arrays, dependencies and reservations, which the model lacks, and those whose rows came in
the order in which sinfo's threads happened to finish.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.control.slurm import registration
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.slurm.captured_cluster import (
    FOLDER,
    SILENT,
    capture,
    captured_cluster,
    command_of,
    load,
    run,
    status,
)

MASKS = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$"), "DATE"),
    (re.compile(r"CPULoad=\S+|FreeMem=\d+|RunTime=\S+|Priority=\d+|AllocNode:Sid=\S+|WorkDir=\S+"), "VALUE"),
    (re.compile(r"OS=.*?(?= RealMemory|$)"), "OS"),
    (re.compile(r"Std(Err|Out)=/\S*/"), r"Std\1="),
    (re.compile(r"0:1\d(?= +\d+ gpu)"), "0:10"),
    (re.compile(r"Submitted batch job \d+"), "Submitted batch job N"),
)

IDLE = (
    "01-idle-sinfo", "01-idle-sinfo_-a", "01-idle-sinfo_-d", "01-idle-sinfo_-h", "01-idle-sinfo_-l", "01-idle-sinfo_-R",
    "01-idle-sinfo_-s", "01-idle-sinfo_-V",
)  # fmt: skip
LOADED = (
    "03-load-scontrol_show_job_1", "03-load-scontrol_show_job_2", "03-load-scontrol_-d_show_job_1",
    "03-load-scontrol_-d_show_job_2", "03-load-scontrol_-o_show_job_1", "03-load-scontrol_show_node_gpu-009",
    "03-load-scontrol_-d_show_node_gpu-009", "03-load-scontrol_show_partition_batch",
    "03-load-scontrol_show_partition_nosuch", "03-load-scontrol_show_node_nosuch", "03-load-scontrol_show_job_99999",
    "03-load-scontrol_show_hostnames_gpu-_001-003,010_", "03-load-scontrol_show_hostlist_gpu-001,gpu-002,gpu-005",
    "03-load-scontrol_ping", "03-load-scontrol_version", "03-load-scontrol_show_reservation",
    "03-load-scontrol_show_licenses", "03-load-scontrol_show_topology", "03-load-scontrol_show_bogus",
    "03-load-scontrol_bogus", "03-load-scontrol_show_federation", "03-load-squeue_-j_1", "03-load-squeue_-j_99999",
    "03-load-squeue_-w_nosuch", "03-load-squeue_-p_nosuch", "03-load-squeue_-t_BOGUS", "03-load-squeue_-u_nosuchuser",
    "03-load-squeue_--me", "03-load-sinfo_-T",
)  # fmt: skip
SUBMISSION = (
    "04-err-badpart", "04-err-badgres", "04-err-toomanygpus", "04-err-toomanynodes", "04-err-badnode",
    "04-err-badfeature", "04-err-badacct", "04-err-badtime", "04-err-mem", "04-err-nofile", "04-err-badopt",
    "04-err-res", "04-err-downpart", "04-scancel-perm", "04-scancel-bad", "04-scancel-badarg", "04-scancel-v",
    "04-user-update-node", "04-user-hold-other", "04-hold", "04-uhold",
)  # fmt: skip
ADMINISTRATION = (
    "05-drain-noreason", "05-drain", "05-drain-alloc", "05-badnode", "05-badstate", "05-resume-idle", "05-idle-down",
    "05-noop", "05-down", "05-fail", "05-undrain", "05-comment", "05-badkey", "05-reboot",
)  # fmt: skip
FAULTS = (
    "06-faults-scontrol_show_node_gpu-002", "06-faults-scontrol_show_node_gpu-003",
    "06-faults-scontrol_show_node_gpu-018",
)  # fmt: skip
DEAD = tuple(
    f"08-ctld-dead-{name}"
    for name in (
        "sinfo",
        "squeue",
        "scontrol_show_node_gpu-001",
        "sbatch_--wrap__sleep_1_",
        "scancel_1",
        "scontrol_ping",
    )
)


@pytest.fixture(scope="module")
def phases(shared: Path) -> dict[str, Simulation[World]]:
    """The cluster idle, loaded, and after what its administrators did."""
    if not (shared / FOLDER / "conf").is_dir():
        pytest.skip("the captures of Slurm are not here")
    idle = captured_cluster(shared)
    loaded = idle.fork()
    loaded.advance(5 * SECOND)
    for name in SILENT:
        loaded.world.slurm_nodes.update(name, responding=False)
    load(loaded)
    faults = loaded.fork()
    for name in ADMINISTRATION:
        run(faults, command_of(shared, f"out/{name}.out")[1])
    dead = loaded.fork()
    run(dead, "systemctl stop slurmctld")
    return {"01": idle, "03": loaded, "04": loaded, "05": loaded, "06": faults, "08": dead}


def masked(lines: list[str]) -> list[str]:
    """Lines without what differs from machine to machine."""
    found = []
    for line in lines:
        text = line
        for pattern, stands_for in MASKS:
            text = pattern.sub(stands_for, text)
        found.append(text.rstrip())
    return found


@pytest.mark.parametrize("name", [*IDLE, *LOADED, *SUBMISSION, *ADMINISTRATION, *FAULTS, *DEAD])
def test_as_captured(shared: Path, phases: dict[str, Simulation[World]], name: str) -> None:
    path = f"out/{name}.out"
    user, line = command_of(shared, path)
    result = run(phases[name[:2]].fork(), line, user)
    ours = masked((result.stderr + result.stdout).splitlines())
    assert (ours, result.status) == (masked(capture(shared, path)), status(shared, path))


def test_a_node_that_reports_too_few_gpus(shared: Path, phases: dict[str, Simulation[World]]) -> None:
    """The nodes of the captures had no device files; ours have lost all their GPUs."""
    simulation = phases["01"].fork()
    registration.register(simulation, "gpu-001", 0)
    user, line = command_of(shared, "inval/scontrol_show_node_gpu_001.out")
    theirs = capture(shared, "inval/scontrol_show_node_gpu_001.out")
    assert masked(run(simulation, line, user).stdout.splitlines()) == masked(theirs)
    reason = masked(capture(shared, "inval/sinfo__R.out"))[1].replace("gpu-[001-020]", "gpu-001")
    assert masked(run(simulation, "sinfo -R").lines)[1] == reason
