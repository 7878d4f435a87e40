"""The NVIDIA modules at boot and by hand: DKMS, modprobe.d, Secure Boot, nouveau, parameters."""

from __future__ import annotations

import pytest

from engine.control import (
    boot,
    dkms,
    driver,
    files,
    initramfs,
    journald,
    kernels,
    modules,
    packages,
    secure_boot,
    systemd,
)
from engine.control.modprobe_settings import FOLDER, NOUVEAU_FILE, PEERMEM_FILE, default_text, parse
from engine.faults.fault import parse_fault
from engine.hands.enrol_key import enrol_key
from engine.kernel.simulation import Simulation
from engine.world.records import ModuleBuild
from engine.world.world import World
from tests.engine.control.os_scene import BOOT_TAKES, HEAD, OTHER, site, texts

NEW = "6.8.0-52-generic"
FAMILY = {"nvidia", "nvidia_modeset", "nvidia_drm", "nvidia_uvm", "nvidia_peermem"}


def restart(simulation: Simulation[World]) -> None:
    simulation.apply(boot.Reboot(OTHER, "slurm"))
    simulation.advance(BOOT_TAKES)


def install(simulation: Simulation[World], name: str) -> None:
    version = kernels.package_version(simulation.world.inventory, name)
    assert version is not None
    simulation.apply(packages.Upgrade(OTHER, name, version, "root", "apt-get install"))


def family(simulation: Simulation[World]) -> set[str]:
    return FAMILY & {line.name for line in modules.loaded(simulation.world, OTHER)}


def kernel_says(simulation: Simulation[World], text: str) -> bool:
    return any(text in entry.text for entry in journald.ring_buffer(simulation.world, OTHER))


def settings(simulation: Simulation[World], text: str, name: str = "mine.conf") -> None:
    files.write(simulation, OTHER, f"{FOLDER}{name}", text.encode(), uid=0, gid=0)


def test_a_restart_loads_the_family() -> None:
    simulation = site()
    restart(simulation)
    assert family(simulation) == FAMILY
    assert not modules.is_loaded(simulation.world, OTHER, "nouveau")


def test_a_kernel_without_headers_has_no_driver_until_they_come() -> None:
    simulation = site()
    install(simulation, f"linux-image-{NEW}")
    assert dkms.build(simulation.world, OTHER, NEW) is None
    assert not simulation.apply(dkms.BuildModule(OTHER, NEW))
    restart(simulation)
    assert family(simulation) == set()
    assert driver.bound_gpus(simulation.world, OTHER) == []
    refusal = simulation.apply(modules.LoadModule(OTHER, "nvidia"))
    assert refusal == f"Module nvidia not found in directory /lib/modules/{NEW}"
    assert "Failed to find module 'nvidia-peermem'" in texts(simulation, OTHER, "systemd-modules-load")
    install(simulation, f"linux-headers-{NEW}")
    assert dkms.build(simulation.world, OTHER, NEW) == ModuleBuild("590.48.01", "installed", dkms.machine_key(OTHER))
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia")) is None
    assert len(driver.bound_gpus(simulation.world, OTHER)) == 8


def test_a_new_driver_is_built_only_where_headers_are() -> None:
    simulation = site()
    old = kernels.running(simulation.world, OTHER)
    install(simulation, f"linux-image-{NEW}")
    simulation.apply(packages.Upgrade(OTHER, "nvidia-driver-590-open", "590.52.01", "root", "apt-get upgrade"))
    made = dkms.build(simulation.world, OTHER, old)
    assert made is not None and made.version == "590.52.01"
    assert dkms.build(simulation.world, OTHER, NEW) is None
    simulation.apply(dkms.RemoveBuild(OTHER, (old,), uninstall=True))
    assert dkms.installed_build(simulation.world, OTHER, old) is None
    assert not modules.exists(simulation.world, OTHER, "nvidia")


def test_an_install_command_keeps_the_module_out_by_every_way() -> None:
    simulation = site()
    settings(simulation, "install nvidia /bin/false\n")
    restart(simulation)
    assert family(simulation) == set()
    refusal = simulation.apply(modules.LoadModule(OTHER, "nvidia_uvm"))
    assert refusal is not None and "Error running install command '/bin/false' for module nvidia" in refusal
    assert refusal.endswith("could not insert 'nvidia_uvm': Invalid argument")
    files.put(simulation, OTHER, {f"{FOLDER}mine.conf": None})
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia_uvm")) is None


def test_a_blacklist_alone_does_not_help_against_one_who_uses_it() -> None:
    simulation = site()
    settings(simulation, "blacklist nvidia\n")
    restart(simulation)
    assert family(simulation) == FAMILY
    files.write(simulation, OTHER, PEERMEM_FILE, b"# nothing\n", uid=0, gid=0)
    restart(simulation)
    assert family(simulation) == set()
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia")) is None


def test_peermem_comes_because_it_is_named() -> None:
    simulation = site()
    files.put(simulation, OTHER, {PEERMEM_FILE: None})
    restart(simulation)
    assert family(simulation) == FAMILY - {"nvidia_peermem"}


@pytest.mark.parametrize(
    ("signer", "said"),
    [
        ("", "Loading of unsigned module is rejected"),
        (dkms.machine_key(OTHER), "Loading of module with unavailable key is rejected"),
    ],
)
def test_secure_boot_rejects_what_it_does_not_know(signer: str, said: str) -> None:
    simulation = site()
    release = kernels.running(simulation.world, OTHER)
    dkms.put(simulation, OTHER, release, ModuleBuild("590.48.01", "installed", signer))
    secure_boot.switch(simulation, OTHER, True)
    restart(simulation)
    assert family(simulation) == set()
    assert kernel_says(simulation, said) and kernel_says(simulation, "Secure boot enabled")
    assert modules.is_loaded(simulation.world, OTHER, "mlx5_core")
    refusal = simulation.apply(modules.LoadModule(OTHER, "nvidia"))
    assert refusal == "could not insert 'nvidia': Key was rejected by service"


