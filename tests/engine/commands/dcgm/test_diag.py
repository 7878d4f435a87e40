"""dcgmi diag: what it prints, how it ends, and the load that it puts on the GPUs."""

from __future__ import annotations

import json

import pytest

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.engine.commands.dcgm.conftest import BUSY, IDLE, older
from tests.support.run import run_command

SEPARATORS = ("Deployment", "Hardware", "Integration", "Stress")


def categories(text: str) -> list[str]:
    return [name for name in SEPARATORS if f"-----  {name}  -" in text]


def names(text: str) -> list[str]:
    """The tests of a report, in order."""
    rows = [line for line in text.splitlines() if line.startswith("| ") and line[2] not in " WI"]
    return [line[2:27].strip() for line in rows[4:]]


def cells(text: str) -> str:
    """The right column as it was before it was cut."""
    return "".join(line[30:75] for line in text.splitlines())


def test_the_first_level_takes_seconds_and_every_line_is_as_wide(dcgmi, site: Simulation[World]) -> None:
    start = site.now
    result = dcgmi("diag -r 1")
    assert result.status == 0 and site.now - start < 10 * SECOND
    assert result.lines[0] == "Successfully ran diagnostic for group."
    assert {len(line) for line in result.lines[1:]} == {78}
    assert result.stdout.count(": Pass") == 8 and categories(result.stdout) == ["Deployment"]


@pytest.mark.parametrize(
    ("level", "shortest", "longest", "expected"),
    [
        ("2", 90, 180, ["software", "memory", "pcie"]),
        ("long", 400, 1200, ["software", "memory", "diagnostic", "nvbandwidth", "pcie", "memory_bandwidth",
                             "targeted_stress", "targeted_power"]),
    ],
)  # fmt: skip
def test_levels_have_their_tests_and_times(dcgmi, site, level, shortest, longest, expected) -> None:
    start = site.now
    result = dcgmi(f"diag -r {level}")
    assert result.status == 0, result.stdout
    assert shortest * SECOND < site.now - start < longest * SECOND
    assert names(result.stdout) == expected and ": Fail" not in result.stdout


def test_tests_can_be_named_with_the_gpus_that_they_run_on(dcgmi) -> None:
    result = dcgmi("diag -r pcie,memory_bandwidth -i 2,5")
    assert names(result.stdout) == ["software", "pcie", "memory_bandwidth"]
    assert "GPU5: Pass" in result.stdout and "GPU0" not in result.stdout


def test_while_it_runs_its_process_is_on_the_gpus_and_another_run_is_refused(typed) -> None:
    text = typed("dcgmi diag -r 2 >/dev/null & sleep 60; nvidia-smi; dcgmi diag -r 1; echo $?")
    assert text.count("datacenter-gpu-manager-4/nvvs") == 8
    assert "Return: (-39) : A diag instance is already running" in text and "\n217" in text


def test_it_heats_the_gpus(typed) -> None:
    text = typed("dcgmi diag -r diagnostic >/dev/null & sleep 150; dcgmi dmon -e 150,155 -c 1 -i 0")
    _, temperature, power = text.splitlines()[-1].split()[-3:]
    assert int(temperature) > 55 and float(power) > 600


def test_others_on_the_gpus_make_tests_skip_and_fail(dcgmi) -> None:
    result = dcgmi("diag -r 3 -v", host=BUSY)
    assert result.status in (226, 205)
    assert "| memory                    | Skip" in result.stdout
    assert "mb of memory is free, but we need to allocate" in cells(result.stdout)
    assert "did not reach desired stress level" in cells(result.stdout)


def test_persistence_mode_off_is_a_warning_that_fails_the_run(dcgmi, root) -> None:
    root("nvidia-smi -i 2 -pm 0")
    result = dcgmi("diag -r 1")
    assert result.status == 226
    assert "| software                  | Warn" in result.stdout and "GPU2: Fail" in result.stdout
    assert "| Warning: GPU2             | Persistence Mode: Persistence mode for GPU 2" in result.stdout
    assert dcgmi("diag -r 1 -p software.require_persistence=false").status == 0


