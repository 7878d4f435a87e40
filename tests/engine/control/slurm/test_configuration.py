"""slurm.conf and gres.conf: what the site gives, and what the daemons make of a text."""

from __future__ import annotations

import pytest

from engine.control.slurm import files
from engine.control.slurm.config_file import ConfigurationError
from engine.control.slurm.configuration import in_force, parse_slurm_conf
from engine.control.slurm.gres_file import GresLine, parse_gres_conf
from engine.kernel.units import DAY, HOUR, SECOND
from tests.engine.control.slurm.scene import opened
from tests.support.worlds import inventory

HEAD = "ClusterName=c\nSlurmctldHost=head\nGresTypes=gpu\n"
UNPROCESSED = "fatal: Unable to process configuration file"


def test_the_sites_own_files_say_what_the_site_has() -> None:
    known = in_force(opened().world)
    assert list(known.nodes) == ["dgx-01", "dgx-02", "dgx-03", "dgx-04"]
    node = known.nodes["dgx-02"]
    assert (node.cpus, node.sockets, node.cores, node.threads, node.gres) == (224, 2, 56, 2, "gpu:h100:8")
    assert [partition.name for partition in known.partitions] == ["batch", "debug"]
    assert known.default_partition is known.partition("batch")
    assert known.partitions[0].max_time == 7 * DAY
    assert known.partitions_of("dgx-04") == ["batch", "debug"]
    assert known.duration("SlurmdTimeout", 1) == 300 * SECOND
    assert parse_gres_conf(files.gres_conf(inventory())).of("dgx-01")[0] == "nvml"


def test_no_node_reports_less_memory_than_is_configured() -> None:
    names = files.compute_nodes(inventory())
    assert names == ["dgx-01", "dgx-02", "dgx-03", "dgx-04"]
    for node in map(inventory().node, names):
        assert files.real_memory(node) < node.memory_bytes // (1 << 20)


def test_the_partitions_defaults_fit_their_nodes() -> None:
    known = in_force(opened().world)
    for partition in known.partitions:
        for node in (known.nodes[name] for name in partition.nodes):
            assert partition.cpus_per_gpu * node.gpus <= node.cpus
            assert partition.memory_per_gpu * node.gpus <= node.real_memory


def test_keywords_comments_and_joined_lines() -> None:
    known = parse_slurm_conf(
        f"{HEAD}slurmdTIMEOUT=30 # seconds\n"
        "#NodeName=x CPUs=1\n"
        "nodename=a[1-3] CPUs=8 Sockets=2 \\\n  CoresPerSocket=2 ThreadsPerCore=2 Gres=gpu:l40s:2,nic:1 Feature=big\n"
        "NodeName=b CPUs=32\n"
        "PartitionName=all Nodes=ALL Default=YES MaxTime=1-0 DefaultTime=60 "
        'JobDefaults="DefCpuPerGPU=4,DefMemPerGPU=9"\n'
        "PartitionName=few Nodes=a[2-3] MaxNodes=1 Hidden=YES RootOnly=YES State=DOWN PriorityTier=7\n"
    )
    assert known.duration("SlurmdTimeout", 300) == 30 * SECOND
    assert list(known.nodes) == ["a1", "a2", "a3", "b"]
    assert (known.nodes["a1"].gpus, known.nodes["a1"].gpu_type, known.nodes["a1"].features) == (2, "l40s", "big")
    assert (known.nodes["b"].sockets, known.nodes["b"].cores) == (32, 1)
    everything, few = known.partitions
    assert (everything.nodes, everything.max_time, everything.default_time) == (("a1", "a2", "a3", "b"), DAY, HOUR)
    assert (everything.cpus_per_gpu, everything.memory_per_gpu) == (4, 9)
    assert (few.nodes, few.max_nodes, few.hidden, few.root_only, few.state) == (("a2", "a3"), 1, True, True, "DOWN")


def test_a_partition_is_told_once() -> None:
    with pytest.raises(ConfigurationError, match="duplicate entry for partition p"):
        parse_slurm_conf(f"{HEAD}NodeName=a CPUs=1\nPartitionName=p Nodes=a\nPartitionName=p MaxTime=5 State=DRAIN\n")


