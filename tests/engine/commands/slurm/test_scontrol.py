"""scontrol: what it shows, what it changes, and its refusals letter by letter."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from engine.commands.command import load_command
from engine.commands.context import Context
from engine.control.slurm.nodes import survey
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run
from tests.engine.control.slurm.scene import LONG, SHORT

DENIED = "Access/permission denied"


def state(site: Simulation[World], node: str) -> str:
    """As scontrol shows it."""
    return survey(site.world).condition(node).complete


def test_a_node(run: Run) -> None:
    text = run("scontrol show node dgx-03").stdout
    for part in (
        "NodeName=dgx-03 Arch=x86_64 CoresPerSocket=56 \n   CPUAlloc=112 CPUEfctv=224 CPUTot=224 CPULoad=",
        "\n   Gres=gpu:h100:8(S:0-1)\n",
        "State=MIXED ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=batch \n",
        "\n   CfgTRES=cpu=224,mem=1992000M,billing=224,gres/gpu=8\n   AllocTRES=cpu=112,mem=996000M,gres/gpu=4\n",
    ):
        assert part in text
    assert text.endswith("CurrentWatts=0 AveWatts=0\n   \n\n")


def test_details_and_one_line(run: Run) -> None:
    assert "GresUsed=gpu:h100:4(IDX:0-3)" in run("scontrol -d show node dgx-03").stdout
    assert "GresUsed" not in run("scontrol show node dgx-03").stdout
    lines = run("scontrol -o show node").lines
    assert [line.split()[0] for line in lines] == [f"NodeName=dgx-0{index}" for index in range(1, 5)]


def test_a_job(run: Run) -> None:
    text = run(f"scontrol show job {LONG}").stdout
    for part in (
        f"JobId={LONG} JobName=llama-sft\n   UserId=priya(2001) GroupId=priya(2001) MCS_label=N/A\n",
        "   JobState=RUNNING Reason=None Dependency=(null)\n",
        "   RunTime=05:12:00 TimeLimit=2-00:00:00 TimeMin=N/A\n",
        "   NodeList=dgx-[01-02]\n   BatchHost=dgx-01\n   NumNodes=2 NumCPUs=448 NumTasks=16 CPUs/Task=1 ",
        "   AllocTRES=cpu=448,mem=3984000M,node=2,billing=448,gres/gpu=16\n",
    ):
        assert part in text
    detail = "   JOB_GRES=gpu:h100:16\n     Nodes=dgx-[01-02] CPU_IDs=0-223 Mem=1992000 GRES=gpu:h100:8(IDX:0-7)\n"
    assert detail in run(f"scontrol -d show job {LONG}").stdout


def test_partitions_and_steps(run: Run) -> None:
    assert "State=UP TotalCPUs=224 TotalNodes=1" in run("scontrol show partition debug").stdout
    assert run("scontrol show part").stdout.count("PartitionName=") == 2
    assert run(f"scontrol show step {SHORT}.0").stdout.startswith(f"StepId={SHORT}.0 UserId=2003 ")
    assert run("scontrol show step").stdout.count("StepId=") == 4


def test_the_configuration(run: Run) -> None:
    text = run("scontrol show config").stdout
    for line in (
        "SlurmdTimeout           = 300 sec",
        "SlurmctldHost[0]        = head-01",
        "AccountingStorageTRES   = cpu,mem,energy,node,billing,fs/disk,vmem,pages,gres/gpu",
        "HASH_VAL                = Match",
        "ConstrainDevices        = yes",
    ):
        assert f"\n{line}\n" in text
    assert text.endswith("\n\nSlurmctld(primary) at head-01 is UP\n")


@pytest.mark.parametrize(
    ("words", "stdout"),
    [
        ("show hostnames dgx-[01-03]", "dgx-01\ndgx-02\ndgx-03\n"),
        ("show hostlist dgx-03,dgx-01,dgx-02", "dgx-[03,01-02]\n"),
        ("show hostlistsorted dgx-03,dgx-01,dgx-02", "dgx-[01-03]\n"),
        ("ping", "Slurmctld(primary) at head-01 is UP\n"),
        ("version", "slurm 24.11.5\n"),
        ("show licenses", "No licenses configured in Slurm.\n"),
        ("show reservation", "No reservations in the system\n"),
        ("show daemons", "slurmctld \n"),
        ("errnumstr 2017", "Invalid job id specified\n"),
    ],
)
def test_small_answers(run: Run, words: str, stdout: str) -> None:
    result = run(f"scontrol {words}")
    assert (result.stdout, result.stderr, result.status) == (stdout, "", 0)


@pytest.mark.parametrize("words", ["sho nod dgx-01", "show no=dgx-01", "show nodes dgx-01"])
def test_words_may_be_shortened(run: Run, words: str) -> None:
    assert run(f"scontrol {words}").stdout.startswith("NodeName=dgx-01 ")


@pytest.mark.parametrize(
    ("words", "stdout", "stderr"),
    [
        ("bogus", "", "invalid keyword: bogus\n"),
        ("re", "", "invalid keyword: re\n"),
        ("show", "", "too few arguments for keyword:show\n"),
        ("show bogus", "", "invalid entity:bogus for keyword:show \n"),
        ("show node nosuch", "Node nosuch not found\n", ""),
        ("show partition nosuch", "Partition nosuch not found\n", ""),
        ("show job 99999", "", "slurm_load_jobs error: Invalid job id specified\n"),
        ("show job abc", "", "scontrol_print_job error: Invalid job id specified\n"),
        ("show hostlist dgx-[1-", "", "Invalid hostlist: dgx-[1-\n"),
        ("update", "", "too few arguments for update keyword\n"),
        ("hold foo", "", "Invalid job id specified for job foo\nslurm_suspend error: Invalid job id specified\n"),
        ("requeue 99999", "", "Invalid job id specified for job 99999\n"),
        ("reboot", "", "Missing node list. Specify ALL|<NodeList>\n"),
        ("reboot nextstate=up dgx-01", "", "Invalid state: up\nValid states: DOWN, RESUME\n"),
        ("--foo", "", "scontrol: unrecognized option '--foo'\nTry \"scontrol --help\" for more information\n"),
    ],
)
def test_refusals(run: Run, words: str, stdout: str, stderr: str) -> None:
    result = run(f"scontrol {words}", user="alex")
    assert (result.stdout, result.stderr, result.status) == (stdout, stderr, 1)


@pytest.mark.parametrize(
    ("words", "stderr"),
    [
        ("state=drain", "You must specify a reason when DOWNING or DRAINING a node. Request denied\n"),
        ("state=down reason=", "You must specify a reason when DOWNING or DRAINING a node. Request denied\n"),
        ("", "No changes specified\n"),
        ("foo=bar", "Update of this parameter is not supported: foo=bar\nRequest aborted\n"),
        ("state=resume", "slurm_update error: Invalid node state specified\n"),
        (
            "state=bogus reason=x",
            "Invalid input: state=bogus\nRequest aborted\n"
            "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
            "Not all states are valid given a node's prior state\n",
        ),
        ("state", "scontrol: error: Invalid input: state  Request aborted\n"),
    ],
)
def test_node_updates_that_are_refused(site: Simulation[World], run: Run, words: str, stderr: str) -> None:
    result = run(f"scontrol update nodename=dgx-04 {words}", user="alex")
    assert (result.stderr, result.status) == (stderr, 1)
    assert state(site, "dgx-04") == "IDLE"


def test_an_unknown_node_and_no_entity(run: Run) -> None:
    result = run("scontrol update nodename=dgx-99 state=drain reason=x", user="alex")
    assert result.stderr == "slurm_update error: Invalid node name specified\n"
    result = run("scontrol update state=drain", user="alex")
    assert result.stderr.startswith("No valid entity in update command\nInput line must include ")


def test_drain_and_resume(site: Simulation[World], run: Run) -> None:
    result = run('scontrol update NodeName=dgx-[03-04] State=DRAIN Reason="XID 79 GPU fallen off bus"', user="alex")
    assert (result.stdout, result.stderr, result.status) == ("", "", 0)
    assert [state(site, node) for node in ("dgx-03", "dgx-04")] == ["MIXED+DRAIN", "IDLE+DRAIN"]
    shown = run("scontrol show node dgx-04").stdout
    assert "\n   \n   Reason=XID 79 GPU fallen off bus [alex@2026-11-30T09:00:00]\n\n" in shown
    run("scontrol update node=dgx-03,dgx-04 state=res", user="alex")
    assert [state(site, node) for node in ("dgx-03", "dgx-04")] == ["MIXED", "IDLE"]
    run('scontrol update nodename=dgx-04 comment="new board"', user="alex")
    assert "Comment=new board" in run("scontrol show node dgx-04").stdout


@pytest.mark.parametrize(
    ("words", "stderr"),
    [
        ("update nodename=dgx-04 state=drain reason=x", "slurm_update error: Invalid user id\n"),
        (f"hold {SHORT}", f"Invalid user id for job {SHORT}\nslurm_suspend error: Invalid user id\n"),
        (f"requeue {SHORT}", f"{DENIED} for job {SHORT}\n"),
        (f"update jobid={SHORT} name=mine", f"{DENIED} for job {SHORT}\n"),
        (f"update jobid={LONG} priority=100000", f"{DENIED} for job {LONG}\n"),
        ("reconfigure", "slurm_reconfigure error: Invalid user id\n"),
    ],
)
def test_what_ordinary_users_may_not_do(run: Run, words: str, stderr: str) -> None:
    result = run(f"scontrol {words}", user="priya")
    assert (result.stderr, result.status) == (stderr, 1)


def test_a_user_changes_and_holds_a_job_of_its_own(site: Simulation[World], run: Run) -> None:
    number = run("sbatch --parsable -N4 --gpus-per-node=8 --wrap 'sleep 1'").stdout.strip()
    assert run(f"scontrol update jobid={number} jobname=later timelimit=2:00:00 comment=hi").status == 0
    assert run(f"scontrol hold {number}").status == 0
    site.advance(3 * SECOND)
    text = run(f"scontrol show job {number}").stdout
    for part in ("JobName=later", "Priority=0", "Reason=JobHeldUser", "TimeLimit=02:00:00", "Comment=hi"):
        assert part in text
    assert run("scontrol release name=later").status == 0
    site.advance(3 * SECOND)
    assert "Reason=Resources" in run(f"scontrol show job {number}").stdout


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        ("timelimit=abc", "scontrol: error: Invalid TimeLimit value\n", 1),
        ("numnodes=x", "scontrol: error: Invalid NumNodes value: x\n", 1),
        ("foo=1", "Update of this parameter is not supported: foo=1\nRequest aborted\n", 1),
        ("priority+=4", "scontrol: error: Option priority+ does not accept [+|-]= syntax\n", 1),
        ("", "No changes specified\n", 1),
        ("nice=x", "scontrol: error: Invalid Nice value: x\n", 1),
    ],
)
def test_job_updates_that_are_refused(run: Run, words: str, stderr: str, status: int) -> None:
    result = run(f"scontrol update jobid={LONG} {words}", user="alex")
    assert (result.stderr, result.status) == (stderr, status)


def test_time_may_be_added(site: Simulation[World], run: Run) -> None:
    assert run(f"scontrol update jobid={SHORT} timelimit=+60", user="alex").status == 0
    assert "TimeLimit=13:00:00" in run(f"scontrol show job {SHORT}").stdout


def test_reboot_through_slurm(site: Simulation[World], run: Run) -> None:
    assert run('scontrol reboot ASAP nextstate=RESUME reason="kernel update" dgx-03', user="alex").status == 0
    assert state(site, "dgx-03") == "MIXED+DRAIN+REBOOT_REQUESTED"
    assert "NextState=RESUME" in run("scontrol show node dgx-03").stdout
    result = run("scontrol reboot dgx-03", user="alex")
    assert "Skipping reboot of nodes dgx-03 due to current node state." in result.stderr
    assert run("scontrol cancel_reboot dgx-03", user="alex").status == 0
    assert state(site, "dgx-03") == "MIXED"
    assert run("scontrol reboot dgx-04").stderr == "scontrol_reboot_nodes error: Permission denied\n"


def test_completing(run: Run) -> None:
    run(f"scancel {LONG}")
    line = run("scontrol completing").stdout
    assert line.startswith(
        f"JobId={LONG} EndTime=2026-11-30T09:00:00 CompletingTime=00:00:00 Nodes(COMPLETING)=dgx-[01-02]"
    )


def test_steps_and_processes_on_a_node(run: Run) -> None:
    lines = run("scontrol listpids", host="dgx-03").lines
    assert lines[0] == "PID      JOBID    STEPID   LOCALID GLOBALID"
    assert [line.split()[1:] for line in lines[1:]] == [
        [str(SHORT), "batch", "0", "0"], *([str(SHORT), "0", str(rank), str(rank)] for rank in range(4))
    ]  # fmt: skip
    assert run("scontrol listjobs", host="dgx-03").lines == ["JOBID", str(SHORT)]
    pid = lines[2].split()[0]
    assert f"Slurm JobId={SHORT} ends at 2026-11-30T19:20:00" in run(f"scontrol pidinfo {pid}", host="dgx-03").stdout
    assert run("scontrol listpids", host="head-01").stderr == "No job steps exist on this node.\n"


def test_the_script_of_a_job(run: Run) -> None:
    assert run(f"scontrol write batch_script {LONG} -").stdout.startswith("#!/bin/bash\n#SBATCH --job-name=llama-sft\n")
    assert run(f"scontrol write batch_script {SHORT} -").stderr == "job script retrieval failed: Invalid user id\n"
    run(f"scontrol write batch_script {LONG} copy.sh")
    assert run("ls copy.sh").stdout == "copy.sh\n"


def test_lines_from_standard_input(run: Run) -> None:
    result = run("scontrol", stdin=b"show hostlist dgx-01,dgx-02\nbogus\n!!\nquit\nping\n")
    assert "dgx-[01-02]\n" in result.stdout
    assert result.stderr == "invalid keyword: bogus\ninvalid keyword: bogus\n"
    assert ("ping" in result.stdout, result.status) == (False, 1)


@pytest.mark.parametrize(
    ("words", "stderr"),
    [
        ("show node", "slurm_load_node error"),
        ("show partition", "slurm_load_partitions error"),
        ("show job", "slurm_load_jobs error"),
        ("show config", "slurm_load_ctl_conf error"),
        ("update nodename=dgx-01 state=drain reason=x", "slurm_update error"),
        ("reboot dgx-01", "scontrol_reboot_nodes error"),
        ("reconfigure", "slurm_reconfigure error"),
    ],
)
@pytest.mark.usefixtures("without_controller")
def test_without_slurmctld(run: Run, words: str, stderr: str) -> None:
    result = run(f"scontrol {words}", user="alex")
    assert (result.stdout, result.status) == ("", 1)
    assert result.stderr == f"{stderr}: Unable to contact slurm controller (connect failure)\n"


@pytest.mark.usefixtures("without_controller")
def test_ping_tells_and_reminds_root(run: Run) -> None:
    assert (run("scontrol ping").stdout, run("scontrol ping").status) == (
        "Slurmctld(primary) at head-01 is DOWN\n", 1,
    )  # fmt: skip
    assert "** RESTORE SLURMCTLD DAEMON TO SERVICE **" in run("scontrol ping", user="root").stdout


@pytest.mark.parametrize("words", ["create partitionname=new", "update partitionname=debug maxtime=1", "top 1"])
def test_what_is_not_modelled_says_so(run: Run, words: str) -> None:
    result = run(f"scontrol {words}", user="alex")
    assert result.status == 125
    assert result.stderr.startswith("breakfix: not modelled: scontrol ")


def test_completion(site: Simulation[World]) -> None:
    completes = load_command("scontrol").complete
    assert completes is not None
    context = cast(Context, SimpleNamespace(world=site.world))
    assert {"show", "update", "reboot_nodes"} <= set(completes(context, ["sh"]))
    assert {"nodes", "jobs", "hostnames"} <= set(completes(context, ["show", ""]))
    assert completes(context, ["show", "job", ""]) == [str(LONG), str(SHORT)]
    assert "state=drain" in completes(context, ["update", "nodename=dgx-01", "st"])
