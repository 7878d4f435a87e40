"""A PCI function as lspci's library sees it: the configuration space as far as one may read it, and what the kernel
says of it in sysfs.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.control import modules
from engine.control.driver import bound_gpus
from engine.control.module_table import NOUVEAU
from engine.physics import pcie
from engine.physics.config_space.resources import Placed, resources
from engine.physics.config_space.resources import profile as part_of
from engine.physics.config_space.space import class_code, config_space, revision, subsystem
from engine.world.inventory import Inventory, Node, PcieDevice

HEADER = 64
"""How much of the configuration space somebody who is not root may read."""

_BUILT_IN = "pcieport"
_MODULES = {
    "gpu": ("nvidiafb", "nouveau", "nvidia_drm", "nvidia"),
    "nvswitch": ("nvidia_drm", "nvidia"),
    "hca": ("mlx5_core",),
    "nvme": ("nvme",),
    "ethernet": ("ixgbe",),
}
"""Modules whose aliases match, in libkmod's order (captures of machines with the NVIDIA driver)."""

_MODULE_OF = {"nvidia-nvswitch": "nvidia"}
"""The module of drivers that do not bear its name."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function. `space` ends where reading is refused; `bars` are in the order of their numbers."""

    device: PcieDevice
    space: bytes
    kernel_class: int
    kernel_revision: int
    kernel_subsystem: str
    bars: tuple[Placed, ...]
    rom: tuple[int, int] | None
    interrupt: int
    driver: str | None
    modules: tuple[str, ...]

    @property
    def domain(self) -> int:
        return int(self.device.address[:4], 16)

    @property
    def bus(self) -> int:
        return int(self.device.address[5:7], 16)

    @property
    def slot(self) -> int:
        return int(self.device.address[8:10], 16)

    @property
    def number(self) -> int:
        return int(self.device.address[11:], 16)

    @property
    def header(self) -> int:
        """The header type: 0 an end point, 1 a bridge, 0x7f nothing that answers."""
        return self.space[0xE] & 0x7F

    def byte(self, at: int) -> int:
        return self.space[at]

    def word(self, at: int) -> int:
        return int.from_bytes(self.space[at : at + 2], "little")

    def long(self, at: int) -> int:
        return int.from_bytes(self.space[at : at + 4], "little")

    def readable(self, at: int, size: int) -> bool:
        """Whether so many bytes from `at` on may be read."""
        return at + size <= len(self.space)


def functions(context: Context) -> list[Function]:
    """Every function that the kernel of this host lists, by address."""
    drivers = _Drivers(context)
    found = [_function(context, device, drivers) for device in context.node.pcie]
    return [function for function in found if function]


def _function(context: Context, device: PcieDevice, drivers: _Drivers) -> Function | None:
    space = config_space(context.world, context.host, device.address)
    if space is None:
        return None
    shown = space if context.is_root else space[:HEADER]
    driver, fitting = drivers.of(device), drivers.fitting(device)
    key = ("pci function", context.host, device.address, shown, driver, fitting)
    return context.inventory.once(key, lambda: _made(context.inventory, context.node, device, shown, driver, fitting))


def _made(
    inventory: Inventory, node: Node, device: PcieDevice, space: bytes, driver: str | None, fitting: tuple[str, ...]
) -> Function:
    given = resources(inventory, node)
    base = given.roms.get(device.address)
    placed = [one for one in given.bars.get(device.address, ()) if not one.bar.virtual]
    return Function(
        device=device,
        space=space,
        kernel_class=class_code(node, device),
        kernel_revision=revision(device),
        kernel_subsystem=subsystem(device),
        bars=tuple(sorted(placed, key=lambda one: one.bar.index)),
        rom=(base, part_of(device).rom) if base is not None else None,
        interrupt=given.interrupts.get(device.address, 0),
        driver=driver,
        modules=fitting,
    )


class _Drivers:
    """Which drivers are bound."""

    def __init__(self, context: Context) -> None:
        self._loaded = {module.name for module in modules.loaded(context.world, context.host)}
        self._gpus = {gpu.address for gpu in bound_gpus(context.world, context.host)}
        self._world, self._host = context.world, context.host
        self._nouveau = modules.holds_gpus(self._world, self._host)
        self._built = modules.exists(self._world, self._host, "nvidia")

    def fitting(self, device: PcieDevice) -> tuple[str, ...]:
        """Modules of the running kernel that would take a function; NVIDIA's are there only if they were built."""
        names = _MODULES.get(device.role, ())
        if self._built or device.role not in ("gpu", "nvswitch"):
            return names
        return tuple(name for name in names if name not in ("nvidia", "nvidia_drm"))

    def of(self, device: PcieDevice) -> str | None:
        """The driver bound to a function; a GPU that was dead when the driver probed it has none."""
        if device.driver is None or device.driver == _BUILT_IN:
            return device.driver
        if self._nouveau and device.role == "gpu":
            return NOUVEAU
        if self._world.pci_functions[f"{self._host}/{device.address}"].unbound:
            return None
        probed = device.address in self._gpus or not pcie.gpu_at(self._world, self._host, device.address)
        return device.driver if probed and _MODULE_OF.get(device.driver, device.driver) in self._loaded else None
