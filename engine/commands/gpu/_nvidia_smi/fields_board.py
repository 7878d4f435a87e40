"""`--query-gpu` fields about what the board is and how it is set up."""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi import fabric
from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields import Entry, Section, field
from engine.commands.gpu._nvidia_smi.formats import DEPRECATED, enabled, hexadecimal, query_time
from engine.control import gpu_accounting

_DEPRECATED = f"[{DEPRECATED}]"

RECOVERY_ACTION_FROM = 560


ADDRESSING_FROM = 560


def addressing(device: Device) -> str:
    """How the GPU reaches malloc'ed memory: the heterogeneous memory management of newer drivers (captures: none with
    550, HMM with 570 and later; B200 shows none).
    """
    newest = device.product.architecture == "Blackwell"
    return "HMM" if device.release >= ADDRESSING_FROM and not newest else "None"


def pci_id(identifier: str) -> str:
    """`10de:2330` as the driver writes it, device before vendor: `0x233010DE`."""
    vendor, _, device = identifier.partition(":")
    return f"0x{device}{vendor}".upper().replace("0X", "0x")


_PCI: tuple[Entry[Device], ...] = (
    field("pci.bus_id gpu_bus_id", "PCI address as domain:bus:device.function.", lambda d: d.bus_id),
    field("pci.domain", "PCI domain.", lambda d: hexadecimal(d.pci_numbers[0], 4)),
    field("pci.bus", "PCI bus.", lambda d: hexadecimal(d.pci_numbers[1], 2)),
    field("pci.device", "PCI device.", lambda d: hexadecimal(d.pci_numbers[2], 2)),
    field("pci.baseClass", "PCI base class: 0x3 is a display controller.", lambda d: "0x3"),
    field("pci.subClass", "PCI sub-class: 0x2 is a 3D controller.", lambda d: "0x2"),
    field("pci.device_id", "PCI device and vendor id.", lambda d: pci_id(d.product.pci_id)),
    field("pci.sub_device_id", "PCI subsystem id.", lambda d: pci_id(d.product.subsystem_id)),
)

_VGPU: tuple[Entry[Device], ...] = (
    Section("vgpu_device_capability", "What the board could do for virtual GPUs."),
    field("vgpu_device_capability.fractional_multiVgpu", "Fractional profiles together on one GPU."),
    field(
        "vgpu_device_capability.heterogeneous_timeSlice_profile", "Time-sliced profiles of different kinds together."
    ),
    field("vgpu_device_capability.heterogeneous_timeSlice_sizes", "Time-sliced profiles of different sizes together."),
    field("vgpu_device_capability.homogeneous_placements", "Placements of time-sliced profiles of one size."),
    field("vgpu_device_capability.mig_timeSlicing", "Time slicing on top of MIG."),
    field("vgpu_device_capability.mig_timeSlicing_mode", "Whether time slicing on MIG is on."),
)

_LINK: tuple[Entry[Device], ...] = (
    field("pcie.link.gen.current", "PCIe generation in use; older name of gpucurrent.", lambda d: d.link.generation),
    field("pcie.link.gen.gpucurrent", "PCIe generation in use; may fall when idle.", lambda d: d.link.generation),
    field("pcie.link.gen.max", "Highest generation that board and slot allow.", lambda d: d.link.max_generation),
    field("pcie.link.gen.gpumax", "Highest generation of the board.", lambda d: d.product.pcie_generation),
    field("pcie.link.gen.hostmax", "Highest generation of the slot's root port."),
    field("pcie.link.width.current", "PCIe lanes in use.", lambda d: d.link.width),
    field("pcie.link.width.max", "Most lanes that board and slot allow.", lambda d: d.link.max_width),
)

