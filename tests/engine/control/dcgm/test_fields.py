"""The table of fields, and values that agree with what nvidia-smi shows of the same moment."""

from __future__ import annotations

import pytest

from engine.control.dcgm import fields
from engine.control.dcgm.fields import PROFILING, SOURCES
from engine.control.dcgm.host_engine import PauseProfiling
from engine.control.dcgm.readings import Reading, read
from engine.control.processes import start
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
SAME = {
    150: "temperature.gpu",
    140: "temperature.memory",
    100: "clocks.sm",
    101: "clocks.mem",
    203: "utilization.gpu",
    204: "utilization.memory",
    250: "memory.total",
    251: "memory.free",
    252: "memory.used",
    53: "serial",
    54: "uuid",
    57: "pci.bus_id",
    237: "pcie.link.gen.current",
    238: "pcie.link.width.current",
}


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    simulation = open_site("dgx-h100-4")
    start(simulation, HOST, user="priya", command="./train", gpus=(2,), gpu_memory=40000, workload="training")
    simulation.advance(5 * MINUTE)
    return simulation


def gpu(site: Simulation[World], number: int) -> Reading:
    return read(site.world, HOST, site.now)[number]


@pytest.mark.parametrize("number", sorted(SAME))
@pytest.mark.parametrize("index", [2, 5])
def test_values_are_nvidia_smis(site: Simulation[World], number: int, index: int) -> None:
    line = f"nvidia-smi --query-gpu={SAME[number]} --format=csv,noheader,nounits -i {index}"
    shown = run_command(site, HOST, "root", line).stdout.strip()
    assert str(fields.value(gpu(site, index), fields.table()[number])) == shown


def test_power_is_nvidia_smis(site: Simulation[World]) -> None:
    shown = run_command(site, HOST, "root", "nvidia-smi --query-gpu=power.draw --format=csv,noheader,nounits -i 2")
    value = fields.value(gpu(site, 2), fields.table()[155])
    assert isinstance(value, float) and abs(value - float(shown.stdout)) < 0.01


def test_every_source_belongs_to_a_field_and_gives_a_value(site: Simulation[World]) -> None:
    assert set(SOURCES) <= set(fields.table())
    reading = gpu(site, 2)
    assert all(fields.value(reading, fields.table()[number]) is not None for number in SOURCES)


def test_links_carry_equal_parts_of_what_all_carry(site: Simulation[World]) -> None:
    reading = gpu(site, 2)
    sent, received, both = (fields.value(reading, fields.table()[number]) for number in (843, 897, 449))
    (one,) = (fields.value(reading, field) for field in [fields.by_name()["DCGM_FI_DEV_NVLINK_TX_BANDWIDTH_L7"]])
    assert isinstance(sent, int) and isinstance(received, int) and isinstance(both, int) and isinstance(one, int)
    assert sent > 10_000 and both == pytest.approx(sent + received, abs=1) and one == pytest.approx(sent / 18, abs=1)
    over_pcie, profiled = (fields.value(reading, fields.table()[number]) for number in (200, 1009))
    assert isinstance(over_pcie, int) and isinstance(profiled, int) and over_pcie == profiled // 1000 > 1_000


def test_fields_are_found_by_name_and_number() -> None:
    field = fields.by_name()["DCGM_FI_DEV_GPU_TEMP"]
    assert field is fields.table()[150]
    assert (field.tag, field.unit) == ("gpu_temp", " C")


def test_profiling_shares_stay_within_the_time(site: Simulation[World]) -> None:
    shares = sorted(number for number in PROFILING & set(SOURCES) if fields.table()[number].kind == "double")
    found = [fields.value(gpu(site, 2), fields.table()[number]) for number in shares]
    assert all(isinstance(value, float) and 0 <= value <= 1 for value in found)
    active, occupancy, tensor = found[1:4]
    assert isinstance(active, float) and isinstance(tensor, float) and isinstance(occupancy, float)
    assert active > occupancy > 0 and active > tensor > 0.2


def test_a_paused_or_unsourced_field_has_no_value(site: Simulation[World]) -> None:
    fork = site.fork()
    fork.apply(PauseProfiling(HOST, True))
    assert fields.value(gpu(fork, 2), fields.table()[1002]) is None
    unsourced = next(number for number in fields.table() if number not in SOURCES)
    assert fields.value(gpu(fork, 2), fields.table()[unsourced]) is None


def test_nothing_is_read_of_a_lost_gpu_but_its_xid(site: Simulation[World]) -> None:
    fork = site.fork()
    fork.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu6"))
    fork.advance(MINUTE)
    lost = gpu(fork, 6)
    told = {number for number in SOURCES if fields.value(lost, fields.table()[number]) is not None}
    assert fields.value(lost, fields.table()[230]) == 154 and told <= {1, 2, 4, 5, 230}
