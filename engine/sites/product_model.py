"""What the product lists may say: GPUs and switches. Validated with file:line errors on reading."""

from __future__ import annotations

from typing import Literal

from engine.kernel.validation import StrictModel
from engine.sites.model import PciIds
from engine.sites.values import Positive, Version


class GpuModel(StrictModel):
    """A GPU product; see products/gpus.yaml for units and sources."""

    name: str
    architecture: str
    pci_id: PciIds
    subsystem_id: PciIds
    part_number: str
    gpu_part_number: str
    vbios: str
    inforom: str
    memory_total: Positive
    memory_reserved: int
    bar1_total: Positive
    power_limit: Positive
    power_limit_min: Positive
    power_idle: Positive
    clock_graphics_max: Positive
    clock_graphics_idle: Positive
    clock_graphics_min: Positive
    clock_memory: Positive
    clock_video_max: Positive
    temperature_max_operating: Positive
    temperature_slowdown: Positive
    temperature_shutdown: Positive
    memory_temperature_max_operating: Positive
    thermal_resistance: Positive
    thermal_time_constant: Positive
    nvlinks: int
    nvlink_mbytes_per_second: int
    pcie_generation: Positive
    pcie_width: Positive
    remap_banks: int


class GpuProducts(StrictModel):
    """products/gpus.yaml."""

    format: Version
    gpus: dict[str, GpuModel]


class SwitchModel(StrictModel):
    """A switch product."""

    kind: Literal["infiniband", "ethernet"]
    system: str
    description: str
    ports: Positive
    rate: Positive
    firmware: str
    vendor_id: int
    device_id: int


class SwitchProducts(StrictModel):
    """products/switches.yaml."""

    format: Version
    switches: dict[str, SwitchModel]
