"""What the driver's library (NVML) reads of one GPU at one moment: nvidia-smi and DCGM's host engine both read it here,
so that they show the same.

Sources of the few laws: captures of an H100 80GB HBM3 under driver 590.48.01, idle and loaded. The MiB figures of used,
free and reserved memory are rounded one by one and add up to one more than the total; the video clock follows the SM
clock linearly between the two readings 345/765 and 1980/1545 MHz (the line between them is a guess).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.control import firmware
from engine.control.gpu_settings import is_lost
from engine.kernel.units import MILLISECOND
from engine.physics import load, pcie, thermal
from engine.world.inventory import Gpu, GpuProduct
from engine.world.records import GpuLoad, GpuState
from engine.world.world import World

_SAMPLES, _APART = 5, 200 * MILLISECOND
"""The mean power is one of the last second."""


@dataclass(frozen=True)
class GpuReadings:
    """A GPU under the driver's index at simulated time `now`. Of one that is `lost` there is nothing to read."""

    world: World
    gpu: Gpu
    index: int
    now: int

    @property
    def lost(self) -> bool:
        """Whether the GPU has stopped answering."""
        return is_lost(self.world, self.gpu.id)

    @property
    def vbios(self) -> str:
        """The version of the board's own firmware."""
        return firmware.vbios(self.world, self.gpu)

    @property
    def unreadable(self) -> bool:
        """Whether the driver has given its firmware up, so that what only the firmware knows cannot be read: clocks,
        temperatures, power, utilisation (reports of such GPUs; memory in use is still told).
        """
        from engine.control import gsp

        return self.state.gsp_stalled and gsp.given_up(self.world, self.gpu.id)

    @property
    def product(self) -> GpuProduct:
        return self.gpu.product

    @cached_property
    def state(self) -> GpuState:
        return self.world.gpus[self.gpu.id]

    @cached_property
    def load(self) -> GpuLoad:
        return load.gpu_load(self.world, self.gpu.id)

    @cached_property
    def link(self) -> pcie.Link:
        """Its PCIe link."""
        return pcie.link(self.world, self.gpu.node, self.gpu.address)

    @property
    def bus_id(self) -> str:
        """The PCI address in NVML's form: eight hexadecimal digits of domain, upper case."""
        domain, _, rest = self.gpu.address.partition(":")
        return f"{int(domain, 16):08X}:{rest.upper()}"

    @property
    def temperature(self) -> int:
        """Of the core, whole °C."""
        return thermal.temperature(self.world, self.gpu.id, self.now) // 1000

    @property
    def memory_temperature(self) -> int:
        """Of the HBM, whole °C."""
        return thermal.memory_temperature(self.world, self.gpu.id, self.now) // 1000

    @property
    def margin(self) -> int:
        """Whole °C left to the highest operating temperature (T.Limit)."""
        return thermal.temperature_margin(self.world, self.gpu.id, self.now) // 1000

    @property
    def power(self) -> int:
        """Power draw averaged over the last second, mW."""
        return sum(self.power_at(self.now - _APART * back) for back in range(_SAMPLES)) // _SAMPLES

    def power_at(self, time: int) -> int:
        """Power draw at a moment, mW."""
        return thermal.power(self.world, self.gpu.id, time)

    @property
    def memory_power(self) -> int:
        """What the memory draws of that, mW."""
        from engine.physics import gpu_traffic

        return gpu_traffic.memory_power(self.world, self.gpu.id)

    @property
    def sm_clock(self) -> int:
        """MHz."""
        return thermal.sm_clock(self.world, self.gpu.id, self.now)

    @property
    def video_clock(self) -> int:
        """MHz."""
        below = self.product.clock_graphics_max - self.sm_clock
        return max(self.product.clock_video_max - below * 780 // 1635, self.product.clock_graphics_min)

    @property
    def application_clock(self) -> int:
        """The highest graphics clock (MHz) that somebody allows to applications; the board's highest if nobody did."""
        return self.state.application_clock or self.product.clock_graphics_max

    @property
    def reasons(self) -> int:
        """Clock event reasons that are active, as NVML's bit mask."""
        return thermal.reasons(self.world, self.gpu.id)

    def held_back(self, bits: int, until: int | None = None) -> int:
        """For how long (ns) reasons have held back the clocks since the node's boot."""
        return thermal.reason_time(self.world, self.gpu.id, bits, self.now if until is None else until)

    @cached_property
    def pcie_bytes(self) -> tuple[int, int]:
        """Bytes per second that go out over PCIe and come in."""
        from engine.physics import gpu_traffic

        found = gpu_traffic.rates(self.world, self.gpu.id, self.now)
        return found.pcie_sent, found.pcie_received

    @cached_property
    def nvlink_bytes(self) -> tuple[int, int]:
        """Bytes per second that go out over all NVLinks and come in."""
        from engine.physics import gpu_traffic

        found = gpu_traffic.rates(self.world, self.gpu.id, self.now)
        return found.nvlink_sent, found.nvlink_received
