"""`--query-gpu` and its kin: every field, the csv forms, and that the columns agree with the state."""

from __future__ import annotations

import pytest

from engine.commands.gpu._nvidia_smi.fields import Field
from engine.commands.gpu._nvidia_smi.query_fields import GPU_FIELDS
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.records import EccCounts, RecoveryAction, RowRemap
from engine.world.world import World

NAMES = [entry.name for entry in GPU_FIELDS if isinstance(entry, Field)]


def query(smi, fields: str, *, shape: str = "csv,noheader", index: int | None = None, **options) -> list[list[str]]:
    selected = "" if index is None else f" -i {index}"
    result = smi(f"--query-gpu={fields} --format={shape}{selected}", **options)
    assert result.status == 0, result
    return [line.split(", ") for line in result.lines]


def test_every_field_has_a_value_and_a_name_of_its_own(smi) -> None:
    assert len(NAMES) == len(set(NAMES)) == 212
    rows = query(smi, ",".join(NAMES))
    assert len(rows) == 8 and {len(row) for row in rows} == {212}


def test_a_header_has_units_and_names_the_field_not_its_alias(smi) -> None:
    result = smi("--query-gpu=gpu_name,power.draw,temperature.gpu --format=csv -i 0")
    assert result.lines[0] == "name, power.draw [W], temperature.gpu"
    assert result.lines[1].startswith("NVIDIA H100 80GB HBM3, ") and " W, " in result.lines[1]


def test_without_units_neither_header_nor_values_have_them(smi) -> None:
    result = smi("--query-gpu=memory.total,clocks.sm --format=csv,nounits -i 0")
    assert result.lines == ["memory.total, clocks.current.sm", "81559, 345"]


def test_what_is_not_given_stays_without_a_unit(smi) -> None:
    assert query(smi, "fan.speed,clocks.applications.graphics", index=0) == [
        ["[N/A]", "[Requested functionality has been deprecated]"]
    ]


@pytest.mark.parametrize("alias", ["serial gpu_serial", "clocks.gr clocks.current.graphics", "gpu_bus_id pci.bus_id"])
def test_aliases_ask_for_the_same(smi, alias: str) -> None:
    one, other = alias.split()
    assert query(smi, one) == query(smi, other)


def test_an_unknown_field_is_refused_on_standard_output(smi) -> None:
    result = smi("--query-gpu=index,cuda_version --format=csv")
    assert (result.stdout, result.status) == ('Field "cuda_version" is not a valid field to query.\n\n', 2)


def test_a_field_of_a_later_driver_is_unknown_to_an_earlier_one(smi, site: Simulation[World]) -> None:
    from engine.simulation import open_site
    from tests.support.run import run_command

    old = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    line = "nvidia-smi --query-gpu=gpu_recovery_action --format=csv,noheader -i 0"
    assert run_command(old, "dgx-04", "alex", line).status == 2
    assert run_command(site, "dgx-04", "alex", line).stdout == "None\n"


def test_a_query_needs_a_format_and_stands_alone(smi) -> None:
    assert smi("--query-gpu=index").stdout.startswith('"--format=" switch is missing.')
    both = smi("--query-gpu=index --query-compute-apps=pid --format=csv")
    assert (both.stdout, both.status) == ("Only one --query-* switch can be used at a time.\n\n", 2)


def test_memory_errors_are_those_of_the_state(smi, site: Simulation[World]) -> None:
    counts = EccCounts(dram_corrected=5, sram_uncorrected_parity=3, sram_uncorrected_secded=3, dram_uncorrected=1)
    remap = RowRemap(correctable=1, uncorrectable=9, pending=True, degraded_banks=((1, 1), (8, 1)))
    site.world.gpus.update("dgx-04/gpu3", aggregate=counts, remap=remap, recovery=RecoveryAction.RESET)
    fields = (
        "ecc.errors.corrected.aggregate.total,ecc.errors.uncorrected.aggregate.total,"
        "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded,remapped_rows.pending,"
        "remapped_rows.histogram.max,remapped_rows.histogram.high,remapped_rows.histogram.none,gpu_recovery_action"
    )
    assert query(smi, fields, index=3) == [["5", "7", "Yes", "Yes", "2558", "1", "1", "Reset"]]
    assert query(smi, fields, index=2) == [["0", "0", "No", "No", "2560", "0", "0", "None"]]


def test_with_ecc_off_there_are_no_counts(smi, site: Simulation[World]) -> None:
    site.world.gpus.update("dgx-04/gpu0", ecc_enabled=False)
    assert query(smi, "ecc.mode.current,ecc.errors.corrected.volatile.total", index=0) == [["Disabled", "[N/A]"]]


def test_load_shows_in_utilisation_power_clocks_and_reasons(smi, site: Simulation[World], burning: int) -> None:
    site.advance(10 * MINUTE)
    fields = "utilization.gpu,clocks.sm,clocks_event_reasons.gpu_idle,memory.used"
    rows = query(smi, fields)
    assert rows[2] == ["100 %", "1980 MHz", "Not Active", "15690 MiB"]
    assert rows[1] == ["0 %", "345 MHz", "Active", "0 MiB"]
    power = [int(float(row[0])) for row in query(smi, "power.draw", shape="csv,noheader,nounits")]
    assert power[2] > 500 and power[1] < 100


def test_total_is_used_free_and_reserved(smi, burning: int) -> None:
    """The MiB figures are rounded one by one and add up to one more than the total."""
    for total, reserved, used, free in query(
        smi, "memory.total,memory.reserved,memory.used,memory.free", shape="csv,noheader,nounits"
    ):
        assert int(reserved) + int(used) + int(free) == int(total) + 1


def test_compute_processes_are_listed_with_their_gpu(smi, burning: int) -> None:
    result = smi("--query-compute-apps=gpu_bus_id,pid,name,used_memory --format=csv")
    assert result.lines == [
        "gpu_bus_id, pid, process_name, used_gpu_memory [MiB]",
        f"00000000:52:00.0, {burning}, ./gpu_burn, 15690 MiB",
    ]


def test_supported_clocks_go_down_in_steps_of_15(smi) -> None:
    result = smi("--query-supported-clocks=mem,gr --format=csv,noheader,nounits -i 0")
    clocks = [int(line.split(", ")[1]) for line in result.lines]
    assert (clocks[0], clocks[1], clocks[-1]) == (1980, 1965, 210)


def test_a_loop_prints_the_header_once_and_lets_time_pass(smi, site: Simulation[World]) -> None:
    result = smi("--query-gpu=index --format=csv -i 0 -l 5", head=4)
    assert result.lines == ["index", "0", "0", "0"] and result.status == 141
    assert site.now == 10 * 1_000_000_000


def test_control_c_ends_a_loop(smi) -> None:
    result = smi("--query-gpu=index --format=csv,noheader -i 0 -lms 500", interrupt_after=1_200_000_000)
    assert result.lines == ["0", "0", "0"] and result.status == 130


@pytest.mark.parametrize("name", ["gpu", "compute-apps", "accounted-apps", "retired-pages", "remapped-rows"])
def test_help_names_every_field(smi, name: str) -> None:
    result = smi(f"--help-query-{name}")
    assert result.lines[0] == f'List of valid properties to query for the switch "--query-{name}":'
    assert '"gpu_uuid"' in result.stdout and result.status == 0
