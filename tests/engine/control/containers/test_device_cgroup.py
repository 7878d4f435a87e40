"""What a reload of systemd does to the GPUs of containers, by cgroup driver, kind of request and links."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from engine.control import files, systemd
from engine.control.containers import daemon, device_cgroup, inside, lifecycle, toolkit
from engine.faults.container_gpus_lost import start_service
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import Container
from engine.world.world import World

HOST = "dgx-04"
CGROUPFS = '{"exec-opts": ["native.cgroupdriver=cgroupfs"]}'


@cache
def _site() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site() -> Simulation[World]:
    return _site().fork()


def started(simulation: Simulation[World], **more: Any) -> Container:
    start_service(simulation, HOST, "one", **more)
    return found(simulation)


def found(simulation: Simulation[World]) -> Container:
    each = lifecycle.find(simulation.world, HOST, "one")
    assert each is not None
    return each


def reload(simulation: Simulation[World]) -> int:
    """How many GPUs the container may open after a reload."""
    simulation.apply(device_cgroup.ReloadManager(HOST, 4711))
    return len(inside.gpu_indices(simulation.world, HOST, found(simulation)))


def test_gpus_of_the_hook_are_lost(site: Simulation[World]) -> None:
    each = started(site)
    assert inside.gpu_indices(site.world, HOST, each) == tuple(range(8))
    assert reload(site) == 0
    assert inside.loses_driver(found(site))


def test_a_restart_gives_them_back_until_the_next_reload(site: Simulation[World]) -> None:
    started(site)
    reload(site)
    site.apply(systemd.RestartUnit(HOST, daemon.SERVICE, ""))
    assert len(inside.gpu_indices(site.world, HOST, found(site))) == 8
    assert reload(site) == 0


@pytest.mark.parametrize(("links", "left"), [(True, 8), (False, 0)])
def test_named_devices_need_the_links(site: Simulation[World], links: bool, left: int) -> None:
    if links:
        site.apply(device_cgroup.MakeLinks(HOST))
    started(site, specified=True)
    assert reload(site) == left


def test_links_do_not_help_the_hook(site: Simulation[World]) -> None:
    site.apply(device_cgroup.MakeLinks(HOST))
    started(site)
    assert reload(site) == 0


def test_systemd_has_no_part_in_cgroupfs(site: Simulation[World]) -> None:
    files.write(site, HOST, daemon.DAEMON_JSON, CGROUPFS.encode(), uid=0, gid=0)
    site.apply(systemd.RestartUnit(HOST, daemon.SERVICE, ""))
    started(site)
    assert reload(site) == 8


def test_privileged_containers_keep_them(site: Simulation[World]) -> None:
    started(site, privileged=True)
    assert reload(site) == 8


def test_the_other_containers_of_enroot_and_without_gpus_do_not_change(site: Simulation[World]) -> None:
    each = started(site)
    before = site.world.container_hosts["dgx-03"]
    reload(site)
    assert site.world.container_hosts["dgx-03"] == before
    assert found(site).pid == each.pid


def test_the_toolkit_refuses_what_is_not_there(site: Simulation[World]) -> None:
    with pytest.raises(toolkit.Refused, match="unknown device"):
        toolkit.chosen(site.world, HOST, toolkit.Request(names=("9",)))
    with pytest.raises(toolkit.Refused):
        toolkit.chosen(site.world, HOST, toolkit.Request(count=9))
