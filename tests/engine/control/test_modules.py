"""Kernel modules: lsmod's order and counts, refusals, versions at loading."""

from __future__ import annotations

from engine.control import journald, modules, packages, processes, systemd
from engine.control.module_table import module_specs, nvidia_family
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.control.os_scene import HEAD, NODE, OTHER, site

NEWER = "590.55.02"
DAEMONS = ("nvidia-dcgm", "nvidia-fabricmanager", "nvidia-persistenced")
UNLOAD_ORDER = ("nvidia_peermem", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nvidia")


def stop_daemons(simulation: Simulation[World], host: str) -> None:
    for unit in DAEMONS:
        assert simulation.apply(systemd.StopUnit(host, unit, "root")) is None


def test_the_table_loads_in_an_order_that_works() -> None:
    known: set[str] = set()
    for spec in module_specs().values():
        assert set(spec.uses) <= known, spec.name
        known.add(spec.name)


def test_users_and_counts_fit_together() -> None:
    world = site().world
    for host in (HEAD, NODE):
        lines = modules.loaded(world, host)
        specs = module_specs()
        for line in lines:
            assert set(line.used_by) == {other.name for other in lines if line.name in specs[other.name].uses}
            assert line.refs >= len(line.used_by)
        places = {line.name: place for place, line in enumerate(lines)}
        assert all(places[user] < places[line.name] for line in lines for user in line.used_by)


def test_a_host_without_gpus_has_no_driver_loaded() -> None:
    assert modules.driver_version(site().world, HEAD) is None
    assert modules.module_info(site().world, HEAD, "nvidia") is None


def test_unloading_is_refused_with_the_users() -> None:
    simulation = site()
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia")) == (
        "Module nvidia is in use by: nvidia_peermem nvidia_uvm nvidia_modeset"
    )
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia-uvm")) == "Module nvidia-uvm is in use"
    assert "Resource temporarily unavailable" in simulation.apply(modules.UnloadModule(OTHER, "nvidia", force=True))
    assert simulation.apply(modules.UnloadModule(OTHER, "nouveau")) == "Module nouveau is not currently loaded"


def test_each_user_of_the_gpus_keeps_the_driver() -> None:
    for left in DAEMONS:
        simulation = site()
        for unit in DAEMONS:
            if unit != left:
                simulation.apply(systemd.StopUnit(OTHER, unit, "root"))
        for name in UNLOAD_ORDER[:-1]:
            simulation.apply(modules.UnloadModule(OTHER, name))
        assert simulation.apply(modules.UnloadModule(OTHER, "nvidia")) is not None, left
    simulation = site()
    stop_daemons(simulation, OTHER)
    pid = processes.start(simulation, OTHER, user="wei", command="python3", gpus=(0,), gpu_memory=500)
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia_uvm")) == "Module nvidia_uvm is in use"
    processes.end(simulation, OTHER, [pid], "exit")
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia_uvm")) is None


def test_a_new_driver_is_loaded_when_the_old_one_is_gone() -> None:
    simulation = site()
    simulation.apply(packages.Upgrade(OTHER, "nvidia-*", NEWER, "root", "apt-get upgrade"))
    stop_daemons(simulation, OTHER)
    for name in UNLOAD_ORDER:
        assert simulation.apply(modules.UnloadModule(OTHER, name)) is None
    assert modules.driver_version(simulation.world, OTHER) is None
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia-uvm")) is None
    assert modules.driver_version(simulation.world, OTHER) == NEWER
    newest = [line.name for line in modules.loaded(simulation.world, OTHER)[:4]]
    assert newest == ["nvidia_drm", "nvidia_modeset", "nvidia_uvm", "nvidia"]  # the first two by udev
    log = [entry.text for entry in journald.ring_buffer(simulation.world, OTHER)]
    assert [text.split("x86_64  ")[1].split()[0] for text in log if text.startswith("NVRM: loading")] == [
        "590.48.01",
        NEWER,
    ]
    for unit in reversed(DAEMONS):
        assert simulation.apply(systemd.StartUnit(OTHER, unit, "root")) is None


def test_a_driver_that_is_loaded_by_hand_brings_what_udev_loads() -> None:
    simulation = site()
    stop_daemons(simulation, OTHER)
    for name in UNLOAD_ORDER:
        assert simulation.apply(modules.UnloadModule(OTHER, name)) is None
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia")) is None
    loaded = {line.name for line in modules.loaded(simulation.world, OTHER)}
    assert {"nvidia", "nvidia_modeset", "nvidia_drm", "nvidia_uvm"} <= loaded
    assert "nvidia_peermem" not in loaded


def test_there_is_no_module_of_that_name() -> None:
    refusal = site().apply(modules.LoadModule(NODE, "nosuch"))
    assert refusal == "Module nosuch not found in directory /lib/modules/6.8.0-51-generic"


def test_the_family_is_the_five_modules() -> None:
    assert set(nvidia_family()) == set(UNLOAD_ORDER)
