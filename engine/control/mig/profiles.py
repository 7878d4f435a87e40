"""GPU instance profiles of each board, and the compute instance profiles within them.

Sources: `nvidia-smi mig -lgip` of A100 and H100 (memory, multiprocessors, engines), heads of it of B200 and GH200,
MIG devices of an H200 (1g, 2g, 3g); NVIDIA's MIG user guide r580 (fractions, counts, copy engines); `-lcip` of A100 and
devices of an H200 (a compute instance of n slices has the multiprocessors of a GPU instance of n slices). Guesses: the
memory of the H200's 7g and of the B200's 3g, 4g and 7g, and the B200's multiprocessors and decoders of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.world.inventory import GpuProduct

MEMORY_SLICES = 8
"""Parts that a GPU's memory is cut into; its multiprocessors are cut into seven."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of GPU instance. `slices` of compute and `size` of memory slices; `memory` in MiB; engines as nvidia-smi
    lists them.
    """

    id: int
    name: str
    total: int
    slices: int
    size: int
    memory: int
    multiprocessors: int
    copy_engines: int
    decoders: int
    jpeg: int
    optical_flow: int

    @property
    def media(self) -> bool:
        """Whether it is the one with the media extensions, of which a GPU has one."""
        return self.name.endswith("+me")

    @property
    def starts(self) -> tuple[int, ...]:
        """The memory slices at which it can begin, first the one that the driver likes best on an empty GPU."""
        return _STARTS[self.size, self.slices]


@dataclass(frozen=True, slots=True)
class ComputeProfile:
    """A kind of compute instance within a GPU instance: `slices` of its multiprocessors; `full` takes them all."""

    id: int
    name: str
    total: int
    slices: int
    multiprocessors: int
    full: bool

    @property
    def span(self) -> int:
        """The size that nvidia-smi shows of its placement (three slices stand as four)."""
        return 4 if self.slices == 3 else self.slices


# (memory slices, compute slices) -> starts. Order: creations on an A100 in the MIG user guide, an H100's ids.
_STARTS: Mapping[tuple[int, int], tuple[int, ...]] = MappingProxyType(
    {
        (1, 1): (6, 4, 5, 0, 1, 2, 3),
        (2, 1): (6, 4, 0, 2),
        (2, 2): (4, 0, 2),
        (4, 3): (4, 0),
        (4, 4): (0,),
        (8, 7): (0,),
    }
)

_COMPUTE_IDS = {1: 0, 2: 1, 3: 2, 4: 3, 7: 4}
_SHAPES = ((19, 7, 1, 1), (20, 1, 1, 1), (15, 4, 1, 2), (14, 3, 2, 2), (9, 2, 3, 4), (5, 1, 4, 4), (0, 1, 7, 8))
"""Id, how many fit, compute slices, memory slices: alike on every board."""

_Engines = tuple[int, int, int, int]


def _table(
    names: Sequence[str], memory: Sequence[int], multiprocessors: Sequence[int], engines: Sequence[_Engines]
) -> tuple[Profile, ...]:
    """A board's profiles in the order of -lgip; engines are copy engines, decoders, JPEG and optical flow."""
    columns = zip(_SHAPES, names, memory, multiprocessors, engines, strict=True)
    return tuple(
        Profile(id_, name, total, slices, size, mib, count, *units)
        for (id_, total, slices, size), name, mib, count, units in columns
    )


_AMPERE_ENGINES = ((1, 0, 0, 0), (1, 1, 1, 1), (1, 1, 0, 0), (2, 1, 0, 0), (3, 2, 0, 0), (4, 2, 0, 0), (7, 5, 1, 1))
_HOPPER_ENGINES = ((1, 1, 1, 0), (1, 1, 1, 1), (1, 1, 1, 0), (2, 2, 2, 0), (3, 3, 3, 0), (4, 4, 4, 0), (8, 7, 7, 1))
_BLACKWELL_ENGINES = (
    (2, 1, 1, 0), (2, 1, 1, 1), (2, 1, 1, 0), (4, 2, 2, 0), (6, 3, 3, 0), (8, 4, 4, 0), (16, 7, 7, 1),
)  # fmt: skip
_AMPERE_SM = (14, 14, 14, 28, 42, 56, 98)
_HOPPER_SM = (16, 16, 26, 32, 60, 64, 132)
_BLACKWELL_SM = (18, 18, 30, 36, 70, 72, 148)

_80GB = ("1g.10gb", "1g.10gb+me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")
_141GB = ("1g.18gb", "1g.18gb+me", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb")
_180GB = ("1g.23gb", "1g.23gb+me", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb")

PROFILES: Mapping[str, tuple[Profile, ...]] = MappingProxyType(
    {
        "NVIDIA A100-SXM4-80GB": _table(
            _80GB, (9728, 9728, 19968, 19968, 40192, 40192, 80896), _AMPERE_SM, _AMPERE_ENGINES
        ),
        "NVIDIA H100 80GB HBM3": _table(
            _80GB, (9984, 9984, 20096, 20096, 40448, 40448, 81152), _HOPPER_SM, _HOPPER_ENGINES
        ),
        "NVIDIA H200": _table(
            _141GB, (16384, 16384, 33280, 33280, 71424, 71424, 143360), _HOPPER_SM, _HOPPER_ENGINES
        ),
        "NVIDIA B200": _table(
            _180GB, (20992, 20992, 45312, 45312, 91136, 91136, 182272), _BLACKWELL_SM, _BLACKWELL_ENGINES
        ),
    }
)  # fmt: skip
"""By the board's product name."""


def profiles(product: GpuProduct) -> tuple[Profile, ...]:
    """What a board can be cut into, in the order of -lgip; nothing for one without MIG."""
    return PROFILES.get(product.name, ())


def profile(product: GpuProduct, identifier: int) -> Profile:
    """The profile with an id. Raises KeyError if the board has none such."""
    return {each.id: each for each in profiles(product)}[identifier]


def named(product: GpuProduct, text: str) -> Profile | None:
    """The profile that somebody names: by id, by `1g.10gb` or by `MIG 1g.10gb`."""
    name = text.strip().removeprefix("MIG ").strip()
    return next((each for each in profiles(product) if name in (str(each.id), each.name)), None)


def compute_profiles(product: GpuProduct, instance: Profile) -> tuple[ComputeProfile, ...]:
    """What a GPU instance of that kind can be cut into, the whole of it last."""
    found = []
    for slices in (1, 2, 3, 4):
        if slices >= instance.slices or (instance.slices == 4 and slices == 3):
            continue
        like = next(each for each in profiles(product) if each.slices == slices)
        name = f"{slices}c.{instance.name}"
        found.append(_compute(slices, name, instance.slices // slices, like.multiprocessors, full=False))
    return (*found, _compute(instance.slices, instance.name, 1, instance.multiprocessors, full=True))


def _compute(slices: int, name: str, total: int, multiprocessors: int, *, full: bool) -> ComputeProfile:
    return ComputeProfile(_COMPUTE_IDS[slices], name, total, slices, multiprocessors, full)


def compute_named(product: GpuProduct, instance: Profile, text: str) -> ComputeProfile | None:
    """The compute profile that somebody names, by id or name; the whole instance where nothing is named."""
    kinds = compute_profiles(product, instance)
    name = text.strip().rstrip("*").removeprefix("MIG ").strip()
    return next((kind for kind in kinds if name in (str(kind.id), kind.name)), None if name else kinds[-1])
