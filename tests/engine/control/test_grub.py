"""GRUB: what /etc says, what grub.cfg says, and what a boot does."""

from __future__ import annotations

from engine.control import boot, files, grub, kernel_image, kernels, packages
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.engine.control.os_scene import BOOT_TAKES, HEAD, NODE, OTHER, site

NEW, NEWER = "6.8.0-52-generic", "6.8.0-60-generic"


def write(simulation: Simulation[World], path: str, text: str) -> None:
    files.write(simulation, OTHER, path, text.encode(), uid=0, gid=0)


def install(simulation: Simulation[World], name: str) -> None:
    version = kernels.package_version(simulation.world.inventory, name)
    assert version is not None
    assert simulation.apply(packages.Upgrade(OTHER, name, version, "root", f"apt-get install {name}"))


def restart(simulation: Simulation[World]) -> str:
    simulation.apply(boot.Reboot(OTHER, "slurm"))
    simulation.advance(BOOT_TAKES)
    return kernel_image.command_line(simulation.world, OTHER)


def test_the_image_starts_what_runs() -> None:
    world = site().world
    for host in (HEAD, NODE):
        entry = grub.chosen(world, host)
        assert entry is not None
        assert entry.release == kernels.running(world, host)
        assert kernel_image.command_line(world, host).endswith(f" {entry.options}")


def test_a_restart_of_an_untouched_node_leaves_no_trace_of_options() -> None:
    simulation = site()
    before = kernel_image.command_line(simulation.world, OTHER)
    assert restart(simulation) == before
    assert simulation.world.systems[OTHER].kernel_options is None


def test_options_count_after_update_grub_and_a_restart() -> None:
    simulation = site()
    write(simulation, grub.DEFAULTS, 'GRUB_CMDLINE_LINUX_DEFAULT=""\nGRUB_CMDLINE_LINUX="hugepages=64 quiet"  # more\n')
    assert "hugepages=64" not in restart(simulation)
    simulation.apply(grub.UpdateGrub(OTHER))
    assert "hugepages=64" not in kernel_image.command_line(simulation.world, OTHER)
    line = restart(simulation)
    assert line.endswith(
        " ro hugepages=64 quiet iommu=pt pci=realloc=off nouveau.modeset=0 console=tty0 console=ttyS0,115200n8"
    )


def test_without_its_file_the_option_is_gone_and_the_iommu_translates() -> None:
    simulation = site()
    files.put(simulation, OTHER, {f"{grub.DROP_INS}10-nv-iommu.cfg": None})
    simulation.apply(grub.UpdateGrub(OTHER))
    assert not kernel_image.iommu_translates(simulation.world, OTHER)
    assert "iommu" not in restart(simulation)
    assert kernel_image.iommu_translates(simulation.world, OTHER)


def test_a_menu_that_was_edited_by_hand_is_obeyed() -> None:
    simulation = site()
    write(simulation, grub.CONFIG, grub.config(simulation.world, OTHER).replace("iommu=pt", "iommu=pt mitigations=off"))
    assert "mitigations=off" in restart(simulation)
    simulation.apply(grub.UpdateGrub(OTHER))
    assert "mitigations=off" not in restart(simulation)


def test_the_newest_kernel_is_taken_and_the_old_one_can_be_chosen_for_one_boot() -> None:
    simulation = site()
    install(simulation, f"linux-image-{NEW}")
    old = kernel_image.release(simulation.world.inventory)
    assert kernels.installed(simulation.world, OTHER) == (NEW, old)
    assert kernels.running(simulation.world, OTHER) == old
    restart(simulation)
    assert kernels.running(simulation.world, OTHER) == NEW
    simulation.apply(grub.SetEnvironment(OTHER, (("next_entry", "1>2"),)))
    restart(simulation)
    assert kernels.running(simulation.world, OTHER) == old
    assert grub.environment(simulation.world, OTHER) == {}
    restart(simulation)
    assert kernels.running(simulation.world, OTHER) == NEW


def test_entries_go_by_place_title_and_id() -> None:
    simulation = site()
    install(simulation, f"linux-image-{NEWER}")
    root = kernel_image.root_uuid(simulation.world.inventory, OTHER)
    old = kernel_image.release(simulation.world.inventory)
    for name in (
        f"Advanced options for Ubuntu>Ubuntu, with Linux {old}",
        f"gnulinux-advanced-{root}>gnulinux-{old}-advanced-{root}",
        "1>2",
    ):
        write(simulation, grub.DEFAULTS, f'GRUB_DEFAULT="{name}"\n')
        simulation.apply(grub.UpdateGrub(OTHER))
        entry = grub.chosen(simulation.world, OTHER)
        assert entry is not None and entry.release == old, name


def test_a_removed_kernel_leaves_the_menu() -> None:
    simulation = site()
    install(simulation, f"linux-image-{NEW}")
    assert simulation.apply(packages.Remove(OTHER, (f"linux-image-{NEW}",), "root", "apt-get remove"))
    assert NEW not in grub.config(simulation.world, OTHER)
    assert len(grub.environment_text({"next_entry": "0"})) == 1024
