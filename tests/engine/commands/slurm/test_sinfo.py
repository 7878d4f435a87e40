"""sinfo: the standing views, formats, filters, and how it fails."""

from __future__ import annotations

import re

import pytest

from engine.control import boot
from engine.control.slurm.administration import UpdateNode
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.slurm.conftest import Run


def test_the_summary_by_partition_and_state(run: Run) -> None:
    assert run("sinfo").lines == [
        "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST",
        "batch*       up 7-00:00:00      1    mix dgx-03",
        "batch*       up 7-00:00:00      2  alloc dgx-[01-02]",
        "batch*       up 7-00:00:00      1   idle dgx-04",
        "debug        up      30:00      1   idle dgx-04",
    ]


def test_by_node(run: Run) -> None:
    lines = run("sinfo -N").lines
    assert [line.split() for line in lines[1:]] == [
        ["dgx-01", "1", "batch*", "alloc"],
        ["dgx-02", "1", "batch*", "alloc"],
        ["dgx-03", "1", "batch*", "mix"],
        ["dgx-04", "1", "batch*", "idle"],
        ["dgx-04", "1", "debug", "idle"],
    ]


def test_long_by_node_has_the_date_and_the_reason(site: Simulation[World], run: Run) -> None:
    site.apply(UpdateNode("dgx-04", "alex", "DRAIN", "XID 79 on gpu5, RMA 4711"))
    lines = run("sinfo -N -l -n dgx-04 -p batch").lines
    assert lines[0] == "Mon Nov 30 09:00:00 2026"
    assert lines[1].split()[:4] == ["NODELIST", "NODES", "PARTITION", "STATE"]
    assert lines[2].split()[:7] == ["dgx-04", "1", "batch*", "drained", "224", "2:56:2", "199200"]
    assert lines[2].endswith("XID 79 on gpu5, RMA ")


def test_reasons_with_author_and_time_cut_at_twenty(site: Simulation[World], run: Run) -> None:
    assert run("sinfo -R").lines == ["REASON               USER      TIMESTAMP           NODELIST"]
    site.advance(90 * SECOND)
    site.apply(UpdateNode("dgx-[03-04]", "alex", "DRAIN", "IB port flapping mlx5_3"))
    assert run("sinfo -R").lines[1] == "IB port flapping mlx alex      2026-11-30T09:01:30 dgx-[03-04]"
    assert run("sinfo -R -l").lines[2].split()[4:7] == ["alex(1001)", "2026-11-30T09:01:30", "drng"]


def test_the_summary_counts_allocated_idle_other_total(site: Simulation[World], run: Run) -> None:
    site.apply(UpdateNode("dgx-04", "alex", "DRAIN", "x"))
    assert run("sinfo -s").lines == [
        "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST",
        "batch*       up 7-00:00:00          3/0/1/4 dgx-[01-04]",
        "debug        up      30:00          0/0/1/1 dgx-04",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ('-h -o "%P|%a|%D|%t|%N" -p debug', "debug|up|1|idle|dgx-04"),
        ('-h -N -o "%N %G %C" -n dgx-03', "dgx-03 gpu:h100:8(S:0-1) 112/112/0/224"),
        ('-h -p debug -o "%.5D|%5D|"', "    1|1    |"),
        ("-h -n dgx-01 -O NodeList:8,GresUsed:24,StateLong:.12", "dgx-01  gpu:h100:8(IDX:0-7)        allocated"),
        ('-h -n dgx-03 -N -O "NodeList:7,CPUsState:16,AllocMem:8"', "dgx-03 112/112/0/224   996000  "),
        ("-t idle -h -o %N -p batch", "dgx-04"),
        ("-t alloc,mix -h -o %N -p batch", "dgx-[01-03]"),
        ("-h -o %D,%T -p debug", "1,idle"),
    ],
)
def test_formats_and_filters(run: Run, words: str, expected: str) -> None:
    result = run(f"sinfo {words}")
    assert expected in result.stdout.splitlines()
    assert (result.stderr, result.status) == ("", 0)


def test_every_state_of_a_reboot_is_shown(site: Simulation[World], run: Run) -> None:
    def state() -> str:
        return run("sinfo -h -n dgx-04 -p batch -o %t").stdout.strip()

    site.apply(boot.Reboot("dgx-04", "alex"))
    site.advance(115 * SECOND)
    assert state() == "idle*"
    site.advance(300 * SECOND)
    assert state() == "down"
    assert run("sinfo -d -h -p batch").lines == ["batch*       up 7-00:00:00      0    n/a "]


@pytest.mark.parametrize(
    ("words", "stderr", "status"),
    [
        ("--foo", "sinfo: unrecognized option '--foo'\nTry \"sinfo --help\" for more information\n", 1),
        ("-i x", "sinfo: error: Error: invalid entry for --iterate=x\n", 1),
        ("--json", "breakfix: not modelled: sinfo --json\n", 125),
        ("-M other", "breakfix: not modelled: sinfo --clusters\n", 125),
    ],
)
def test_refusals(run: Run, words: str, stderr: str, status: int) -> None:
    result = run(f"sinfo {words}")
    assert (result.stderr, result.status) == (stderr, status)


def test_a_bad_state_is_named_with_the_valid_ones(run: Run) -> None:
    result = run("sinfo -t bogus")
    assert result.status == 1
    assert result.stderr.startswith(
        'sinfo: error: Bad state string: "bogus"\nsinfo: error: valid states: unknown,down,idle'
    )


def test_unknown_partitions_and_nodes_leave_the_heading_alone(run: Run) -> None:
    assert run("sinfo -p nosuch").lines == ["PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST"]
    assert run("sinfo -p nosuch").status == 0


@pytest.mark.usefixtures("without_controller")
def test_without_slurmctld(run: Run) -> None:
    result = run("sinfo")
    text = "slurm_load_partitions: Unable to contact slurm controller (connect failure)\n"
    assert (result.stdout, result.stderr, result.status) == ("", text, 1)


def test_it_is_the_same_on_every_host(run: Run) -> None:
    assert run("sinfo", host="dgx-02").stdout == run("sinfo").stdout


def test_help_and_version(run: Run) -> None:
    assert run("sinfo -V").lines == ["slurm 24.11.5"]
    assert run("sinfo --help").lines[0].startswith("Usage: sinfo [")
    assert re.search(r"-R, --list-reasons\s+why nodes are down", run("sinfo --help").stdout)