def test_faults_that_show_under_load_are_found(dcgmi, broken) -> None:
    broken("gpu.memory_uncorrectable target=dgx-04/gpu3")
    broken("pcie.link_degraded target=dgx-04/gpu5")
    assert dcgmi("diag -r 1").status == 0
    result = dcgmi("diag -r 2")
    assert result.status == 205
    assert "Warning: GPU3             | Detected 1 ecc_dbe_volatile_total for GPU 3" in result.stdout
    assert "GPU 5 is running at PCI link width 8X" in result.stdout
    assert "row remappings" in dcgmi("health -c").stdout or dcgmi("diag -r 1").status == 226


def test_a_lost_gpu_fails_every_test(dcgmi, broken) -> None:
    broken("gpu.fell_off_bus target=dgx-04/gpu6")
    result = dcgmi("diag -r pcie")
    assert result.status != 0 and result.stdout.count("GPU6: Fail") == 2 and result.stdout.count("GPU7: Pass") == 2


def test_a_stopped_fabric_is_named_and_cuda_does_not_start(dcgmi, broken) -> None:
    broken("fabric_manager.version_mismatch target=dgx-04")
    text = cells(dcgmi("diag -r pcie -i 0").stdout)
    assert "Health Mask: 0x0): training in progress." in text
    assert "Unable to initialize CUDA library: 'system not yet initialized'" in text


def test_early_checks_end_a_run_that_fails(dcgmi, broken, site) -> None:
    broken("gpu.fell_off_bus target=dgx-04/gpu6")
    start = site.now
    result = dcgmi("diag -r 3 --fail-early --check-interval 10")
    assert site.now - start < 30 * SECOND and "| memory                    | Skip" in result.stdout


def test_json_has_errors_with_their_numbers(dcgmi, root) -> None:
    root("nvidia-smi -i 2 -pm 0")
    result = dcgmi("diag -r 1 -j")
    found = json.loads(result.stdout)
    (test,) = found["DCGM Diagnostic"]["test_categories"][0]["tests"]
    assert result.status == 226 and test["test_summary"]["status"] == "Fail"
    (warning,) = test["results"][2]["warnings"]
    assert (warning["error_id"], found["metadata"]["version"]) == (29, "4.4.2")
    assert found["entity_groups"][0]["entities"][3]["device_id"] == "2330"


def test_iterations_end_with_the_first_that_fails(dcgmi, root) -> None:
    passed = dcgmi("diag -r 1 --iterations 2")
    assert "\nRunning iteration 2 of 2...\n" in passed.stdout
    assert passed.lines[-1] == "Passed all 2 runs of the diagnostic"
    root("nvidia-smi -pm 0")
    failed = dcgmi("diag -r 1 --iterations 3")
    assert "iteration 2" not in failed.stdout and failed.status == 226
    assert failed.lines[-1].endswith("due to failure: DCGM GPU Diagnostic returned an error")
    assert json.loads(dcgmi("diag -r 1 --iterations 2 -j").stdout)["Overall Result"] == "Fail"


