"""Drivers that do not answer, GPUs that are gone, and command lines that are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control.modules import UnloadModule
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.records import OsState
from engine.world.world import World
from tests.support.run import run_command

LOST = "Unable to determine the device handle for GPU5: 0000:C3:00.0: Unknown Error\n"


@pytest.fixture
def without_gpu5(site: Simulation[World]) -> Simulation[World]:
    """GPU 5 of the idle node has dropped off the bus."""
    site.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu5"))
    site.advance(MINUTE)
    return site


def test_a_lost_gpu_is_named_and_the_others_keep_their_index(smi, without_gpu5: Simulation[World]) -> None:
    result = smi("--query-gpu=index,count --format=csv,noheader")
    assert result.lines == [f"{index}, 8" for index in (0, 1, 2, 3, 4, 6, 7)]
    assert (result.stderr, result.status) == (LOST, 0)


@pytest.mark.parametrize("words", ["", "-q", "dmon -c 1", "pmon -c 1", "topo -m", "nvlink -s"])
def test_no_view_shows_a_lost_gpu(smi, without_gpu5: Simulation[World], words: str) -> None:
    result = smi(words)
    assert result.stderr == LOST and "C3:00.0" not in result.stdout
    assert result.stdout and "GPU5" not in result.stdout and "\n    5 " not in result.stdout


def test_the_list_says_it_in_other_words(smi, without_gpu5: Simulation[World]) -> None:
    result = smi("-L")
    assert result.stderr == LOST.replace("GPU5:", "gpu")
    assert [line[:6] for line in result.lines] == [f"GPU {index}:" for index in (0, 1, 2, 3, 4, 6, 7)]


def test_a_lost_gpu_alone_is_not_found(smi, without_gpu5: Simulation[World]) -> None:
    result = smi("-i 5")
    assert (result.stdout, result.stderr, result.status) == ("", LOST + "No devices were found\n", 6)


def test_with_an_earlier_driver_a_lost_gpu_is_the_whole_output() -> None:
    site = open_site("dgx-h100-4", overrides={"software.driver": "550.90.07"})
    site.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu5"))
    site.advance(MINUTE)
    result = run_command(site, "dgx-04", "alex", "nvidia-smi")
    text = "Unable to determine the device handle for GPU0000:C3:00.0: Unknown Error\n"
    assert (result.stdout, result.stderr, result.status) == (text, "", 255)


def test_other_nodes_are_as_if_nothing_had_happened(pristine, without_gpu5: Simulation[World]) -> None:
    healthy = pristine.fork()
    healthy.advance(MINUTE)
    for words in ("nvidia-smi", "nvidia-smi -q", "nvidia-smi topo -m"):
        assert run_command(without_gpu5, "dgx-03", "alex", words) == run_command(healthy, "dgx-03", "alex", words)


def test_a_library_that_does_not_fit_the_module(smi, site: Simulation[World]) -> None:
    site.apply(parse_fault("driver.library_mismatch target=dgx-04"))
    site.advance(MINUTE)
    result = smi("-q")
    first, second = result.lines
    assert first == "Failed to initialize NVML: Driver/library version mismatch"
    assert second.startswith("NVML library version: ") and result.status == 18
    assert any("API mismatch" in entry.text for entry in site.world.logs["dgx-04"].entries)


def test_a_module_that_is_not_loaded(smi, site: Simulation[World]) -> None:
    modules = dict.fromkeys(("nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia_peermem", "nvidia"))
    site.world.systems["dgx-04"] = OsState(modules=modules)
    result = smi()
    assert result.lines[0].startswith("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")
    assert result.status == 9 and UnloadModule


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("foo", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-L -q", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-d ECC", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-q -d NONSENSE", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-l 0", "Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n\n"),
        ("--nonsense", "ERROR: Option --nonsense is not recognized. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-lms100", "ERROR: Option -lms100 is not recognized. Please run 'nvidia-smi -h' for help.\n\n"),
        ("-i", "ERROR: Option -i is missing its value. Please run 'nvidia-smi -h' for help.\n\n"),
    ],
)
def test_a_wrong_command_line(smi, words: str, text: str) -> None:
    result = smi(words)
    assert (result.stdout, result.status) == (text, 2)


@pytest.mark.parametrize("words", ["-q -u", "--dtd", "gpm -h", "nvlink -ec", "topo -nvme", "dmon --gpm-metrics 1"])
def test_what_is_not_modelled_says_so(smi, words: str) -> None:
    result = smi(words)
    assert result.stderr.startswith("breakfix: not modelled: nvidia-smi ") and result.status == 125


@pytest.mark.parametrize("words", ["-h", "--help", "topo -h", "nvlink -h", "dmon -h", "pmon -h"])
def test_help_is_given(smi, words: str) -> None:
    result = smi(words)
    assert result.status == 0 and "-h" in result.stdout


_WORDS = st.sampled_from(
    ["-q", "-L", "-i", "-l", "-d", "ECC", "0", "-1", "topo", "dmon", "pmon", "nvlink", "-m", "-c", "1", "--format=csv",
     "--query-gpu=name", "--query-gpu", "-pm", "-pl", "-lgc", "-r", "-s", "=", "--", "-", "", "x,y", "-p2p", "r", "-e"]
)  # fmt: skip


@settings(max_examples=60)
@given(words=st.lists(_WORDS | st.text(max_size=6), max_size=4), user=st.sampled_from(["alex", "root"]))
def test_no_command_line_raises(pristine: Simulation[World], words: list[str], user: str) -> None:
    import shlex

    line = shlex.join(["nvidia-smi", *words])
    result = run_command(pristine.fork(), "dgx-04", user, line, head=50, interrupt_after=MINUTE)
    assert 0 <= result.status <= 255 and "Traceback" not in result.stderr


def test_of_a_gpu_whose_firmware_is_given_up_little_can_be_read() -> None:
    site = open_site("dgx-h100-4")
    site.apply(parse_fault("gpu.gsp_timeout target=dgx-04/gpu2"))
    site.advance(2 * MINUTE)
    table = run_command(site, "dgx-04", "alex", "nvidia-smi -i 2").lines
    row = next(line for line in table if "ERR!" in line)
    assert row == "| N/A  ERR!  ERR!             N/A /   N/A |       0MiB /  81559MiB |     N/A      Default |"
    fields = "index,pstate,temperature.gpu,utilization.gpu,clocks.sm,power.draw,memory.used,gpu_recovery_action"
    asked = run_command(site, "dgx-04", "alex", f"nvidia-smi --query-gpu={fields} --format=csv,noheader -i 2").stdout
    assert asked == f"2, {', '.join(['[GPU requires reset]'] * 5)}, 0 MiB, Reset\n"
    report = run_command(site, "dgx-04", "alex", "nvidia-smi -q -i 2 -d TEMPERATURE").stdout
    assert "GPU Current Temp" in report and report.count(": GPU requires reset") >= 3
    assert "ERR!" not in "\n".join(run_command(site, "dgx-04", "alex", "nvidia-smi -i 3").lines)
    told = run_command(site, "dgx-04", "root", "dcgmi dmon -e 150,203,252 -c 1").lines
    assert [line.split() for line in told if line.startswith("GPU 2")] == [["GPU", "2", "N/A", "N/A", "0"]]
