"""The real lspci as a judge: what it prints of a dump of our configuration spaces, made comparable with our own text.

`lspci -F` knows no kernel, so lines and words that come from sysfs (drivers, NUMA nodes, sizes of regions) are taken
out of ours.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from engine.physics import pci_ids
from engine.physics.config_space.space import config_space
from engine.world.world import World

_FROM_THE_KERNEL = re.compile(r"^\t(Kernel driver in use|Kernel modules|NUMA node): .*\n", re.MULTILINE)
_NUMA_WORD = re.compile(r", NUMA node \d+")
_REGION_SIZE = re.compile(r"(Memory at .*prefetchable\)|Expansion ROM at .*?)( \[size=\w+\])$", re.MULTILINE)

_UPPER_HALF = re.compile(r"^\t(Region \d: )?(Memory at <unassigned>|I/O ports at) .*\n", re.MULTILINE)
"""From a dump, lspci takes the upper half of a 64-bit address for a region of its own, which a live one does not."""


def version() -> str | None:
    """The version of the lspci that is installed here, or None."""
    if not shutil.which("lspci"):
        return None
    text = subprocess.run(["lspci", "--version"], capture_output=True, text=True, check=True).stdout
    return text.split()[-1]


def write_dump(world: World, node: str, place: Path) -> None:
    """Write a dump of every function's configuration space, as `lspci -xxxx` would, and our names as a database."""
    records = []
    for device in world.node(node).pcie:
        space = config_space(world, node, device.address)
        if space is not None:
            rows = [f"{at:02x}: " + space[at : at + 16].hex(" ") for at in range(0, len(space), 16)]
            records.append("\n".join([f"{device.address} dump", *rows]) + "\n")
    (place / "dump").write_text("\n".join(records))
    (place / "ids").write_text(_database())


def judge(place: Path, *options: str) -> str:
    """What the real lspci prints of the dump in `place`."""
    command = ["lspci", "-F", str(place / "dump"), "-i", str(place / "ids"), *options]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return _UPPER_HALF.sub("", text)


def without_kernel(text: str) -> str:
    """Our text without what a dump cannot know."""
    return _REGION_SIZE.sub(r"\1", _NUMA_WORD.sub("", _FROM_THE_KERNEL.sub("", text)))


def _database() -> str:
    lines = []
    for vendor in sorted({*pci_ids.VENDORS, *(ids[:4] for ids in pci_ids.DEVICES)}):
        lines.append(f"{vendor}  {pci_ids.VENDORS[vendor]}")
        for ids, name in sorted(pci_ids.DEVICES.items()):
            if ids.startswith(vendor):
                lines.append(f"\t{ids[5:]}  {name}")
                named = sorted((sub, text) for (of, sub), text in pci_ids.SUBSYSTEMS.items() if of == ids)
                lines += [f"\t\t{sub.replace(':', ' ')}  {text}" for sub, text in named]
    for base, name in sorted({**{code[:2]: code for code in pci_ids.CLASSES}, **pci_ids.BASE_CLASSES}.items()):
        lines.append(f"C {base}  {name}")
        for code, text in sorted(pci_ids.CLASSES.items()):
            if code.startswith(base):
                lines.append(f"\t{code[2:]}  {text}")
                lines += [
                    f"\t\t{i[4:]}  {t}" for i, t in sorted(pci_ids.PROGRAMMING_INTERFACES.items()) if i[:4] == code
                ]
    return "\n".join(lines) + "\n"
