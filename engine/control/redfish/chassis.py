"""Redfish's Chassis: the box, its sensors, fans, power supplies, and the GPUs' own environment."""

from __future__ import annotations

from engine.control import bmc
from engine.control.redfish.resource import ROOT, Resource, collection, link, number, status
from engine.control.redfish.systems import answers, health, system_id
from engine.control.sensors import Sensor
from engine.physics import pcie, supplies, thermal
from engine.physics.power import EFFICIENCY, node_draw, psu_input, psu_output
from engine.world.inventory import PcieDevice
from engine.world.records import Power
from engine.world.world import World

_UNITS = {
    "degrees C": ("Temperature", "Cel"),
    "RPM": ("Rotational", "RPM"),
    "Watts": ("Power", "W"),
    "Volts": ("Voltage", "V"),
    "percent": ("Percent", "%"),
}
"""ReadingType and ReadingUnits of the units of the BMC's sensors."""


def _all(world: World, host: str, now: int) -> Resource:
    node = world.node(host)
    names = [system_id(world, host)]
    names += [f"HGX_GPU_SXM_{module}" for module in sorted(gpu.module for gpu in node.gpus)]
    names += [f"HGX_NVSwitch_{chip.index}" for chip in node.nvswitches]
    return collection("Chassis", "Chassis Collection", f"{ROOT}/Chassis", names)


