"""Redfish's Systems: the server and its GPU baseboard, processors, BIOS attributes, the event log."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.control import bmc, firmware
from engine.control.redfish.resource import ROOT, Resource, collection, link, status
from engine.kernel.units import GIB, SECOND
from engine.physics import supplies, thermal
from engine.world.inventory import uuid_text
from engine.world.records import BusState, GpuState, Power, SelEntry
from engine.world.world import World

BASEBOARD = "HGX_Baseboard_0"
_FABRIC = f"{ROOT}/Fabrics/HGX_NVLinkFabric_0"
BIOS_DEFAULTS = {
    "SecureBoot": "Disabled",
    "AcsControl": "Disabled",
    "AtsSupport": "Enabled",
    "BootModeSelect": "UEFI",
    "HyperThreading": "Enabled",
    "IommuMode": "Enabled",
    "RelaxedOrdering": "Enabled",
    "SriovSupport": "Enabled",
    "TpmSupport": "Enabled",
    "WorkloadProfile": "Performance",
}
"""BIOS attributes that can be read and set here. Their names differ between BIOSes; these are guesses. A change is
kept, shown and comes into force at the next start. SecureBoot (engine.control.secure_boot), AcsControl and
RelaxedOrdering (engine.control.pci_setup) then act; what the others would do is not modelled."""


def system_id(world: World, host: str) -> str:
    """The id of the server's own system."""
    return "DGX" if world.node(host).gpus else "Self"


def uuid(world: World, host: str) -> str:
    """The server's UUID, as SMBIOS has it."""
    return uuid_text(world.inventory.name, host, "smbios")


def answers(world: World, host: str, state: GpuState) -> bool:
    """Whether the baseboard reaches a GPU."""
    return world.nodes[host].power is Power.ON and state.bus is BusState.PRESENT


def _systems(world: World, host: str, now: int) -> Resource:
    names = [system_id(world, host), *([BASEBOARD] if world.node(host).gpus else [])]
    return collection("ComputerSystem", "Systems Collection", f"{ROOT}/Systems", names)


