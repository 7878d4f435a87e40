"""Shutting down, power and booting: warm and cold, with what they cost."""

from __future__ import annotations

import pytest

from engine.control import boot, driver, harm, journald, logins, modules, network, packages, processes, systemd
from engine.control.usage import wanted_cpu
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import gpu_bus
from engine.world.records import BootPhase, BusDefect, BusState, Power
from engine.world.world import World
from tests.engine.control.os_scene import BOOT_TAKES, HEAD, NODE, OTHER, site, texts

LOST = f"{OTHER}/gpu5"


def finished(simulation: Simulation[World], host: str) -> bool:
    simulation.advance(BOOT_TAKES)
    return boot.is_up(simulation.world, host)


def test_a_reboot_starts_everything_anew() -> None:
    simulation = site()
    before = journald.boots(simulation.world, NODE)[-1]
    simulation.apply(boot.Reboot(NODE, "alex"))
    assert not boot.is_up(simulation.world, NODE)
    assert not processes.processes(simulation.world, NODE)
    assert not network.reachable(simulation.world, HEAD, NODE)
    assert network.reachable(simulation.world, HEAD, f"{NODE}-bmc")
    assert boot.uptime(simulation.world, NODE, simulation.now) == 0
    assert finished(simulation, NODE)
    after = journald.boots(simulation.world, NODE)
    assert after[-1].id != before.id
    assert after[-2].id == before.id
    assert boot.uptime(simulation.world, NODE, simulation.now) < 2 * MINUTE
    assert network.reachable(simulation.world, HEAD, NODE)
    usual = {"apt-daily.service", "apt-daily-upgrade.service", "logrotate.service", "opensm.service"}
    stopped = {
        name for name in systemd.units(simulation.world, NODE) if not systemd.is_active(simulation.world, NODE, name)
    }
    assert stopped == usual


def test_a_boot_writes_its_own_messages() -> None:
    simulation = site()
    usual = [entry.text for entry in journald.ring_buffer(simulation.world, OTHER) if "Xid" not in entry.text]
    simulation.apply(boot.Reboot(OTHER, "alex"))
    assert finished(simulation, OTHER)
    log = journald.ring_buffer(simulation.world, OTHER)
    assert log[0].time == simulation.world.nodes[OTHER].booted_at
    assert abs(len(log) - len(usual)) < 60
    assert sum(entry.text.startswith("NVRM: loading NVIDIA") for entry in log) == 1
    lines = texts(simulation, OTHER, "systemd")
    assert "Reached target reboot.target - System Reboot." in lines
    assert "Reached target multi-user.target - Multi-User System." in lines
    times = [entry.time for entry in journald.entries(simulation.world, OTHER)]
    assert times == sorted(times)
    assert times[-1] <= simulation.now


def test_jobs_on_a_rebooted_node_are_harm_once() -> None:
    simulation = site()
    jobs = {process.job for process in simulation.world.systems[NODE].processes if process.job}
    simulation.apply(boot.Reboot(NODE, "alex"))
    assert not simulation.world.systems[NODE].processes
    assert wanted_cpu(simulation.world, NODE) == 0
    finished(simulation, NODE)
    killed = [each for each in harm.harms(simulation.world) if each.kind == "job_killed"]
    assert len(killed) == len(jobs) == 1
    assert killed[0].cause == "reboot by alex"


def test_rebooting_an_idle_drained_node_harms_nobody() -> None:
    simulation = site()
    simulation.world.slurm_nodes.update(OTHER, drain=True)
    simulation.apply(boot.Reboot(OTHER, "alex"))
    assert not harm.harms(simulation.world)


@pytest.mark.parametrize(("verb", "back"), [("reset", False), ("cycle", True)])
def test_power_verbs_are_warm_or_cold(verb: str, back: bool) -> None:
    """A warm start does not bring a GPU back to the bus; a cold one does."""
    simulation = site()
    simulation.world.gpus.update(LOST, defect=BusDefect(holds_after_cold_start=90 * MINUTE))
    gpu_bus.drop(simulation, LOST)
    assert simulation.apply(boot.ChassisPower(OTHER, verb, "alex")) is None
    assert finished(simulation, OTHER)
    assert simulation.world.nodes[OTHER].cold == back
    assert (simulation.world.gpus[LOST].bus is BusState.PRESENT) == back
    assert len(driver.bound_gpus(simulation.world, OTHER)) == (8 if back else 7)
    log = [entry.text for entry in journald.ring_buffer(simulation.world, OTHER)]
    assert any("fallen off the bus and is not responding" in text for text in log) != back
    assert not any("Xid" in text for text in log)


