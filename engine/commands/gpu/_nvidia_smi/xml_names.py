"""Names of elements in `nvidia-smi -q -x` for labels of the report that have another (captures: see report_xml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_WORDS = re.compile(r"[^a-z0-9]+")


def tag_of(parent: str, label: str) -> str:
    """The element of a label below a heading ("": of the GPU itself)."""
    return _BELOW.get(parent, {}).get(label) or _ANYWHERE.get(label) or _WORDS.sub("_", label.lower()).strip("_")


_ANYWHERE: Mapping[str, str] = MappingProxyType(
    {
        "Serial Number": "serial", "GPU UUID": "uuid", "GPU PDI": "pdi", "FRU Part Number": "gpu_fru_part_number",
        "Module ID": "gpu_module_id",
        "Platform Info": "platformInfo", "Image Version": "img_version", "Power Management Object": "pwr_object",
        "Inforom BBX Object Flush": "inforom_bbx_flush", "GPU C2C Mode": "c2c_mode",
        "Conf Compute Protected Memory Usage": "cc_protected_memory_usage", "Active Sessions": "session_count",
        "SRAM Uncorrectable SEC-DED": "sram_uncorrectable_secded", "Instantaneous Power Draw": "instant_power_draw",
        "Workload Power Profiles": "power_profiles", "CliqueId": "cliqueId", "ClusterUUID": "clusterUuid",
        "MIG Device": "mig_device", "Shared FB Memory Usage": "fb_memory_usage",
        "Shared BAR1 Memory": "bar1_memory_usage",
    }
)  # fmt: skip

_CLOCKS = {"Graphics": "graphics_clock", "SM": "sm_clock", "Memory": "mem_clock", "Video": "video_clock"}
_REASON = "clocks_event_reason_"
_COUNTER = "clocks_event_reasons_counters_"

_BELOW: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "MIG Device": {"ECC Errors": "ecc_error_count"},
        "MIG Device ECC Errors": {"Volatile": "volatile_count"},
        "MIG Mode": {"Current": "current_mig", "Pending": "pending_mig"},
        "Driver Model": {"Current": "current_dm", "Pending": "pending_dm"},
        "GPU Operation Mode": {"Current": "current_gom", "Pending": "pending_gom"},
        "DRAM Encryption Mode": {"Current": "current_dram_encryption", "Pending": "pending_dram_encryption"},
        "ECC Mode": {"Current": "current_ecc", "Pending": "pending_ecc"},
        "PCI": {
            "Bus": "pci_bus", "Device": "pci_device", "Domain": "pci_domain", "Base Classcode": "pci_base_class",
            "Sub Classcode": "pci_sub_class", "Device Id": "pci_device_id", "Bus Id": "pci_bus_id",
            "Sub System Id": "pci_sub_system_id", "GPU Link Info": "pci_gpu_link_info",
            "Bridge Chip": "pci_bridge_chip", "Replays Since Reset": "replay_counter",
            "Replay Number Rollovers": "replay_rollover_counter", "Tx Throughput": "tx_util",
            "Rx Throughput": "rx_util",
        },
        "GPU Link Info": {"PCIe Generation": "pcie_gen", "Link Width": "link_widths"},
        "PCIe Generation": {
            "Max": "max_link_gen", "Current": "current_link_gen", "Device Current": "device_current_link_gen",
            "Device Max": "max_device_link_gen", "Host Max": "max_host_link_gen",
        },
        "Link Width": {"Max": "max_link_width", "Current": "current_link_width"},
        "Bridge Chip": {"Type": "bridge_chip_type", "Firmware": "bridge_chip_fw"},
        "Clocks Event Reasons": {
            "Idle": f"{_REASON}gpu_idle", "Applications Clocks Setting": f"{_REASON}applications_clocks_setting",
            "SW Power Cap": f"{_REASON}sw_power_cap", "HW Slowdown": f"{_REASON}hw_slowdown",
            "HW Thermal Slowdown": f"{_REASON}hw_thermal_slowdown",
            "HW Power Brake Slowdown": f"{_REASON}hw_power_brake_slowdown", "Sync Boost": f"{_REASON}sync_boost",
            "SW Thermal Slowdown": f"{_REASON}sw_thermal_slowdown",
            "Display Clock Setting": f"{_REASON}display_clocks_setting",
        },
        "Clocks Event Reasons Counters": {
            "SW Power Capping": f"{_COUNTER}sw_power_cap", "Sync Boost": f"{_COUNTER}sync_boost",
            "SW Thermal Slowdown": f"{_COUNTER}sw_therm_slowdown",
            "HW Thermal Slowdown": f"{_COUNTER}hw_therm_slowdown", "HW Power Braking": f"{_COUNTER}hw_power_brake",
        },
        "Utilization": {
            unit: f"{unit.lower()}_util" for unit in ("GPU", "Gpu", "Memory", "Encoder", "Decoder", "JPEG", "OFA")
        },
        "Remapped Rows": {
            "Correctable Error": "remapped_row_corr", "Uncorrectable Error": "remapped_row_unc",
            "Pending": "remapped_row_pending", "Remapping Failure Occurred": "remapped_row_failure",
            "Bank Remap Availability Histogram": "row_remapper_histogram",
        },
        "Bank Remap Availability Histogram": {
            level: f"row_remapper_histogram_{level.lower()}" for level in ("Max", "High", "Partial", "Low", "None")
        },
        "Temperature": {
            "GPU Current Temp": "gpu_temp", "GPU T.Limit Temp": "gpu_temp_tlimit",
            "GPU Shutdown T.Limit Temp": "gpu_temp_max_tlimit_threshold",
            "GPU Slowdown T.Limit Temp": "gpu_temp_slow_tlimit_threshold",
            "GPU Max Operating T.Limit Temp": "gpu_temp_max_gpu_tlimit_threshold",
            "GPU Shutdown Temp": "gpu_temp_max_threshold", "GPU Slowdown Temp": "gpu_temp_slow_threshold",
            "GPU Max Operating Temp": "gpu_temp_max_gpu_threshold", "Memory Current Temp": "memory_temp",
            "Memory Max Operating T.Limit Temp": "gpu_temp_max_mem_tlimit_threshold",
            "Memory Max Operating Temp": "gpu_temp_max_mem_threshold",
        },
        "Workload Power Profiles": {
            "Requested Profiles": "power_profile_requested_profiles",
            "Enforced Profiles": "power_profile_enforced_profiles",
        },
        "Voltage": {"Graphics": "graphics_volt"},
        **dict.fromkeys(
            (
                "Clocks", "Applications Clocks", "Default Applications Clocks", "Deferred Clocks", "Max Clocks",
                "Max Customer Boost Clocks",
            ),
            _CLOCKS,
        ),
    }
)  # fmt: skip
