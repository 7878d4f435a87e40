"""The box of MIG devices in nvidia-smi's summary.

Layouts: captures of H100 and H200 under 590.48.01 and an H100 PCIe under 570.169 (91 columns), of A100, A30 and H100
under 535 (89 columns), the MIG user guide's of A100 (79 columns; devices of one GPU instance share a cell there).
Whether 530 to 570 joined these cells too is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.control.mig.devices import SHARED_BAR1_FROM, MigDevice

_BEFORE_550_FROM, _WIDE_FROM = 530, 550


@dataclass(frozen=True, slots=True)
class Layout:
    """The width of the cell of memory, the head lines, the places after the two memories, and whether the devices of an
    instance share that cell.
    """

    cell: int
    head: tuple[str, str, str]
    after: tuple[int, int]
    joined: bool

    def rule(self, *, open_cell: bool = False, line: str = "-", end: str = "+") -> str:
        """A line across the cells."""
        memory = " " * self.cell if open_cell else line * self.cell
        return end + "+".join((line * 18, memory, line * 11, line * 23)) + end


_UNIT_HEADS = ("        Vol|        Shared         |", " SM     Unc| CE ENC  DEC  OFA  JPG |")


def _wide(words: str, after: tuple[int, int], *, joined: bool) -> Layout:
    return Layout(
        34,
        (
            f"| GPU  GI  CI  MIG |{words + 'Memory-Usage':>33} |{_UNIT_HEADS[0]}",
            f"|      ID  ID  Dev |{words + 'BAR1-Usage':>33} |{_UNIT_HEADS[1]}",
            f"|{'':18}|{'':34}|        ECC|{'':23}|",
        ),
        after,
        joined,
    )


SHARED = _wide("Shared ", (4, 4), joined=False)
WIDE = _wide("", (4, 2), joined=True)
BEFORE_550 = Layout(
    32,
    (
        "| GPU  GI  CI  MIG |                   Memory-Usage |        Vol|      Shared           |",
        "|      ID  ID  Dev |                     BAR1-Usage | SM     Unc| CE ENC DEC OFA JPG    |",
        f"|{'':18}|{'':32}|        ECC|{'':23}|",
    ),
    (2, 2),
    True,
)
NARROW = Layout(
    22,
    (
        "| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |",
        "|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|",
        f"|{'':18}|{'':22}|        ECC|{'':23}|",
    ),
    (1, 1),
    True,
)


def mig_lines(devices: Sequence[Device], release: int) -> Iterator[str]:
    """The whole box, for those of `devices` that are in MIG mode."""
    layout = _layout_of(release)
    width = len(layout.rule()) - 2
    yield f"+{'-' * width}+"
    yield f"|{' MIG devices:':<{width}}|"
    yield layout.rule()
    yield from layout.head
    yield layout.rule(line="=", end="|")
    parts = [(device, part) for device in devices for part in device.mig_devices]
    if not parts:
        yield f"|{'  No MIG devices found':<{width}}|"
        yield f"+{'-' * width}+"
    for number, (device, part) in enumerate(parts):
        following = parts[number + 1][1] if number + 1 < len(parts) else None
        goes_on = layout.joined and following is not None and not following.first_of_instance
        yield from _rows(layout, device.index, part, release)
        yield layout.rule(open_cell=goes_on)


def _layout_of(release: int) -> Layout:
    if release >= SHARED_BAR1_FROM:
        return SHARED
    if release >= _WIDE_FROM:
        return WIDE
    return BEFORE_550 if release >= _BEFORE_550_FROM else NARROW


def _rows(layout: Layout, index: int, part: MigDevice, release: int) -> Iterator[str]:
    profile = part.profile
    units = f"{profile.copy_engines:>3}{0:>4}{profile.decoders:>5}{profile.optical_flow:>5}{profile.jpeg:>5} |"
    ids = f"|{index:>3}{part.instance.id:>5}{part.compute.id:>4}{part.number:>4}  |"
    hidden = layout.joined and not part.first_of_instance
    memory = "" if hidden else f"{part.memory_used}MiB / {profile.memory:>5}MiB"
    bar1 = "" if hidden else f"0MiB / {part.bar1_total(release):>5}MiB"
    first, second = (
        f"{text + ' ' * after:>{layout.cell}}|" for text, after in zip((memory, bar1), layout.after, strict=True)
    )
    yield f"{ids}{first}{part.kind.multiprocessors:>3}{0:>7} |{units}"
    if not hidden:
        yield f"|{'':18}|{second}{'':11}|{'':23}|"