def test_a_board_that_is_away_is_in_no_message() -> None:
    simulation = site()
    simulation.world.gpus.update(LOST, defect=BusDefect(holds_after_cold_start=None))
    gpu_bus.drop(simulation, LOST)
    simulation.apply(boot.ChassisPower(OTHER, "cycle", "alex"))
    assert finished(simulation, OTHER)
    address = simulation.world.inventory.gpu(LOST).address
    assert not [e for e in journald.ring_buffer(simulation.world, OTHER) if address in e.text]
    persistence = [text for text in texts(simulation, OTHER, "nvidia-persistenced") if "- registered" in text]
    assert len(persistence) == 7


def test_off_and_on() -> None:
    simulation = site()
    simulation.apply(boot.PowerOff(OTHER, "alex"))
    simulation.advance(20 * SECOND)
    assert simulation.world.nodes[OTHER].power is Power.OFF
    for verb in ("soft", "reset", "cycle"):
        assert simulation.apply(boot.ChassisPower(OTHER, verb, "alex")) == "Command not supported in present state"
    simulation.advance(60 * MINUTE)
    assert simulation.world.nodes[OTHER].phase is BootPhase.OFF
    assert simulation.apply(boot.ChassisPower(OTHER, "on", "alex")) is None
    assert finished(simulation, OTHER)
    assert simulation.world.nodes[OTHER].cold


def test_power_lost_in_a_boot_begins_again() -> None:
    simulation = site()
    simulation.apply(boot.Reboot(OTHER, "alex"))
    simulation.advance(4 * MINUTE - 30 * SECOND)
    simulation.apply(boot.ChassisPower(OTHER, "cycle", "alex"))
    simulation.advance(3 * MINUTE)
    assert simulation.world.nodes[OTHER].phase is BootPhase.FIRMWARE
    assert finished(simulation, OTHER)
    assert len(simulation.world.logs[OTHER].boots) == 1


def test_a_boot_loads_what_is_installed() -> None:
    simulation = site()
    simulation.apply(packages.Upgrade(OTHER, "nvidia-*", "590.55.02", "root", "apt-get upgrade"))
    assert driver.nvml(simulation.world, OTHER).status is driver.NvmlStatus.MISMATCH
    simulation.apply(boot.Reboot(OTHER, "alex"))
    assert finished(simulation, OTHER)
    assert modules.driver_version(simulation.world, OTHER) == "590.55.02"
    assert driver.nvml(simulation.world, OTHER).status is driver.NvmlStatus.OK
    assert systemd.is_active(simulation.world, OTHER, "nvidia-fabricmanager")


def test_a_boot_forgets_what_was_started_and_keeps_what_is_enabled() -> None:
    simulation = site()
    simulation.apply(systemd.StopUnit(OTHER, "chrony", "root"))
    simulation.apply(systemd.DisableUnit(OTHER, "nvidia-dcgm", "root"))
    simulation.apply(modules.UnloadModule(OTHER, "nvidia_drm"))
    simulation.apply(network.SetInterface(OTHER, "eno3", False))
    simulation.apply(logins.OpenSession(OTHER, "alex", "10.20.0.10"))
    simulation.apply(boot.Reboot(OTHER, "alex"))
    assert finished(simulation, OTHER)
    world = simulation.world
    assert systemd.is_active(world, OTHER, "chrony")
    assert not systemd.is_active(world, OTHER, "nvidia-dcgm")
    assert modules.is_loaded(world, OTHER, "nvidia-drm")
    assert network.interface(world, OTHER, "eno3").up  # type: ignore[union-attr]
    assert not logins.sessions(world, OTHER)


def test_losing_power_is_nobodys_harm() -> None:
    simulation = site()
    boot.lose_power(simulation, NODE, "feed A and B lost")
    assert not harm.harms(simulation.world)
    assert not simulation.world.systems[NODE].processes
    assert simulation.world.nodes[NODE].power is Power.OFF
