"""Files that matter: what an edit of slurm.conf, gres.conf, cgroup.conf or topology.conf changes, and when."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from engine.control import systemd
from engine.control.slurm import configuration, devices, files, slurmctld, slurmd, topology
from engine.control.slurm.administration import Reconfigure
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.nodes import survey
from engine.faults.fault import InjectFault
from engine.kernel.units import HOUR, MINUTE, SECOND
from tests.engine.control.slurm.scene import Sim, ask, job, log, opened, refusal, state, submit, wait, write_file

HEAD, IDLE = "head-01", "dgx-04"
NODES = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")


def sed(simulation: Sim, path: str, old: str, new: str, hosts: tuple[str, ...] = (HEAD, *NODES)) -> None:
    """Replace what a regular expression finds in a file, on all hosts."""
    for host in hosts:
        text = configuration.text_on(simulation.world, host, path)
        changed = re.sub(old, new, text)
        assert changed != text
        write_file(simulation, host, path, changed)


def reconfigure(simulation: Sim) -> None:
    assert simulation.apply(Reconfigure("root")) is None
    wait(simulation)


def test_six_gpus_in_both_files_are_six_gpus_to_schedule() -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, "gpu:h100:8", "gpu:h100:6")
    sed(simulation, files.GRES_CONF, "AutoDetect=nvml\n", "")
    sed(simulation, files.GRES_CONF, "Type=h100", "Type=h100 File=/dev/nvidia[0-5]")
    reconfigure(simulation)
    simulation.apply(systemd.RestartUnit(IDLE, "slurmd", "root"))
    assert refusal(simulation, gpus_per_node=7, node_list=(IDLE,)) is SlurmError.NODE_CONFIGURATION
    number = submit(simulation, gpus_per_node=6, node_list=(IDLE,))
    wait(simulation)
    assert job(simulation, number).state == "RUNNING"
    later = submit(simulation, gpus_per_node=1, node_list=(IDLE,))
    wait(simulation)
    assert job(simulation, later).state == "PENDING"
    assert devices.job_gpus(simulation.world, job(simulation, number), IDLE) == (0, 1, 2, 3, 4, 5)


EDITS: tuple[tuple[str, str, Callable[[Sim], bool]], ...] = (
    ("SlurmdTimeout=300", "SlurmdTimeout=60", lambda sim: in_force(sim.world).duration("SlurmdTimeout", 1) == MINUTE),
    ("RealMemory=1992000", "RealMemory=900000", lambda sim: survey(sim.world).node(IDLE).real_memory == 900_000),
    ("RealMemory=1992000", "RealMemory=9000000", lambda sim: state(sim, IDLE) == "inval"),
    ("CPUs=224", "CPUs=448 Weight=1", lambda sim: state(sim, IDLE) == "inval"),
    ("CoresPerSocket=56", "CoresPerSocket=64", lambda sim: state(sim, IDLE) == "inval"),
    ("Gres=gpu:h100:8", "Gres=gpu:h100:9", lambda sim: state(sim, IDLE) == "inval"),
    ("Gres=gpu:h100:8", "", lambda sim: ask(sim, gpus_per_node=1).error is SlurmError.NODE_CONFIGURATION),
    ("GresTypes=gpu", "", lambda sim: ask(sim, gpus_per_node=1).error is SlurmError.NODE_CONFIGURATION),
    ("State=UNKNOWN", "State=UNKNOWN Feature=h100", lambda sim: "h100" in in_force(sim.world).features),
    ("State=UNKNOWN", "Weight=9 State=UNKNOWN", lambda sim: survey(sim.world).node(IDLE).weight == 9),
    ("MaxTime=30:00", "MaxTime=2:00:00", lambda sim: in_force(sim.world).partitions[1].max_time == 2 * HOUR),
    ("Nodes=dgx-04", "Nodes=dgx-03", lambda sim: in_force(sim.world).partitions_of("dgx-03") == ["batch", "debug"]),
    ("Default=YES ", "", lambda sim: ask(sim).error is SlurmError.NO_DEFAULT_PARTITION),
    ("PartitionName=debug", "PartitionName=tests", lambda sim: ask(sim, partition="tests").error is None),
    ("DefCpuPerGPU=28", "DefCpuPerGPU=14", lambda sim: job(sim, submit(sim, gpus_per_node=2)).cpus_per_node == 28),
    (
        "DefMemPerGPU=249000",
        "DefMemPerGPU=9000",
        lambda sim: job(sim, submit(sim, gpus_per_node=2)).memory_mib == 18_000,
    ),
    ("DefMemPerCPU=8800", "DefMemPerCPU=100", lambda sim: job(sim, submit(sim)).memory_mib < 8800),
    ("ReturnToService=1", "ReturnToService=2", lambda sim: in_force(sim.world).number("ReturnToService", 0) == 2),
    ("KillWait=30", "KillWait=90", lambda sim: in_force(sim.world).duration("KillWait", 1) == 90 * SECOND),
    ("ClusterName=aurora", "ClusterName=borealis", lambda sim: in_force(sim.world).text("ClusterName") == "borealis"),
)


@pytest.mark.parametrize(("old", "new", "holds"), EDITS, ids=[f"{old}->{new}" for old, new, _ in EDITS])
def test_an_edit_counts_from_the_reconfiguration_on(old: str, new: str, holds: Callable[[Sim], bool]) -> None:
    before, simulation = opened(), opened()
    assert not holds(before)
    sed(simulation, files.SLURM_CONF, old, new)
    assert not holds(simulation.fork())
    reconfigure(simulation)
    assert holds(simulation)


def test_a_file_that_cannot_be_read_leaves_the_old_one_in_charge() -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, "KillWait=30", "KillWayt=40", (HEAD,))
    assert simulation.apply(Reconfigure("root")) == slurmctld.FAILED
    assert in_force(simulation.world).text("KillWait") == "30"
    assert log(simulation)[-4:] == [
        "error: _parse_next_key: Parsing error at unrecognized key: KillWayt",
        'error: Parse error in file /etc/slurm/slurm.conf line 26: "KillWayt=40"',
        "fatal: Unable to process configuration file",
        "Resuming operation, reconfigure failed.",
    ]


def test_a_node_whose_own_file_is_wrong_goes_on_with_the_old_one() -> None:
    simulation = opened()
    write_file(simulation, IDLE, files.GRES_CONF, "Name=gpu Filez=/dev/nvidia0\n")
    reconfigure(simulation)
    assert (state(simulation, IDLE), log(simulation, IDLE)[-1]) == ("idle", "Resuming operation, reconfigure failed.")
    assert slurmd.refusal(simulation.world, IDLE)[-1] == "fatal: error opening/reading /etc/slurm/gres.conf"


def test_jobs_on_a_node_that_is_no_more_in_the_file_are_over() -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, r"dgx-\[01-04\]", "dgx-[01-02,04]")
    reconfigure(simulation)
    assert "dgx-03" not in survey(simulation.world).configuration.nodes
    assert any("Invalid nodes (dgx-03) for JobId=" in line for line in log(simulation))


def test_constrained_devices_are_what_slurmd_has_read() -> None:
    simulation = opened()
    sed(simulation, files.CGROUP_CONF, "ConstrainDevices=yes", "ConstrainDevices=no", (IDLE,))
    assert devices.constrained(simulation.world, IDLE)
    simulation.apply(systemd.RestartUnit(IDLE, "slurmd", "root"))
    assert not devices.constrained(simulation.world, IDLE)
    assert devices.constrained(simulation.world, "dgx-03")


def test_a_type_of_gpu_that_is_not_there_is_none() -> None:
    simulation = opened()
    sed(simulation, files.GRES_CONF, "Type=h100", "Type=a100", (IDLE,))
    simulation.apply(systemd.RestartUnit(IDLE, "slurmd", "root"))
    assert simulation.world.slurm_nodes[IDLE].reason == "gres/gpu count reported lower than configured (0 < 8)"


TREE = "SwitchName=leaf1 Nodes=dgx-[01-02]\nSwitchName=leaf2 Nodes=dgx-[03-04]\nSwitchName=top Switches=leaf[1-2]\n"


def test_a_tree_of_switches() -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, "GresTypes=gpu", "GresTypes=gpu\nTopologyPlugin=topology/tree")
    write_file(simulation, HEAD, topology.PATH, TREE)
    reconfigure(simulation)
    switches = topology.of(simulation.world)
    assert [(each.name, each.level, len(each.nodes)) for each in switches.values()] == [
        ("leaf1", 0, 2), ("leaf2", 0, 2), ("top", 1, 4),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "fatal: No switches configured, failed to create context for topology plugin"),
        ("SwitchName=a Nodes=dgx-09\n", "fatal: Invalid node name (dgx-09) in switch config (a)"),
        ("SwitchName=a Nodes=dgx-01\nSwitchName=a Nodes=dgx-02\n", "fatal: Switch (a) has already been defined"),
        ("SwitchName=a Switches=b\n", "fatal: Switch configuration a has invalid child (b)"),
        ("SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "fatal: Switch configuration is not a tree"),
    ],
)
def test_what_slurmctld_cannot_make_a_tree_of(text: str, line: str) -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, "GresTypes=gpu", "GresTypes=gpu\nTopologyPlugin=topology/tree", (HEAD,))
    write_file(simulation, HEAD, topology.PATH, text)
    assert slurmctld.refusal(simulation.world, HEAD)[-1] == line


def test_a_reconfiguration_lets_slurmd_look_for_gpus_again() -> None:
    simulation = opened()
    gpu = simulation.world.node(IDLE).gpus[7].id
    simulation.apply(InjectFault("gpu.fell_off_bus", gpu))
    wait(simulation, 60)
    assert state(simulation, IDLE) == "idle"
    reconfigure(simulation)
    assert (state(simulation, IDLE), simulation.world.slurm_nodes[IDLE].reason) == (
        "inval",
        "gres/gpu count reported lower than configured (7 < 8)",
    )


def test_included_files_count_where_they_are_named() -> None:
    simulation = opened()
    sed(simulation, files.SLURM_CONF, "KillWait=30", "Include more.conf")
    assert slurmctld.refusal(simulation.world, HEAD)[-2:] == (
        'error: "Include" failed in file /etc/slurm/slurm.conf line 26',
        "fatal: Unable to process configuration file",
    )
    for host in (HEAD, *NODES):
        write_file(simulation, host, "/etc/slurm/more.conf", "KillWait=77\n")
    reconfigure(simulation)
    assert in_force(simulation.world).text("KillWait") == "77"
