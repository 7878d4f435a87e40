"""Firmware of a node: which components have one, and which version runs.

Names are those of a DGX H100's Redfish firmware inventory (HostBIOS_0, HostBMC_0, CPLDMB_0, PSU_0, HGX_FW_GPU_SXM_1,
HGX_FW_NVSwitch_0, HGX_FW_ERoT_..., counted from 0 or 1 as there). Versions of BIOS, BMC and GPUs are the board's; the
others are of one firmware package, from memory of its release notes, and guesses. Versions of network cards are their
own state (engine.world.records.AdapterState).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.inventory import Gpu, Node
from engine.world.world import World

HOST_BIOS, HOST_BMC = "HostBIOS_0", "HostBMC_0"
_RETIMERS, _EROTS_OF_CPU = 8, 2
_ROOT_OF_TRUST = "00.02.0182.0000_n04"


@dataclass(frozen=True, slots=True)
class Component:
    """A part that runs firmware: its name in the inventory, and the version."""

    name: str
    version: str


def inventory(world: World, host: str) -> tuple[Component, ...]:
    """Every component with the version that runs, by name."""
    node = world.inventory.node(host)
    usual = world.inventory.once(("firmware", host), lambda: tuple(sorted(_usual(node))))
    differ = dict(world.firmware[host].versions)
    return tuple(Component(name, differ.get(name, version)) for name, version in usual)


def version(world: World, host: str, name: str) -> str:
    """The version that a component runs; "" if the node has no such component."""
    return next((each.version for each in inventory(world, host) if each.name == name), "")


def bmc(world: World, host: str) -> str:
    """The version of the BMC's firmware."""
    return dict(world.firmware[host].versions).get(HOST_BMC, world.inventory.node(host).bmc_firmware)


def bios(world: World, host: str) -> str:
    """The version of the BIOS."""
    return dict(world.firmware[host].versions).get(HOST_BIOS, world.inventory.node(host).bios)


def other_bios(world: World, host: str) -> str:
    """The version of the BIOS where it is not the board's, or ""."""
    return dict(world.firmware[host].versions).get(HOST_BIOS, "")


def vbios(world: World, gpu: Gpu) -> str:
    """The version of a GPU's own firmware (VBIOS)."""
    return dict(world.firmware[gpu.node].versions).get(gpu_component(gpu), gpu.product.vbios)


def gpu_component(gpu: Gpu) -> str:
    """A GPU's name in the inventory."""
    return f"HGX_FW_GPU_SXM_{gpu.module}"


def flash(simulation: Simulation[World], host: str, name: str, new: str) -> None:
    """A component runs another version."""
    kept = tuple(pair for pair in simulation.world.firmware[host].versions if pair[0] != name)
    simulation.world.firmware.update(host, versions=tuple(sorted((*kept, (name, new)))))


def _usual(node: Node) -> Iterator[tuple[str, str]]:
    yield HOST_BIOS, node.bios
    yield HOST_BMC, node.bmc_firmware
    for psu in node.psus:
        yield f"PSU_{psu.index}", "0202.0202.0204"
    if node.gpus:
        yield from _board(node)


def _board(node: Node) -> Iterator[tuple[str, str]]:
    """The boards of a node with GPUs."""
    yield "CPLDMB_0", "0.2.1.9"
    yield "CPLDMID_0", "0.2.1.3"
    yield "EROT_BIOS_0", _ROOT_OF_TRUST
    yield "EROT_BMC_0", _ROOT_OF_TRUST
    yield "HGX_FW_BMC_0", "HGX-22.10-1-rc67"
    yield "HGX_FW_ERoT_BMC_0", _ROOT_OF_TRUST
    yield "HGX_FW_ERoT_FPGA_0", _ROOT_OF_TRUST
    yield "HGX_FW_FPGA_0", "2.53"
    yield "HGX_FW_PCIeSwitch_0", "1.7.5F"
    for number in range(_RETIMERS):
        yield f"HGX_FW_PCIeRetimer_{number}", "2.7.9"
    for chip in node.nvswitches:
        yield f"HGX_FW_NVSwitch_{chip.index}", "96.10.6D.00.01"
        yield f"HGX_FW_ERoT_NVSwitch_{chip.index}", _ROOT_OF_TRUST
    for gpu in node.gpus:
        yield gpu_component(gpu), gpu.product.vbios
        yield f"HGX_FW_ERoT_GPU_SXM_{gpu.module}", _ROOT_OF_TRUST
