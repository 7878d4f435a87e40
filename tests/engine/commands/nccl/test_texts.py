"""Command line and texts of the tests of nccl-tests, without a world."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.commands.nccl._tests import json_file, report, rows
from engine.commands.nccl._tests.operations import OPERATIONS
from engine.commands.nccl._tests.settings import REFUSED, Ended, Settings, parse_size, read, strtol

_CAPTURES = Path(__file__).resolve().parents[5] / "shared" / "corpus" / "nccl-tests"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("8", 8), ("8G", 8 << 30), ("1.5k", 1536), ("128 m", 128 << 20), ("1e3", 1000), ("16GB", 16 << 30),
        ("-1", None), ("x", None), ("5T", None), ("", None),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    assert parse_size(text) == size


def test_numbers_are_read_as_c_reads_them() -> None:
    assert [strtol(text) for text in ("12", "0x10", "010", "-3", "7up", "up")] == [12, 16, 8, -3, 7, 0]


def test_a_usual_line() -> None:
    settings, said = read(
        "all_reduce_perf", ["-b8", "-e", "8G", "-f", "2", "--ngpus=8", "-n100", "-o", "max", "-d", "half"]
    )
    assert (settings.minbytes, settings.maxbytes, settings.stepfactor, settings.ngpus) == (8, 8 << 30, 2, 8)
    assert (settings.iters, settings.op, settings.datatype, said) == (100, "max", "half", "")


def test_unknown_names_fall_back_to_the_defaults() -> None:
    settings, said = read("all_reduce_perf", ["-o", "xor", "-d", "tf32"])
    assert (settings.op, settings.datatype) == ("sum", "float")
    assert said == "invalid op xor, defaulting to sum .. \ninvalid type tf32, defaulting to float .. \n"


@pytest.mark.parametrize(
    ("words", "errors", "status"),
    [
        (["-b", "big"], "invalid size specified for 'minbytes'\n", REFUSED),
        (["-i", "big"], "invalid size specified for 'stepBytes'\n", REFUSED),
        (["-b", "2G"], "invalid sizes for 'minbytes' and 'maxbytes': 2147483648 > 33554432\n", REFUSED),
        (
            ["-D", "1"],
            "device implementation (-D > 0) requires enabling symmetric memory registration (-R 2)\n",
            REFUSED,
        ),
        (["-Q"], "all_reduce_perf: invalid option -- 'Q'\n", 0),
        (["-b"], "all_reduce_perf: option requires an argument -- 'b'\n", 0),
    ],
)
def test_what_is_refused(words: list[str], errors: str, status: int) -> None:
    with pytest.raises(Ended) as caught:
        read("all_reduce_perf", words)
    assert (caught.value.errors, caught.value.status) == (errors, status)
    assert caught.value.output.startswith("invalid option '?'\nUSAGE: all_reduce_perf \n\t[-t,") == (status == 0)


def test_help() -> None:
    with pytest.raises(Ended) as caught:
        read("sendrecv_perf", ["-h"])
    assert caught.value.output.startswith("USAGE: sendrecv_perf \n\t[-t,--nthreads <num threads>] \n\t[-g,--ngpus ")
    assert caught.value.output.endswith("\t[-h,--help]\n")


@pytest.mark.parametrize(
    ("value", "width", "text"),
    [
        (0.267, 7, "   0.27"), (69.12, 7, "  69.12"), (9074.46, 7, "9074.46"), (10887.44, 7, "10887.4"),
        (110887.4, 7, " 110887"), (1234567.0, 7, "1234567"), (12345678.0, 7, "1.2e+07"), (480.761, 6, "480.76"),
        (4980.84, 6, "4980.8"), (0.0, 6, "  0.00"),
    ],
)  # fmt: skip
def test_figures_fill_their_columns(value: float, width: int, text: str) -> None:
    assert report.figure(value, width) == text


def test_counts_are_those_of_the_source() -> None:
    assert OPERATIONS["all_reduce"].counts(64, 4, 8) == (16, 16, 16)
    assert OPERATIONS["all_gather"].counts(256, 4, 16) == (4, 64, 4)
    assert OPERATIONS["all_gather"].counts(128, 4, 16) == (0, 0, 0)
    assert OPERATIONS["reduce_scatter"].counts(256, 4, 16) == (64, 4, 4)
    assert OPERATIONS["alltoall"].counts(1 << 20, 4, 8) == (262_144, 262_144, 32_768)
    assert [OPERATIONS[name].factor(8) for name in ("all_reduce", "alltoall", "broadcast", "hypercube")] == [
        1.75, 0.875, 1.0, 1.0,
    ]  # fmt: skip


def test_all_types_and_roots_follow_each_other() -> None:
    settings = Settings(datatype=None, root=-1, op=None)
    old = list(rows.series(OPERATIONS["reduce"], settings, 2, fp8=False))
    new = list(rows.series(OPERATIONS["reduce"], settings, 2, fp8=True))
    assert (len(old), len(new)) == (10 * 6 * 2, 12 * 6 * 2)
    assert [(each.datatype, each.reduction, each.root) for each in old[:3]] == [
        ("int8", "sum", 0), ("int8", "sum", 1), ("int8", "prod", 0),
    ]  # fmt: skip
    assert [each.root for each in rows.series(OPERATIONS["all_gather"], settings, 2, fp8=False)] == [-1] * 10


def test_failures_go_up_through_the_source() -> None:
    lines = report.failure_lines("dgx-01", 7, "NCCL|internal error / x", ("common.cu:430", "common.cu:548"))
    assert lines == [
        "dgx-01: Test NCCL failure common.cu:430 'internal error / x'",
        " .. dgx-01 pid 7: Test failure common.cu:548",
    ]
    assert report.failure_lines("a", 7, "timeout|60", ("common.cu:442",)) == ["a: Test timeout (60s) common.cu:442"]
    assert report.failure_lines("a", 7, "", ("common.cu:1188",)) == [" .. a pid 7: Test failure common.cu:1188"]


def test_the_memory_report() -> None:
    line = report.footer("x", 1.5, None, [("Initialization", 3 << 29), ("User-Allocated", 0)])[4]
    assert line == "# GPU memory usage     : Initialization 1.50 GB | User-Allocated 0.00 B | Total  1.50 GB"


def test_json_is_written_as_the_program_does() -> None:
    assert json_file.text({"a/b": [1, 2.5, None, "x"]}) == '{"a\\/b":[1,2.500000,null,"x"]}'


@pytest.mark.skipif(not _CAPTURES.exists(), reason="captures are not part of the project")
def test_rows_of_captures_come_out_as_they_are() -> None:
    seen = 0
    for path in sorted(_CAPTURES.glob("*.txt")):
        for line in path.read_text().splitlines():
            words = line.split()
            if len(words) != 13 or not re.match(r" +\d", line) or "float" not in words:
                continue
            size, count, kind, reduction, root = words[:5]
            sides = [words[5:9], words[9:13]]
            ours = report.row_start(int(size), int(count), kind, reduction, int(root))
            for time, algorithm, bus, wrong in sides:
                ours += report.side(report.Measured(float(time), float(algorithm), float(bus), int(wrong)))
            assert [float(word) for word in ours.split()[5:]] == [float(word) for word in words[5:]]
            if "oci" in path.name:
                assert ours.rstrip() == line.rstrip()
                seen += 1
    assert seen >= 4


@pytest.mark.skipif(not _CAPTURES.exists(), reason="captures are not part of the project")
def test_the_header_is_that_of_a_capture() -> None:
    lines = (_CAPTURES / "a100x16-allreduce-oci.txt").read_text().splitlines()
    settings = Settings(minbytes=1 << 30, maxbytes=8 << 30, stepfactor=2, iters=100)
    ours = [line.replace(report.VERSION, "2.17.9") for line in report.header("all_reduce_perf", settings, "2.29.3")]
    assert ours == lines[:5]
    table = [line.rstrip() for line in report.columns(settings)]
    start = next(index for index, line in enumerate(lines) if "out-of-place" in line)
    assert table[1:] == [line.rstrip() for line in lines[start : start + 3]]
