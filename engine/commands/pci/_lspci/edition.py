"""Which pciutils a host has. Two editions of lspci's output are in use; formats were read from the sources of 3.7.0,
3.9.0 and 3.10.0.

Up to 3.7 lspci shows what the configuration space says, so a device off the bus reads `(rev ff)`, and marks each link
`(ok)` or `(downgraded)`. From 3.8 on identity and revision are the kernel's, which keeps what it read at boot, and a
sound link is not marked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.control import packages
from engine.world.world import World

_FIRST_WITH_KERNEL_VIEW = (3, 8)
_VERSION = re.compile(r"(?:\d+:)?(\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class Edition:
    """A version of pciutils. `kernel_view`: it shows identity and windows as the kernel has them."""

    version: str
    kernel_view: bool


def edition(world: World, host: str) -> Edition:
    """The edition on `host`: the site's setting `software.pciutils`, or else the installed package."""
    stated = world.software.get("pciutils")
    package = packages.installed(world, host).get("pciutils")
    text = stated or (package.version if package else "3.10.0")
    found = _VERSION.match(text)
    numbers = tuple(int(part or 0) for part in found.groups()) if found else (3, 10, 0)
    return Edition(".".join(map(str, numbers)), numbers[:2] >= _FIRST_WITH_KERNEL_VIEW)