def _system(world: World, host: str, now: int, system: str) -> Resource | None:
    node, path = world.node(host), f"{ROOT}/Systems/{system}"
    if system == BASEBOARD and node.gpus:
        return {
            "@odata.type": "#ComputerSystem.v1_17_0.ComputerSystem",
            "Id": system,
            "Name": system,
            "SystemType": "Physical",
            "Processors": link(f"{path}/Processors"),
            "Status": status(well=all(answers(world, host, world.gpus[gpu.id]) for gpu in node.gpus)),
        }
    if system != system_id(world, host):
        return None
    chassis, on = bmc.chassis_status(world, host, now), world.nodes[host].power is Power.ON
    return {
        "@odata.type": "#ComputerSystem.v1_17_0.ComputerSystem",
        "Id": system,
        "Name": system,
        "Manufacturer": node.vendor,
        "Model": node.product_name,
        "SerialNumber": node.serial,
        "UUID": uuid(world, host),
        "HostName": host,
        "SystemType": "Physical",
        "PowerState": "On" if on else "Off",
        "PowerRestorePolicy": _policy(chassis.policy),
        "IndicatorLED": "Blinking" if chassis.light_on else "Off",
        "BiosVersion": firmware.version(world, host, firmware.HOST_BIOS),
        "Bios": link(f"{path}/Bios"),
        "LogServices": link(f"{path}/LogServices"),
        "Processors": link(f"{path}/Processors"),
        "MemorySummary": {"TotalSystemMemoryGiB": node.memory_bytes // GIB},
        "ProcessorSummary": {"Count": node.cpu.sockets, "Model": node.cpu.model},
        "Status": status(well=not (chassis.power_fault or chassis.cooling_fault)),
        "Actions": {
            "#ComputerSystem.Reset": {
                "target": f"{path}/Actions/ComputerSystem.Reset",
                "ResetType@Redfish.AllowableValues": list(RESETS),
            }
        },
    }


RESETS = {
    "On": "on",
    "ForceOff": "off",
    "GracefulShutdown": "soft",
    "GracefulRestart": "reset",
    "ForceRestart": "reset",
    "PowerCycle": "cycle",
}
"""What a system can be asked for, and the verb of the chassis that it is."""


def _policy(name: str) -> str:
    return {"previous": "LastState", "always-on": "AlwaysOn", "always-off": "AlwaysOff"}[name]


def _processors(world: World, host: str, now: int, system: str) -> Resource | None:
    node = world.node(host)
    if system == BASEBOARD and node.gpus:
        names = [f"GPU_SXM_{gpu.module}" for gpu in sorted(node.gpus, key=lambda gpu: gpu.module)]
    elif system == system_id(world, host):
        names = [f"CPU_{socket}" for socket in range(node.cpu.sockets)]
    else:
        return None
    return collection("Processor", "Processors Collection", f"{ROOT}/Systems/{system}/Processors", names)


def _cpu(world: World, host: str, now: int, system: str, socket: str) -> Resource | None:
    cpu = world.node(host).cpu
    if system != system_id(world, host) or int(socket) >= cpu.sockets:
        return None
    return {
        "@odata.type": "#Processor.v1_16_0.Processor",
        "Id": f"CPU_{socket}",
        "Name": "Processor",
        "ProcessorType": "CPU",
        "Model": cpu.model,
        "TotalCores": cpu.cores,
        "TotalThreads": cpu.cores * cpu.threads,
        "MaxSpeedMHz": cpu.mhz_max,
        "Status": status(),
    }


def _gpu(world: World, host: str, now: int, module: str) -> Resource | None:
    gpu = next((gpu for gpu in world.node(host).gpus if str(gpu.module) == module), None)
    if gpu is None:
        return None
    state, path = world.gpus[gpu.id], f"{ROOT}/Systems/{BASEBOARD}/Processors/GPU_SXM_{module}"
    well = answers(world, host, state)
    return {
        "@odata.type": "#Processor.v1_16_0.Processor",
        "Id": f"GPU_SXM_{module}",
        "Name": "Processor",
        "ProcessorType": "GPU",
        "Manufacturer": "NVIDIA",
        "Model": gpu.product.name,
        "SerialNumber": state.serial,
        "UUID": state.uuid.removeprefix("GPU-"),
        "FirmwareVersion": firmware.version(world, host, f"HGX_FW_GPU_SXM_{module}"),
        "Location": {"PartLocation": {"LocationType": "Socket", "ServiceLabel": f"GPU_SXM_{module}"}},
        "Metrics": link(f"{path}/ProcessorMetrics"),
        "Links": {"Chassis": link(f"{ROOT}/Chassis/HGX_GPU_SXM_{module}")},
        "Status": {**status(well=well), "State": "Enabled" if well else "UnavailableOffline"},
    }


_SLOWDOWNS = ((0x80, "HWPowerBrake"), (0x40, "HWThermalSlowdown"), (0x20, "SWThermalSlowdown"), (0x4, "SWPowerCap"))


def _gpu_metrics(world: World, host: str, now: int, module: str) -> Resource | None:
    gpu = next((gpu for gpu in world.node(host).gpus if str(gpu.module) == module), None)
    if gpu is None:
        return None
    well, held = answers(world, host, world.gpus[gpu.id]), thermal.reasons(world, gpu.id)
    found: Resource = {
        "@odata.type": "#ProcessorMetrics.v1_6_1.ProcessorMetrics",
        "Id": "ProcessorMetrics",
        "Name": f"HGX_Baseboard_0 GPU_SXM_{module} Processor Metrics",
    }
    if well:
        found |= {
            "OperatingSpeedMHz": thermal.sm_clock(world, gpu.id, now),
            "Oem": {
                "Nvidia": {
                    "@odata.type": "#NvidiaProcessorMetrics.v1_2_0.NvidiaGPUProcessorMetrics",
                    "ThrottleReasons": [name for bit, name in _SLOWDOWNS if held & bit],
                }
            },
        }
    return found


def _bios(world: World, host: str, now: int, system: str) -> Resource | None:
    if system != system_id(world, host):
        return None
    return {
        "@odata.type": "#Bios.v1_2_0.Bios",
        "Id": "Bios",
        "Name": "Current BIOS Settings",
        "AttributeRegistry": "BiosAttributeRegistry",
        "Attributes": BIOS_DEFAULTS | dict(world.bmcs[host].bios),
        "@Redfish.Settings": {
            "@odata.type": "#Settings.v1_3_5.Settings",
            "SettingsObject": link(f"{ROOT}/Systems/{system}/Bios/SD"),
        },
    }


def _bios_pending(world: World, host: str, now: int, system: str) -> Resource | None:
    if system != system_id(world, host):
        return None
    return {
        "@odata.type": "#Bios.v1_2_0.Bios",
        "Id": "SD",
        "Name": "Future BIOS Settings",
        "AttributeRegistry": "BiosAttributeRegistry",
        "Attributes": dict(world.bmcs[host].bios_pending),
    }


def _logs(world: World, host: str, now: int, system: str) -> Resource | None:
    if system != system_id(world, host):
        return None
    return collection("LogService", "Log Service Collection", f"{ROOT}/Systems/{system}/LogServices", ["SEL"])


def _log(world: World, host: str, now: int, system: str) -> Resource | None:
    if system != system_id(world, host):
        return None
    path = f"{ROOT}/Systems/{system}/LogServices/SEL"
    return {
        "@odata.type": "#LogService.v1_1_3.LogService",
        "Id": "SEL",
        "Name": "SEL Log Service",
        "MaxNumberOfRecords": bmc.CAPACITY,
        "OverWritePolicy": "NeverOverWrites",
        "DateTime": moment(world, bmc.clock(world, host, now)),
        "Entries": link(f"{path}/Entries"),
        "Actions": {"#LogService.ClearLog": {"target": f"{path}/Actions/LogService.ClearLog"}},
        "Status": status(),
    }


def _entries(world: World, host: str, now: int, system: str) -> Resource | None:
    if system != system_id(world, host):
        return None
    path = f"{ROOT}/Systems/{system}/LogServices/SEL/Entries"
    members = [_entry_shown(world, host, path, number, entry) for number, entry in enumerate(bmc.sel(world, host), 1)]
    return {
        "@odata.type": "#LogEntryCollection.LogEntryCollection",
        "Name": "Log Entry Collection",
        "Members": members,
        "Members@odata.count": len(members),
    }


def _entry(world: World, host: str, now: int, system: str, number: str) -> Resource | None:
    entries = bmc.sel(world, host)
    if system != system_id(world, host) or not 1 <= int(number) <= len(entries):
        return None
    path = f"{ROOT}/Systems/{system}/LogServices/SEL/Entries"
    return _entry_shown(world, host, path, int(number), entries[int(number) - 1])


def _entry_shown(world: World, host: str, path: str, number: int, entry: SelEntry) -> Resource:
    return {
        "@odata.id": f"{path}/{number}",
        "@odata.type": "#LogEntry.v1_12_0.LogEntry",
        "Id": str(number),
        "Name": f"Log entry {number}",
        "EntryType": "SEL",
        "Created": moment(world, entry.time),
        "EntryCode": "Assert" if entry.asserted else "Deassert",
        "SensorType": entry.sensor_type,
        "SensorNumber": bmc.sensor_number(world, host, entry.sensor),
        "Message": f"{entry.sensor}: {entry.event.strip()}" + (f" ({entry.detail})" if entry.detail else ""),
        "Severity": "Critical" if entry.asserted and _is_bad(entry.event) else "OK",
    }


def _is_bad(event: str) -> bool:
    words = ("Critical", "recoverable", "lost", "Lost", "Failure", "Insufficient")
    return any(word in event for word in words)


def moment(world: World, time: int) -> str:
    """A time as Redfish writes it."""
    return f"{datetime.fromtimestamp((world.inventory.start + time) // SECOND, UTC):%Y-%m-%dT%H:%M:%S}+00:00"


def _fabrics(world: World, host: str, now: int) -> Resource:
    names = ["HGX_NVLinkFabric_0"] if world.node(host).nvswitches else []
    return collection("Fabric", "Fabric Collection", f"{ROOT}/Fabrics", names)


def _switches(world: World, host: str, now: int) -> Resource | None:
    chips = world.node(host).nvswitches
    names = [f"NVSwitch_{chip.index}" for chip in chips]
    return collection("Switch", "Switch Collection", f"{_FABRIC}/Switches", names) if chips else None


def _fabric(world: World, host: str, now: int) -> Resource | None:
    if not world.node(host).nvswitches:
        return None
    return {
        "@odata.type": "#Fabric.v1_3_0.Fabric",
        "Id": "HGX_NVLinkFabric_0",
        "Name": "NVLink Fabric",
        "FabricType": "NVLink",
        "Switches": link(f"{_FABRIC}/Switches"),
    }


def _switch(world: World, host: str, now: int, chip: str) -> Resource | None:
    if int(chip) >= len(world.node(host).nvswitches):
        return None
    return {
        "@odata.type": "#Switch.v1_9_0.Switch",
        "Id": f"NVSwitch_{chip}",
        "Name": f"NVSwitch_{chip}",
        "SwitchType": "NVLink",
        "FirmwareVersion": firmware.version(world, host, f"HGX_FW_NVSwitch_{chip}"),
        "Links": {"Chassis": link(f"{ROOT}/Chassis/HGX_NVSwitch_{chip}")},
        "Status": status(),
    }


def health(world: World, host: str) -> bool:
    """Whether the supplies carry whatever the node does."""
    node = world.node(host)
    return supplies.working(world, node) >= supplies.needed(node)


_SYSTEM = r"Systems/(?P<system>\w+)"
ROUTES = (
    ("Systems", _systems),
    (_SYSTEM, _system),
    (f"{_SYSTEM}/Bios", _bios),
    (f"{_SYSTEM}/Bios/SD", _bios_pending),
    (f"{_SYSTEM}/Processors", _processors),
    (rf"Systems/{BASEBOARD}/Processors/GPU_SXM_(?P<module>\d)", _gpu),
    (rf"Systems/{BASEBOARD}/Processors/GPU_SXM_(?P<module>\d)/ProcessorMetrics", _gpu_metrics),
    (rf"{_SYSTEM}/Processors/CPU_(?P<socket>\d+)", _cpu),
    (f"{_SYSTEM}/LogServices", _logs),
    (f"{_SYSTEM}/LogServices/SEL", _log),
    (f"{_SYSTEM}/LogServices/SEL/Entries", _entries),
    (rf"{_SYSTEM}/LogServices/SEL/Entries/(?P<number>\d+)", _entry),
    ("Fabrics", _fabrics),
    ("Fabrics/HGX_NVLinkFabric_0", _fabric),
    (r"Fabrics/HGX_NVLinkFabric_0/Switches/NVSwitch_(?P<chip>\d+)", _switch),
    ("Fabrics/HGX_NVLinkFabric_0/Switches", _switches),
)
