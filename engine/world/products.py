"""GPU models, with the figures that their tools show and those that the model of heat needs."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class GpuProduct:
    """A GPU model: figures that its tools show. Powers in mW, temperatures in m°C, clocks in MHz, memory in MiB.

    `thermal_resistance` is in m°C per W at rated airflow, `thermal_time_constant` in ns.
    """

    name: str
    architecture: str
    pci_id: str
    subsystem_id: str
    part_number: str
    gpu_part_number: str
    vbios: str
    inforom: str
    memory_total: int
    memory_reserved: int
    bar1_total: int
    power_limit: int
    power_limit_min: int
    power_idle: int
    clock_graphics_max: int
    clock_graphics_idle: int
    clock_graphics_min: int
    clock_memory: int
    clock_video_max: int
    temperature_max_operating: int
    temperature_slowdown: int
    temperature_shutdown: int
    memory_temperature_max_operating: int
    thermal_resistance: int
    thermal_time_constant: int
    nvlinks: int
    nvlink_mbytes_per_second: int
    pcie_generation: int
    pcie_width: int
    remap_banks: int
