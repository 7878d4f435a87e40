"""The real InfiniBand diagnostics as judges, on a simulated fabric (ibsim) that is made from our own topology file.

ibsim 0.10 knows speeds up to EDR (0.12 knows NDR), and gives an adapter's port the GUID of the adapter plus one: both
are evened out here. LIDs are taken from the file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_LIBRARIES = (
    Path("/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"),
    Path("/usr/lib/aarch64-linux-gnu/umad2sim/libumad2sim.so"),
)
_PROGRAMS = ("ibsim", "opensm", "ibnetdiscover", "ibhosts", "ibswitches", "iblinkinfo")
_GUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")
_COULD_BE = re.compile(r"\(Could be 12X (?:Could be \S+ Gbps)?\)")


def library() -> Path | None:
    """What lets the programs talk to the simulated fabric."""
    return next((path for path in _LIBRARIES if path.exists()), None)


def installed() -> bool:
    """Whether everything that is needed is here."""
    return library() is not None and all(shutil.which(program) for program in _PROGRAMS)


@cache
def knows_ndr() -> bool:
    """Whether the ibsim here knows NDR: its table of names has it."""
    program = shutil.which("ibsim")
    return program is not None and b"NDR" in Path(program).read_bytes()


def slow(text: str) -> str:
    """The same fabric at a speed that ibsim knows."""
    if knows_ndr():
        return text
    return text.replace("4xNDR", "4xEDR").replace("4x NDR", "4x EDR").replace("  106.25 Gbps", "25.78125 Gbps")


@dataclass(frozen=True)
class Fabric:
    """A running simulation of a fabric, seen from one of its nodes."""

    environment: dict[str, str]
    place: Path

    def run(self, *words: str) -> str:
        """What a program prints. The simulation's library leaves folders where it runs."""
        run = subprocess.run(words, capture_output=True, env=self.environment, cwd=self.place, timeout=60, check=False)
        return run.stdout.decode()


@contextmanager
def fabric(topology: str, node_guid: int, place: Path) -> Iterator[Fabric]:
    """Run a fabric as ibnetdiscover described it, let opensm bring it up once, and end it."""
    (place / "net").write_text(slow(topology))
    name = f"breakfix{os.getpid()}"
    environment = {
        **os.environ,
        "IBSIM_SOCKNAME": name,
        "SIM_HOST": f"H-{node_guid:016x}",
        "OSM_CACHE_DIR": str(place),
        "OSM_TMP_DIR": str(place),
    }
    simulator = subprocess.Popen(
        ["ibsim", "-s", str(place / "net")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    try:
        _await_start(simulator)
        inside = Fabric({**environment, "LD_PRELOAD": str(library())}, place)
        inside.run("opensm", "-o", "-f", str(place / "opensm.log"))
        yield inside
    finally:
        simulator.kill()
        simulator.communicate()


def _await_start(simulator: subprocess.Popen[bytes]) -> None:
    """Wait until the fabric can be used: ibsim shows a prompt."""
    assert simulator.stdout is not None
    seen = b""
    while b"sim>" not in seen:
        more = simulator.stdout.read(1)
        assert more, "ibsim ended"
        seen += more


def evened(text: str, guids: set[int]) -> str:
    """What a real program printed, with GUIDs of adapters' ports as ours are, and without what ibsim's ports could do
    besides.
    """
    ours = {f"{guid + 1:016x}": f"{guid:016x}" for guid in guids}
    return _COULD_BE.sub("( )", _GUID.sub(lambda match: ours.get(match[0], match[0]), text))
