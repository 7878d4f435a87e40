"""What dcgm-exporter serves: Prometheus text with the values that dmon shows."""

from __future__ import annotations

import re

import pytest

from engine.control.dcgm import exporter, fields
from engine.control.dcgm.readings import read
from engine.faults.fault import parse_fault
from engine.hostfs.views._texts import text
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
SAMPLE = re.compile(
    r'(DCGM_FI_\w+)\{gpu="(\d)",UUID="(GPU-[0-9a-f-]+)",pci_bus_id="[^"]+",.*Hostname="dgx-04".*\} (\S+)'
)


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def test_every_metric_has_its_help_its_type_and_a_sample_for_each_gpu(site: Simulation[World]) -> None:
    lines = exporter.metrics(site.world, HOST, site.now).splitlines()
    names = [line.split()[2] for line in lines if line.startswith("# HELP ")]
    assert names == [line.split()[2] for line in lines if line.startswith("# TYPE ")] and len(names) > 15
    samples = [SAMPLE.fullmatch(line) for line in lines if not line.startswith("#")]
    assert all(samples) and len(samples) == 8 * len(names)
    numbers = [fields.by_name()[name].id for name in names]
    assert numbers == sorted(numbers) and 155 in numbers and 1004 in numbers


def test_values_are_those_of_the_reader(site: Simulation[World]) -> None:
    gpu = read(site.world, HOST, site.now)[3]
    body = exporter.metrics(site.world, HOST, site.now)
    found = {match[1]: match[4] for line in body.splitlines() if (match := SAMPLE.fullmatch(line)) and match[2] == "3"}
    for name, shown in found.items():
        assert float(shown) == pytest.approx(float(fields.value(gpu, fields.by_name()[name]) or 0), abs=1e-5)


def test_curl_asks_it_from_the_node_and_from_others(site: Simulation[World]) -> None:
    here = run_command(site, HOST, "alex", "curl -s http://localhost:9400/metrics").stdout
    there = run_command(site, "head-01", "alex", f"curl -s http://{HOST}:9400/metrics").stdout
    assert here == there == exporter.metrics(site.world, HOST, site.now)
    assert "404" in run_command(site, HOST, "alex", "curl -sI http://localhost:9400/nonsense").stdout


def test_an_xid_brings_its_text_and_a_lost_gpu_nothing_else(site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu6"))
    site.advance(MINUTE)
    lines = [line for line in exporter.metrics(site.world, HOST, site.now).splitlines() if 'gpu="6"' in line]
    assert [line.split("{")[0] for line in lines] == ["DCGM_FI_DEV_XID_ERRORS"]
    assert 'err_code="154",err_msg="GPU Recovery Action Changed"' in lines[0] and lines[0].endswith("} 154")


def test_without_a_host_engine_it_has_nothing_and_stopped_it_refuses(site: Simulation[World]) -> None:
    run_command(site, HOST, "root", "systemctl stop nvidia-dcgm")
    assert exporter.metrics(site.world, HOST, site.now) == ""
    run_command(site, HOST, "root", "systemctl stop nvidia-dcgm-exporter")
    refused = run_command(site, "head-01", "alex", f"curl http://{HOST}:9400/metrics")
    assert refused.status == 7 and not exporter.is_serving(site.world, HOST)


def test_the_node_has_the_list_of_counters() -> None:
    lines = text("etc", "dcgm-exporter/default-counters.csv").splitlines()
    rows = [line.split(",")[0].strip() for line in lines if line.startswith("DCGM_")]
    assert sorted(rows) == sorted(counter.field.name for counter in exporter.counters())
