"""What `nvidia-smi -q` tells of a GPU, in the tool's order: from its name to its infoROM.

Labels and values: captures of an H100 80GB HBM3 under driver 590.48.01, idle and loaded. Which release added or dropped
a line: text of 550.90, XML of 535.54, 570.148 and 580.105; between those the release is a guess, and so is what driver
550 calls a required reset (from the recovery actions that later ones tell).
"""

from __future__ import annotations

from engine.commands.gpu._nvidia_smi import fabric
from engine.commands.gpu._nvidia_smi.architectures import architecture
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields_board import RECOVERY_ACTION_FROM, addressing, pci_id
from engine.commands.gpu._nvidia_smi.formats import enabled, hexadecimal, yes
from engine.commands.gpu._nvidia_smi.report import Node, Source, deprecated, group, leaf
from engine.commands.gpu._nvidia_smi.report_mig import mig_lines
from engine.commands.gpu._nvidia_smi.report_tree_errors import ERRORS
from engine.commands.gpu._nvidia_smi.report_tree_running import AFTER_ERRORS, BEFORE_ERRORS
from engine.control import gpu_accounting
from engine.world.records import RecoveryAction

BLOCKS_OF_550, BLOCKS_OF_570, BLOCKS_OF_580 = 550, 570, 580
_ATOMICS = "FETCHADD_32 FETCHADD_64 SWAP_32 SWAP_64 CAS_32 CAS_64 "


def _board_id(device: Device) -> str:
    _, bus, number = device.pci_numbers
    return f"0x{bus << 8 | number:x}"


def _on_blackwell(source: Source) -> Source:
    """What the driver tells of boards since Blackwell alone."""
    return lambda device: source(device) if architecture(device.product).tells_platform else None


def _reset_required(device: Device) -> str:
    """Newer drivers have the recovery action instead."""
    if device.release >= RECOVERY_ACTION_FROM:
        return deprecated(device)
    return yes(device.state.recovery in (RecoveryAction.RESET, RecoveryAction.REBOOT))


def _drain_and_reset(device: Device) -> str:
    if device.release >= RECOVERY_ACTION_FROM:
        return deprecated(device)
    return yes(device.state.recovery in (RecoveryAction.DRAIN_P2P, RecoveryAction.DRAIN_AND_RESET))


_IDENTITY: tuple[Node, ...] = (
    leaf("Product Name", lambda d: d.product.name),
    leaf("Product Brand", lambda d: "NVIDIA"),
    leaf("Product Architecture", lambda d: d.product.architecture),
    leaf("Display Mode", lambda d: enabled(architecture(d.product).display_mode), until=BLOCKS_OF_580),
    leaf("Display Mode", deprecated, since=BLOCKS_OF_580),
    leaf("Display Attached", lambda d: "Yes", since=BLOCKS_OF_580),
    leaf("Display Active", lambda d: "Disabled"),
    leaf("Persistence Mode", lambda d: enabled(d.state.persistence)),
    leaf("Addressing Mode", addressing),
    group(
        "MIG Mode",
        leaf("Current", lambda d: enabled(d.state.mig_enabled)),
        leaf("Pending", lambda d: enabled(d.state.mig_pending)),
    ),
    Node("MIG Device", lines=mig_lines),
    leaf("Accounting Mode", lambda d: enabled(d.state.accounting), "ACCOUNTING"),
    leaf("Accounting Mode Buffer Size", lambda d: gpu_accounting.BUFFER, "ACCOUNTING"),
    group("Driver Model", leaf("Current"), leaf("Pending")),
    leaf("Serial Number", lambda d: d.state.serial),
    leaf("GPU UUID", lambda d: d.state.uuid),
    leaf("GPU PDI", lambda d: d.pdi, since=BLOCKS_OF_580),
    leaf("Minor Number", lambda d: d.index),
    leaf("VBIOS Version", lambda d: d.vbios),
    leaf("MultiGPU Board", lambda d: "No"),
    leaf("Board ID", _board_id),
    leaf("Board Part Number", lambda d: d.product.part_number),
    leaf("GPU Part Number", lambda d: d.product.gpu_part_number),
    leaf("FRU Part Number"),
    leaf("Module ID", lambda d: d.gpu.module, until=BLOCKS_OF_570),
    group(
        "Platform Info",
        leaf("Chassis Serial Number", _on_blackwell(lambda d: "")),
        leaf("Slot Number"),
        leaf("Tray Index"),
        leaf("Host ID", _on_blackwell(lambda d: 1)),
        leaf("Peer Type", _on_blackwell(lambda d: "Switch Connected")),
        leaf("Module Id", lambda d: d.gpu.module),
        leaf("GPU Fabric GUID", _on_blackwell(fabric.guid)),
        since=BLOCKS_OF_570,
    ),
    group(
        "Inforom Version",
        leaf("Image Version", lambda d: d.product.inforom),
        leaf("OEM Object", lambda d: architecture(d.product).oem_object),
        leaf("ECC Object", lambda d: architecture(d.product).ecc_object),
        leaf("Power Management Object"),
    ),
    group("Inforom BBX Object Flush", leaf("Latest Timestamp"), leaf("Latest Duration"), since=BLOCKS_OF_550),
    group("GPU Operation Mode", leaf("Current"), leaf("Pending")),
    leaf("GPU C2C Mode", lambda d: architecture(d.product).chip_to_chip, since=BLOCKS_OF_550),
    group(
        "GPU Virtualization Mode",
        leaf("Virtualization Mode", lambda d: "None"),
        leaf("Host VGPU Mode"),
        leaf("vGPU Heterogeneous Mode", since=BLOCKS_OF_550),
    ),
    group(
        "GPU Reset Status",
        leaf("Reset Required", _reset_required),
        leaf("Drain and Reset Recommended", _drain_and_reset),
        until=BLOCKS_OF_580,
    ),
    leaf("GPU Recovery Action", lambda d: d.state.recovery.value, since=RECOVERY_ACTION_FROM),
    leaf("GSP Firmware Version", lambda d: d.driver_version, "GSP_FIRMWARE_VERSION"),
    group("IBMNPU", leaf("Relaxed Ordering Mode")),
)


