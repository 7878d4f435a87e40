"""The host engine: when it answers, what it keeps, and when it forgets."""

from __future__ import annotations

import pytest

from engine.control.dcgm import host_engine, modules
from engine.control.dcgm.host_engine import (
    ALL_GPUS,
    ChangeGroup,
    CreateFieldGroup,
    CreateGroup,
    DenyModule,
    DestroyFieldGroup,
    DestroyGroup,
    LoadModule,
    StartDaemon,
)
from engine.control.processes import Kill
from engine.control.systemd import RestartUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import HostEngine
from engine.world.world import World

HOST = "dgx-04"


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def test_it_runs_on_gpu_nodes_only(site: Simulation[World]) -> None:
    assert host_engine.is_running(site.world, HOST) and not host_engine.is_running(site.world, "head-01")
    assert len(host_engine.gpus(site.world, HOST)) == 8 and host_engine.switches(site.world, HOST) == [0, 1, 2, 3]
    assert host_engine.started(site.world, HOST) < site.now


def test_groups_are_numbered_on_and_end_with_their_watches(site: Simulation[World]) -> None:
    made = [site.apply(CreateGroup(HOST, name, ("GPU",), (0,))) for name in ("a", "b")]
    assert made == [2, 3]
    assert site.apply(ChangeGroup(HOST, 2, "GPU", 1, True)) and not site.apply(ChangeGroup(HOST, 2, "GPU", 1, True))
    assert site.apply(ChangeGroup(HOST, 2, "GPU", 0, False))
    group = host_engine.group(site.world, HOST, 2)
    assert group is not None and group.members == (("GPU", 1),)
    assert site.apply(DestroyGroup(HOST, 2)) and not site.apply(DestroyGroup(HOST, 2))
    assert site.apply(CreateGroup(HOST, "c")) == 4
    everything = host_engine.group(site.world, HOST, ALL_GPUS)
    assert everything is not None and len(everything.members) == 8


def test_there_is_room_for_so_many_groups(site: Simulation[World]) -> None:
    numbers = [site.apply(CreateGroup(HOST, f"g{number}")) for number in range(70)]
    assert None in numbers and numbers.index(None) == 62


def test_names_of_field_groups_are_taken_once(site: Simulation[World]) -> None:
    number = site.apply(CreateFieldGroup(HOST, "mine", (150,)))
    assert number == 4 and site.apply(CreateFieldGroup(HOST, "mine", (155,))) is None
    assert site.apply(DestroyFieldGroup(HOST, 4)) and not site.apply(DestroyFieldGroup(HOST, 1))


def test_a_module_is_denied_before_it_is_loaded(site: Simulation[World]) -> None:
    assert modules.shown(site.world, HOST, modules.HEALTH) is modules.State.NOT_LOADED
    site.apply(LoadModule(HOST, modules.HEALTH))
    assert not site.apply(DenyModule(HOST, modules.HEALTH)) and site.apply(DenyModule(HOST, modules.PROFILING))
    assert modules.state(site.world, HOST, modules.PROFILING) is modules.State.DENYLISTED


def test_what_it_keeps_is_gone_with_the_service(site: Simulation[World]) -> None:
    site.apply(CreateGroup(HOST, "a"))
    site.apply(RestartUnit(HOST, "nvidia-dcgm", "root"))
    assert site.world.host_engines[HOST] == HostEngine() and host_engine.is_running(site.world, HOST)
    site.apply(StopUnit(HOST, "nvidia-dcgm", "root"))
    assert host_engine.pid(site.world, HOST) == 0


def test_a_daemon_takes_the_port_and_forgets_when_it_is_killed(site: Simulation[World]) -> None:
    assert isinstance(site.apply(StartDaemon(HOST, "nv-hostengine")), str)
    site.apply(StopUnit(HOST, "nvidia-dcgm", "root"))
    pid = site.apply(StartDaemon(HOST, "nv-hostengine"))
    assert isinstance(pid, int) and host_engine.pid(site.world, HOST) == pid
    site.apply(CreateGroup(HOST, "a"))
    site.apply(Kill(HOST, pid, 15, "root"))
    assert not host_engine.is_running(site.world, HOST) and site.world.host_engines[HOST] == HostEngine()
