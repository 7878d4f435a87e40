"""The comparison with captures: it measures what it says, and no capture falls below the score recorded for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.kernel.documents import DocumentError
from tests.fidelity.cases import CaseModel, CasesModel, read_cases
from tests.fidelity.compare import capture_path, compare, main, matched, prepared
from tests.fidelity.condition import run_case
from tests.fidelity.masks import MASKS, masked

CASES = sorted((Path(__file__).parent / "cases").glob("*.yaml"))
RECORDED = [
    pytest.param(path, case, id=f"{path.stem}-{number}-{case.capture.rpartition('/')[2]}")
    for path in CASES
    for number, case in enumerate(read_cases(path), 1)
]


def captures_of(path: Path) -> str:
    """The folder of captures that a file of cases is about."""
    from engine.kernel.documents import read_document
    from engine.kernel.validation import validate

    return validate(read_document(path.read_text("utf-8"), path.name), CasesModel).captures


@pytest.mark.parametrize(("path", "case"), RECORDED)
def test_a_capture_does_not_fall_below_its_score(path: Path, case: CaseModel, shared: Path) -> None:
    result = compare(case, shared / captures_of(path))
    assert case.score is not None, "record the score in the file"
    assert result.equal >= case.score, "\n".join(result.differences())


def test_a_mask_keeps_the_width_unless_it_is_free() -> None:
    assert masked("| N/A   41C    P0  69W |", ["temperature"]) == "| N/A######    P0  69W |"
    assert masked("12 banks, 3 rows", ["numbers"]) == "<numbers> banks, <numbers> rows"
    assert masked("GPU 00000000:1B:00.0 and 0000:C3:00.0", ["bus_id"]) == "GPU ################ and ############"


def test_every_mask_covers_something() -> None:
    sample = (
        "GPU 0: GPU-12b9377c-be7e-5c94-e8a7-0d9d23929523 1650000000001 0xd52bae2e458244e2 0x1B 12-15,20-22 590.48.01\n"
        "Tue Jul 14 08:12:38 2026 2026/07/14 08:12:38.696 00000000:1B:00.0 41C 69W\n"
        "69.85 W 12MiB 12 MiB 7% 345 MHz 3 us\n"
        "Board ID : 0x9 : value\nAttached GPUs : 8\nModule Id : 7 12345\n"
        "1b:00.0 NUMA node: 1 IRQ 17 Memory at 96200000 b3-8f-22-22-71-1a-2c-c7\n"
        "mlx5_0 946dae03b55b6d00 Base lid: 23 28.43.2026 fe80:0000:0000:0000:946d:ae03:b173:5000 Port GUID: 0x1\n"
        "[ 4435.115811] mlx5_core 0000:53:00.0 enp83s0f0np0: Link down\n"
        "Nov 05 13:55:26 node1 kernel: NVRM: Xid (PCI:0000:91:00): 79, version 550.127.05 don't match\n"
        "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 63 LTSSM Fault Up, Data {0x1, 0x0}\n"
        "NVRM: (PCI ID: 10de:26b5) installed 14:11:19 up 29 min,  0 user\n"
        "Wed 2026-11-25 10:00:00 1 up infinite 2026-11-25T10:00:00 gpu[004-009]   3  drain x dgx-01 State=IDLE A=1\n"
        "MIG 1c.3g.40gb (ID  0) <index>0</index>\n"
        "[Sun Feb 23 16:24:18 2025] NVRM: pid=2, name=python3, (GPC 1, TPC 2, SM 0): Illegal Address, Ch 0000000a\n"
        "ACCESS_TYPE_VIRT_READ <journal_head> nv-fabricmanager[4756]: no\n"
        "link/ether 02:fc:00:00:00:01 inet 192.0.2.2/24 dev eth0 11112222333344445555666677778888  18Gi 69G   33% /\n"
        " 2cf | 07/13/2015 | 12:01:33 | System Event BIOS Evt Sensor | 10h | 64.1 | 24 degrees C\n"
        "gpu-01 control-plane 8d v1.32.4 train/llm-0 deployment.apps/llm https://10.0.0.1:6443 ---- : x\n"
        "Tue, 14 Jul 2026 08:12:38 +0000\nE0714 08:12:38.123456   12345 x\n"
    )
    for name in MASKS:
        assert any(masked(line, [name]) != line for line in sample.splitlines()), name


def case(**fields: object) -> CaseModel:
    return CaseModel.model_validate({"capture": "x", "command": "y", **fields})


def test_a_score_counts_lines_that_one_side_lacks() -> None:
    one = case()
    same = prepared(one, ["", "a", "b", "c", ""])
    assert same == ("a", "b", "c")
    assert (matched(one, same, same).equal, matched(one, same, same).total) == (3, 3)
    result = matched(one, same, ("a", "x", "c", "d"))
    assert (result.equal, result.total) == (2, 4)
    assert list(result.differences()) == ["-b", "+x", "+d"]


def test_lines_can_be_chosen_split_and_taken_apart() -> None:
    lines = ["# a, b", "c, d", "skip"]
    assert prepared(case(only=",", skip="^#", split=", "), lines) == ("c", "d")
    assert prepared(case(extract="[a-d]"), ["d a", "b a"]) == ("a", "b", "d")
    assert prepared(case(expand_tabs=True), ["\ta\x1b[0m"]) == ("        a",)


def test_the_program_reports_scores_and_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.txt").write_text("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\nanother line\n")
    cases = tmp_path / "cases.yaml"
    cases.write_text(
        "format: 1\ncases:\n  - {capture: list.txt, command: nvidia-smi -L -i 0, masks: [uuid], score: 1}\n"
    )
    arguments = ["--corpus", str(tmp_path), "--cases", str(cases)]
    assert main([*arguments, "-v"]) == 1
    shown = capsys.readouterr().out
    assert "0/2" in shown and "below the recorded 1" in shown and "-another line" in shown
    assert main([*arguments, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["total"] == {"equal": 0, "lines": 2}


def test_mistakes_are_told_with_their_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.yaml"
    cases.write_text("format: 1\ncases:\n  - {capture: list.txt, command: x, masks: [uid]}\n")
    with pytest.raises(DocumentError, match=r"cases\.yaml:3: .*there is no mask 'uid'"):
        read_cases(cases)
    cases.write_text("format: 1\ncases:\n  - {capture: list.txt, command: x, condition: y}\n")
    with pytest.raises(DocumentError, match=r"cases\.yaml:3: there is no condition 'y'"):
        read_cases(cases)
    cases.write_text("format: 1\ncases:\n  - {capture: missing.txt, command: nvidia-smi}\n")
    assert main(["--corpus", str(tmp_path), "--cases", str(cases)]) == 2
    assert "there is no capture" in capsys.readouterr().err


def test_lines_of_a_shell_case_are_typed_into_one_terminal() -> None:
    typed = case(setup=["cd /tmp", "word=here"], shell=True)
    assert run_case(typed, "pwd; echo $word").stdout == "/tmp\nhere\n"
    assert run_case(case(setup=["cd /tmp"]), "pwd | cat").stdout == "/home/alex\n"


def test_a_capture_is_found_beside_the_folder_given(tmp_path: Path) -> None:
    (tmp_path / "tools" / "linux").mkdir(parents=True)
    (tmp_path / "tools" / "linux" / "x").write_text("here\n")
    assert capture_path(case(captures="tools/linux"), tmp_path / "corpus") == tmp_path / "tools" / "linux" / "x"
    assert capture_path(case(), tmp_path / "tools" / "linux") == tmp_path / "tools" / "linux" / "x"
