"""/proc/driver/nvidia: the loaded driver and the GPUs that it holds, by the open kernel modules' nv-procfs.c of 590.

Its registry is not modelled beyond being empty, nor are texts among the parameters. Interrupt numbers are those that
the kernel's threads bear.
"""

from __future__ import annotations

from engine.control import firmware, modules
from engine.control.history.boot_driver import version_line
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.physics.load import bound_gpus
from engine.world.inventory import Gpu

COMPILER = "gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04) "
DMA_BITS = 52
FIRST_INTERRUPT = 182
PARAMETERS = {
    "ResmanDebugLevel": 4294967295,
    "RmLogonRC": 1,
    "ModifyDeviceFiles": 1,
    "DeviceFileUID": 0,
    "DeviceFileGID": 0,
    "DeviceFileMode": 438,
    "InitializeSystemMemoryAllocations": 1,
    "UsePageAttributeTable": 4294967295,
    "EnableMSI": 1,
    "EnablePCIeGen3": 0,
    "MemoryPoolSize": 0,
    "IgnoreMMIOCheck": 0,
    "EnableStreamMemOPs": 0,
    "EnableUserNUMAManagement": 1,
    "NvLinkDisable": 0,
    "RmProfilingAdminOnly": 1,
    "PreserveVideoMemoryAllocations": 0,
    "DynamicPowerManagement": 3,
    "RegisterPCIDriver": 1,
    "EnablePCIERelaxedOrderingMode": 0,
    "EnableResizableBar": 0,
    "EnableGpuFirmware": 18,
    "EnableGpuFirmwareLogs": 2,
    "OpenRmEnableUnsupportedGpus": 1,
    "DmaRemapPeerMmio": 1,
}
_NAMES = {"NVreg_RestrictProfilingToAdminUsers": "RmProfilingAdminOnly"}
"""Parameters that bear another name inside the driver."""

_POWER = (
    "Runtime D3 status:          Disabled by default\nVideo Memory:               Active\n\nGPU Hardware Support:\n"
    " Video Memory Self Refresh: Not Supported\n Video Memory Off:          Not Supported\n\nPower Limits:\n"
    " Default:                   N/A milliwatts\n GPU Boost:                 N/A milliwatts\n"
)


def driver_files(machine: Machine) -> dict[str, Node]:
    """All of it, while the module is loaded."""
    version = modules.driver_version(machine.world, machine.host)
    if version is None:
        return {}
    return {
        "driver/nvidia/version": file(f"NVRM version: {version_line(version)}\nGCC version:  {COMPILER}\n", 0o444),
        "driver/nvidia/params": file(parameters, 0o444),
        "driver/nvidia/registry": file('Binary: ""\n', 0o444),
        "driver/nvidia/gpus": directory(_gpus, 0o555),
        "driver/nvidia/warnings": directory({}, 0o555),
        "driver/nvidia/patches": directory({}, 0o555),
    }


def parameters(machine: Machine) -> str:
    """The module's parameters as they took effect: what modprobe.d gave it when it was loaded (nv-reg.h's names)."""
    given = modules.parameters(machine.world, machine.host, "nvidia")
    own = {_NAMES.get(name, name).removeprefix("NVreg_"): value for name, value in given.items()}
    known = {name: own.get(name, str(number)) for name, number in PARAMETERS.items()}
    texts = ("RegistryDwords", "RegistryDwordsPerDevice", "RmMsg", "GpuBlacklist", "TemporaryFilePath", "ExcludedGpus")
    return "".join(f"{name}: {value}\n" for name, value in known.items()) + "".join(f'{name}: ""\n' for name in texts)


def _gpus(machine: Machine) -> Children:
    held = bound_gpus(machine.world, machine.host)
    return {gpu.address: _gpu(gpu, minor) for minor, gpu in enumerate(held)}


def _gpu(gpu: Gpu, minor: int) -> Node:
    files = {
        "information": file(lambda machine: information(machine, gpu, minor), 0o444),
        "power": file(_POWER, 0o444),
        "registry": file('Binary: ""\n', 0o444),
    }
    return directory(files, 0o555)


def information(machine: Machine, gpu: Gpu, minor: int) -> str:
    """What the driver knows of a GPU; it knew all of this when it took it, so that losing the GPU changes nothing
    here.
    """
    fields = (
        ("Model: \t\t ", gpu.product.name),
        ("IRQ:   \t\t ", FIRST_INTERRUPT + gpu.index),
        ("GPU UUID: \t ", machine.world.gpus[gpu.id].uuid),
        ("Video BIOS: \t ", firmware.vbios(machine.world, gpu)),
        ("Bus Type: \t ", "PCIe"),
        ("DMA Size: \t ", f"{DMA_BITS} bits"),
        ("DMA Mask: \t ", f"{(1 << DMA_BITS) - 1:#x}"),
        ("Bus Location: \t ", gpu.address),
        ("Device Minor: \t ", minor),
        ("GPU Firmware: \t ", modules.driver_version(machine.world, machine.host)),
        ("GPU Excluded:\t ", "No"),
    )
    return "".join(f"{name}{text}\n" for name, text in fields)
