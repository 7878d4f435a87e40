"""mpirun: where it starts what, how processes know of each other, and how it ends."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from engine.commands.mpi._support import arguments, hosts
from engine.commands.options import UsageError
from engine.control import boot
from engine.kernel.events import Bus, Event
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import handlers
from engine.world.world import World
from tests.engine.commands.nccl.conftest import Typed
from tests.engine.commands.nccl.test_runs import buses, nothing_left, ranks
from tests.support.run import run_command

RULE = "-" * 74


@dataclass(frozen=True, slots=True)
class PowerLost(Event):
    """Scheduled by a test: somebody cuts a node's power."""

    host: str


def cut_power(simulation: Simulation[World], event: PowerLost) -> None:
    boot.ChassisPower(event.host, "off", "root").perform(simulation)


def test_sixteen_ranks_on_two_nodes(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed(
        "mpirun -np 16 -H dgx-01:8,dgx-02:8 --bind-to none --mca btl ^openib all_reduce_perf -b 4G -e 4G"
    )
    assert status == 0
    assert ranks(text) == [(rank, f"dgx-0{1 + rank // 8}", rank % 8) for rank in range(16)]
    assert 440 < buses(text)[4 << 30] < 500
    assert nothing_left(site)


def test_ranks_fill_hosts_or_go_round(typed: Typed) -> None:
    hosts_of = "-np 4 -H dgx-01:2,dgx-02:2"
    assert typed(f"mpirun {hosts_of} --tag-output hostname")[0].splitlines() == [
        "[1,0]<stdout>:dgx-01", "[1,1]<stdout>:dgx-01", "[1,2]<stdout>:dgx-02", "[1,3]<stdout>:dgx-02",
    ]  # fmt: skip
    text, _ = typed(f"mpirun {hosts_of} --map-by node --tag-output hostname")
    assert text.splitlines()[:2] == ["[1,0]<stdout>:dgx-01", "[1,1]<stdout>:dgx-02"]
    assert typed("mpirun -N 1 -H dgx-01:8,dgx-02:8 hostname")[0] == "dgx-01\ndgx-02\n"
    assert typed("mpirun --map-by ppr:2:node -H dgx-01:8 hostname")[0] == "dgx-01\ndgx-01\n"


def test_a_hostfile(typed: Typed) -> None:
    text, status = typed(
        "printf 'dgx-03 slots=1 # first\\n\\ndgx-04 slots=2\\n' > hosts; mpirun --hostfile hosts hostname"
    )
    assert (text, status) == ("dgx-03\ndgx-04\ndgx-04\n", 0)
    text, status = typed("mpirun --hostfile nofile hostname")
    assert "Open RTE was unable to open the hostfile:\n    nofile\n" in text
    assert status == 1


def test_variables_reach_other_hosts_when_named(typed: Typed) -> None:
    line = "export A=1 B=2; mpirun -np 1 -H dgx-02 -x A -x C=3 -x NONE bash -c 'echo $A-$B-$C-$OMPI_COMM_WORLD_SIZE'"
    text, _ = typed(line)
    assert sorted(text.splitlines()) == ["1--3-1", 'Warning: could not find environment variable "NONE"']


def test_root_is_refused(site: Simulation[World]) -> None:
    result = run_command(site, "dgx-04", "root", "mpirun -np 1 hostname")
    assert result.stderr.startswith(
        f"{RULE}\nmpirun has detected an attempt to run as root.\n\nRunning as root is *strongly*"
    )
    assert result.status == 1
    assert run_command(site, "dgx-04", "root", "mpirun --allow-run-as-root -np 1 hostname").stdout == "dgx-04\n"
    sure = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    assert run_command(site, "dgx-04", "root", "mpirun -np 1 hostname", environment=sure).stdout == "dgx-04\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-np 9 -H dgx-01:8 hostname", "There are not enough slots available in the system to satisfy the 9\nslots"),
        ("-np 2 -N 1 -H dgx-01:8 hostname", "Your job has requested more processes than the ppr for\nthis topology"),
        ("", "mpirun could not find anything to do.\n"),
        ("--map-by moon hostname", "The specified mapping policy is not recognized:\n\n  Policy: moon\n"),
        ("-np 2 -H dgx-01:2 nosuch", "\nNode:       dgx-01\nExecutable: nosuch\n"),
        ("-np 1 -H dgx-77 hostname", "ssh: Could not resolve hostname dgx-77: Name or service not known\n"),
    ],
)
def test_what_cannot_be_started(typed: Typed, words: str, text: str) -> None:
    output, status = typed(f"mpirun {words}")
    assert text in output
    assert RULE in output
    assert status == 1


def test_wrong_options() -> None:
    with pytest.raises(UsageError) as caught:
        arguments.read("mpirun", ["--foo"])
    assert caught.value.text == "mpirun: Error: unknown option \"--foo\"\nType 'mpirun --help' for usage.\n"
    with pytest.raises(UsageError, match=r"did not have enough parameters \(2\)"):
        arguments.read("mpirun", ["--mca", "btl"])


