"""check_lft_balance.pl, beside the real script where it is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command
from tests.support.sessions import type_lines

REAL = Path("/usr/sbin/check_lft_balance")
FILES = "sudo sh -c 'dump_lfts.sh > /tmp/l; ibnetdiscover --cache /tmp/c > /dev/null'"
OPTIONS = ("", "-v", "-e", "-e -v")


@pytest.fixture(scope="module", params=["sound", "uplinks gone", "tables of somebody's own"])
def scene(request: pytest.FixtureRequest) -> tuple[str, Simulation[World]]:
    simulation = open_site("dgx-h100-su" if "own" in request.param else "dgx-h100-4", 1)
    if "uplink" in request.param:
        simulation.apply(parse_fault("fabric.uplink_unplugged target=leaf-01/33"))
    if "own" in request.param:
        simulation.apply(parse_fault("subnet_manager.crossed_tables target=head-01"))
    simulation.advance(20 * SECOND)
    return request.param, simulation


def ours(simulation: Simulation[World]) -> list[str]:
    lines = [f"check_lft_balance.pl -l /tmp/l -i /tmp/c {options}" for options in OPTIONS]
    return [result.stdout.decode() for result in type_lines(simulation.fork(), [FILES, *lines])[1:]]


def test_only_unbalanced_switches_are_told(scene: tuple[str, Simulation[World]]) -> None:
    name, simulation = scene
    plain, every, *_ = ours(simulation)
    assert (plain == "") == (name == "sound")
    assert every.count("Switch Port Usage: ") == len(simulation.world.inventory.switches)


@pytest.mark.skipif(not REAL.exists(), reason="no infiniband-diags here")
def test_as_the_real_script(scene: tuple[str, Simulation[World]], tmp_path: Path) -> None:
    """The real one asks iblinkinfo, which here prints what ours does."""
    simulation = scene[1]
    (tmp_path / "l").write_text(run_command(simulation, "head-01", "root", "dump_lfts.sh").stdout)
    for switch in simulation.world.inventory.switches.values():
        shown = run_command(simulation, "head-01", "root", f"iblinkinfo -S 0x{switch.guid:016x}").stdout
        (tmp_path / f"0x{switch.guid:016x}").write_text(shown)
    program = tmp_path / "iblinkinfo"
    program.write_text(f'#!/bin/sh\ncat "{tmp_path}/$4"\n')
    program.chmod(0o755)
    for options, mine in zip(OPTIONS, ours(simulation), strict=True):
        line = [str(REAL), "-l", str(tmp_path / "l"), "-i", "c", *options.split()]
        theirs = subprocess.run(
            line, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, check=False
        )
        assert mine == theirs.stdout, options


def test_without_its_files_it_says_what_it_needs() -> None:
    simulation = open_site("dgx-h100-4", 1)
    for line, problem in (("", "Must specify dump lfts file"), ("-l x", "cache"), ("-z", "Unknown option: z")):
        result = run_command(simulation, "head-01", "root", f"check_lft_balance.pl {line}")
        assert result.status == 2 and result.stdout.startswith("Usage: check_lft_balance.pl -l")
        assert problem in result.stderr