def _atomics(device: Device) -> str | None:
    return _ATOMICS if device.release >= BLOCKS_OF_570 and architecture(device.product).atomics else None


_PCI: tuple[Node, ...] = (
    group(
        "PCI",
        leaf("Bus", lambda d: hexadecimal(d.pci_numbers[1], 2)),
        leaf("Device", lambda d: hexadecimal(d.pci_numbers[2], 2)),
        leaf("Domain", lambda d: hexadecimal(d.pci_numbers[0], 4)),
        leaf("Base Classcode", lambda d: "0x3", since=BLOCKS_OF_550),
        leaf("Sub Classcode", lambda d: "0x2", since=BLOCKS_OF_550),
        leaf("Device Id", lambda d: pci_id(d.product.pci_id)),
        leaf("Bus Id", lambda d: d.bus_id),
        leaf("Sub System Id", lambda d: pci_id(d.product.subsystem_id)),
        group(
            "GPU Link Info",
            group(
                "PCIe Generation",
                leaf("Max", lambda d: d.link.max_generation),
                leaf("Current", lambda d: d.link.generation),
                leaf("Device Current", lambda d: d.link.generation),
                leaf("Device Max", lambda d: d.product.pcie_generation),
                leaf("Host Max"),
            ),
            group(
                "Link Width",
                leaf("Max", lambda d: f"{d.link.max_width}x"),
                leaf("Current", lambda d: f"{d.link.width}x"),
            ),
        ),
        group("Bridge Chip", leaf("Type"), leaf("Firmware")),
        leaf("Replays Since Reset", lambda d: d.state.pcie_replays),
        leaf("Replay Number Rollovers", lambda d: 0),
        leaf("Tx Throughput", lambda d: f"{d.pcie_bytes[0] // 1000} KB/s"),
        leaf("Rx Throughput", lambda d: f"{d.pcie_bytes[1] // 1000} KB/s"),
        leaf("Atomic Caps Inbound", until=BLOCKS_OF_570),
        leaf("Atomic Caps Outbound", _atomics),
        leaf("Atomic Caps Inbound", _on_blackwell(lambda d: _ATOMICS), since=BLOCKS_OF_570),
    ),
    leaf("Fan Speed"),
)

TREE: tuple[Node, ...] = (
    *_IDENTITY,
    *_PCI,
    *BEFORE_ERRORS,
    *ERRORS,
    *AFTER_ERRORS,
    group("Capabilities", leaf("EGM", lambda d: "disabled"), since=BLOCKS_OF_570),
)

DISPLAYS = frozenset(word for node in TREE for word in node.displays)
