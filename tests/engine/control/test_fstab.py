"""/etc/fstab at a boot: which lines stop it, how a node stands then, and what gets it up again."""

from __future__ import annotations

import pytest

from engine.control import boot, files, fstab
from engine.control.boot import ChassisPower, Reboot
from engine.faults.fault import parse_fault
from engine.hands.order import OrderHands
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
GONE = "UUID=0f3a5c1e-1b7c-4f0e-9d6a-2f4e8a6b9c01 /scratch ext4 defaults 0 2"


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def write(site: Simulation[World], line: str) -> None:
    usual = fstab.usual(site.world.inventory, HOST, "head-01")
    files.write(site, HOST, fstab.PATH, f"{usual}{line}\n".encode(), uid=0, gid=0)


@pytest.mark.parametrize(
    ("line", "stops"),
    [
        (GONE, True),
        (GONE.replace("defaults", "defaults,nofail"), False),
        (GONE.replace("defaults", "noauto"), False),
        (f"#{GONE}", False),
        ("LABEL=scratch /scratch xfs defaults 0 2", True),
        ("/dev/sdq1 /scratch ext4 defaults 0 2", True),
        ("/dev/md1 /raid ext4 defaults 0 2", False),
        ("nas-02:/export /export nfs4 defaults,_netdev 0 0", False),
        ("tmpfs /scratch tmpfs size=10g 0 0", False),
        (f"{GONE}\n{GONE.replace('defaults', 'nofail')}", False),
    ],
)
def test_which_lines_stop_a_boot(site: Simulation[World], line: str, stops: bool) -> None:
    assert fstab.blocking(site.world, HOST) == []
    write(site, line)
    assert bool(fstab.blocking(site.world, HOST)) == stops
    site.apply(Reboot(HOST, "root"))
    site.advance(12 * MINUTE)
    assert boot.is_up(site.world, HOST) != stops


def test_a_node_in_emergency_mode_answers_nobody_but_the_console(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"os.fstab_wrong target={HOST}"))
    site.advance(10 * MINUTE)
    assert "No route to host" in run_command(site, "head-01", "alex", f"ssh {HOST} hostname").stderr
    assert "down*" in run_command(site, "head-01", "alex", f"sinfo -n {HOST}").stdout
    site.apply(OrderHands("inspect", HOST, "alex"))
    site.advance(15 * MINUTE)
    told = run_command(site, "head-01", "alex", "hands status").stdout
    assert "Timed out waiting for device /dev/disk/by-uuid/" in told and "You are in emergency mode." in told


def test_power_does_not_help_and_the_console_does(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"os.fstab_wrong target={HOST}"))
    site.advance(10 * MINUTE)
    site.apply(ChassisPower(HOST, "cycle", "alex"))
    site.advance(12 * MINUTE)
    assert boot.in_emergency(site.world, HOST)
    site.apply(OrderHands("mend-fstab", HOST, "alex"))
    site.advance(30 * MINUTE)
    assert boot.is_up(site.world, HOST) and not boot.in_emergency(site.world, HOST)
    last = run_command(site, HOST, "root", "tail -n 1 /etc/fstab").stdout
    assert last.startswith("#UUID=") and "/scratch" in last


def test_who_takes_the_line_out_in_time_has_no_trouble(site: Simulation[World]) -> None:
    site.apply(parse_fault(f"os.fstab_wrong target={HOST} restart=no"))
    write(site, "")
    site.apply(Reboot(HOST, "root"))
    site.advance(12 * MINUTE)
    assert boot.is_up(site.world, HOST)