def _chassis(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != system_id(world, host):
        return None
    node, path = world.node(host), f"{ROOT}/Chassis/{name}"
    parts = ("Sensors", "Thermal", "Power", "EnvironmentMetrics", "PCIeDevices")
    return {
        "@odata.type": "#Chassis.v1_21_0.Chassis",
        "Id": name,
        "Name": "Computer System Chassis",
        "ChassisType": "RackMount",
        "Manufacturer": node.vendor,
        "Model": node.product_name,
        "SerialNumber": node.serial,
        "PowerState": "On" if world.nodes[host].power is Power.ON else "Off",
        **{part: link(f"{path}/{part}") for part in parts},
        "Status": status(well=health(world, host)),
    }


def _sensors(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != system_id(world, host):
        return None
    names = [sensor.name for sensor in bmc.sensors(world, host, now)]
    return collection("Sensor", "Sensor Collection", f"{ROOT}/Chassis/{name}/Sensors", names)


def _sensor(world: World, host: str, now: int, name: str, sensor: str) -> Resource | None:
    found = next((each for each in bmc.sensors(world, host, now) if each.name == sensor), None)
    if name != system_id(world, host) or found is None:
        return None
    shown: Resource = {"@odata.type": "#Sensor.v1_6_0.Sensor", "Id": found.name, "Name": found.name}
    if found.unit:
        kind, unit = _UNITS[found.unit]
        shown |= {
            "ReadingType": kind,
            "ReadingUnits": unit,
            "Reading": number(found.value),
            "Thresholds": _limits(found),
        }
    else:
        shown["Reading"] = found.raw & 0xFF
    state = "Enabled" if found.status != "ns" else "UnavailableOffline"
    return {**shown, "Status": {"State": state, "Health": _health(found)}}


def _health(sensor: Sensor) -> str:
    if not sensor.unit:
        return "Critical" if any(word in sensor.state for word in ("Fail", "lost", "Lost", "Insuff")) else "OK"
    return {"nc": "Warning", "cr": "Critical", "nr": "Critical"}.get(sensor.status, "OK")


def _limits(sensor: Sensor) -> Resource:
    limits = sensor.thresholds
    names = (
        ("LowerCaution", limits.lower_nc),
        ("LowerCritical", limits.lower_cr),
        ("LowerFatal", limits.lower_nr),
        ("UpperCaution", limits.upper_nc),
        ("UpperCritical", limits.upper_cr),
        ("UpperFatal", limits.upper_nr),
    )
    return {name: {"Reading": number(value)} for name, value in names if value is not None}


def _thermal(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != system_id(world, host):
        return None
    path, found = f"{ROOT}/Chassis/{name}/Thermal", bmc.sensors(world, host, now)
    fans = [each for each in found if each.unit == "RPM"]
    warmth = [each for each in found if each.unit == "degrees C"]
    manual = world.bmcs[host].fan_duty
    mode = {"FanMode": "Auto"} if manual is None else {"FanMode": "Manual", "DutyPercent": number(manual * 100)}
    return {
        "@odata.type": "#Thermal.v1_7_1.Thermal",
        "Id": "Thermal",
        "Name": "Thermal",
        "Fans": [
            {
                "@odata.id": f"{path}#/Fans/{index}",
                "MemberId": str(index),
                "Name": fan.name,
                "Reading": number(fan.value),
                "ReadingUnits": "RPM",
                "LowerThresholdCritical": number(fan.thresholds.lower_cr),
                "Status": {"State": "Enabled", "Health": _health(fan)},
            }
            for index, fan in enumerate(fans)
        ],
        "Temperatures": [
            {
                "@odata.id": f"{path}#/Temperatures/{index}",
                "MemberId": str(index),
                "Name": each.name,
                "ReadingCelsius": number(each.value),
                "UpperThresholdCritical": number(each.thresholds.upper_cr),
                "Status": {"State": "Enabled", "Health": _health(each)},
            }
            for index, each in enumerate(warmth)
        ],
        "Oem": {"Nvidia": mode},
    }


def _power(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != system_id(world, host):
        return None
    node, path = world.node(host), f"{ROOT}/Chassis/{name}/Power"
    consumed = node_draw(world, host, now) * 1000 // EFFICIENCY
    return {
        "@odata.type": "#Power.v1_7_1.Power",
        "Id": "Power",
        "Name": "Power",
        "PowerControl": [
            {
                "@odata.id": f"{path}#/PowerControl/0",
                "MemberId": "0",
                "Name": "Chassis Power Control",
                "PowerConsumedWatts": consumed // 1000,
            }
        ],
        "PowerSupplies": [
            {
                "@odata.id": f"{path}#/PowerSupplies/{psu.index}",
                "MemberId": str(psu.index),
                "Name": f"PSU{psu.index}",
                "PowerCapacityWatts": psu.watts,
                "PowerInputWatts": psu_input(world, psu, now) // 1000,
                "PowerOutputWatts": psu_output(world, psu, now) // 1000,
                "LineInputStatus": "Normal" if supplies.has_input(world, psu) else "LossOfInput",
                "Status": status(well=supplies.psu_working(world, psu)),
            }
            for psu in node.psus
        ],
        "Redundancy": [
            {
                "@odata.id": f"{path}#/Redundancy/0",
                "MemberId": "0",
                "Name": "PSU Redundancy",
                "Mode": "N+m",
                "MinNumNeeded": supplies.needed(node),
                "MaxNumSupported": len(node.psus),
                "Status": status(well=health(world, host)),
            }
        ],
    }


def _environment(world: World, host: str, now: int, name: str) -> Resource | None:
    node = world.node(host)
    shown: Resource = {
        "@odata.type": "#EnvironmentMetrics.v1_3_0.EnvironmentMetrics",
        "Id": "EnvironmentMetrics",
        "Name": f"{name} Environment Metrics",
    }
    if name == system_id(world, host):
        ambient = bmc.sensors(world, host, now)[0]
        watts = node_draw(world, host, now) // EFFICIENCY
        return {**shown, "PowerWatts": {"Reading": watts}, "TemperatureCelsius": {"Reading": number(ambient.value)}}
    gpu = next((gpu for gpu in node.gpus if name == f"HGX_GPU_SXM_{gpu.module}"), None)
    if gpu is None or not answers(world, host, world.gpus[gpu.id]):
        return None if gpu is None else shown
    degrees = (thermal.temperature(world, gpu.id, now) + 500) // 1000
    watts, limit = thermal.power(world, gpu.id, now) // 1000, world.gpus[gpu.id].power_limit // 1000
    limits = {"SetPoint": limit, "AllowableMin": gpu.product.power_limit_min // 1000}
    return {
        **shown,
        "TemperatureCelsius": {"Reading": degrees},
        "PowerWatts": {"Reading": watts},
        "PowerLimitWatts": {**limits, "AllowableMax": gpu.product.power_limit // 1000},
    }


def _part(world: World, host: str, now: int, name: str) -> Resource | None:
    """The chassis of a GPU or an NVSwitch."""
    node = world.node(host)
    gpu = next((gpu for gpu in node.gpus if name == f"HGX_GPU_SXM_{gpu.module}"), None)
    if gpu is None and name not in [f"HGX_NVSwitch_{chip.index}" for chip in node.nvswitches]:
        return None
    shown = {"@odata.type": "#Chassis.v1_21_0.Chassis", "Id": name, "Name": name, "ChassisType": "Module"}
    if gpu is None:
        return {**shown, "Manufacturer": "NVIDIA", "Status": status()}
    state = world.gpus[gpu.id]
    return {
        **shown,
        "Manufacturer": "NVIDIA",
        "Model": gpu.product.name,
        "SerialNumber": state.serial,
        "EnvironmentMetrics": link(f"{ROOT}/Chassis/{name}/EnvironmentMetrics"),
        "Status": status(well=answers(world, host, state)),
    }


def _devices(world: World, host: str, now: int, name: str) -> Resource | None:
    if name != system_id(world, host):
        return None
    path = f"{ROOT}/Chassis/{name}/PCIeDevices"
    return collection("PCIeDevice", "PCIe Device Collection", path, list(_pcie(world, host)))


def _pcie(world: World, host: str) -> dict[str, PcieDevice]:
    """First functions of PCIe devices (no bridges) by the id that the collection gives them."""
    devices = (each for each in world.node(host).pcie if each.address.endswith(":00.0") and not _is_bridge(each))
    return {f"00_{device.address[5:7].upper()}_00": device for device in devices}


def _is_bridge(device: PcieDevice) -> bool:
    return device.role in ("host_bridge", "root_port", "switch_upstream", "switch_downstream", "isa_bridge")


def _device(world: World, host: str, now: int, name: str, device: str) -> Resource | None:
    found = _pcie(world, host).get(device)
    if name != system_id(world, host) or found is None:
        return None
    there = world.nodes[host].power is Power.ON and pcie.answers(world, host, found.address)
    shown: Resource = {"@odata.type": "#PCIeDevice.v1_9_0.PCIeDevice", "Id": device, "Name": "PCIe Device"}
    if there:
        runs = pcie.link(world, host, found.address)
        shown["PCIeInterface"] = {
            "PCIeType": f"Gen{runs.generation}",
            "MaxPCIeType": f"Gen{runs.max_generation}",
            "LanesInUse": runs.width,
            "MaxLanes": runs.max_width,
        }
    return {**shown, "Status": {"State": "Enabled" if there else "UnavailableOffline"}}


_NAME = r"Chassis/(?P<name>\w+)"
ROUTES = (
    ("Chassis", _all),
    (r"Chassis/(?P<name>HGX_\w+)", _part),
    (_NAME, _chassis),
    (f"{_NAME}/Sensors", _sensors),
    (rf"{_NAME}/Sensors/(?P<sensor>\w+)", _sensor),
    (f"{_NAME}/Thermal", _thermal),
    (f"{_NAME}/Power", _power),
    (f"{_NAME}/EnvironmentMetrics", _environment),
    (f"{_NAME}/PCIeDevices", _devices),
    (rf"{_NAME}/PCIeDevices/(?P<device>\w+)", _device),
)
