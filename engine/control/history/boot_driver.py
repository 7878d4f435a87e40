"""What the NVIDIA kernel modules write when they are loaded and unloaded, at boot or by hand.

Forms from the open kernel modules' source (nvidia-nvswitch probe lines, `NVRM: loading`) and public logs of branches
570 to 590. The build host of other releases than those listed is taken as that of the nearest one, and their build date
is left to the release's number: a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from engine.control.history.scene import BootScene, MessageLog
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Node
from engine.world.records import LogEntry, Priority

_BUILDS = {
    "590.48.01": ("dvs-builder@U22-I3-B14-03-5", "Mon Dec  8 11:22:45 UTC 2025"),
    "590.44.01": ("dvs-builder@U22-I3-D08-02-2", "Mon Nov 24 04:14:44 UTC 2025"),
    "580.105.08": ("dvs-builder@U22-I3-AF01-21-3", "Wed Oct 29 22:15:29 UTC 2025"),
    "570.158.01": ("dvs-builder@U22-I3-B10-02-5", "Mon Jun  2 13:13:04 UTC 2025"),
}
_DEFAULT_BUILD = ("dvs-builder@U22-I3-B14-03-5", "Mon Jan 12 09:41:07 UTC 2026")
NVLINK_MAJOR, NVSWITCH_MAJOR, UVM_MAJOR = 235, 510, 234
LOADED_AT_MS = 14_600
"""Milliseconds after the kernel's start at which the driver has probed its devices."""

FABRIC_MANAGER_OPENS_MS = 30_300
"""Milliseconds after the kernel's start at which the fabric manager opens the switches: as soon as it is started."""

Message = tuple[Priority, str]

