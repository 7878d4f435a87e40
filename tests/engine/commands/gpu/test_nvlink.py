"""nvidia-smi nvlink: links, what they can, what they counted, and where they lead."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.events import GpuReset
from engine.world.records import NvLinkErrors
from engine.world.world import World
from tests.support.run import run_command


def test_error_counters_are_shown_and_reset(smi, site: Simulation[World]) -> None:
    site.world.nvlinks.update("dgx-04/gpu1", errors=(NvLinkErrors(1, replay=7, recovery=2, crc=(4, 1)),))
    lines = smi("nvlink -e -i 1").lines
    assert lines[1:4] == [
        "\t Link 0: Replay Errors: 0",
        "\t Link 0: Recovery Errors: 0",
        "\t Link 0: CRC Errors: 0",
    ]
    assert lines[5:8] == [
        "\t Link 1: Replay Errors: 7",
        "\t Link 1: Recovery Errors: 2",
        "\t Link 1: CRC Errors: 5",
    ]
    assert smi("nvlink -re -i 1").status == 4 and site.world.nvlinks["dgx-04/gpu1"].errors
    assert smi("nvlink -re -i 1", user="root").status == 0
    assert "\t Link 1: Replay Errors: 0" in smi("nvlink -e -i 1").lines


def test_links_that_are_down_are_inactive(smi, site: Simulation[World]) -> None:
    site.world.nvlinks.update("dgx-04/gpu1", down=(4,))
    lines = smi("nvlink -s -i 1").lines
    assert lines[5:7] == ["\t Link 4: <inactive>", "\t Link 5: 26.562 GB/s"]
    assert len(lines) == 19


def test_capabilities_and_far_ends(smi) -> None:
    lines = smi("nvlink -c -i 1 -l 3").lines
    assert lines[1:4] == [
        "\t Link 3, P2P is supported: true",
        "\t Link 3, Access to system memory supported: true",
        "\t Link 3, P2P atomics supported: true",
    ]
    ends = smi("nvlink -R -i 1").lines[1:]
    assert len(ends) == 18 and all(line.startswith("\t Link ") and "Remote Device 00000000:" in line for line in ends)
    assert len({line.rpartition(" Remote")[2] for line in ends}) == 18


def test_an_a100_has_twelve_links() -> None:
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": "a100-sxm4-80gb"})
    lines = run_command(simulation, "dgx-04", "alex", "nvidia-smi nvlink -s -i 0").lines
    assert len(lines) == 13 and lines[1] == "\t Link 0: 25 GB/s"


def _carried(result_lines: list[str]) -> dict[str, int]:
    """KiB by what stands before them, such as `Link 0: Data Tx`."""
    rows = [line.strip().rpartition(": ") for line in result_lines[1:]]
    return {name: int(number.removesuffix(" KiB")) for name, _, number in rows}


def test_what_links_have_carried_grows_with_the_work(smi, site: Simulation[World]) -> None:
    idle, busy = _carried(smi("nvlink -gt d -i 0").lines), _carried(smi("nvlink -gt d -i 0", "dgx-01").lines)
    assert list(idle)[:3] == ["Link 0: Data Tx", "Link 0: Data Rx", "Link 1: Data Tx"] and len(idle) == 36
    assert busy["Link 0: Data Tx"] > 100 * idle["Link 0: Data Tx"]
    site.advance(100 * SECOND)
    assert _carried(smi("nvlink -gt d -i 0").lines) == idle
    later = _carried(smi("nvlink -gt d -i 0", "dgx-01").lines)
    grown = (later["Link 3: Data Tx"] - busy["Link 3: Data Tx"]) * 1024 / (100 * 26_562_000_000)
    assert 0.10 < grown < 0.14
    raw = _carried(smi("nvlink -gt r -i 0", "dgx-01").lines)
    assert raw["Link 3: Raw Tx"] > 1.3 * later["Link 3: Data Tx"]


def test_a_reset_sets_what_links_have_carried_to_zero_and_dead_links_have_no_counter(smi, site) -> None:
    site.world.nvlinks.update("dgx-04/gpu0", down=(2,))
    assert not any("Link 2:" in line for line in smi("nvlink -gt d -i 0").lines)
    site.publish(GpuReset("dgx-04/gpu0"))
    assert set(_carried(smi("nvlink -gt d -i 0").lines).values()) == {0}
    assert smi("nvlink -gt x -i 0").status == 2


def test_firmware_of_the_links(smi) -> None:
    assert smi("nvlink -info -i 0").lines[1:] == ["\t NVLE: disabled", "\t Firmware Version:", "\t     N/A"]
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": "b200-sxm6-180gb"})
    lines = run_command(simulation, "dgx-04", "alex", "nvidia-smi nvlink -info -i 0").lines
    assert lines[3:5] == ["\t     MSE: 14:4:0", "\t     NETIR: 36:2014:1862"]
