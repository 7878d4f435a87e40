"""Options that change a GPU: who may, what is said, what it does."""

from __future__ import annotations

import pytest

from engine.control.driver import SetPersistence
from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.world.world import World

BUS = "00000000:43:00.0"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-pm 0", f"Unable to set persistence mode for GPU {BUS}: Insufficient Permissions"),
        ("-pl 500", f"Failed to set power management limit for GPU {BUS}: Insufficient Permissions"),
        ("-lgc 1000", f"The current user does not have permission to change clocks for GPU {BUS}."),
        ("-rgc", f"The current user does not have permission to change clocks for GPU {BUS}."),
        ("-r", f"Unable to reset GPU {BUS}: Insufficient Permissions"),
    ],
)
def test_only_root_may(smi, site: Simulation[World], words: str, text: str) -> None:
    before = site.world.gpus["dgx-04/gpu1"]
    result = smi(f"{words} -i 1")
    assert (result.lines, result.status) == ([text, "Terminating early due to previous errors."], 4)
    assert site.world.gpus["dgx-04/gpu1"] == before


def test_a_power_limit_shows_and_warns_without_persistence(smi, site: Simulation[World]) -> None:
    result = smi("-pl 500 -i 1", user="root")
    assert result.lines == [f"Power limit for GPU {BUS} was set to 500.00 W from 700.00 W.", "All done."]
    assert smi("--query-gpu=power.limit --format=csv,noheader").lines[:2] == ["700.00 W", "500.00 W"]
    site.apply(SetPersistence("dgx-04", 1, False, "root"))
    lines = smi("-pl 450.5 -i 1", user="root").lines
    assert lines[2].startswith(f"Warning: persistence mode is disabled on device {BUS}.") and lines[-1] == "All done."


@pytest.mark.parametrize("watts", ["100", "701"])
def test_a_power_limit_has_bounds(smi, watts: str) -> None:
    result = smi(f"-pl {watts} -i 1", user="root")
    text = f"Provided power limit {watts}.00 W is not a valid power limit which should be between 200.00 W and 700.00 W"
    assert result.lines == [f"{text} for GPU {BUS}", "Terminating early due to previous errors."]
    assert result.status == 2


def test_persistence_mode_is_switched_and_says_if_it_was_so(smi, site: Simulation[World]) -> None:
    assert smi("-pm 1 -i 1", user="root").lines == [f"Persistence mode is already Enabled for GPU {BUS}.", "All done."]
    assert smi("-pm DISABLED -i 1", user="root").lines == [f"Disabled persistence mode for GPU {BUS}.", "All done."]
    assert smi("--query-gpu=persistence_mode --format=csv,noheader -i 1").stdout == "Disabled\n"
    site.apply(StopUnit("dgx-04", "nvidia-persistenced.service", "root"))
    assert smi("-pm 1 -i 1", user="root").lines[0] == f"Enabled Legacy persistence mode for GPU {BUS}."


def test_clocks_are_locked_and_freed(smi, site: Simulation[World], burning: int) -> None:
    result = smi("-lgc 300,1200 -i 2", user="root")
    assert result.lines[0] == 'GPU clocks set to "(gpuClkMin 300, gpuClkMax 1200)" for GPU 00000000:52:00.0'
    locked = int(smi("--query-gpu=clocks.sm --format=csv,noheader,nounits -i 2").stdout)
    assert 1170 <= locked <= 1200
    assert smi("-rgc -i 2", user="root").lines == ["All done."]
    assert smi("--query-gpu=clocks.sm --format=csv,noheader -i 2").stdout == "1980 MHz\n"


def test_compute_mode(smi) -> None:
    assert smi("-c 3 -i 1", user="root").lines[0] == f"Set compute mode to EXCLUSIVE_PROCESS for GPU {BUS}."
    assert smi("-c 3 -i 1", user="root").lines[0] == f"Compute mode is already set to EXCLUSIVE_PROCESS for GPU {BUS}."
    assert "E. Process |" in smi("-i 1").stdout and "Exclusive_Process" in smi("-q -d COMPUTE -i 1").stdout


def test_ecc_waits_for_a_restart(smi) -> None:
    assert smi("-e 0 -i 1", user="root").lines == [
        f"Disabled ECC support for GPU {BUS}.", "All done.", "Reboot required."
    ]  # fmt: skip
    fields = "--query-gpu=ecc.mode.current,ecc.mode.pending --format=csv,noheader -i 1"
    assert smi(fields).stdout == "Enabled, Disabled\n"


def test_a_reset_is_refused_while_somebody_has_the_gpu_open(smi) -> None:
    result = smi("-r -i 1", user="root")
    assert result.lines[:2] == ["The following GPUs could not be reset:", f"  GPU {BUS}: In use by another client"]
    assert result.lines[3].startswith("1 device is currently being used") and result.status == 255


def test_a_reset_succeeds_when_nobody_has(smi, site: Simulation[World]) -> None:
    for unit in ("nvidia-persistenced.service", "nvidia-dcgm.service"):
        site.apply(StopUnit("dgx-04", unit, "root"))
    result = smi("--gpu-reset -i 1", user="root")
    assert result.lines == [f"GPU {BUS} was successfully reset.", "All done."]
    assert result.status == 0 and site.now > 0
