"""nvidia-smi topo in its other forms, drain, policies, sessions, and the loops' csv forms."""

from __future__ import annotations

import asyncio

import pytest

from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.shell.completion import Completion, complete
from engine.shell.play import Play
from engine.world.world import World


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("topo -c 0", ["The GPUs that have an affinity with CPU 0 are:", "0, 1, 2, 3"]),
        ("topo -c 60", ["The GPUs that have an affinity with CPU 60 are:", "4, 5, 6, 7"]),
        (
            "topo -p -i 0,1",
            ["Device 0 is connected to device 1 by way of an on-CPU interconnect link between PCIe host bridges."],
        ),
        ("topo -C -i 5", ["NUMA IDs of closest CPU: 1"]),
        ("topo -M -i 5", ["NUMA IDs of closest memory: 1"]),
    ],
)
def test_forms_of_topo(smi, words: str, lines: list[str]) -> None:
    assert smi(words).lines == lines


@pytest.mark.parametrize("capability", ["r", "w", "a", "n", "p"])
def test_peer_capabilities(smi, capability: str) -> None:
    rows = [line.split() for line in smi(f"topo -p2p {capability}").lines[1:9]]
    assert [row[0] for row in rows] == [f"GPU{index}" for index in range(8)]
    assert all(row[index + 1] == "X" for index, row in enumerate(rows))
    assert {cell for row in rows for cell in row[1:]} >= {"X"} and all(len(row) == 9 for row in rows)


def test_peers_without_a_programmed_fabric(smi, site: Simulation[World]) -> None:
    assert "OK" in smi("topo -p2p n").lines[1]
    site.world.nvlink_fabric.update("dgx-04", peer_access=False)
    row = smi("topo -p2p n").lines[1].split()
    assert "OK" not in row


def test_drain_takes_a_gpu_away_and_brings_it_back(smi, site: Simulation[World]) -> None:
    refused = smi("drain -p 0000:43:00.0 -m 1", user="root")
    assert refused.lines == ["Failed to set GPU 00000000:43:00.0 drain state to: draining: In use by another client"]
    site.apply(StopUnit("dgx-04", "nvidia-dcgm.service", "root"))
    smi("-pm 0 -i 1", user="root")
    done = smi("drain -p 0000:43:00.0 -m 1", user="root")
    assert done.lines == ["Successfully set GPU 00000000:43:00.0 drain state to: draining."] and done.status == 0
    assert len(smi("-L").lines) == 7 and "43:00.0" not in smi("").stdout
    assert smi("drain -p 0000:43:00.0 -q").lines == ["The current drain state of GPU 00000000:43:00.0 is: draining."]
    smi("drain -p 0000:43:00.0 -m 0", user="root")
    assert len(smi("-L").lines) == 8
    assert smi("drain -p 0000:99:00.0 -q").lines == ["No devices were found"]


def test_policies_and_boost_are_kept(smi, site: Simulation[World]) -> None:
    text = "Successfully set timeslice policy to Short for GPU 00000000:1B:00.0."
    assert smi("compute-policy --set-timeslice=short -i 0", user="root").lines == [text]
    assert smi("compute-policy -l -i 0").lines[-2].split() == ["|", "0", "Timeslice", "Short", "|"]
    assert smi("boost-slider --vboost=2 -i 0", user="root").status == 0
    assert smi("boost-slider -l -i 0").lines[-2].split()[1:-1] == ["0", "vboost", "4", "2"]


def test_sessions_are_none(smi) -> None:
    lines = smi("encodersessions -i 3", head=3).lines
    assert lines[0].startswith("# GPU Session") and lines[-1].split() == ["3", *["-"] * 7]


def test_csv_forms_of_dmon(smi) -> None:
    head, units, row = smi("dmon -c 1 -i 0 --format csv").lines
    assert head == "#gpu, pwr, gtemp, mtemp, sm, mem, enc, dec, jpg, ofa, mclk, pclk"
    assert units == "#Idx, W, C, C, %, %, %, %, %, %, MHz, MHz"
    assert smi("dmon -c 1 -i 0 --format csv,noheader,nounit").lines == [row]


@pytest.mark.parametrize("word", ["vgpu", "power-hint -l"])
def test_what_these_boards_do_not_have(smi, word: str) -> None:
    assert smi(word, user="root").status == 3


@pytest.mark.parametrize(
    "word",
    ["mig", "nvlink", "topo", "drain", "clocks", "encodersessions", "fbcsessions", "compute-policy", "boost-slider"],
)
def test_each_subcommand_tells_of_itself(smi, word: str) -> None:
    result = smi(f"{word} -h")
    assert result.status == 0 and result.lines[0].startswith(word) and any("-h" in line for line in result.lines)
    assert smi(f"{word} --surely-not").status != 0


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("nvidia-smi encoder", ("encodersessions ",)),
        ("nvidia-smi nvlink --errorc", ("--errorcounters ",)),
        ("nvidia-smi mig -cgi 9,3", ("9,3g.40gb ",)),
        ("nvidia-smi -q -d ROW", ("ROW_REMAPPER ",)),
        ("nvidia-smi --query-gpu=index,power.draw.i", ("--query-gpu=index,power.draw.instant ",)),
    ],
)
def test_what_tab_offers(site: Simulation[World], line: str, offered: tuple[str, ...]) -> None:
    async def run() -> Completion:
        play = Play(site)
        found = complete(play.open_terminal("dgx-04", "alex", interactive=True).top, line, len(line))
        play.close()
        return found

    assert asyncio.run(run()).candidates == offered
