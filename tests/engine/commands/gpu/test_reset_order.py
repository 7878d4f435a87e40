"""Resetting the GPUs of a node that works: drain, end the work, let go of the GPUs, reset, check, resume. Each step out
of order fails as it does on a real node.
"""

from __future__ import annotations

from functools import cache

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.records import RecoveryAction
from engine.world.world import World
from tests.support.run import Result, run_command

Sim = Simulation[World]
NODE, GPU = "dgx-01", "dgx-01/gpu6"
HOLDERS = ("nvidia-dcgm", "nvidia-persistenced")
DAEMONS = " ".join(("nvidia-dcgm-exporter", *HOLDERS))


@cache
def _site() -> Sim:
    simulation = open_site("dgx-h100-4")
    simulation.advance(MINUTE)
    return simulation


@pytest.fixture
def site() -> Sim:
    return _site().fork()


def on(simulation: Sim, line: str, host: str = NODE) -> Result:
    return run_command(simulation, host, "root", line)


def head(simulation: Sim, line: str) -> Result:
    return on(simulation, line, "head-01")


def clear(simulation: Sim) -> None:
    """Drain the node and end its work."""
    head(simulation, f"scontrol update nodename={NODE} state=drain reason=reset")
    head(simulation, f"scancel -w {NODE}")
    simulation.advance(2 * MINUTE)


def test_in_order_it_works(site: Sim) -> None:
    site.apply(parse_fault(f"gpu.uncontained_error target={GPU}"))
    clear(site)
    assert on(site, f"systemctl stop {DAEMONS}").status == 0
    done = on(site, "nvidia-smi -r")
    assert done.status == 0 and done.lines[-1] == "All done." and len(done.lines) == 9
    assert site.world.gpus[GPU].recovery is RecoveryAction.NONE
    assert on(site, f"systemctl start {DAEMONS}").status == 0
    checked = on(site, "dcgmi diag -r 2")
    assert checked.status == 0 and "Fail" not in checked.stdout
    head(site, f"scontrol update nodename={NODE} state=resume")
    assert "idle" in head(site, f"sinfo -h -n {NODE} -p batch").stdout


def test_while_the_job_runs_it_is_refused(site: Sim) -> None:
    head(site, f"scontrol update nodename={NODE} state=drain reason=reset")
    on(site, f"systemctl stop {DAEMONS}")
    refused = on(site, "nvidia-smi -r")
    assert refused.status == 255 and refused.stdout.count("In use by another client") == 8
    assert "drng" in head(site, f"sinfo -h -n {NODE} -p batch").stdout


@pytest.mark.parametrize("held", HOLDERS)
def test_a_daemon_that_was_forgotten_holds_the_gpus(site: Sim, held: str) -> None:
    clear(site)
    on(site, "systemctl stop " + " ".join(each for each in HOLDERS if each != held))
    assert on(site, "nvidia-smi -r -i 6").status == 255
    on(site, f"systemctl stop {held}")
    assert on(site, "nvidia-smi -r -i 6").stdout == "GPU 00000000:D1:00.0 was successfully reset.\nAll done.\n"


def test_a_check_before_the_persistence_daemon_is_back_complains(site: Sim) -> None:
    clear(site)
    on(site, f"systemctl stop {DAEMONS}")
    on(site, "nvidia-smi -r")
    checked = on(site, "dcgmi diag -r 1")
    assert checked.status == 226 and "Persistence mode for GPU 0" in checked.stdout.replace("\n", " ")


def test_the_quick_check_does_not_look_at_the_recovery_action(site: Sim) -> None:
    site.apply(parse_fault(f"gpu.uncontained_error target={GPU}"))
    clear(site)
    assert on(site, "dcgmi diag -r 1").status == 0
    assert "6, Reset" in on(site, "nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv").lines


def test_nobody_but_root_resets(site: Sim) -> None:
    refused = run_command(site, NODE, "priya", "nvidia-smi -r -i 6")
    assert refused.status == 4 and refused.lines[0] == "Unable to reset GPU 00000000:D1:00.0: Insufficient Permissions"
