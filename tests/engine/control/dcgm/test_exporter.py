"""What dcgm-exporter serves: Prometheus text with the values that dmon shows."""

from __future__ import annotations

import re

import pytest

from engine.control.dcgm import exporter, exporter_counters, fields
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
    assert sorted(rows) == sorted(counter.field.name for counter in exporter_counters.counters(None))


def _restart(site: Simulation[World], line: str) -> str:
    """Write one line as the list of metrics and start the exporter anew. Gives its journal."""
    run_command(site, HOST, "root", f"tee {exporter_counters.PATH}", stdin=line.encode())
    run_command(site, HOST, "root", "systemctl restart nvidia-dcgm-exporter")
    return run_command(site, HOST, "root", "journalctl -u nvidia-dcgm-exporter -n 20").stdout


def test_it_serves_what_its_file_names_from_its_next_start_on(site: Simulation[World]) -> None:
    before = exporter.metrics(site.world, HOST, site.now)
    chosen = "# mine\nDCGM_FI_DEV_GPU_TEMP, gauge, Heat\nDCGM_FI_DRIVER_VERSION, label, Driver\n"
    run_command(site, HOST, "root", f"tee {exporter_counters.PATH}", stdin=chosen.encode())
    assert exporter.metrics(site.world, HOST, site.now) == before
    run_command(site, HOST, "root", "systemctl restart nvidia-dcgm-exporter")
    lines = exporter.metrics(site.world, HOST, site.now).splitlines()
    assert lines[:2] == ["# HELP DCGM_FI_DEV_GPU_TEMP Heat", "# TYPE DCGM_FI_DEV_GPU_TEMP gauge"]
    assert len(lines) == 10 and 'DCGM_FI_DRIVER_VERSION="590.48.01"' in lines[2]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("DCGM_FI_DEV_GPU_TEMP, gauge\n", "failed to parse line 0 (`[DCGM_FI_DEV_GPU_TEMP gauge]`), expected 3 fields"),
        ("DCGM_FI_DEV_GPU_TMP, gauge, x\n", "unknown ExporterCounter field 'DCGM_FI_DEV_GPU_TMP'"),
        ("DCGM_FI_DEV_GPU_TEMP, guage, x\n", "could not find Prometheus metric type 'guage'"),
        ("DCGM_FI_DEV_GPU_TEMP, gauge, x\nDCGM_FI_DEV_GPU_UTIL, gauge, a, b\n", "record on line 2: wrong number"),
    ],
)
def test_a_mistake_in_the_file_keeps_it_from_starting(site: Simulation[World], line: str, why: str) -> None:
    assert why in _restart(site, line)
    assert not exporter.is_serving(site.world, HOST)
    _restart(site, "DCGM_FI_DEV_GPU_TEMP, gauge, x\n")
    assert exporter.is_serving(site.world, HOST)
