"""systemctl cat, show and revert: drop-ins that people wrote, and slices."""

from __future__ import annotations

import pytest

from engine.control import files
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import WrittenFile
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"


@pytest.fixture
def site() -> Simulation[World]:
    simulation = open_site("dgx-h100-4")
    simulation.apply(parse_fault(f"cpu.sessions_pinned target={HOST}"))
    return simulation


def test_a_slice_is_shown_with_its_drop_in(site: Simulation[World]) -> None:
    lines = run_command(site, HOST, "alex", "systemctl cat user.slice").lines
    assert lines[0] == "# /usr/lib/systemd/system/user.slice"
    (place,) = [line for line in lines if line.startswith("# /etc/systemd/system/user.slice.d/")]
    assert any(line.startswith("AllowedCPUs=") for line in lines[lines.index(place) :])
    shown = run_command(site, HOST, "alex", "systemctl show user.slice -p AllowedCPUs,DropInPaths").lines
    assert shown[0].startswith("AllowedCPUs=") and shown[0] != "AllowedCPUs="
    assert shown[1] == f"DropInPaths={place.removeprefix('# ')}"


def test_revert_takes_drop_ins_away(site: Simulation[World]) -> None:
    assert run_command(site, HOST, "alex", "systemctl revert user.slice").status == 1
    told = run_command(site, HOST, "root", "systemctl revert user.slice")
    assert told.status == 0 and told.stderr.startswith('Removed "/etc/systemd/system/user.slice.d/')
    assert run_command(site, HOST, "alex", "systemctl show user.slice -p AllowedCPUs").stdout == "AllowedCPUs=\n"


def test_a_service_is_shown_with_its_drop_in(site: Simulation[World]) -> None:
    folder = "/etc/systemd/system/slurmd.service.d"
    place = f"{folder}/limits.conf"
    files.put(site, HOST, {folder: WrittenFile(None, 0o755, 0, 0, site.now)})
    files.write(site, HOST, place, b"[Service]\nLimitMEMLOCK=64M\n", uid=0, gid=0)
    lines = run_command(site, HOST, "root", "systemctl cat slurmd").lines
    assert lines[-3:] == [f"# {place}", "[Service]", "LimitMEMLOCK=64M"]
