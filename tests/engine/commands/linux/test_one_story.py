"""Views of one matter that must not contradict each other: over hosts, over tools, over the past and the present."""

from __future__ import annotations

import pytest

from engine.control.boot import Reboot
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1, {})


def shown(site: Simulation[World], line: str, host: str = "dgx-01") -> str:
    result = run_command(site, host, "root", line)
    assert result.status == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("path", ["/home/alex", "/home/priya", "/data"])
def test_shared_directories_have_the_same_times_everywhere(site: Simulation[World], path: str) -> None:
    assert shown(site, f"stat -c %y {path}") == shown(site, f"stat -c %y {path}", "head-01")


def test_a_directory_counts_those_in_it(site: Simulation[World]) -> None:
    inside = [line for line in shown(site, "ls -l /home").splitlines() if line.startswith("d")]
    assert shown(site, "stat -c %h /home").strip() == str(2 + len(inside))


def test_memory_file_systems_are_shares_of_memory(site: Simulation[World]) -> None:
    total = int(shown(site, "free").splitlines()[1].split()[1])
    size = int(shown(site, "df /dev/shm").splitlines()[1].split()[1])
    assert 0 <= total // 2 - size < 4


def test_members_of_a_bond_show_its_address_and_their_own(site: Simulation[World]) -> None:
    bond = shown(site, "ip link show bond0").split("link/ether ")[1].split()[0]
    member = shown(site, "ip link show enp170s0f1np1")
    assert f"link/ether {bond} " in member
    assert "permaddr" in member
    assert member.split("permaddr ")[1].strip() in shown(site, "ethtool -P enp170s0f1np1")


def test_an_ipoib_link_has_the_address_of_its_guid(site: Simulation[World]) -> None:
    text = shown(site, "ip addr show ibp24s0")
    guid = text.split("link/infiniband ")[1].split()[0].split(":")[12:]
    assert guid[0] == "94"
    assert f"inet6 fe80::96{guid[1]}:{guid[2]}{guid[3]}:" in text


def test_the_firmware_is_as_old_as_its_date_says(site: Simulation[World]) -> None:
    text = shown(site, "hostnamectl")
    assert "Firmware Date: Thu 2025-02-20\n    Firmware Age: 1y 9month 1w 2d\n" in text
    assert "BIOS 1.6.7 02/20/2025" in shown(site, "dmesg")


def test_numbers_are_not_resolved_by_ping(site: Simulation[World]) -> None:
    assert "bytes from 10.20.0.12: icmp_seq" in shown(site, "ping -c 1 10.20.0.12")
    assert "bytes from dgx-02 (10.20.0.12): icmp_seq" in shown(site, "ping -c 1 dgx-02")


def test_a_gpu_that_is_dead_at_boot_gets_no_display_device(site: Simulation[World]) -> None:
    site.apply(parse_fault("gpu.fell_off_bus target=dgx-04/gpu5"))
    site.advance(MINUTE)
    site.apply(Reboot("dgx-04", "alex"))
    site.advance(15 * MINUTE)
    log = shown(site, "dmesg", "dgx-04")
    assert "The NVIDIA GPU 0000:c3:00.0" in log
    assert "nvidia-drm 0.0.0 20160202 for 0000:df:00.0" in log
    assert "nvidia-drm 0.0.0 20160202 for 0000:c3:00.0" not in log


def test_a_boot_now_leaves_the_same_events_as_one_of_the_past(site: Simulation[World]) -> None:
    site.apply(Reboot("dgx-04", "alex"))
    site.advance(15 * MINUTE)
    events = [line.split(" | ", 3)[3] for line in shown(site, "ipmitool sel list", "dgx-04").splitlines()]
    assert events[-3:] == events[-6:-3]
    assert "warm reset" in events[-3]
