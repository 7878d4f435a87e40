"""Packages: what is installed, upgrades that leave loaded modules alone, and the histories."""

from __future__ import annotations

from engine.control import modules, packages
from engine.control.history.past import past_boots
from engine.kernel.units import MINUTE
from tests.engine.control.os_scene import HEAD, NODE, site

NEWER = "590.55.02"


def test_the_driver_family_has_the_sites_version() -> None:
    world = site(overrides={"software.driver": "580.105.08", "software.fabric_manager": "580.105.08"}).world
    installed = packages.installed(world, NODE)
    assert installed["nvidia-utils-580"].version.startswith("580.105.08-")
    assert packages.library_version(world, NODE) == packages.module_file_version(world, NODE) == "580.105.08"
    assert modules.driver_version(world, NODE) == "580.105.08"


def test_a_host_without_gpus_has_no_driver() -> None:
    world = site().world
    assert not [name for name in packages.installed(world, HEAD) if name.startswith(("nvidia", "libnvidia"))]
    assert packages.library_version(world, HEAD) is None
    assert "slurm-smd-slurmctld" in packages.installed(world, HEAD)
    assert "slurm-smd-slurmctld" not in packages.installed(world, NODE)


def test_an_upgrade_changes_the_files_and_not_what_is_loaded() -> None:
    simulation = site()
    loaded = modules.loaded(simulation.world, NODE)
    changes = simulation.apply(packages.Upgrade(NODE, "nvidia-utils-*", NEWER, "root", "apt-get upgrade"))
    world = simulation.world
    assert packages.library_version(world, NODE) == packages.module_file_version(world, NODE) == NEWER
    assert packages.fabric_manager_version(world, NODE) == "590.48.01"
    assert modules.loaded(world, NODE) == loaded
    assert dict(modules.module_info(world, NODE, "nvidia") or [])["version"] == NEWER
    assert {name for name, _, _ in changes} >= {"nvidia-utils-590", "libnvidia-compute-590", "nvidia-dkms-590-open"}
    assert packages.history(world, NODE)[-1].upgrades == changes


def test_going_back_restores_the_state() -> None:
    simulation = site()
    before = packages.installed(simulation.world, NODE)
    for version in (NEWER, "590.48.01"):
        simulation.apply(packages.Upgrade(NODE, "nvidia-driver-590-open", version, "root", "apt-get install"))
    after = packages.installed(simulation.world, NODE)
    assert {name: package.version for name, package in after.items() if name in before} == {
        name: package.version for name, package in before.items()
    }


def test_held_packages_stay() -> None:
    simulation = site()
    simulation.apply(packages.Hold(NODE, ("libnvidia-compute-590",)))
    simulation.apply(packages.Upgrade(NODE, "nvidia-driver-590-open", NEWER, "root", "apt-get upgrade"))
    assert packages.holds(simulation.world, NODE) == ("libnvidia-compute-590",)
    assert packages.library_version(simulation.world, NODE) == "590.48.01"
    assert packages.module_file_version(simulation.world, NODE) == NEWER
    simulation.apply(packages.Hold(NODE, ("libnvidia-compute-590",), held=False))
    assert packages.holds(simulation.world, NODE) == ()


def test_what_one_command_does_at_one_time_is_one_transaction() -> None:
    """dpkg's lock lets no two transactions run at once."""
    simulation = site()
    before = len(packages.history(simulation.world, NODE))
    for pattern in ("libnvidia-compute-*", "nvidia-fabricmanager-*"):
        simulation.apply(packages.Upgrade(NODE, pattern, NEWER, "", "/usr/bin/unattended-upgrade"))
    (change,) = packages.history(simulation.world, NODE)[before:]
    assert {"libnvidia-compute-590", "nvidia-fabricmanager-590"} <= {name for name, _, _ in change.upgrades}
    simulation.advance(MINUTE)
    simulation.apply(packages.Upgrade(NODE, "nvidia-*", "590.48.01", "", "/usr/bin/unattended-upgrade"))
    assert len(packages.history(simulation.world, NODE)) == before + 2


def test_nothing_to_do_writes_no_history() -> None:
    simulation = site()
    before = packages.history(simulation.world, NODE)
    assert simulation.apply(packages.Upgrade(NODE, "nvidia-*", "590.48.01", "root", "apt-get upgrade")) == ()
    assert packages.history(simulation.world, NODE) == before


def test_the_past_ends_with_what_is_installed() -> None:
    world = site().world
    for host in (NODE, HEAD):
        versions = {name: new for change in packages.history(world, host) for name, _, new in change.upgrades}
        installed = packages.installed(world, host)
        assert versions
        assert all(installed[name].version == version for name, version in versions.items())
        times = [change.time for change in packages.history(world, host)]
        assert times == sorted(times)


def test_the_last_driver_upgrade_came_just_before_the_boot_that_loaded_it() -> None:
    world = site().world
    boots = past_boots(world, NODE)
    change = [each for each in packages.history(world, NODE) if "nvidia-driver" in each.command][-1]
    assert boots[-2].start < change.time < (boots[-2].end or 0)
    old = {old for name, old, _ in change.upgrades if name == "libnvidia-compute-590"}
    assert old == {f"{boots[-2].driver}-0ubuntu0.24.04.1"}
    assert boots[-1].driver == modules.driver_version(world, NODE)


def test_dpkgs_log_follows_from_the_history() -> None:
    simulation = site()
    simulation.apply(packages.Upgrade(NODE, "nvidia-fabricmanager-590", NEWER, "root", "apt-get upgrade"))
    lines = [line for time, line in packages.dpkg_log(simulation.world, NODE) if time == 0]
    assert lines[1].startswith("upgrade nvidia-fabricmanager-590:amd64 590.48.01-")
    assert lines[-1] == f"status installed nvidia-fabricmanager-590:amd64 {NEWER}-0ubuntu0.24.04.1"


def test_files_belong_to_packages() -> None:
    world = site().world
    assert packages.package_of(world, NODE, "/usr/bin/nvidia-smi") == "nvidia-utils-590"
    assert packages.package_of(world, HEAD, "/usr/bin/nvidia-smi") is None


def test_the_package_sources_offer_what_there_was() -> None:
    simulation = site()
    simulation.apply(packages.Upgrade(NODE, "nvidia-driver-590-open", NEWER, "root", "apt-get upgrade"))
    offered = packages.available(simulation.world, NODE, "nvidia-utils-590")
    assert [packages.upstream(version) for version in offered] == [NEWER, "590.48.01", "590.44.01"]
