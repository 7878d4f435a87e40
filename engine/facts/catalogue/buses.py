"""Buses inside a node: PCIe links of GPUs and network cards, NVLinks."""

from __future__ import annotations

from engine.control.redfish.systems import BIOS_DEFAULTS
from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu, Hca, Node
from engine.physics import pcie
from engine.physics.config_space import writing
from engine.physics.paths.pcie import uplink


@fact("gpu.pcie_width")
def gpu_pcie_width(view: View, gpu: Gpu) -> int:
    """How many lanes its PCIe link has trained to."""
    return _gpu_link(view, gpu).width


@fact("gpu.pcie_generation")
def gpu_pcie_generation(view: View, gpu: Gpu) -> int:
    """The generation at which its PCIe link runs."""
    return _gpu_link(view, gpu).generation


@fact("gpu.listed")
def gpu_listed(view: View, gpu: Gpu) -> bool:
    """Whether the running kernel lists it; somebody may have taken it out by /sys."""
    part = view.world.inventory.gpu(gpu)
    return not pcie.removed(view.world, part.node, part.address)


@fact("gpu.nvlinks_down")
def nvlinks_down(view: View, gpu: Gpu) -> int:
    """How many of its NVLinks are down."""
    return len(view.world.nvlinks[gpu].down)


@fact("gpu.nvlink_errors")
def nvlink_errors(view: View, gpu: Gpu) -> int:
    """How many errors its NVLinks have counted (replays, recoveries, checksums) since their counters were at zero."""
    counted = view.world.nvlinks[gpu].errors
    return sum(errors.replay + errors.recovery + sum(errors.crc) for errors in counted)


@fact("hca.pcie_width")
def hca_pcie_width(view: View, hca: Hca) -> int:
    """How many lanes its PCIe link has trained to."""
    return _hca_link(view, hca).width


@fact("hca.pcie_generation")
def hca_pcie_generation(view: View, hca: Hca) -> int:
    """The generation at which its PCIe link runs."""
    return _hca_link(view, hca).generation


@fact("hca.read_request")
def hca_read_request(view: View, hca: Hca) -> int:
    """How many bytes it may ask the host for at a time (MaxReadReq); 0 while it is not listed."""
    part = view.world.inventory.hca(hca)
    if not pcie.answers(view.world, part.node, part.address):
        return 0
    return 128 << writing.field(view.world, part.node, part.address, "express", "DevCtl", "MaxReadReq")


@fact("hca.listed")
def hca_listed(view: View, hca: Hca) -> bool:
    """Whether the kernel of its node lists it and has a driver for it."""
    node = hca.partition("/")[0]
    return hca in view.world.node(node).hcas_by_id


@fact("hca.uplink_generation")
def hca_uplink_generation(view: View, hca: Hca) -> int:
    """The generation of the slowest PCIe link between its switch and the processor."""
    part = view.world.inventory.hca(hca)
    return uplink(view.world, part.node, part.address)[0]


@fact("node.redirecting_ports")
def node_redirecting_ports(view: View, node: Node) -> int:
    """How many of its PCIe ports send traffic between devices up to the processor (ACS)."""
    devices = view.world.inventory.node(node).pcie
    return sum(pcie.redirects(view.world, node, device.address) for device in devices)


@fact("node.pcie_errors")
def node_pcie_errors(view: View, node: Node) -> int:
    """How many PCIe errors its kernel has counted since it started."""
    prefix = f"{node}/"
    found = [key for key in view.world.pci_functions.changed() if key.startswith(prefix)]
    return sum(count for key in found for _, _, count in view.world.pci_functions[key].counted)


@fact("gpu.pcie_errors_expected")
def gpu_pcie_errors_expected(view: View, gpu: Gpu) -> bool:
    """Whether the signals of its PCIe link are bad."""
    part = view.world.inventory.gpu(gpu)
    return bool(view.world.pcie_links[f"{part.node}/{part.address}"].errors_every)


def _gpu_link(view: View, gpu: Gpu) -> pcie.Link:
    part = view.world.inventory.gpu(gpu)
    return pcie.link(view.world, part.node, part.address)


def _hca_link(view: View, hca: Hca) -> pcie.Link:
    part = view.world.inventory.hca(hca)
    return pcie.link(view.world, part.node, part.address)


@fact("bios.setting")
def bios_setting(view: View, node: Node, attribute: str) -> str | None:
    """The value of a BIOS attribute in force, as Redfish names both; no answer for one that there is not."""
    return {**BIOS_DEFAULTS, **dict(view.world.bmcs[node].bios)}.get(attribute)
