"""Whatever people do in whatever order: replays are equal, and two views never disagree."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import bmc, boot, driver, journald, modules, network, packages, processes, systemd
from engine.kernel.actions import Action, decode, encode
from engine.kernel.simulation import Simulation, replay
from engine.kernel.units import MINUTE, SECOND
from engine.world.world import World
from tests.engine.control.os_scene import NODE, OTHER, site

HOSTS = (NODE, OTHER)
PATTERNS = ("nvidia-*", "libnvidia-compute-*", "nvidia-fabricmanager-*")
VERBS = ("on", "off", "cycle", "reset", "soft")
UNITS = ("nvidia-persistenced", "nvidia-fabricmanager", "nvidia-dcgm", "slurmd", "chrony", "nosuch")
MODULES = ("nvidia_peermem", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia", "mlx5_core")
LOADING = re.compile(r"NVRM: loading .* x86_64  (\S+)  Release")


def acts(host: str) -> st.SearchStrategy[Action]:
    units, names = st.sampled_from(UNITS), st.sampled_from(MODULES)
    return st.one_of(
        st.builds(systemd.StopUnit, st.just(host), units, st.just("root")),
        st.builds(systemd.StartUnit, st.just(host), units, st.just("root")),
        st.builds(systemd.RestartUnit, st.just(host), units, st.just("root")),
        st.builds(systemd.DisableUnit, st.just(host), units, st.just("root")),
        st.builds(modules.UnloadModule, st.just(host), names, st.booleans()),
        st.builds(modules.LoadModule, st.just(host), names),
        st.builds(
            packages.Upgrade, st.just(host), st.sampled_from(PATTERNS),
            st.sampled_from(["590.48.01", "590.55.02"]), st.just("root"), st.just("apt-get upgrade"),
        ),
        st.builds(processes.Kill, st.just(host), st.integers(1, 20_040), st.sampled_from([9, 15, 19]), st.just("root")),
        st.builds(boot.ChassisPower, st.just(host), st.sampled_from(VERBS), st.just("alex")),
        st.builds(boot.Reboot, st.just(host), st.just("alex")),
        st.builds(network.SetInterface, st.just(host), st.just("eno3"), st.booleans()),
        st.builds(bmc.ClearSel, st.just(host), st.just("alex")),
    )  # fmt: skip


steps = st.lists(
    st.tuples(st.sampled_from(HOSTS).flatmap(acts), st.sampled_from([0, SECOND, 90 * SECOND, 6 * MINUTE])), max_size=8
)


@given(steps)
@settings(max_examples=40)
def test_a_replay_comes_to_the_same(moves: list[tuple[Action, int]]) -> None:
    first = site()
    for action, wait in moves:
        first.apply(action)
        first.advance(wait)
    again = replay(
        site(), [type(entry)(entry.time, decode(encode(entry.action))) for entry in first.recorded], first.now
    )
    assert again.state_digest() == first.state_digest()
    for host in HOSTS:
        assert journald.entries(again.world, host) == journald.entries(first.world, host)


@given(steps)
@settings(max_examples=40)
def test_views_agree_after_anything(moves: list[tuple[Action, int]]) -> None:
    simulation = site()
    for action, wait in moves:
        simulation.apply(action)
        simulation.advance(wait)
        for host in HOSTS:
            agree(simulation, host)


def agree(simulation: Simulation[World], host: str) -> None:
    world = simulation.world
    times = [entry.time for entry in journald.entries(world, host)]
    assert times == sorted(times)
    events = [entry.time for entry in bmc.sel(world, host)]
    assert events == sorted(events)
    if not boot.is_up(world, host):
        assert processes.processes(world, host) == []
        assert not any(systemd.is_active(world, host, name) for name in systemd.units(world, host))
        return
    log = [match[1] for entry in journald.ring_buffer(world, host) if (match := LOADING.match(entry.text))]
    loaded = {line.name: line for line in modules.loaded(world, host)}
    if "nvidia" in loaded:
        assert log[-1] == loaded["nvidia"].version == driver.nvml(world, host).kernel_version
    versions = {line.version for name, line in loaded.items() if name.startswith("nvidia") and line.used_by}
    assert len(versions) <= 1, "modules that use each other are of one loading"
    assert driver.nvml(world, host).library_version == packages.library_version(world, host)
    running = {process.pid for process in processes.processes(world, host)}
    for name in systemd.units(world, host):
        state = systemd.service(world, host, name)
        assert not (state.active and state.failed)
        assert not (state.active and state.pid and state.pid not in running)
    assert boot.uptime(world, host, simulation.now) == simulation.now - journald.boots(world, host)[-1].start


@given(steps)
@settings(max_examples=15)
def test_looking_changes_nothing(moves: list[tuple[Action, int]]) -> None:
    seen, unseen = site(), site()
    for action, wait in moves:
        seen.apply(action)
        unseen.apply(action)
        seen.advance(wait)
        unseen.advance(wait)
        for host in HOSTS:
            agree(seen, host)
            bmc.sensors(seen.world, host, seen.now)
            packages.history(seen.world, host)
    assert seen.state_digest() == unseen.state_digest()
