"""Functions that are taken out, found again, unbound and bound: every view agrees on how many there are."""

from __future__ import annotations

from engine.control import driver, pci_hotplug, verbs
from engine.control.accounts import identity
from engine.control.boot import Reboot
from engine.control.slurm.slurmd import detected_gpus
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links
from engine.simulation import open_site
from engine.world.records import BusState
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
GPU, ADDRESS, CARD = f"{HOST}/gpu0", "0000:1b:00.0", "0000:18:00.0"
SYSFS = "/sys/bus/pci"


def at(line: str, simulation: Simulation[World]) -> str:
    return run_command(simulation, HOST, "root", line).stdout


def tree(simulation: Simulation[World]) -> HostTree:
    return HostTree(simulation, HOST, identity(simulation.world.inventory, "root"))


def put(simulation: Simulation[World], path: str, text: str) -> ErrorCode | None:
    """Write to a control file. Gives why that failed."""
    try:
        tree(simulation).write(f"{SYSFS}/{path}", f"{text}\n".encode())
    except FileError as error:
        return error.code
    return None


def names(simulation: Simulation[World], path: str) -> list[str]:
    return [name for name, _ in tree(simulation).entries(path)]


def idle() -> Simulation[World]:
    """A node whose first GPU nobody has open."""
    simulation = open_site("dgx-h100-4", 1)
    run_command(simulation, HOST, "root", "systemctl stop nvidia-dcgm-exporter nvidia-dcgm")
    run_command(simulation, HOST, "root", "nvidia-smi -i 0 -pm 0")
    return simulation


def counts(simulation: Simulation[World]) -> dict[str, int]:
    return {
        "nvidia-smi": at("nvidia-smi -L", simulation).count("GPU "),
        "lspci": at("lspci -d 10de:2330", simulation).count("\n"),
        "proc": len(names(simulation, "/proc/driver/nvidia/gpus")),
        "sysfs": sum("0000:" in name for name in names(simulation, f"{SYSFS}/drivers/nvidia")),
        "slurmd": detected_gpus(simulation.world, HOST),
    }


def test_seven_everywhere_and_eight_again() -> None:
    simulation = idle()
    assert put(simulation, f"devices/{ADDRESS}/remove", "1") is None
    assert set(counts(simulation).values()) == {7}
    assert ADDRESS not in names(simulation, f"{SYSFS}/devices")
    assert put(simulation, "rescan", "1") is None
    assert set(counts(simulation).values()) == {8}
    assert f"pci {ADDRESS}: [10de:2330] type 00 class 0x030200 PCIe Endpoint" in at("dmesg", simulation)


def test_a_gpu_in_use_is_not_given_up() -> None:
    simulation = open_site("dgx-h100-4", 1)
    assert put(simulation, f"devices/{ADDRESS}/remove", "1") is ErrorCode.NOT_MODELLED
    assert counts(simulation)["nvidia-smi"] == 8
    assert f"NVRM: Attempting to remove device {ADDRESS} with non-zero usage count!" in at("dmesg", simulation)


def test_loading_the_driver_again_does_not_bring_it_back() -> None:
    simulation = idle()
    simulation.apply(pci_hotplug.RemoveFunction(HOST, ADDRESS))
    driver.attach(simulation, HOST)
    assert not simulation.world.gpus[GPU].bound


def test_a_lost_gpu_is_not_found_again() -> None:
    simulation = idle()
    simulation.world.gpus.update(GPU, bus=BusState.LOST)
    assert simulation.apply(pci_hotplug.RemoveFunction(HOST, ADDRESS)) == pci_hotplug.DONE
    simulation.apply(pci_hotplug.Rescan(HOST))
    assert counts(simulation)["lspci"] == 7


def test_a_restart_brings_it_back() -> None:
    simulation = idle()
    simulation.apply(pci_hotplug.RemoveFunction(HOST, ADDRESS))
    simulation.apply(Reboot(HOST, "alex"))
    simulation.advance(15 * MINUTE)
    assert set(counts(simulation).values()) == {8}


def test_a_network_card_goes_and_comes() -> None:
    simulation = open_site("dgx-h100-4", 1)
    world = simulation.world
    hca = next(hca for hca in world.node(HOST).hcas if hca.address == CARD)
    assert put(simulation, f"devices/{CARD}/remove", "1") is None
    assert hca.name not in at("ibstat -l", simulation).split()
    assert hca.name not in names(simulation, "/sys/class/infiniband")
    assert hca.netdev not in names(simulation, "/sys/class/net")
    assert hca not in verbs.devices(world, HOST)
    assert not links.link_up(world, hca.port)
    assert put(simulation, "rescan", "1") is None
    assert hca.name in at("ibstat -l", simulation).split()
    assert links.link_up(world, hca.port)


def test_a_bridge_takes_what_is_below_it_along() -> None:
    simulation = idle()
    assert simulation.apply(pci_hotplug.RemoveFunction(HOST, "0000:17:00.0")) == pci_hotplug.DONE
    assert at("lspci -s 17:00.0", simulation) + at("lspci -s 18:00.0", simulation) == ""
    simulation.apply(pci_hotplug.Rescan(HOST))
    assert at("lspci -s 17:00.0", simulation) + at("lspci -s 18:00.0", simulation) != ""
    assert "mlx5_0" in at("ibstat -l", simulation).split()


def test_unbinding_and_binding() -> None:
    simulation = idle()
    assert put(simulation, "drivers/mlx5_core/unbind", CARD) is None
    assert "Kernel driver in use" not in at("lspci -k -s 18:00.0", simulation)
    assert "mlx5_0" not in at("ibstat -l", simulation).split()
    assert put(simulation, "drivers/mlx5_core/bind", CARD) is None
    assert "Kernel driver in use: mlx5_core" in at("lspci -k -s 18:00.0", simulation)
    assert put(simulation, "drivers/nvidia/unbind", ADDRESS) is None
    assert counts(simulation)["nvidia-smi"] == 7
    assert counts(simulation)["lspci"] == 8
    assert put(simulation, "drivers/nvidia/bind", ADDRESS) is None
    assert counts(simulation)["nvidia-smi"] == 8


def test_what_is_written_must_be_a_number_and_an_address() -> None:
    simulation = open_site("dgx-h100-4", 1)
    assert put(simulation, "rescan", "yes") is ErrorCode.INVALID
    assert put(simulation, "drivers/nvidia/unbind", "0000:fe:00.0") is ErrorCode.NO_DEVICE
    assert put(simulation, f"devices/{ADDRESS}/remove", "0") is None
    assert counts(simulation)["lspci"] == 8