def test_defaults_hold_for_the_lines_below_them() -> None:
    known = parse_slurm_conf(
        f"{HEAD}NodeName=DEFAULT CPUs=8 RealMemory=500\nNodeName=a\nNodeName=b CPUs=4\n"
        "PartitionName=DEFAULT MaxTime=60\nPartitionName=p Nodes=a\nPartitionName=q Nodes=b MaxTime=30\n"
    )
    assert [(node.cpus, node.real_memory) for node in known.nodes.values()] == [(8, 500), (4, 500)]
    assert [partition.max_time for partition in known.partitions] == [HOUR, HOUR // 2]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "Foo=1\n",
            [
                "error: _parse_next_key: Parsing error at unrecognized key: Foo",
                'error: Parse error in file /etc/slurm/slurm.conf line 4: "Foo=1"',
                UNPROCESSED,
            ],
        ),
        (
            "NodeName=a CPU=4 Gres=gpu:1\n",
            [
                "error: Parsing error at unrecognized key: CPU",
                'error: Parse error in file /etc/slurm/slurm.conf line 4: " CPU=4 Gres=gpu:1"',
                UNPROCESSED,
            ],
        ),
        (
            "SlurmdTimeout=5m\n",
            [
                'error: SlurmdTimeout value "5m" is not a valid number',
                'error: Parse error in file /etc/slurm/slurm.conf line 4: "SlurmdTimeout=5m"',
                UNPROCESSED,
            ],
        ),
        (
            "KillWait=30 Waittime=0\n",
            ['error: Parse error in file /etc/slurm/slurm.conf line 4: " Waittime=0"', UNPROCESSED],
        ),
        (
            "SuspendExcNodes =\n",
            ['error: Parse error in file /etc/slurm/slurm.conf line 4: "SuspendExcNodes ="', UNPROCESSED],
        ),
        ("NodeName=a[1- CPUs=2\n", ["fatal: Unable to create NodeName list from a[1-"]),
        ("NodeName=a State=BROKEN\n", ["fatal: Invalid state BROKEN from a"]),
        ("NodeName=a\nNodeName=a\n", ["fatal: Duplicated NodeName a in the config file"]),
        (
            "NodeName=a\nPartitionName=p Nodes=b\n",
            ["error: node_name2bitmap: invalid node specified b", "fatal: Invalid node names in partition p"],
        ),
        ("NodeName=a\nPartitionName=p Nodes=a MaxTime=soon\n", ['error: Bad value "soon" for MaxTime', UNPROCESSED]),
        ("NodeName=a\nPartitionName=p Nodes=a State=OPEN\n", ['error: Bad value "OPEN" for State', UNPROCESSED]),
        ("SelectTypeParameters=CR_Gpu\n", ["error: Bad SelectTypeParameter: CR_Gpu", UNPROCESSED]),
        (
            "SelectType=select/cons_res\n",
            [
                "error: Couldn't find the specified plugin name for select/cons_res looking at all files",
                "error: cannot find select plugin for select/cons_res",
                "error: cannot create select context for select/cons_res",
                "fatal: failed to initialize node selection plugin",
            ],
        ),
        ("SlurmctldHost=head\n", ["error: Duplicate SlurmctldHost records: head", UNPROCESSED]),
    ],
)
def test_what_slurmctld_cannot_read_is_told_in_its_words(text: str, lines: list[str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_slurm_conf(HEAD + text)
    assert list(caught.value.lines) == lines


def test_every_mistake_is_told() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_slurm_conf(f"{HEAD}Foo=1\nBar=2\n")
    assert len(caught.value.lines) == 5


def test_gpus_count_only_where_their_kind_is_named() -> None:
    text = "ClusterName=c\nSlurmctldHost=head\nNodeName=a Gres=gpu:h100:8\n"
    assert parse_slurm_conf(text).nodes["a"].gpus == 0
    assert parse_slurm_conf(f"GresTypes=gpu\n{text}").nodes["a"].gpus == 8


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Name=gpu File=/dev/nvidia[0-7\n", "fatal: can't parse File= /dev/nvidia[0-7"),
        (
            "Name=gpu Count=8 File=/dev/nvidia[0-6]\n",
            "fatal: Invalid GRES record for gpu, count does not match File value",
        ),
        ("Name=gpu Files=/dev/nvidia0 Coress=1\n", "fatal: error opening/reading /etc/slurm/gres.conf"),
        (
            "Name=gpu File=/dev/nvidia[0-3]\nName=gpu Count=4\n",
            'fatal: gres.conf for gpu, some records have "File" specification while others do not',
        ),
        ("Name=gpu File=/dev/nvidia[0-3]\nName=gpu File=/dev/nvidia3\n", "fatal: gres.conf duplicate records for gpu"),
    ],
)
def test_what_slurmd_cannot_read_of_gres_conf(text: str, line: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_gres_conf(text).check("a")
    assert caught.value.lines[-1] == line


def test_gres_lines_are_for_the_hosts_that_they_name() -> None:
    known = parse_gres_conf(
        "NodeName=a[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-7]\nNodeName=b Name=gpu Count=4\nName=nic Count=2\n"
    )
    detection, lines = known.of("a1")
    assert detection == ""
    assert [line.device_files for line in lines] == [tuple(f"/dev/nvidia{index}" for index in range(8))]
    assert known.of("b")[1] == [GresLine(frozenset({"b"}), count=4)]
    assert known.of("c")[1] == []


def test_detection_may_be_set_for_all_or_for_some() -> None:
    known = parse_gres_conf("AutoDetect=nvml\nNodeName=a AutoDetect=off Name=gpu File=/dev/nvidia0\n")
    assert (known.of("a")[0], known.of("b")[0]) == ("off", "nvml")


def test_a_site_without_partitions_has_no_files_of_slurm() -> None:
    assert set(files.default_files(inventory())) == {files.SLURM_CONF, files.GRES_CONF, files.CGROUP_CONF}
