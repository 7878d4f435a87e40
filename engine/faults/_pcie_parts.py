"""What faults of PCIe share: where a GPU or a network card is, and udev rules that people leave behind."""

from __future__ import annotations

from engine.control import files, pci_setup
from engine.kernel.simulation import Simulation
from engine.world.inventory import Node, PcieDevice
from engine.world.world import World

_ROOT = 0


def function_of(world: World, target: str) -> PcieDevice:
    """The PCI function of `dgx-02/gpu5` or `dgx-02/mlx5_3`."""
    node = world.inventory.node(target.partition("/")[0])
    addresses = {gpu.id: gpu.address for gpu in node.gpus} | {hca.id: hca.address for hca in node.hcas}
    return node.devices[addresses[target]]


def uplink_of(node: Node, address: str) -> str:
    """The function whose link joins the PCIe switch above a function to the processor; its own without a switch."""
    above = [device.address for device in node.path_to_root(address) if device.role == "switch_upstream"]
    return above[-1] if above else address


def leave_rule(simulation: Simulation[World], host: str, path: str, lines: tuple[str, ...]) -> None:
    """Write a udev rule as root, and let it do now what it does at every start."""
    files.write(simulation, host, path, "".join(f"{line}\n" for line in lines).encode(), uid=_ROOT, gid=_ROOT)
    pci_setup.run_rules(simulation, host)


def rule(address: str, port: str, registers: str) -> str:
    """A rule that has setpci write to `port` when the kernel finds the function at `address`."""
    command = f"/usr/bin/setpci -s {port} {registers}"
    return f'ACTION=="add", SUBSYSTEM=="pci", KERNEL=="{address}", RUN+="{command}"'
