"""What `nvidia-smi -q` tells of MIG devices: a block for each. Captures: H100 and H200 under driver 590.48.01; earlier
words (no `Shared` before memory) from the headings of their tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.report import Line
from engine.control.mig.devices import SHARED_BAR1_FROM, MigDevice


def mig_lines(device: Device) -> Iterator[Line]:
    """The blocks of all MIG devices of a GPU."""
    for part in device.mig_devices:
        yield Line(1, "MIG Device")
        yield Line(2, "Index", str(part.number))
        yield Line(2, "GPU Instance ID", str(part.instance.id))
        yield Line(2, "Compute Instance ID", str(part.compute.id))
        yield Line(2, "Device Attributes")
        yield Line(3, "Shared")
        yield from (Line(4, f"{label} count", str(count)) for label, count in _attributes(part))
        yield Line(2, "ECC Errors")
        yield Line(3, "Volatile")
        yield Line(4, "SRAM Uncorrectable", "0")
        yield from _memory_lines(part, device.release)


def _attributes(part: MigDevice) -> tuple[tuple[str, int], ...]:
    profile = part.profile
    return (
        ("Multiprocessor", part.kind.multiprocessors),
        ("Copy Engine", profile.copy_engines),
        ("Encoder", 0),
        ("Decoder", profile.decoders),
        ("OFA", profile.optical_flow),
        ("JPG", profile.jpeg),
    )


def _memory_lines(part: MigDevice, release: int) -> Iterator[Line]:
    total, used, bar1 = part.profile.memory, part.memory_used, part.bar1_total(release)
    shared = "Shared " if release >= SHARED_BAR1_FROM else ""
    yield Line(2, f"{shared}FB Memory Usage")
    yield Line(3, "Total", f"{total} MiB")
    yield Line(3, "Reserved", "0 MiB")
    yield Line(3, "Used", f"{used} MiB")
    yield Line(3, "Free", f"{total - used + 1} MiB")
    yield Line(2, "Shared BAR1 Memory" if shared else "BAR1 Memory Usage")
    yield from (Line(3, label, f"{mib} MiB") for label, mib in (("Total", bar1), ("Used", 0), ("Free", bar1)))