UNSIGNED, UNKNOWN_KEY, NO_DEVICE = "unsigned", "unavailable_key", "no_device"
REJECTED = MappingProxyType(
    {
        UNSIGNED: "Loading of unsigned module is rejected",
        UNKNOWN_KEY: "Loading of module with unavailable key is rejected",
    }
)
"""What the kernel's log says of a module whose signature does not do (kernel/module/signing.c of Linux 6.8)."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """The devices that a driver finds when it is loaded: PCI addresses of GPUs and NVSwitches, in order."""

    gpus: tuple[str, ...]
    nvswitches: tuple[str, ...]


def hardware(node: Node, absent: Sequence[str]) -> Hardware:
    """Those of `node` that are not `absent`."""
    gpus = tuple(gpu.address for gpu in node.gpus if gpu.address not in absent)
    return Hardware(gpus, tuple(chip.address for chip in node.nvswitches if chip.address not in absent))


def build(version: str) -> str:
    """`Release Build  (dvs-builder@...)  Mon Dec  8 11:22:45 UTC 2025`."""
    host, date = _BUILDS.get(version, _DEFAULT_BUILD)
    return f"Release Build  ({host})  {date}"


def version_line(version: str) -> str:
    """What /proc/driver/nvidia/version says after `NVRM version: `, and the log after `NVRM: loading `."""
    return f"NVIDIA UNIX Open Kernel Module for x86_64  {version}  {build(version)}"


def probing(devices: Hardware) -> list[Message]:
    """nvidia.ko begins: NVLink core, NVSwitches, GPUs."""
    texts = [f"nvidia-nvlink: Nvlink Core is being initialized, major device number {NVLINK_MAJOR}"]
    for number, address in enumerate(devices.nvswitches):
        texts.append(
            f"nvidia-nvswitch: Probing device {address}, Vendor Id = 0x10de, Device Id = 0x22a3, Class = 0x68000 "
        )
        texts.append(f"nvidia-nvswitch{number}: using MSI")
    texts += [f"nvidia {address}: enabling device (0140 -> 0142)" for address in devices.gpus]
    return _at(Priority.INFO, texts)


def taken(devices: Hardware) -> list[Message]:
    """nvidia.ko finds every GPU in the hands of another driver and gives up (nv.c of the open kernel modules)."""
    texts = (
        f"NVRM: The NVIDIA probe routine was not called for {len(devices.gpus)} device(s).",
        "NVRM: This can occur when another driver was loaded and ",
        "NVRM: obtained ownership of the NVIDIA device(s).",
        "NVRM: Try unloading the conflicting kernel module (and/or",
        "NVRM: reconfigure your kernel without the conflicting",
        "NVRM: driver(s)), then try loading the NVIDIA kernel module",
        "NVRM: again.",
        "NVRM: No NVIDIA devices probed.",
    )
    core = f"Nvlink Core, major device number {NVLINK_MAJOR}"
    return [
        (Priority.INFO, f"nvidia-nvlink: Nvlink Core is being initialized, major device number {NVLINK_MAJOR}"),
        *_at(Priority.WARNING, texts),
        (Priority.INFO, f"nvidia-nvlink: Unregistered {core}"),
    ]


def loaded(module: str, version: str, gpus: Iterable[str]) -> list[Message]:
    """A module of the family is ready; `gpus` are the addresses of those that the driver holds."""
    if module == "nvidia":
        return _at(Priority.WARNING, [f"NVRM: loading {version_line(version)}"])
    if module == "nvidia_modeset":
        what = f"NVIDIA UNIX Open Kernel Mode Setting Driver for x86_64  {version}  {build(version)}"
        return _at(Priority.INFO, [f"nvidia-modeset: Loading {what}"])
    if module == "nvidia_drm":
        return _at(Priority.INFO, [line for minor, address in enumerate(gpus, 1) for line in _drm(address, minor)])
    if module == "nvidia_uvm":
        return _at(Priority.INFO, [f"nvidia-uvm: Loaded the UVM driver, major device number {UVM_MAJOR}."])
    return []


def unloaded(module: str, gpus: Iterable[str]) -> list[Message]:
    """A module of the family goes."""
    texts = {
        "nvidia": [f"nvidia-nvlink: Unregistered Nvlink Core, major device number {NVLINK_MAJOR}"],
        "nvidia_modeset": ["nvidia-modeset: Unloading"],
        "nvidia_drm": [f"[drm] [nvidia-drm] [GPU ID {_gpu_id(address)}] Unloading driver" for address in gpus],
        "nvidia_uvm": ["nvidia-uvm: Unloaded the UVM driver."],
    }
    return _at(Priority.INFO, texts.get(module, []))


def driver_messages(scene: BootScene) -> list[LogEntry]:
    """The loading of the whole family during a boot."""
    version = scene.boot.driver
    log, devices = MessageLog(scene, "driver"), hardware(scene.node, scene.boot.absent)
    if version is None:
        _say(log, _refused(scene, devices, log))
        return log.entries
    held = [address for address in devices.gpus if address not in scene.boot.silent]
    log.reach(LOADED_AT_MS - 520)
    _say(log, probing(devices))
    for delay, module in ((40, "nvidia"), (900, "nvidia_modeset"), (1_100, "nvidia_drm"), (2_400, "nvidia_uvm")):
        log.reach(LOADED_AT_MS + delay)
        _say(log, loaded(module, version, held))
    log.reach(FABRIC_MANAGER_OPENS_MS)
    log.all(f"nvidia-nvswitch{number}: open (major={NVSWITCH_MAJOR})" for number in range(len(devices.nvswitches)))
    return log.entries


def _refused(scene: BootScene, devices: Hardware, log: MessageLog) -> list[Message]:
    """What a boot says that loads no NVIDIA driver: udev tries once for each device that asks for it."""
    log.reach(LOADED_AT_MS - 520)
    if scene.boot.refusal == NO_DEVICE:
        return taken(devices)
    text = REJECTED.get(scene.boot.refusal)
    return [(Priority.NOTICE, text)] * (len(devices.gpus) + len(devices.nvswitches)) if text else []


def _say(log: MessageLog, messages: Iterable[Message]) -> None:
    for priority, text in messages:
        log.say(text, priority)


def _at(priority: Priority, texts: Iterable[str]) -> list[Message]:
    return [(priority, text) for text in texts]


def _drm(address: str, minor: int) -> list[str]:
    return [
        f"[drm] [nvidia-drm] [GPU ID {_gpu_id(address)}] Loading driver",
        f"[drm] Initialized nvidia-drm 0.0.0 20160202 for {address} on minor {minor}",
    ]


def _gpu_id(address: str) -> str:
    """0x00001b00 of 0000:1b:00.0."""
    return f"0x{address[:4]}{address[5:7]}00"