def test_a_key_is_enrolled_at_the_console_or_the_request_lapses() -> None:
    simulation = site()
    secure_boot.switch(simulation, OTHER, True)
    simulation.apply(secure_boot.RequestKey(OTHER))
    restart(simulation)
    assert simulation.world.systems[OTHER].requested_keys == ()
    assert "nobody had asked" in enrol_key(simulation, OTHER, 1)
    simulation.apply(secure_boot.RequestKey(OTHER))
    assert dkms.machine_key(OTHER) in enrol_key(simulation, OTHER, 2)
    restart(simulation)
    assert family(simulation) == FAMILY


def test_nouveau_takes_only_gpus_that_it_knows() -> None:
    simulation = site()
    simulation.apply(parse_fault(f"driver.nouveau_bound target={OTHER}"))
    simulation.advance(BOOT_TAKES)
    assert modules.holds_gpus(simulation.world, OTHER) and family(simulation) == set()
    assert kernel_says(simulation, "NVRM: No NVIDIA devices probed.")
    assert kernel_says(simulation, "NVIDIA GH100 (180000a1)")
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia")) == "could not insert 'nvidia': No such device"
    simulation.apply(packages.Remove(OTHER, ("linux-image-6.17.0-8-generic",), "root", "apt-get remove"))
    restart(simulation)
    assert modules.is_loaded(simulation.world, OTHER, "nouveau") and family(simulation) == FAMILY
    assert kernel_says(simulation, "unknown chipset (180000a1)")


def test_a_blacklist_counts_after_the_initramfs_is_made_again() -> None:
    simulation = site()
    simulation.apply(parse_fault(f"driver.nouveau_bound target={OTHER} restart=no"))
    settings(simulation, "blacklist nouveau\n")
    restart(simulation)
    assert modules.holds_gpus(simulation.world, OTHER)
    simulation.apply(initramfs.UpdateInitramfs(OTHER, (kernels.running(simulation.world, OTHER),)))
    restart(simulation)
    assert not modules.is_loaded(simulation.world, OTHER, "nouveau") and family(simulation) == FAMILY


def test_unloading_nouveau_gives_the_gpus_back() -> None:
    simulation = site()
    simulation.apply(parse_fault(f"driver.nouveau_bound target={OTHER}"))
    simulation.advance(BOOT_TAKES)
    assert simulation.apply(modules.UnloadModule(OTHER, "nouveau")) is None
    assert simulation.apply(modules.LoadModule(OTHER, "nvidia")) is None
    assert len(driver.bound_gpus(simulation.world, OTHER)) == 8


def test_parameters_are_those_of_the_loading() -> None:
    simulation = site()
    name = "NVreg_RestrictProfilingToAdminUsers"
    settings(simulation, f"options nvidia {name}=0\n")
    assert name not in modules.parameters(simulation.world, OTHER, "nvidia")
    restart(simulation)
    assert modules.parameters(simulation.world, OTHER, "nvidia")[name] == "0"
    files.put(simulation, OTHER, {f"{FOLDER}mine.conf": None})
    assert modules.parameters(simulation.world, OTHER, "nvidia")[name] == "0"
    restart(simulation)
    assert name not in modules.parameters(simulation.world, OTHER, "nvidia")


def test_settings_are_read_as_modprobe_does() -> None:
    told = parse(
        "# remark\nblacklist my-driver\noptions nvidia a=1 b=2\noptions nvidia b=3\ninstall x /sbin/modprobe y\n"
    )
    assert told.blacklisted == ("my_driver",) and told.options["nvidia"] == (("a", "1"), ("b", "3"))
    assert dict(told.blocked) == {}
    world = site().world
    assert NOUVEAU_FILE in default_text(world.node(OTHER)) and default_text(world.node(HEAD)) == ""


def test_the_persistence_daemon_is_off_and_stays_off() -> None:
    simulation = site()
    simulation.apply(parse_fault(f"driver.persistence_off target={OTHER}"))
    restart(simulation)
    assert not any(simulation.world.gpus[gpu.id].persistence for gpu in simulation.world.node(OTHER).gpus)
    simulation.apply(systemd.EnableUnit(OTHER, "nvidia-persistenced", "root"))
    restart(simulation)
    assert all(simulation.world.gpus[gpu.id].persistence for gpu in simulation.world.node(OTHER).gpus)


def test_a_restart_of_modules_load_loads_what_its_files_name() -> None:
    simulation = site()
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia_peermem")) is None
    assert not modules.is_loaded(simulation.world, OTHER, "nvidia_peermem")
    assert simulation.apply(systemd.RestartUnit(OTHER, "systemd-modules-load", "root")) is None
    assert modules.is_loaded(simulation.world, OTHER, "nvidia_peermem")


def test_a_restart_of_modules_load_leaves_blacklisted_modules_out() -> None:
    simulation = site()
    assert simulation.apply(modules.UnloadModule(OTHER, "nvidia_peermem")) is None
    settings(simulation, "blacklist nvidia_peermem\n")
    assert simulation.apply(systemd.RestartUnit(OTHER, "systemd-modules-load", "root")) is None
    assert not modules.is_loaded(simulation.world, OTHER, "nvidia_peermem")
