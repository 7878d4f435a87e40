"""What the driver's library (NVML) answers about one GPU at one moment. Every view of nvidia-smi reads from here.

Readings that the state does not hold are None and are shown as N/A. Sources of the few laws: captures of an H100 80GB
HBM3 under driver 590.48.01, idle and loaded. Its MiB figures of used, free and reserved memory are rounded one by one
and add up to one more than the total; BAR1 maps what is allocated and one MiB; the video clock follows the SM clock
linearly between the two readings 345/765 and 1980/1545 MHz (the line between them is a guess).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.control import driver
from engine.control.mig import devices as mig
from engine.control.mig.devices import MigDevice
from engine.kernel.units import MICROSECOND, MILLISECOND, SECOND
from engine.physics import load, pcie, thermal
from engine.world.inventory import Gpu, GpuProduct, stable_hexadecimal
from engine.world.records import GpuLoad, GpuState, Process
from engine.world.world import World

AVERAGING = SECOND
AVERAGED_SAMPLES = 5


@dataclass(frozen=True)
class Device:
    """A GPU under its NVML index at simulated time `now`; `attached` counts the driver's GPUs, lost or not."""

    world: World
    gpu: Gpu
    index: int
    attached: int
    now: int

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
    def driver_version(self) -> str:
        """Of the loaded kernel module."""
        return driver.nvml(self.world, self.gpu.node).kernel_version

    @property
    def release(self) -> int:
        """The driver branch, such as 590."""
        return int(self.driver_version.partition(".")[0])

    @property
    def lost(self) -> bool:
        """Whether the GPU has stopped answering."""
        return driver.is_lost(self.world, self.gpu.id)

    @property
    def bus_id(self) -> str:
        """The PCI address in NVML's form: eight hexadecimal digits of domain, upper case."""
        domain, _, rest = self.gpu.address.partition(":")
        return f"{int(domain, 16):08X}:{rest.upper()}"

    @property
    def short_bus_id(self) -> str:
        """The PCI address as error lines give it: four digits of domain, upper case."""
        return self.gpu.address.upper()

    @property
    def pci_numbers(self) -> tuple[int, int, int]:
        """Domain, bus and device numbers."""
        domain, bus, device = self.gpu.address.rpartition(".")[0].split(":")
        return int(domain, 16), int(bus, 16), int(device, 16)

    @property
    def pdi(self) -> str:
        """The per-device identifier: 64 bits that belong to the board."""
        return "0x" + stable_hexadecimal(16, "pdi", self.state.uuid)

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
        """°C left to the maximum operating temperature (T.Limit)."""
        return thermal.temperature_margin(self.world, self.gpu.id, self.now) // 1000

    @property
    def power(self) -> int:
        """Power draw averaged over the last second, mW."""
        step = AVERAGING // AVERAGED_SAMPLES
        return sum(self.power_at(self.now - step * back) for back in range(AVERAGED_SAMPLES)) // AVERAGED_SAMPLES

    def power_at(self, time: int) -> int:
        """Power draw at a moment, mW."""
        return thermal.power(self.world, self.gpu.id, time)

    @property
    def sm_clock(self) -> int:
        return self.sm_clock_at(self.now)

    def sm_clock_at(self, time: int) -> int:
        """MHz."""
        return thermal.sm_clock(self.world, self.gpu.id, time)

    @property
    def application_clock(self) -> int:
        """The highest graphics clock (MHz) that somebody allows to applications; the board's highest if nobody did."""
        return self.state.application_clock or self.product.clock_graphics_max

    @property
    def video_clock(self) -> int:
        below = self.product.clock_graphics_max - self.sm_clock
        return max(self.product.clock_video_max - below * 780 // 1635, self.product.clock_graphics_min)

    @property
    def reasons(self) -> int:
        """Clock event reasons that are active, as NVML's bit mask."""
        return thermal.reasons(self.world, self.gpu.id)

    def reason_microseconds(self, bit: int) -> int:
        """For how long the reason `bit` has held back the clocks since the driver was loaded."""
        return thermal.reason_time(self.world, self.gpu.id, bit, self.now) // MICROSECOND

    @cached_property
    def link(self) -> pcie.Link:
        """Its PCIe link."""
        return pcie.link(self.world, self.gpu.node, self.gpu.address)

    @cached_property
    def mig_devices(self) -> tuple[MigDevice, ...]:
        """Its MIG devices, in the driver's order; none unless it is cut up."""
        return mig.devices(self.world, self.gpu) if self.state.mig_enabled else ()

    def busy(self, share: int) -> int | None:
        """A utilisation in percent; the driver gives none of a GPU in MIG mode."""
        return None if self.state.mig_enabled else share

    @property
    def memory_used(self) -> int:
        """Framebuffer in use, MiB."""
        return self.load.memory_used + (mig.own_memory(self.world, self.gpu) if self.state.mig_enabled else 0)

    @property
    def memory_free(self) -> int:
        return self.product.memory_total - self.product.memory_reserved - self.memory_used + 1

    @property
    def bar1_used(self) -> int:
        """MiB; in MIG mode newer drivers map all of the memory, older ones what programs hold."""
        if self.state.mig_enabled and self.release >= mig.SHARED_BAR1_FROM:
            return mig.bar1_used(self.product)
        return self.load.memory_used + 1

    @cached_property
    def processes(self) -> Sequence[tuple[Process, int]]:
        """Compute processes with the MiB that each holds, by pid."""
        return sorted(driver.compute_processes(self.world, self.gpu.id), key=lambda entry: entry[0].pid)

    @property
    def initialised(self) -> bool:
        """Whether somebody keeps the driver's state of this GPU alive."""
        return self.state.persistence or bool(self.processes)


def instance_ids(process: Process) -> tuple[str, str]:
    """The ids of GPU and compute instance that a process runs on, as tables show them."""
    return (str(process.instance[0]), str(process.instance[1])) if process.instance else ("N/A", "N/A")


def process_name(process: Process) -> str:
    """The name that the driver knows a process by: its first word, as it was started."""
    return process.command.split(" ", 1)[0]


def sample_times(now: int, count: int, step: int = 20 * MILLISECOND) -> list[int]:
    """Moments at which the driver's buffer of samples was filled, newest first."""
    return [now - step * back for back in range(count)]
