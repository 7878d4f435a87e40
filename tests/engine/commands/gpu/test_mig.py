"""MIG in nvidia-smi: switching, cutting up, and how each view shows the devices."""

from __future__ import annotations

import pytest

from engine.control.processes import start
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.world.world import World

BUS = "00000000:1B:00.0"


@pytest.fixture
def cut(smi, site: Simulation[World]):
    """GPU 0 of the idle node is cut into 3g, 2g, 1g and 1g. Gives `smi`."""
    site.apply(StopUnit("dgx-04", "nvidia-dcgm.service", "root"))
    assert smi("-mig 1 -i 0", user="root").lines == [f"Enabled MIG Mode for GPU {BUS}", "All done."]
    assert smi("mig -cgi 9,14,19,19 -C -i 0", user="root").status == 0
    return smi


def test_a_client_leaves_the_mode_pending(smi) -> None:
    result = smi("-mig 1 -i 0", user="root")
    assert result.lines[0] == f"Warning: MIG mode is in pending enable state for GPU {BUS}:In use by another client"
    assert result.lines[1].startswith(f"{BUS} is currently being used by one or more other processes (e.g. CUDA")
    assert result.lines[2:] == ["All done."] and result.status == 0
    query = "--query-gpu=mig.mode.current,mig.mode.pending --format=csv,noheader -i 0"
    assert smi(query).stdout == "Disabled, Enabled\n"
    assert "Disabled*" in smi("-i 0").stdout
    assert smi("mig -lgi -i 0").lines == ["No MIG-enabled devices found."]


def test_only_root_may(smi) -> None:
    result = smi("-mig 1 -i 0")
    assert result.lines[0] == f"Unable to change MIG Mode for GPU {BUS}: Insufficient Permissions"
    assert result.status == 4


def test_what_is_made_and_what_has_no_room(smi, site: Simulation[World]) -> None:
    site.apply(StopUnit("dgx-04", "nvidia-dcgm.service", "root"))
    smi("-mig 1 -i 0", user="root")
    result = smi("mig -cgi 19,19,14,9 -i 0", user="root")
    assert result.lines == [
        "Successfully created GPU instance ID 13 on GPU  0 using profile MIG 1g.10gb (ID 19)",
        "Successfully created GPU instance ID 11 on GPU  0 using profile MIG 1g.10gb (ID 19)",
        "Successfully created GPU instance ID  3 on GPU  0 using profile MIG 2g.20gb (ID 14)",
        "Unable to create a GPU instance on GPU  0 using profile 9: Insufficient Resources",
        "Failed to create GPU instances: Insufficient Resources",
    ]
    assert result.status == 255
    assert [line[:40] for line in smi("mig -dgi -i 0", user="root").lines] == [
        f"Successfully destroyed GPU instance ID {number:>2}"[:40] for number in (3, 11, 13)
    ]
    assert smi("mig -lgi -i 0").lines == ["No GPU instances found: Not Found"]


def test_lists_of_profiles(cut) -> None:
    lines = cut("mig -lgip -i 0").lines
    rows = [line for line in lines if "MIG" in line]
    assert rows[0] == "|   0  MIG 1g.10gb         19     0/7        9.75       No     16     1     0   |"
    assert [row.split()[4:6] for row in rows] == [
        ["19", "0/7"], ["20", "0/1"], ["15", "0/4"], ["14", "0/3"], ["9", "0/2"], ["5", "0/1"], ["0", "0/1"],
    ]  # fmt: skip
    assert cut("mig -lgipp -i 0").lines[3:5] == [
        "GPU  0 Profile ID 14 Placements: {0,2,4}:2",
        "GPU  0 Profile ID  9 Placements: {0,4}:4",
    ]
    kinds = [line for line in cut("mig -lcip -gi 2 -i 0").lines if "MIG" in line]
    assert [row.split()[4:7] for row in kinds] == [
        ["1c.3g.40gb", "0", "0/3"], ["2c.3g.40gb", "1", "0/1"], ["3g.40gb", "2*", "0/1"],
    ]  # fmt: skip


def test_lists_of_instances(cut) -> None:
    rows = [line.split()[1:-1] for line in cut("mig -lgi -i 0").lines if "MIG" in line]
    assert rows == [
        ["0", "MIG", "1g.10gb", "19", "9", "2:1"],
        ["0", "MIG", "1g.10gb", "19", "10", "3:1"],
        ["0", "MIG", "2g.20gb", "14", "3", "0:2"],
        ["0", "MIG", "3g.40gb", "9", "2", "4:4"],
    ]
    rows = [line.split()[1:-1] for line in cut("mig -lci -i 0").lines if "MIG" in line]
    assert ["0", "2", "MIG", "3g.40gb", "2", "0", "0:4"] in rows and len(rows) == 4


def test_devices_have_uuids(cut) -> None:
    lines = cut("-L -i 0").lines
    assert lines[0].startswith("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-")
    assert [line.partition("(")[0] for line in lines[1:]] == [
        "  MIG 3g.40gb     Device  0: ",
        "  MIG 2g.20gb     Device  1: ",
        "  MIG 1g.10gb     Device  2: ",
        "  MIG 1g.10gb     Device  3: ",
    ]


def test_the_table_shows_devices_and_whose_processes_run_on_them(cut, site: Simulation[World]) -> None:
    pid = start(
        site, "dgx-04", user="priya", command="./a", gpus=(0,), gpu_memory=600, workload="burn", instance=(3, 0)
    )
    text = cut("-i 0").stdout
    assert "|  0    2   0   0  |              26MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |" in text
    assert "|  0    3   0   1  |             617MiB / 20096MiB    | 32      0 |  2   0    2    0    2 |" in text
    assert f"|    0    3    0 {pid:>16}      C   ./a" in text
    assert "     N/A      Default |" in text and "Enabled |" in text
    assert cut("--query-gpu=utilization.gpu --format=csv,noheader -i 0").stdout == "[N/A]\n"


def test_the_report_shows_devices(cut) -> None:
    lines = [line.strip() for line in cut("-q -i 0").lines]
    place = lines.index("MIG Device")
    values = [line.partition(":") for line in lines[place + 1 : place + 4]]
    assert [(name.strip(), value.strip()) for name, _, value in values] == [
        ("Index", "0"),
        ("GPU Instance ID", "2"),
        ("Compute Instance ID", "0"),
    ]
    assert lines.count("MIG Device") == 4
    assert lines[lines.index("MIG Mode") + 1].split() == ["Current", ":", "Enabled"]


def test_nvlinks_cannot_be_asked(cut) -> None:
    assert cut("nvlink -s -i 0").lines[1:] == ["Nvlink queries are not supported for Devices in MIG mode"]


def test_a_gpu_instance_with_compute_instances_stays(cut) -> None:
    result = cut("mig -dgi -gi 2 -i 0", user="root")
    assert result.lines[0] == "Unable to destroy GPU instance ID  2 from GPU  0: In use by another client"
    assert result.status == 255
    assert cut("mig -dci -ci 0 -gi 2 -i 0", user="root").status == 0
    assert cut("mig -cci 0,1 -gi 2 -i 0", user="root").lines == [
        "Successfully created compute instance ID  0 on GPU  0 GPU instance ID  2 using profile MIG 1c.3g.40gb (ID  0)",
        "Successfully created compute instance ID  1 on GPU  0 GPU instance ID  2 using profile MIG 2c.3g.40gb (ID  1)",
    ]
    assert cut("mig -lcip -gi 2 -i 0").status == 0
