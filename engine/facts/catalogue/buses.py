"""Buses inside a node: PCIe links of GPUs and network cards, NVLinks."""

from __future__ import annotations

from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu, Hca
from engine.physics import pcie


@fact("gpu.pcie_width")
def gpu_pcie_width(view: View, gpu: Gpu) -> int:
    """How many lanes its PCIe link has trained to."""
    return _gpu_link(view, gpu).width


@fact("gpu.pcie_generation")
def gpu_pcie_generation(view: View, gpu: Gpu) -> int:
    """The generation at which its PCIe link runs."""
    return _gpu_link(view, gpu).generation


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


def _gpu_link(view: View, gpu: Gpu) -> pcie.Link:
    part = view.world.inventory.gpu(gpu)
    return pcie.link(view.world, part.node, part.address)


def _hca_link(view: View, hca: Hca) -> pcie.Link:
    part = view.world.inventory.hca(hca)
    return pcie.link(view.world, part.node, part.address)
