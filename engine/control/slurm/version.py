"""Which Slurm a site runs, and what that changes in what its tools print."""

from __future__ import annotations

from engine.world.inventory import Inventory

# A release given without its last part, and the releases that Debian and Ubuntu package (they say slurm-wlm).
_LATEST = {"21.08": "21.08.8", "22.05": "22.05.8", "23.02": "23.02.8", "23.11": "23.11.10", "24.05": "24.05.8"}
_PACKAGED = ("21.08.5", "22.05.8", "23.11.4")
_DEFAULT = "24.11.5"


def release(inventory: Inventory) -> str:
    """`24.11.5`."""
    text = inventory.software.get("slurm", _DEFAULT)
    return text if text.count(".") > 1 else _LATEST.get(text, f"{text}.5")


def at_least(inventory: Inventory, year: int, month: int) -> bool:
    """Whether the site runs this release or a later one."""
    return _parts(release(inventory)) >= (year, month)


def version_line(inventory: Inventory) -> str:
    """What `sinfo -V` prints."""
    text = release(inventory)
    return f"slurm-wlm {text}" if text in _PACKAGED else f"slurm {text}"


def _parts(text: str) -> tuple[int, int]:
    year, month = (int(part) if part.isdigit() else 0 for part in text.split(".")[:2])
    return year, month