_MODES: tuple[Entry[Device], ...] = (
    field("index", "The GPU's number from 0; can change with a boot.", lambda d: d.index),
    field("display_mode", "No longer given.", lambda d: _DEPRECATED),
    field("display_attached", "Whether a connector of the board counts as attached.", lambda d: "Yes"),
    field("display_active", "Whether a display is set up on the GPU.", lambda d: "Disabled"),
    field(
        "persistence_mode",
        "Whether the driver keeps the GPU set up without clients.",
        lambda d: enabled(d.state.persistence),
    ),
    field("addressing_mode", "How the GPU reaches malloc'ed memory: HMM, ATS or None.", addressing),
    field(
        "accounting.mode",
        "Whether statistics of finished processes are kept.",
        lambda d: enabled(d.state.accounting),
    ),
    field("accounting.buffer_size", "For how many processes they are kept.", lambda d: gpu_accounting.BUFFER),
    Section("driver_model", "Windows driver models; Linux has one, so they are not given."),
    field("driver_model.current", "The model in use."),
    field("driver_model.pending", "The model after the next restart."),
)

_FIRMWARE: tuple[Entry[Device], ...] = (
    field("vbios_version", "Version of the board's VBIOS.", lambda d: d.vbios),
    Section("inforom", "Versions of the objects in the board's infoROM, its small persistent store."),
    field("inforom.img inforom.image", "Version of the whole image.", lambda d: d.product.inforom),
    field("inforom.oem", "Version of the OEM object.", lambda d: architecture(d.product).oem_object),
    field("inforom.ecc", "Version of the ECC object.", lambda d: architecture(d.product).ecc_object),
    field("inforom.pwr inforom.power", "Version of the power object."),
    field("inforom.checksum_validation", "Whether the image's checksum is right.", lambda d: "valid"),
    field(
        "gpu_recovery_action",
        "What the driver asks for after an error: None, Reset, Reboot, Drain P2P or Drain and Reset.",
        lambda d: d.state.recovery.value,
        since=RECOVERY_ACTION_FROM,
    ),
    Section("gom", "GPU operation modes of old boards, which switch features off to save power."),
    field("gom.current gpu_operation_mode.current", "The mode in use."),
    field("gom.pending gpu_operation_mode.pending", "The mode after the next restart."),
)


def identity_fields() -> tuple[Entry[Device], ...]:
    """From the time to the firmware, in the tool's order."""
    return (
        field("timestamp", "When the query was made.", lambda d: query_time(d.world.inventory, d.now)),
        field("driver_version", "Version of the loaded kernel module.", lambda d: d.driver_version),
        Section("vgpu_driver_capability", "What the driver could do for virtual GPUs."),
        field("vgpu_driver_capability.heterogenous_multivGPU", "Different virtual GPUs in one guest."),
        field("count", "How many GPUs the driver holds.", lambda d: d.attached),
        field("name gpu_name", "Product name.", lambda d: d.product.name),
        field("serial gpu_serial", "Serial number printed on the board.", lambda d: d.state.serial),
        field("uuid gpu_uuid", "The GPU's unchangeable identifier; printed nowhere on it.", lambda d: d.state.uuid),
        *_PCI,
        *_VGPU,
        *_LINK,
        *_MODES,
        *_FIRMWARE,
    )


def _module(device: Device) -> int:
    return device.gpu.module


PLATFORM: tuple[Entry[Device], ...] = (
    Section("platform", "Where the GPU sits in a rack-scale system; other systems give defaults."),
    field("platform.chassis_serial_number", "Serial number of the chassis.", lambda d: ""),
    field("platform.slot_number", "Slot in the chassis, switch trays counted.", lambda d: 0),
    field("platform.tray_index", "Tray among the compute trays.", lambda d: 0),
    field("platform.host_id", "Node within the slot.", lambda d: 1),
    field("platform.peer_type", "How NVLink peers are reached.", fabric.peer_type),
    field("platform.module_id", "The GPU's socket in the node.", _module),
    field("platform.gpu_fabric_guid", "The GPU's fabric identifier.", fabric.platform_guid),
)
