"""PCIe functions of a node: whether one answers, whether it was enumerated at the last start, and how its link runs.

A GPU that has dropped off the bus still stands in the kernel's list and reads all ones; one that was away at the last
start is not listed, nor is a function that somebody took out (sysfs `remove`), nor anything below it. A link runs at
the best that both ends can do, unless the wire is worse or software had it trained to less. An H100 keeps its link at
full speed when idle (captures of driver 590.48.01: generation 5, x16, idle and loaded).
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import PcieLinkChanged
from engine.world.inventory import Gpu
from engine.world.records import BusState, Power
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Link:
    """A PCIe link: how it runs, and the best that both of its ends can do."""

    generation: int
    width: int
    max_generation: int
    max_width: int


def answers(world: World, node: str, address: str) -> bool:
    """Whether the function at `address` answers configuration reads."""
    return enumerated(world, node, address) and _bus(world, node, address) is BusState.PRESENT


def enumerated(world: World, node: str, address: str) -> bool:
    """Whether the kernel of a running node lists a function at `address`."""
    known = address in world.node(node).devices and world.nodes[node].power is Power.ON
    return known and _bus(world, node, address) is not BusState.ABSENT and not removed(world, node, address)


def removed(world: World, node: str, address: str) -> bool:
    """Whether somebody took the function, or a bridge above it, out of the running kernel's list."""
    if not world.pci_functions.generation:
        return False
    above = world.node(node).path_to_root(address)
    return any(world.pci_functions[f"{node}/{device.address}"].removed for device in above)


def link(world: World, node: str, address: str) -> Link:
    """The link above the function at `address`. Raises KeyError if the node has no such function."""
    devices = world.node(node).devices
    device = devices[address]
    above = devices[device.parent] if device.parent else device
    generation = min(device.generation, above.generation or device.generation)
    width = min(device.width, above.width or device.width)
    state = world.pcie_links[f"{node}/{address}"]
    return Link(
        generation=min(generation, state.generation or generation, state.held or generation),
        width=min(width, state.width or width),
        max_generation=generation,
        max_width=width,
    )


def limit_link(
    simulation: Simulation[World], node: str, address: str, *, generation: int | None, width: int | None
) -> None:
    """The link above a function trains no better than this from now on (None: as well as both ends can)."""
    simulation.world.pcie_links.update(f"{node}/{address}", generation=generation, width=width)
    simulation.publish(PcieLinkChanged(node, address))


def restore_link(simulation: Simulation[World], node: str, address: str) -> None:
    """What was wrong with the link above a function is mended."""
    simulation.world.pcie_links.update(f"{node}/{address}", errors_every=0)
    limit_link(simulation, node, address, generation=None, width=None)


def hold_link(simulation: Simulation[World], node: str, address: str, generation: int | None) -> None:
    """Software has the link above a function trained to no more than `generation` (None: as well as it can)."""
    before = link(simulation.world, node, address)
    simulation.world.pcie_links.update(f"{node}/{address}", held=generation)
    if link(simulation.world, node, address) != before:
        simulation.publish(PcieLinkChanged(node, address))


def set_redirect(simulation: Simulation[World], node: str, address: str, redirect: bool) -> None:
    """The port at `address` sends peer requests up to the root from now on, or turns them round."""
    if redirects(simulation.world, node, address) != redirect:
        simulation.world.pcie_links.update(f"{node}/{address}", redirect=redirect)
        simulation.publish(PcieLinkChanged(node, address))


def redirects(world: World, node: str, address: str) -> bool:
    """Whether the port at `address` sends requests between devices below it up to the root (ACS)."""
    return world.pcie_links[f"{node}/{address}"].redirect


def gpu_at(world: World, node: str, address: str) -> Gpu | None:
    """The GPU whose function is at `address`, or None."""
    gpus = world.inventory.once(("gpu at", node), lambda: {gpu.address: gpu for gpu in world.node(node).gpus})
    return gpus.get(address)


def _bus(world: World, node: str, address: str) -> BusState:
    gpu = gpu_at(world, node, address)
    return world.gpus[gpu.id].bus if gpu else BusState.PRESENT
