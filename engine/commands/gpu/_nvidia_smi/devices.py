"""What nvidia-smi knows of one GPU at one moment: the driver's readings, and what it works out of them.

Readings that the state does not hold are None and are shown as N/A. BAR1 maps what is allocated and one MiB (captures
of an H100 80GB HBM3, driver 590.48.01).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.control import driver
from engine.control.gpu_readings import GpuReadings
from engine.control.mig import devices as mig
from engine.control.mig.devices import MigDevice
from engine.kernel.units import MICROSECOND, MILLISECOND
from engine.physics import thermal
from engine.world.inventory import stable_hexadecimal
from engine.world.records import Process


@dataclass(frozen=True)
class Device(GpuReadings):
    """A GPU under its NVML index; `attached` counts the driver's GPUs, lost or not, `contained` says that a container
    looks.
    """

    attached: int
    contained: bool = False

    @cached_property
    def driver_version(self) -> str:
        """Of the loaded kernel module."""
        return driver.nvml(self.world, self.gpu.node).kernel_version

    @property
    def release(self) -> int:
        """The driver branch, such as 590."""
        return int(self.driver_version.partition(".")[0])

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

    def sm_clock_at(self, time: int) -> int:
        """MHz."""
        return thermal.sm_clock(self.world, self.gpu.id, time)

    def reason_microseconds(self, bit: int) -> int:
        """For how long the reason `bit` has held back the clocks since the driver was loaded."""
        return self.held_back(bit) // MICROSECOND

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
        """Compute processes with the MiB that each holds, by pid; a container's pid namespace hides the host's."""
        if self.contained:
            return ()
        return sorted(driver.compute_processes(self.world, self.gpu.id), key=lambda entry: entry[0].pid)

    @property
    def initialised(self) -> bool:
        """Whether somebody keeps the driver's state of this GPU alive."""
        return self.state.persistence or bool(driver.compute_processes(self.world, self.gpu.id))


def instance_ids(process: Process) -> tuple[str, str]:
    """The ids of GPU and compute instance that a process runs on, as tables show them."""
    return (str(process.instance[0]), str(process.instance[1])) if process.instance else ("N/A", "N/A")


def process_name(process: Process) -> str:
    """The name that the driver knows a process by: its first word, as it was started."""
    return process.command.split(" ", 1)[0]


def sample_times(now: int, count: int, step: int = 20 * MILLISECOND) -> list[int]:
    """Moments at which the driver's buffer of samples was filled, newest first."""
    return [now - step * back for back in range(count)]
