"""What a typed line runs where, and when nobody can tell."""

from __future__ import annotations

import pytest

from tests.support.worlds import inventory
from tui.seen.reading import Shape
from tui.seen.shell_words import DYNAMIC, Pipeline, TooMuch, pipelines
from tui.seen.site import Site, plain_address
from tui.seen.typed import EACH, runs

SITE = Site(inventory())


def ran(line: str, host: str = "head-01") -> list[tuple[str | None, str, Shape]]:
    return [(run.host, run.words[0], run.shape) for run in runs(SITE, line, host) if run.words[0] != "ssh"]


@pytest.mark.parametrize(
    ("line", "host", "command", "shape"),
    [
        ("nvidia-smi -L", "head-01", "nvidia-smi", Shape.WHOLE),
        ("sudo -n /usr/bin/dmesg -T", "head-01", "dmesg", Shape.WHOLE),
        ("ssh dgx-02 nvidia-smi -q", "dgx-02", "nvidia-smi", Shape.WHOLE),
        ("ssh -o BatchMode=yes -l alex dgx-02.aurora.example 'sudo dmesg | grep Xid'", "dgx-02", "dmesg", Shape.PICKED),
        ("ssh alex@10.20.0.12 nvidia-smi", "dgx-02", "nvidia-smi", Shape.WHOLE),
        ("ssh dgx-02-inband nvidia-smi", "dgx-02", "nvidia-smi", Shape.WHOLE),
        ("ssh dgx-02 ssh dgx-03 uptime", "dgx-03", "uptime", Shape.WHOLE),
        ("ssh $HOST uptime", None, "uptime", Shape.WHOLE),
        ("ssh nowhere uptime", None, "uptime", Shape.WHOLE),
        ("cd /tmp && nvidia-smi 2>/dev/null", "head-01", "nvidia-smi", Shape.WHOLE),
        ("nvidia-smi 2>&1 | head -20", "head-01", "nvidia-smi", Shape.PIECE),
        ("nvidia-smi | grep -v On", "head-01", "nvidia-smi", Shape.LOOSE),
        ("nvidia-smi -L | sort | head -3", "head-01", "nvidia-smi", Shape.LOOSE),
        ("echo; nvidia-smi; true", "head-01", "nvidia-smi", Shape.WHOLE),
        ("timeout 5 bash -c 'sinfo -N'", "head-01", "sinfo", Shape.WHOLE),
        ("watch -n 1 nvidia-smi", "head-01", "nvidia-smi", Shape.PIECE),
    ],
)
def test_a_command_is_found_with_its_host(line: str, host: str | None, command: str, shape: Shape) -> None:
    assert ran(line) == [(host, command, shape)]


@pytest.mark.parametrize(
    "line",
    [
        "for h in dgx-01 dgx-02; do ssh $h nvidia-smi; done",
        "$(which nvidia-smi)",
        "nvidia-smi &",
        "nvidia-smi | sed s/1B/C3/",
        "nvidia-smi -L | cut -c1-5",
        "dmesg | grep -o Xid",
        "dmesg | grep Xid /tmp/saved",
        "CUDA_VISIBLE_DEVICES=3 nvidia-smi",
        "nvidia-smi; sleep 600",
        "if true; then sinfo; fi",
        "echo 'GPU 0: H100 (UUID: x)'; nvidia-smi",
        "clush -N -w dgx-01 nvidia-smi",
        "echo 'unfinished",
    ],
)
def test_more_than_plain_pipelines_is_not_read(line: str) -> None:
    with pytest.raises(TooMuch):
        runs(SITE, line, "head-01")


def test_what_goes_to_a_file_is_not_on_the_screen() -> None:
    assert ran("nvidia-smi > /tmp/now") == [] and ran("nvidia-smi &> /tmp/now; sinfo")[0][1] == "sinfo"
    assert ran("nvidia-smi 2> /dev/null") != [] and ran("nvidia-smi 2>&1") != []


def test_a_command_on_several_hosts_has_each_of_them() -> None:
    (clush, inner) = runs(SITE, "clush -bw dgx-[01-04] nvidia-smi -L", "head-01")
    assert clush.words[0] == "clush" and (inner.host, inner.in_blocks) == (EACH, True)
    (_, inner) = runs(SITE, "pdsh -w dgx-[01-02] nvidia-smi | dshbak -c", "head-01")
    assert (inner.host, inner.in_blocks, inner.words) == (EACH, True, ("nvidia-smi",))
    assert not runs(SITE, "pdsh -w dgx-01 uptime", "head-01")[1].in_blocks


def test_all_that_print_are_told_in_their_order() -> None:
    assert [command for _, command, _ in ran("date; nvidia-smi -i 1 && echo done || squeue")] == [
        "date",
        "nvidia-smi",
        "echo",
        "squeue",
    ]


def test_words_are_read_as_the_shell_does() -> None:
    assert pipelines("grep 'a b' \"c $x\" d\\ e f{1,2}") == [Pipeline((("grep", "a b", DYNAMIC, "d e", DYNAMIC),))]


def test_addresses_are_compared_in_one_form() -> None:
    assert {plain_address(text) for text in ("00000000:C3:00.0", "0000:c3:00", "c3:00.0")} == {"c3:00.0"}
    assert plain_address("0001:c3:00.0") == "0001:c3:00.0"


def test_host_names_of_the_site() -> None:
    assert SITE.machine("leaf-01") == "leaf-01" and SITE.node("leaf-01") is None
    assert SITE.node("dgx-02-bmc") is None and SITE.node_of_bmc("dgx-02-bmc") == "dgx-02"
    assert SITE.node_of_bmc("10.20.1.12") == "dgx-02" and SITE.machine("10.20.1.12") is None
    assert SITE.nodes("dgx-[01-02]") == ["dgx-01", "dgx-02"] and SITE.nodes("dgx-[01-99]") == []
