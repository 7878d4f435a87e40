"""The first messages of a boot: the kernel's start, the search of the PCI buses, and what follows up to /init.

The forms are those of Ubuntu's kernel 6.8 (bridges are logged before what is behind them, resources as `BAR 0 [mem
...]`). Every PCI address is one of the inventory's; the devices of the processors' own uncore, which a real log names
too, are left out as they are everywhere else.
"""

from __future__ import annotations

from datetime import date

from engine.control import kernel_image
from engine.control.history.scene import BootScene, MessageLog
from engine.control.pci_resources import BRIDGES, RootBus, bus_of, bus_ranges, regions, root_buses, windows
from engine.kernel.calendar import utc
from engine.kernel.units import GIB, KIB, SECOND
from engine.physics.config_space.space import class_code
from engine.world.inventory import PcieDevice
from engine.world.records import LogEntry

_KINDS = {
    "root_port": "PCIe Root Port",
    "switch_upstream": "PCIe Switch Upstream Port",
    "switch_downstream": "PCIe Switch Downstream Port",
}
_RESERVED = {"host_bridge": "conventional PCI endpoint", "isa_bridge": "conventional PCI endpoint"}


def kernel_messages(scene: BootScene) -> list[LogEntry]:
    """From the first line to the start of /init."""
    log = MessageLog(scene, "kernel")
    words = _words(scene)
    log.table("boot_early", words)
    log.reach(3_200)
    for number, root in enumerate(root_buses(scene.inventory, scene.node)):
        _host_bridge(log, number, root)
    log.table("boot_late", words)
    log.reach(6_060)
    for number, device in enumerate(device for device in scene.node.pcie if device.role == "root_port"):
        log.say(f"pcieport {device.address}: PME: Signaling with IRQ {122 + number}")
    return log.entries


def memory_kib(memory_bytes: int) -> tuple[int, int]:
    """What of the memory the kernel sees, and what is left for use (MemTotal): firmware and the kernel keep 0.15 % and
    1.6 %. A guess.
    """
    seen = memory_bytes // KIB * 9985 // 10_000
    return seen, seen * 984 // 1000


def _words(scene: BootScene) -> dict[str, object]:
    node, cpu, inventory = scene.node, scene.node.cpu, scene.inventory
    cpus = kernel_image.cpus(node)
    seen, usable = memory_kib(node.memory_bytes)
    started = utc(inventory.start + scene.boot.start)
    epoch = (inventory.start + scene.boot.start) // SECOND
    top = node.memory_bytes + 2 * GIB
    bogomips = int(cpu.bogomips.partition(".")[0])
    release = scene.boot.kernel or kernel_image.release(inventory)
    options = kernel_image.options(inventory, scene.host, scene.boot.kernel_options)
    return {
        "banner": kernel_image.banner(release),
        "command_line": kernel_image.boot_command_line(inventory, scene.host, scene.boot.kernel_options, release),
        "release": release,
        "secure_boot": "enabled" if scene.boot.secure else "disabled",
        "vendor": node.vendor,
        "product": node.product_name,
        "bios": _bios(scene.boot.bios or node.bios),
        "memory_top": top - 1,
        "last_pfn": top >> 12,
        "node0_top": node.memory_bytes // cpu.sockets + 2 * GIB - 1,
        "tsc": bogomips // 2,
        "oem": f"{node.vendor[:6].upper():6}",
        "oem_table": f"{node.product_name[:8].upper():8}",
        "pages": seen // 4,
        "memory_total": seen,
        "memory_available": usable,
        "memory_reserved": seen - usable,
        "sockets": cpu.sockets,
        "threads": cpu.threads,
        "cpus": cpus,
        "irqs": 1000 + 24 * cpus,
        "tlb_areas": 1 << (cpus - 1).bit_length(),
        "bogomips": cpu.bogomips,
        "lpj": bogomips * 500,
        "total_bogomips": f"{bogomips * cpus}.00",
        "model": cpu.model,
        "family": cpu.family,
        "model_number": cpu.model_number,
        "stepping": cpu.stepping,
        "pid_max": max(32_768, 1024 * cpus),
        "pid_min": max(301, 8 * cpus),
        "rtc_time": f"{started:%H:%M:%S}",
        "rtc_date": f"{started:%Y-%m-%d}",
        "rtc_iso": f"{started:%Y-%m-%dT%H:%M:%S}",
        "audit": f"{epoch}.016",
        "audit_seconds": epoch,
        "iommu": "Translated" if kernel_image.translates(options) else "Passthrough (set via kernel command line)",
    }


def bios_date(version: str) -> date:
    """When a BIOS was released; of the dates only that of 1.6.7 is known."""
    return date(2025, 2, 20) if version == "1.6.7" else date(2024, 6, 14)


def _bios(version: str) -> str:
    """Version with its release date."""
    return f"{version} {bios_date(version):%m/%d/%Y}"


def _host_bridge(log: MessageLog, number: int, root: RootBus) -> None:
    scene, bus = log.scene, f"0000:{root.bus:02x}"
    name = f"PNP0A08:{number:02x}"
    log.all(
        (
            f"ACPI: PCI Root Bridge [PC{number:02d}] (domain 0000 [bus {root.bus:02x}-{root.last:02x}])",
            f"acpi {name}: _OSC: OS supports [ExtendedConfig ASPM ClockPM Segments MSI EDR HPX-Type3]",
            f"acpi {name}: _OSC: OS now controls [PCIeHotplug PME AER PCIeCapability LTR]",
            f"PCI host bridge to bus {bus}",
            f"pci_bus {bus}: root bus resource [mem {root.narrow[0]:#010x}-{root.narrow[1]:#010x} window]",
            f"pci_bus {bus}: root bus resource [mem {root.wide[0]:#x}-{root.wide[1]:#x} window]",
            f"pci_bus {bus}: root bus resource [bus {root.bus:02x}-{root.last:02x}]",
        )
    )
    for device in scene.node.pcie:
        if root.bus <= bus_of(device.address) <= root.last and scene.there(device.address):
            _function(log, device)
    if scene.node.cpu.sockets > 1:
        log.say(f"pci_bus {bus}: on NUMA node {root.numa}")


def _function(log: MessageLog, device: PcieDevice) -> None:
    """The lines of one PCI function."""
    name, bridge = f"pci {device.address}", device.role in BRIDGES
    kind = _KINDS.get(device.role) or _RESERVED.get(device.role, "PCIe Endpoint")
    code = class_code(log.scene.node, device)
    log.say(f"{name}: [{device.ids}] type {'01' if bridge else '00'} class {code:#08x} {kind}")
    inventory, host = log.scene.inventory, log.scene.host
    if bridge:
        first, last = bus_ranges(inventory, host)[device.address]
        log.say(f"{name}: PCI bridge to [bus {first:02x}{f'-{last:02x}' if last != first else ''}]")
    if device.role == "root_port":
        log.all(f"{name}:   bridge window {window.text}" for window in windows(inventory, host, device.address))
        log.say(f"{name}: PME# supported from D0 D3hot D3cold")
    log.all(f"{name}: BAR {region.bar} {region.text}" for region in regions(inventory, host).get(device.address, ()))
    if device.role == "gpu":
        log.say(f"{name}: Enabling HDA controller")
