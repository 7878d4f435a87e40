"""-q, topo, nvlink, dmon and pmon."""

from __future__ import annotations

import dataclasses
import re

import pytest

from engine.commands.gpu._nvidia_smi.report_tree import DISPLAYS
from engine.control.systemd import DisableUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics.paths.topology import relation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command


def values(text: str, label: str) -> list[str]:
    return re.findall(rf"^ +{re.escape(label)} +: (.*)$", text, re.MULTILINE)


def test_the_report_has_one_block_a_gpu_with_the_colon_in_column_56(smi) -> None:
    lines = smi("-q").lines
    assert lines[:3] == ["", "==============NVSMI LOG==============", ""]
    assert sum(line.startswith("GPU 00000000:") for line in lines) == 8
    assert {line.index(": ") for line in lines if ": " in line and not line.startswith("GPU")} == {55}


def test_an_earlier_driver_has_it_in_column_43() -> None:
    site = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    text = run_command(site, "dgx-04", "alex", "nvidia-smi -q -i 0").stdout
    assert "Timestamp                                 : " in text
    assert "GPU Recovery Action" not in text and "Reset Required" in text


@pytest.mark.parametrize("display", sorted(DISPLAYS))
def test_a_display_is_a_part_of_the_report(smi, display: str) -> None:
    result = smi(f"-q -d {display} -i 0")
    body = result.lines[8:]
    assert result.status == 0 and len(body) > 2 and len(body) < 150
    assert values(result.stdout, "Product Name") == []


def test_displays_can_be_combined_in_any_case(smi) -> None:
    text = smi("-q -d ecc,Temperature -i 0").stdout
    assert "ECC Mode" in text and "GPU Current Temp" in text and "Performance State" not in text


def test_report_and_query_agree(smi, site: Simulation[World], burning: int) -> None:
    site.advance(5 * MINUTE)
    text = smi("-q -i 2").stdout
    fields = "temperature.gpu,clocks.current.sm,memory.used,serial,pcie.link.width.current"
    queried = smi(f"--query-gpu={fields} --format=csv,noheader -i 2").stdout.strip().split(", ")
    labels = ("GPU Current Temp", "SM", "Used", "Serial Number", "Current")
    shown = [values(text, label) for label in labels]
    assert f"{queried[0]} C" in shown[0] and queried[1] in shown[1] and queried[2] in shown[2]
    assert queried[3] in shown[3] and f"{queried[4]}x" in shown[4]


def test_samples_lie_between_least_and_most(smi, burning: int) -> None:
    text = smi("-q -d POWER -i 2").stdout
    block = text[text.index("Power Samples") :]
    most, least, mean = (float(values(block, label)[0].split()[0]) for label in ("Max", "Min", "Avg"))
    assert least <= mean <= most


def test_the_fabric_is_in_progress_where_the_fabric_manager_has_not_run(smi, site: Simulation[World]) -> None:
    assert values(smi("-q -i 0").stdout, "State") == ["Completed"]
    site.apply(StopUnit("dgx-04", "nvidia-fabricmanager.service", "root"))
    assert values(smi("-q -i 0").stdout, "State") == ["Completed"]
    site.apply(DisableUnit("dgx-04", "nvidia-fabricmanager.service", "root"))
    site.world.systems.update("dgx-04", services={})
    disabled = open_site("dgx-h100-4")
    disabled.apply(DisableUnit("dgx-04", "nvidia-fabricmanager.service", "root"))
    service = disabled.world.systems["dgx-04"].services["nvidia-fabricmanager.service"]
    never = {"nvidia-fabricmanager.service": dataclasses.replace(service, active=False, pid=0)}
    disabled.world.systems.update("dgx-04", services=never)
    text = run_command(disabled, "dgx-04", "alex", "nvidia-smi -q -i 0").stdout
    assert values(text, "State") == ["In Progress"] and values(text, "CliqueId") == ["N/A"]


def matrix(text: str) -> dict[tuple[str, str], str]:
    rows = [line.split("\t") for line in text.partition("\n\nLegend")[0].splitlines()]
    head = [re.sub(r"\x1b\[\d*m", "", cell) for cell in rows[0][1:]]
    return {(row[0], name): cell.strip() for row in rows[1:] for name, cell in zip(head, row[1:], strict=False)}


def test_the_matrix_is_symmetric_and_pairs_each_gpu_with_its_rail(smi, site: Simulation[World]) -> None:
    cells = matrix(smi("topo -m").stdout)
    node = site.world.node("dgx-04")
    nics = {hca.name: f"NIC{number}" for number, hca in enumerate(sorted(node.hcas, key=lambda hca: hca.address))}
    devices = [f"GPU{gpu.index}" for gpu in node.gpus] + list(nics.values())
    assert all(cells[one, other] == cells[other, one] for one in devices for other in devices)
    for gpu in node.gpus:
        near = [nic for nic in nics.values() if cells[f"GPU{gpu.index}", nic] == "PXB"]
        assert near == [nics[gpu.rail]]
    assert cells["GPU0", "GPU7"] == "NV18" and cells["GPU0", "CPU Affinity"] == "0-55,112-167"
    assert cells["NIC1", "NIC2"] == "PIX" and cells["NIC0", "NIC11"] == "SYS"


