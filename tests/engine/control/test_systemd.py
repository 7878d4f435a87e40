"""Units: how they run, systemd's lines, failing starts, deaths and restarts."""

from __future__ import annotations

import pytest

from engine.control import harm, packages, processes, systemd
from engine.control.units import all_units
from engine.kernel.units import SECOND
from tests.engine.control.os_scene import HEAD, NODE, OTHER, site, texts

EXPECTED = {
    HEAD: {"slurmctld", "slurmdbd", "mariadb", "opensm", "nfs-server", "ssh", "cron", "chrony", "munge", "rsyslog"},
    NODE: {"slurmd", "nvidia-persistenced", "nvidia-fabricmanager", "nvidia-dcgm", "openibd", "ssh", "munge"},
}


@pytest.mark.parametrize("host", [HEAD, NODE])
def test_each_role_has_its_units(host: str) -> None:
    world = site().world
    names = systemd.units(world, host)
    assert {f"{name}.service" for name in EXPECTED[host]} <= set(names)
    foreign = {NODE: "slurmctld slurmdbd mariadb nfs-server", HEAD: "slurmd nvidia-dcgm nvidia-fabricmanager"}
    assert not {f"{name}.service" for name in foreign[host].split()} & set(names)
    assert all(systemd.is_active(world, host, name) for name in EXPECTED[host])


def test_main_processes_are_in_the_process_table() -> None:
    world = site().world
    running = {process.pid: process for process in processes.processes(world, NODE)}
    for name in systemd.units(world, NODE):
        state = systemd.service(world, NODE, name)
        if all_units()[name].runs_process and state.active:
            assert running[state.pid].unit == name
            assert running[state.pid].started == state.since


def test_a_restart_says_so_and_has_a_new_process() -> None:
    simulation = site()
    before = systemd.service(simulation.world, NODE, "chrony")
    assert simulation.apply(systemd.RestartUnit(NODE, "chrony", "root")) is None
    after = systemd.service(simulation.world, NODE, "chrony")
    assert after.active
    assert (after.pid, after.since) != (before.pid, before.since)
    lines = texts(simulation, NODE, "systemd")
    assert lines[0] == "Stopping chrony.service - chrony, an NTP client/server..."
    assert lines[-1] == "Started chrony.service - chrony, an NTP client/server."


def test_a_unit_that_is_not_there() -> None:
    simulation = site()
    answer = simulation.apply(systemd.StartUnit(NODE, "slurmctld", "root"))
    assert answer == systemd.Refusal("Failed to start slurmctld.service: Unit slurmctld.service not found.", 5)
    answer = simulation.apply(systemd.StopUnit(NODE, "nosuch", "root"))
    assert answer == systemd.Refusal("Failed to stop nosuch.service: Unit nosuch.service not loaded.", 5)


def test_stopping_what_others_need_is_harm() -> None:
    simulation = site()
    simulation.apply(systemd.StopUnit(NODE, "cron", "alex"))
    assert not harm.harms(simulation.world)
    simulation.apply(systemd.StopUnit(HEAD, "slurmctld", "alex"))
    assert [(each.kind, each.what) for each in harm.harms(simulation.world)] == [
        ("service_stopped", "slurmctld.service on head-01")
    ]
    simulation.apply(systemd.StopUnit(HEAD, "slurmctld", "alex"))
    assert len(harm.harms(simulation.world)) == 1


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (
            "nvidia-fabricmanager",
            "fabric manager NVIDIA GPU driver interface version 590.55.02 don't match with driver",
        ),
        ("nvidia-persistenced", "Failed to query NVIDIA devices."),
    ],
)
def test_programs_of_another_version_than_the_module_do_not_start(unit: str, said: str) -> None:
    simulation = site()
    simulation.apply(packages.Upgrade(OTHER, "nvidia-*", "590.55.02", "root", "apt-get upgrade"))
    assert systemd.is_active(simulation.world, OTHER, unit), "what runs goes on"
    refusal = simulation.apply(systemd.RestartUnit(OTHER, unit, "root"))
    assert refusal is not None
    assert refusal.text.startswith(f"Job for {unit}.service failed because the control process exited with error code.")
    state = systemd.service(simulation.world, OTHER, unit)
    assert (state.failed, state.result, state.exit_status) == (True, "exit-code", 1)
    lines = texts(simulation, OTHER)
    assert any(line.startswith(said) for line in lines)
    assert lines[-3] == f"{unit}.service: Control process exited, code=exited, status=1/FAILURE"
    assert systemd.properties(simulation.world, OTHER, unit)["ActiveState"] == "failed"
    simulation.apply(systemd.ResetFailed(OTHER, unit))
    assert systemd.properties(simulation.world, OTHER, unit)["ActiveState"] == "inactive"


def test_a_killed_daemon_fails_or_comes_back() -> None:
    simulation = site()
    for unit in ("rsyslog", "nvidia-persistenced"):
        simulation.apply(processes.Kill(OTHER, systemd.service(simulation.world, OTHER, unit).pid, 9, "root"))
        assert systemd.service(simulation.world, OTHER, unit).failed
    assert "rsyslog.service: Main process exited, code=killed, status=9/KILL" in texts(simulation, OTHER, "systemd")
    simulation.advance(SECOND)
    assert systemd.is_active(simulation.world, OTHER, "rsyslog")
    assert not systemd.is_active(simulation.world, OTHER, "nvidia-persistenced")


def test_enabled_and_disabled() -> None:
    simulation = site()
    simulation.apply(systemd.DisableUnit(NODE, "nvidia-dcgm", "root"))
    state = systemd.service(simulation.world, NODE, "nvidia-dcgm")
    assert (state.active, state.enabled) == (True, False)
    assert systemd.properties(simulation.world, NODE, "nvidia-dcgm")["UnitFileState"] == "disabled"
    simulation.apply(systemd.EnableUnit(NODE, "nvidia-dcgm", "root"))
    assert systemd.service(simulation.world, NODE, "nvidia-dcgm").enabled
    assert simulation.apply(systemd.EnableUnit(NODE, "nosuch", "root")).text == (
        "Failed to enable unit: Unit file nosuch.service does not exist."
    )


def test_aliases_and_suffixes() -> None:
    world = site().world
    assert systemd.service(world, NODE, "sshd") == systemd.service(world, NODE, "ssh.service")
    assert systemd.full_name("getty@tty1") == "getty@tty1.service"
    assert systemd.full_name("logrotate.timer") == "logrotate.timer"