@pytest.mark.parametrize(
    ("words", "status", "text"),
    [
        ("-r nonsense", 198, "Return: (-58) : Requested tests were not found among possible test choices.\n[nonsense]"),
        ("-r 1 -g 9", 251, "Error: Unable to complete diagnostic for group 9. Return: (-5) : Setting not configured"),
        ("-r 1 -i nvswitch:0", 255, "Error: Unsupported entities are indicated."),
        ("-r 1 -i x", 255, "Error: invalid entity"),
        ("-r 1 -n gpu:7", 255, "Return: (-1) : Bad parameter passed to function"),
        ("-r 2 -t 20", 245, "Return: (-11) : Timeout"),
    ],
)
def test_runs_that_cannot_be_made(dcgmi, words: str, status: int, text: str) -> None:
    result = dcgmi(f"diag {words}")
    assert result.status == status and (text in result.stdout or "Error: invalid" in result.stdout), result.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-r -2", "Positive value expected, negative value found for arg run."),
        ("-g 1 -i 0", "Specifying a group id and a entity id are mutually exclusive."),
        ("--iterations 0", "The value for iterations cannot be 0.."),
        ("--check-interval 9", "The --fail-early option must be enabled for arg check-interval."),
        ("--fail-early --check-interval 301", "Interval value must be between 1 and 300 for arg check-interval."),
        ("-p pcie", "incorrect parameter format: ."),
        ("-p pcie.x=1;pcie.x=2", "multiple definitions of pcie.x parameter."),
        ("-t 9 -p memtest.test_duration=10", "The total test duration 10 is too high for the timeout 9."),
    ],
)
def test_options_that_do_not_fit(dcgmi, words: str, text: str) -> None:
    result = dcgmi(f"diag {words}")
    assert result.status == 254 and result.stderr.startswith(f"Error: {text}\n")


def test_ctrl_c_ends_it_and_leaves_nothing_behind(dcgmi, site: Simulation[World]) -> None:
    result = dcgmi("diag -r 2", interrupt_after=30 * SECOND)
    assert result.status == 203 and "Return: (-53) : The DCGM diagnostic was killed by a signal" in result.stdout
    assert not any("nvvs" in process.command for process in site.world.systems[IDLE].processes)
    assert dcgmi("diag -r 1").status == 0


def test_without_a_host_engine_it_is_its_own_unless_one_was_named(dcgmi, root) -> None:
    root("systemctl stop nvidia-dcgm")
    assert dcgmi("diag -r 1").status == 0
    assert dcgmi("diag -r 1 --host localhost").status == 235


def test_a_host_engine_that_goes_away_ends_the_run(typed) -> None:
    text = typed("dcgmi diag -r 2 & sleep 20; systemctl stop nvidia-dcgm; sleep 60; wait")
    assert "Return: (-21) : Host engine connection invalid/disconnected" in text


def test_what_was_killed_says_so(typed) -> None:
    text = typed("dcgmi diag -r 2 & sleep 20; kill $(pgrep nvvs); sleep 60; wait")
    assert "The DCGM diagnostic subprocess was terminated due to signal 15" in text


def test_parameters_change_what_is_asked(dcgmi) -> None:
    text = dcgmi("diag -r pcie -i 0 -p pcie.gpu_nvlinks_expected_up=12").stdout
    assert "GPU0: Fail" in text
    assert dcgmi("diag -r pcie -i 0 -p pcie.gpu_nvlinks_expected_up=18").status == 0
    strict = dcgmi("diag -r targeted_power -i 0 -p targeted_power.target_power=950;targeted_power.test_duration=30")
    assert "GPU0: Skip" in strict.stdout


def test_an_earlier_release_names_the_checks_and_joins_results(root) -> None:
    site = older("3.3.9")
    run_command(site, IDLE, "root", "nvidia-smi -i 1 -pm 0")
    text = run_command(site, IDLE, "root", "dcgmi diag -r 2").stdout
    assert "| GPU Device IDs Detected   | 2330,2330," in text and "| Persistence Mode          | Fail" in text
    assert "| Error                     | Persistence mode for GPU 1 is disabled." in text
    assert "| PCIe                      | Pass - All" in text and "| GPU Memory                | Pass - All" in text
    assert text.endswith(f"+-----  Stress  ------------+{'-' * 48}+\n+{'-' * 27}+{'-' * 48}+\n")
    refused = run_command(site, IDLE, "root", "dcgmi diag -r nvbandwidth")
    assert "[nvbandwidth] were not found" in refused.stdout


def test_a_later_release_may_see_the_test_before_as_busy_memory() -> None:
    sites = [open_site("dgx-h100-4", seed, {"software.dcgm": "4.5.2"}) for seed in range(1, 7)]
    texts = [run_command(site, IDLE, "root", "dcgmi diag -r 3").stdout for site in sites]
    assert {"is greater than 10%" in text for text in texts} == {True, False}
