"""Where instances fit: memory slices of a GPU, compute slices of a GPU instance.

An instance's id says where it is: 0 is the whole GPU, 1 and 2 its halves, 3 to 6 its quarters, 7 to 13 its eighths
(A100 in the MIG user guide; captures of H100 and H200 agree). What a request does not place goes to the first start in
the board's order that is free, so small instances made first can keep out a large one, as the guide warns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.control.mig.profiles import ComputeProfile, Profile, compute_profiles, profile
from engine.world.inventory import GpuProduct
from engine.world.records import ComputeInstance, GpuInstance

_FIRST_ID = {8: 0, 4: 1, 2: 3, 1: 7}


def instance_id(kind: Profile, start: int) -> int:
    """The id of a GPU instance of that kind at that memory slice."""
    return _FIRST_ID[kind.size] + start // kind.size


def find_start(
    product: GpuProduct, taken: Sequence[GpuInstance], kind: Profile, wanted: int | None = None
) -> int | None:
    """The memory slice at which another instance goes, or None where there is no room; `wanted` allows only that."""
    if kind.media and any(profile(product, each.profile).media for each in taken):
        return None
    used = _used(product, taken)
    starts = kind.starts if wanted is None else tuple(start for start in kind.starts if start == wanted)
    return next((start for start in starts if not used & _span(start, kind.size)), None)


def room(product: GpuProduct, taken: Sequence[GpuInstance], kind: Profile) -> int:
    """How many more instances of a kind fit (-lgip's Free)."""
    if find_start(product, taken, kind) is None:
        return 0
    used, count = _used(product, taken), 0
    for start in sorted(kind.starts):
        if not used & _span(start, kind.size):
            used |= _span(start, kind.size)
            count += 1
    return min(count, kind.total)


def find_compute_start(product: GpuProduct, instance: GpuInstance, within: Profile, kind: ComputeProfile) -> int | None:
    """The compute slice of a GPU instance at which another compute instance goes; None where there is no room."""
    return next(iter(_compute_starts(product, instance, within, kind)), None)


def compute_room(product: GpuProduct, instance: GpuInstance, within: Profile, kind: ComputeProfile) -> int:
    """How many more compute instances of a kind fit (-lcip's Free)."""
    return min(kind.total, len(_compute_starts(product, instance, within, kind)))


def _compute_starts(
    product: GpuProduct, instance: GpuInstance, within: Profile, kind: ComputeProfile
) -> tuple[int, ...]:
    """Where one after the other would go."""
    used, starts = _used_compute(product, instance), []
    for start in range(within.slices - kind.slices + 1):
        if not used & _span(start, kind.slices):
            used |= _span(start, kind.slices)
            starts.append(start)
    return tuple(starts)


def compute_kind(product: GpuProduct, instance: GpuInstance, compute: ComputeInstance) -> ComputeProfile:
    """The profile of a compute instance. Raises KeyError where the board has none such."""
    kinds = compute_profiles(product, profile(product, instance.profile))
    return {kind.id: kind for kind in kinds}[compute.profile]


def _used(product: GpuProduct, taken: Iterable[GpuInstance]) -> int:
    """A bit for each memory slice that is taken."""
    bits = 0
    for instance in taken:
        bits |= _span(instance.start, profile(product, instance.profile).size)
    return bits


def _used_compute(product: GpuProduct, instance: GpuInstance) -> int:
    """A bit for each compute slice of a GPU instance that is taken."""
    bits = 0
    for compute in instance.compute:
        bits |= _span(compute.start, compute_kind(product, instance, compute).slices)
    return bits


def _span(start: int, size: int) -> int:
    return ((1 << size) - 1) << start
