"""The tables of `nvidia-smi mig`: profiles, instances, placements.

Layouts: captures of A100 (79 and 57 columns), of H100, H200 and RTX PRO boards under 570 and later (81 and 59), of -lci
with placements and -lcip from 2022 on. Instances are sorted by the name of their profile. The words of -lcipp are a
guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.control.mig import placement
from engine.control.mig.profiles import ComputeProfile, Profile, compute_profiles, profile, profiles
from engine.world.records import ComputeInstance, GpuInstance

WIDER_NAMES_FROM = 570


def instances(device: Device) -> list[GpuInstance]:
    """A GPU's instances as the tables sort them."""
    found = device.world.mig[device.gpu.id].instances
    return sorted(found, key=lambda each: (profile(device.product, each.profile).name, each.start))


def _box(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A box with a rule below each entry, which may have several lines."""
    width = len(head[0]) - 2
    rule = f"+{'-' * width}+"
    yield rule
    yield f"|{' ' + title:<{width}}|"
    yield from head
    yield f"|{'=' * width}|"
    for row in rows:
        yield from row
        yield rule


def _more(device: Device) -> str:
    """Two more places for names in newer drivers."""
    return "  " if device.release >= WIDER_NAMES_FROM else ""


def gpu_profiles(devices: Sequence[Device]) -> Iterator[str]:
    """-lgip."""
    more = _more(devices[0])
    head = (
        f"| GPU   Name             {more}ID    Instances   Memory     P2P    SM    DEC   ENC  |",
        f"|                              {more}Free/Total   GiB              CE    JPEG  OFA  |",
    )
    rows = [_profile_row(device, kind, more) for device in devices for kind in profiles(device.product)]
    yield from _box("GPU instance profiles:", head, rows)


def _profile_row(device: Device, kind: Profile, more: str) -> tuple[str, str]:
    taken = device.world.mig[device.gpu.id].instances
    free = placement.room(device.product, taken, kind) if device.state.mig_enabled else 0
    gib = f"{kind.memory // 1024}.{kind.memory % 1024 * 100 // 1024:02d}"
    first = f"| {device.index:>3}  MIG {kind.name:<13}{more}{kind.id:>3}     {free}/{kind.total}        {gib:<11}"
    second = f"|{'':61}{more}{kind.copy_engines:<6}{kind.jpeg:<6}{kind.optical_flow}   |"
    return f"{first}{'No':<7}{kind.multiprocessors:<7}{kind.decoders:<6}0   |", second


def gpu_placements(devices: Sequence[Device]) -> Iterator[str]:
    """-lgipp."""
    for device in devices:
        for kind in profiles(device.product):
            yield f"GPU {device.index:>2} Profile ID {kind.id:>2} {_places(sorted(kind.starts), kind.size)}"


def _places(starts: Sequence[int], size: int) -> str:
    word = "Placements:" if len(starts) > 1 else "Placement :"
    return f"{word} {{{','.join(map(str, starts))}}}:{size}"


def gpu_instances(devices: Sequence[Device]) -> Iterator[str]:
    """-lgi."""
    more = _more(devices[0])
    head = (
        f"| GPU   Name             {more}Profile  Instance   Placement  |",
        f"|                          {more}ID       ID       Start:Size |",
    )
    rows = [_instance_row(device, each, more) for device in devices for each in instances(device)]
    yield from _box("GPU instances:", head, rows)


def _instance_row(device: Device, instance: GpuInstance, more: str) -> tuple[str]:
    kind = profile(device.product, instance.profile)
    left = f"| {device.index:>3}  MIG {kind.name:<15}{more}{kind.id:>3}{instance.id:>9}"
    return (f"{left}{'':10}{instance.start}:{kind.size}     |",)


_Part = tuple[Device, GpuInstance]


def compute_kinds(parts: Sequence[_Part]) -> Iterator[str]:
    """-lcip."""
    head = (
        "| GPU     GPU       Name             Profile  Instances   Exclusive       Shared       |",
        "|       Instance                       ID     Free/Total     SM       DEC   ENC   OFA  |",
        "|         ID                                                          CE    JPEG       |",
    )
    rows = [
        _compute_row(device, instance, kind)
        for device, instance in parts
        for kind in compute_profiles(device.product, profile(device.product, instance.profile))
    ]
    yield from _box("Compute instance profiles:", head, rows)


def _compute_row(device: Device, instance: GpuInstance, kind: ComputeProfile) -> tuple[str, str]:
    within = profile(device.product, instance.profile)
    free = placement.compute_room(device.product, instance, within, kind)
    star = "*" if kind.full else " "
    left = f"| {device.index:>3}{instance.id:>7}{'':7}MIG {kind.name:<15}{kind.id:>3}{star}     {free}/{kind.total}"
    engines = f"{within.decoders:<6}{0:<6}{within.optical_flow}   |"
    return (
        f"{left}{'':11}{kind.multiprocessors:<10}{engines}",
        f"|{'':70}{within.copy_engines:<6}{within.jpeg}         |",
    )


def compute_placements(parts: Sequence[_Part]) -> Iterator[str]:
    """-lcipp."""
    for device, instance in parts:
        within = profile(device.product, instance.profile)
        for kind in compute_profiles(device.product, within):
            starts = range(0, within.slices - kind.slices + 1, kind.slices)
            where = f"GPU {device.index:>2} GI {instance.id:>2} Profile ID {kind.id:>2}"
            yield f"{where} {_places(starts, kind.span)}"


def compute_instances(parts: Sequence[_Part]) -> Iterator[str]:
    """-lci."""
    head = (
        "| GPU     GPU       Name             Profile   Instance   Placement  |",
        "|       Instance                       ID        ID       Start:Size |",
        "|         ID                                                         |",
    )
    rows = [_compute_instance_row(device, each, part) for device, each in parts for part in each.compute]
    yield from _box("Compute instances:", head, rows)


def _compute_instance_row(device: Device, instance: GpuInstance, compute: ComputeInstance) -> tuple[str]:
    kind = placement.compute_kind(device.product, instance, compute)
    left = f"| {device.index:>3}{instance.id:>7}{'':7}MIG {kind.name:<15}{kind.id:>3}{compute.id:>10}"
    return (f"{left}{'':10}{compute.start}:{kind.span}     |",)
