"""What the kernel's own driver for NVIDIA GPUs writes when a boot loads it.

Forms: nvkm_device_ctor and nouveau_drm_device_init of Linux 6.8 and 6.17. The chip's number is that of GH100 (A1); what
a driver says that knows the chip is shortened to the lines that every report has, and the memory's size is the board's.
"""

from __future__ import annotations

from engine.control.history.boot_driver import NO_DEVICE
from engine.control.history.scene import BootScene, MessageLog
from engine.world.records import LogEntry, Priority

_CHIPS = {"Ampere": ("GA100", "170000a1"), "Hopper": ("GH100", "180000a1"), "Blackwell": ("GB100", "1a0000a1")}
_LOADED_AT_MS = 7_400


def nouveau_messages(scene: BootScene) -> list[LogEntry]:
    """Nothing unless it was loaded."""
    if not scene.boot.nouveau:
        return []
    log = MessageLog(scene, "nouveau")
    log.reach(_LOADED_AT_MS)
    for minor, gpu in enumerate((gpu for gpu in scene.node.gpus if scene.there(gpu.address)), 1):
        name, number = _CHIPS.get(gpu.product.architecture, ("", "00000000"))
        if scene.boot.refusal != NO_DEVICE:
            log.say(f"nouveau {gpu.address}: unknown chipset ({number})", Priority.ERR)
            continue
        log.say(f"nouveau {gpu.address}: NVIDIA {name} ({number})")
        log.say(f"nouveau {gpu.address}: bios: version {gpu.product.vbios}")
        log.say(f"nouveau {gpu.address}: drm: VRAM: {gpu.product.memory_total} MiB")
        log.say(f"[drm] Initialized nouveau 1.4.0 for {gpu.address} on minor {minor}")
    return log.entries