def test_over_pcie_alone_there_is_no_nvlink(smi) -> None:
    cells = matrix(smi("topo -mp").stdout)
    assert cells["GPU0", "GPU1"] == "NODE" and cells["GPU0", "GPU4"] == "SYS"


def test_moving_an_adapter_moves_its_row(site: Simulation[World]) -> None:
    node = site.world.node("dgx-04")
    first, other = (device for device in node.pcie if device.address in ("0000:18:00.0", "0000:40:00.0"))
    swapped = [
        dataclasses.replace(device, parent={first: other, other: first}[device].parent)
        if device in (first, other)
        else device
        for device in node.pcie
    ]
    moved = dataclasses.replace(node, pcie=tuple(swapped))
    gpu0 = node.gpus[0].address
    assert [relation(node, gpu0, device.address) for device in (first, other)] == ["PXB", "NODE"]
    assert [relation(moved, gpu0, device.address) for device in (first, other)] == ["NODE", "PXB"]


def test_peers_reach_each_other(smi) -> None:
    cells = matrix(smi("topo -p2p r").stdout.replace("\n GPU", "\nGPU"))
    assert cells["GPU0", "GPU0"] == "X" and cells["GPU0", "GPU7"] == "OK"
    assert smi("topo -p2p z").status == 2


def test_nvlinks(smi) -> None:
    result = smi("nvlink -s -i 7")
    assert len(result.lines) == 19 and result.lines[18] == "\t Link 17: 26.562 GB/s"
    assert smi("nvlink -s -i 7 -l 3").lines[1:] == ["\t Link 3: 26.562 GB/s"]
    assert "\t Link 0, P2P is supported: true" in smi("nvlink -c -i 0").lines


def test_dmon_prints_a_line_a_gpu_and_sample(smi, site: Simulation[World]) -> None:
    result = smi("dmon -c 3 -d 2 -i 0,1")
    rows = [line.split() for line in result.lines]
    assert rows[0][:3] == ["#", "gpu", "pwr"] and [row[0] for row in rows[2:]] == ["0", "1"] * 3
    assert site.now == 4 * SECOND and len({len(line) for line in result.lines}) == 1


def test_dmon_columns_stand_in_the_order_of_the_letters(smi) -> None:
    head = smi("dmon -c 1 -s tcp -i 0").lines[0].split()
    assert head == ["#", "gpu", "rxpci", "txpci", "mclk", "pclk", "pwr", "gtemp", "mtemp"]


def test_dmon_can_tell_date_and_time(smi) -> None:
    result = smi("dmon -c 1 -o DT -i 0")
    assert result.lines[0].startswith("#Date       Time        gpu") and result.lines[2].startswith(
        " 20261130   09:00:00"
    )
    assert {line.find("gpu") + 3 for line in result.lines[:1]} == {len(" 20261130   09:00:00      0")}


def test_dmon_repeats_its_head_and_goes_on_until_its_reader_goes(smi) -> None:
    result = smi("dmon", head=60)
    assert result.status == 141 and len(result.lines) == 60
    assert sum(line.startswith("# gpu") for line in result.lines) == 4


@pytest.mark.parametrize("words", ["dmon -s z", "dmon -c 0", "dmon -d x", "dmon -o Q", "dmon -i 9", "pmon -s p"])
def test_dmon_refuses_what_it_does_not_know(smi, words: str) -> None:
    assert smi(words).status in (2, 6)


def test_pmon_shares_a_gpu_among_those_that_work(smi, burning: int) -> None:
    row = smi("pmon -c 1 -i 2").lines[2].split()
    assert row == ["2", str(burning), "C", "100", "10", "-", "-", "-", "-", "gpu_burn"]
    assert smi("pmon -c 1 -i 0").lines[2].split() == ["0", *"-" * 9]
    assert smi("pmon -c 1 -s m -i 2").lines[2].split()[3:5] == ["15690", "0"]


def test_the_video_clock_reaches_both_readings(smi, site: Simulation[World], burning: int) -> None:
    site.advance(MINUTE)
    clocks = smi("--query-gpu=clocks.video --format=csv,noheader,nounits").lines
    assert (clocks[0], clocks[2]) == ("765", "1545")


def test_nvlinks_that_are_down_are_missing_in_the_matrix(smi, site: Simulation[World]) -> None:
    node = site.world.node("dgx-04")
    site.world.nvlinks.update(node.gpus[2].id, down=(5,))
    rows = [line.split("\t") for line in smi("topo -m").lines[1:9]]
    assert [cell for cell in rows[2][1:9] if cell.strip() != "X"] == ["NV17"] * 7
    assert rows[0][2] == "NV18" and rows[0][3] == "NV17"