def test_one_dash_is_as_good_as_two() -> None:
    found = arguments.read(
        "mpirun", ["-hostfile", "h", "-map-by=node", "-n", "3", "-mca", "a", "b", "prog", "-np", "9"]
    )
    assert (found.last("hostfile"), found.last("map-by"), found.last("np")) == ("h", "node", "3")
    assert found.program == ("prog", "-np", "9")
    assert arguments.read("mpirun", ["--report-bindings", "x"]).gap == "--report-bindings"


def test_a_dead_host(typed: Typed, site: Simulation[World]) -> None:
    site.apply(boot.PowerOff("dgx-02", "root"))
    text, status = typed("mpirun -np 2 -H dgx-01,dgx-02 hostname")
    assert text.startswith("ssh: connect to host dgx-02 port 22: No route to host\n")
    assert "ORTE was unable to reliably start one or more daemons." in text
    assert status == 1


def test_the_first_that_fails_is_named(typed: Typed) -> None:
    text, status = typed("mpirun -np 3 -H dgx-01:3 bash -c 'exit $((OMPI_COMM_WORLD_RANK * 3))'")
    assert status == 3
    assert re.search(r"Process name: \[\[\d+,1\],1\]\n  Exit code:    3\n", text)
    assert "Primary job  terminated normally, but 1 process returned\n" in text


def test_a_killed_rank(typed: Typed, site: Simulation[World]) -> None:
    text, _ = typed(
        "mpirun -np 16 -H dgx-01:8,dgx-02:8 all_reduce_perf -b 8G -e 8G -n 300 > out 2>&1 & sleep 12; "
        "ssh dgx-02 pkill -9 -o all_reduce; wait $!; echo status $?; cat out"
    )
    assert "status 137" in text
    assert "mpirun noticed that process rank 8 with PID 0 on node dgx-02 exited on signal 9 (Killed).\n" in text
    assert nothing_left(site)


def test_a_host_that_falls_silent(typed: Typed, site: Simulation[World]) -> None:
    site._bus = Bus([*handlers(), (PowerLost, cut_power)])
    site.schedule(PowerLost("dgx-02"), 15 * SECOND)
    text, status = typed("mpirun -np 16 -H dgx-01:8,dgx-02:8 all_reduce_perf -b 16G -e 16G -n 400")
    assert status == 1
    assert "ORTE has lost communication with a remote daemon.\n" in text
    assert re.search(r"Remote daemon: \[\[\d+,0\],2\] on node dgx-02\n", text)
    assert nothing_left(site)


def test_a_rank_that_was_asked_to_end(typed: Typed) -> None:
    text, _ = typed(
        "mpirun -np 4 -H dgx-01:4 all_reduce_perf -b 8G -e 8G -n 300 > out 2>&1 & sleep 12; "
        "ssh dgx-01 pkill -n all_reduce; wait $!; echo status $?; cat out"
    )
    assert "status 143" in text
    assert "process rank 3 with PID 0 on node dgx-01 exited on signal 15 (Terminated).\n" in text


def test_mpirun_itself_is_killed(typed: Typed, site: Simulation[World]) -> None:
    typed("mpirun -np 8 -H dgx-01:8 all_reduce_perf -b 8G -e 8G -n 300 > out 2>&1 & sleep 12; pkill mpirun; wait")
    assert nothing_left(site)


def test_ranks_are_bound_in_turns(typed: Typed, site: Simulation[World]) -> None:
    text, _ = typed(
        "mpirun -np 4 -H dgx-01:4 all_reduce_perf -b 8G -e 8G -n 300 > /dev/null & sleep 9; "
        "ssh dgx-01 'grep Cpus_allowed_list /proc/$(pgrep -n all_reduce)/status'; kill %1; wait"
    )
    assert "Cpus_allowed_list:\t56-111,168-223\n" in text
    node = site.world.node("dgx-01")
    assert hosts.cpus(node, "core", 3) == "57,169"
    assert hosts.cpus(node, "none", 3) == ""


def test_within_a_slurm_job(typed: Typed) -> None:
    text, status = typed("srun -N1 -n1 --gpus-per-node=2 mpirun -np 1 all_reduce_perf -b 1M -e 1M")
    assert status == 0
    assert ranks(text) == [(0, "dgx-01", 0)]


def test_versions(typed: Typed) -> None:
    assert typed("mpirun --version")[0].startswith("mpirun (Open MPI) 4.1.6\n\nReport bugs to ")
    assert typed("mpiexec --version")[0].startswith("mpiexec (Open MPI) 4.1.6\n")


@pytest.mark.parametrize(("option", "value"), [("-np", "x"), ("-np", "²"), ("-N", "8.5")])
def test_a_count_that_is_no_number(typed: Typed, option: str, value: str) -> None:
    text, status = typed(f"mpirun {option} {value} hostname")
    assert status == 1
    assert f"  Param:  {value}\n\nThis is frequently caused by omitting" in text
