"""nvidia-smi -q -x: XML that parses, and says what the text says."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command


def report(smi, words: str = "-q -x") -> ElementTree.Element:
    text = smi(words).stdout
    assert text.startswith('<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v')
    return ElementTree.fromstring(text)


def test_there_is_an_element_for_each_gpu(smi, site: Simulation[World]) -> None:
    root = report(smi)
    assert root.tag == "nvidia_smi_log" and root.findtext("driver_version") == "590.48.01"
    gpus = root.findall("gpu")
    assert [gpu.findtext("uuid") for gpu in gpus] == [site.world.gpus[f"dgx-04/gpu{n}"].uuid for n in range(8)]
    assert root.findtext("attached_gpus") == "8" and gpus[1].get("id") == "00000000:43:00.0"
    assert gpus[0].findtext("fb_memory_usage/total") == "81559 MiB"
    assert gpus[0].findtext("mig_mode/current_mig") == "Disabled" and gpus[0].find("mig_devices") is not None


def test_one_gpu(smi) -> None:
    root = report(smi, "-q -x -i 2")
    assert [gpu.findtext("minor_number") for gpu in root.findall("gpu")] == ["2"]


def test_processes(smi, burning: int) -> None:
    (process,) = report(smi, "-q -x -i 2").findall("gpu/processes/process_info")
    assert process.findtext("pid") == str(burning) and process.findtext("used_memory") == "15690 MiB"
    assert process.findtext("process_name") == "./gpu_burn"


def test_mig_devices(smi, site: Simulation[World]) -> None:
    site.apply(StopUnit("dgx-04", "nvidia-dcgm.service", "root"))
    smi("-mig 1 -i 0", user="root")
    smi("mig -cgi 9,9 -C -i 0", user="root")
    found = report(smi, "-q -x -i 0").findall("gpu/mig_devices/mig_device")
    assert [(device.findtext("index"), device.findtext("gpu_instance_id")) for device in found] == [
        ("0", "1"),
        ("1", "2"),
    ]
    assert found[0].findtext("fb_memory_usage/total") == "40448 MiB"


@pytest.mark.parametrize(
    ("board", "release"),
    [("a100-sxm4-80gb", "550.90.07"), ("h200-sxm5-141gb", "570.86.15"), ("b200-sxm6-180gb", "580.65.06")],
)
def test_other_boards_and_drivers_parse(board: str, release: str) -> None:
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": board, "software.driver": release})
    root = ElementTree.fromstring(run_command(simulation, "dgx-04", "alex", "nvidia-smi -q -x").stdout)
    assert root.findtext("driver_version") == release and len(root.findall("gpu")) == 8
    product = simulation.world.inventory.gpu("dgx-04/gpu0").product
    assert root.findtext("gpu/product_name") == product.name
