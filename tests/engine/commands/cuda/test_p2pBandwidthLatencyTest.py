"""p2pBandwidthLatencyTest: its texts, its matrices on a healthy and on a degraded node, and how it fails."""

from __future__ import annotations

import re

import pytest

from engine.control.processes import start
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World
from tests.engine.commands.cuda.conftest import IDLE, Run

NAME = "p2pBandwidthLatencyTest"
SOURCE = f"/usr/local/src/cuda-samples/Samples/5_Domain_Specific/{NAME}/{NAME}.cu"
TITLES = [
    "P2P Connectivity Matrix",
    "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)",
    "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)",
    "Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)",
    "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)",
    "P2P=Disabled Latency Matrix (us)",
    "P2P=Enabled Latency (P2P Writes) Matrix (us)",
]

# Of a capture of H100s, with two of them; only the figures differ.
TWO_DEVICES = """\
[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
Device: 0, NVIDIA H100 80GB HBM3, pciBusID: 1b, pciDeviceID: 0, pciDomainID:0
Device: 1, NVIDIA H100 80GB HBM3, pciBusID: 43, pciDeviceID: 0, pciDomainID:0
Device=0 CAN Access Peer Device=1
Device=1 CAN Access Peer Device=0

***NOTE: In case a device doesn't have P2P access to other one, it falls back to normal memcopy procedure.
So you can see lesser Bandwidth (GB/s) and unstable Latency (us) in those cases.

P2P Connectivity Matrix
     D\\D     0     1
     0\t     1     1
     1\t     1     1
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1~
     0 # #~
     1 # #~
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1~
     0 # #~
     1 # #~
Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1~
     0 # #~
     1 # #~
Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)
   D\\D     0      1~
     0 # #~
     1 # #~
P2P=Disabled Latency Matrix (us)
   GPU     0      1~
     0 # #~
     1 # #~

   CPU     0      1~
     0 # #~
     1 # #~
P2P=Enabled Latency (P2P Writes) Matrix (us)
   GPU     0      1~
     0 # #~
     1 # #~

   CPU     0      1~
     0 # #~
     1 # #~

NOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.
""".replace("~", " ")


def matrix(text: str, title: str, corner: str = r"   D\D") -> list[list[float]]:
    """The figures under a title."""
    lines = text.partition(f"{title}\n")[2].partition(f"{corner} ")[2].splitlines()[1:9]
    return [[float(cell) for cell in line.split()[1:]] for line in lines if line[:7].strip().isdigit()]


def others(cells: list[list[float]]) -> list[float]:
    return [value for i, row in enumerate(cells) for j, value in enumerate(row) if i != j]


def test_it_looks_like_the_real_one(run: Run) -> None:
    result = run(NAME, environment={"CUDA_VISIBLE_DEVICES": "0,1"})
    assert re.sub(r" *\d+\.\d\d", " #", result.stdout) == TWO_DEVICES
    assert (result.status, result.stderr) == (0, "")


def test_figures_of_a_healthy_node(run: Run) -> None:
    text = run(NAME).stdout
    assert [title for title in TITLES if f"{title}\n" in text] == TITLES
    for title, own, pair in (
        (TITLES[1], 2510, 37.3),
        (TITLES[2], 2510, 380.5),
        (TITLES[3], 2560, 52.2),
        (TITLES[4], 2560, 739.0),
    ):
        cells = matrix(text, title)
        assert len(cells) == 8
        assert [cells[i][i] for i in range(8)] == pytest.approx([own] * 8, rel=0.01), title
        assert others(cells) == pytest.approx([pair] * 56, rel=0.01), title
    assert others(matrix(text, TITLES[5], "   GPU")) == pytest.approx([16.8] * 56, rel=0.13)
    assert others(matrix(text, TITLES[6], "   GPU")) == pytest.approx([2.77] * 56, rel=0.07)
    assert others(matrix(text, TITLES[6], "   CPU")) == pytest.approx([1.88] * 56, rel=0.04)


def test_reads_get_matrices_of_their_own_and_kernels_follow_the_clock(run: Run) -> None:
    run("nvidia-smi -lgc 345 -i 0", user="root")
    text = run(f"{NAME} --P2P_READ -sm_copy").stdout
    writes = matrix(text, TITLES[2])
    assert writes[0][1] < 0.5 * writes[1][0]
    reads = matrix(text, "Unidirectional P2P=Enabled Bandwidth (P2P Reads) Matrix (GB/s)")
    assert reads[1][0] < 0.5 * reads[0][1]
    assert "P2P=Enabled Latency (P2P Reads) Matrix (us)\n" in text


def test_fewer_elements_copy_more_slowly(run: Run) -> None:
    assert 60 < others(matrix(run(f"{NAME} --numElems=50000").stdout, TITLES[2]))[0] < 100


def test_a_gpu_without_nvlinks_falls_back_to_the_host(run: Run, site: Simulation[World]) -> None:
    site.world.nvlinks.update(f"{IDLE}/gpu2", down=tuple(range(18)))
    text = run(NAME).stdout
    assert "Device=2 CANNOT Access Peer Device=0\n" in text and "Device=1 CAN Access Peer Device=0\n" in text
    assert "     2\t     0     0     1     0     0     0     0     0\n" in text
    enabled = matrix(text, TITLES[2])
    assert enabled[2][5] == pytest.approx(37.3, rel=0.01) and enabled[1][5] == pytest.approx(380.5, rel=0.01)
    assert matrix(text, TITLES[6], "   GPU")[2][5] > 14


def test_help_needs_a_driver(run: Run) -> None:
    shown = run(f"{NAME} --help")
    assert shown.status == 0 and shown.stdout.startswith(f"Usage:  {NAME} [OPTION]...\n")
    result = run(f"{NAME} --help", environment={"CUDA_VISIBLE_DEVICES": ""})
    assert (result.stdout, result.status) == (f"Cuda failure {SOURCE}:610: 'no CUDA-capable device is detected'\n", 1)


def test_an_exclusive_gpu_that_is_taken(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu1", compute_mode="Exclusive_Process")
    start(site, IDLE, user="priya", command="python3 serve.py", gpus=(1,), gpu_memory=1000, workload="inference")
    result = run(NAME)
    text = "CUDA-capable device(s) is/are busy or unavailable"
    assert result.lines[-1] == f"Cuda failure {SOURCE}:108: '{text}'" and result.status == 1
    assert "Access Peer" not in result.stdout


def test_a_full_gpu(run: Run, site: Simulation[World]) -> None:
    start(site, IDLE, user="priya", command="python3 train.py", gpus=(0,), gpu_memory=80_300, workload="training")
    result = run(NAME)
    assert result.lines[-2:] == [TITLES[1], f"Cuda failure {SOURCE}:172: 'out of memory'"]


def test_ctrl_c_leaves_nothing_behind(run: Run, site: Simulation[World]) -> None:
    result = run(NAME, interrupt_after=6 * SECOND)
    assert result.status == 130 and TITLES[1] in result.stdout and TITLES[6] not in result.stdout
    assert not site.world.systems[IDLE].processes
