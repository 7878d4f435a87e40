"""The real opensm as a judge: on a fabric that ibsim simulates, one sweep or a manager that stays."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.support import ibsim_oracle

_LARGE = ("-N", "40000", "-S", "4000", "-P", "800000")
_NUMBERS = count()
_SETTLED = 1.0


def installed() -> bool:
    return ibsim_oracle.library() is not None and all(map(shutil.which, ("ibsim", "opensm", "dump_fts", "ibroute")))


@dataclass
class Simulator:
    """A running ibsim."""

    place: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes]
    managers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def log(self) -> str:
        """What opensm wrote, without times, thread numbers and levels."""
        path = self.place / "opensm.log"
        text = path.read_text() if path.exists() else ""
        return re.sub(r"^\w+ [ \d]\d [\d:]+ \d+ \[\w+\] 0x\w\w -> ", "", text, flags=re.MULTILINE)

    def run(self, *words: str) -> str:
        run = subprocess.run(words, capture_output=True, env=self.environment, cwd=self.place, timeout=60, check=False)
        return run.stdout.decode()

    def sweep_once(self, *options: str) -> str:
        """Run opensm once; returns what dump_fts prints then."""
        self.run("opensm", "-o", "-f", str(self.place / "opensm.log"), *options)
        return self.run("dump_fts")

    def start_manager(self, *options: str) -> str:
        """Run an opensm that stays; returns what dump_fts prints after its first sweep."""
        self._start(options)
        return self._after_sweep(0)

    def start_manager_that_says(self, line: str, *options: str) -> None:
        """Run an opensm that stays, until this line is in its log."""
        self._start(options)
        begun = time.monotonic()
        while line not in self.log:
            time.sleep(0.05)
            assert time.monotonic() - begun < 60, f"opensm does not say: {line}"

    def _start(self, options: tuple[str, ...]) -> None:
        words = ("opensm", "-d2", "-f", str(self.place / "opensm.log"), *options)
        quiet = subprocess.DEVNULL
        manager = subprocess.Popen(words, env=self.environment, cwd=self.place, stdout=quiet, stderr=quiet)
        self.managers.append(manager)

    def command(self, *lines: str) -> str:
        """Type lines at ibsim's console and let opensm answer the change."""
        before = self.log.count("SUBNET UP")
        assert self.process.stdin
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()
        return self._after_sweep(before)

    def _after_sweep(self, before: int) -> str:
        """The tables when a new sweep is over and no other follows."""
        seen, since, begun = before, time.monotonic(), time.monotonic()
        while seen == before or time.monotonic() - since < _SETTLED:
            time.sleep(0.05)
            assert time.monotonic() - begun < 120, "opensm does not sweep"
            if (now := self.log.count("SUBNET UP")) != seen:
                seen, since = now, time.monotonic()
        return self.run("dump_fts")


@contextmanager
def simulated(netlist: str, place: Path) -> Iterator[Simulator]:
    """Run a fabric, and end everything afterwards."""
    (place / "net").write_text(netlist)
    environment = {
        **os.environ,
        "IBSIM_SOCKNAME": f"routing{os.getpid()}n{next(_NUMBERS)}",
        "OSM_CACHE_DIR": str(place),
        "OSM_TMP_DIR": str(place),
    }
    with (place / "ibsim.out").open("wb") as output:
        words = ("ibsim", "-s", *_LARGE, str(place / "net"))
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment)
    simulator = Simulator(place, {**environment, "LD_PRELOAD": str(ibsim_oracle.library())}, process)
    try:
        while "Network simulator ready" not in (place / "ibsim.out").read_text(errors="replace"):
            assert process.poll() is None, (place / "ibsim.out").read_text(errors="replace")[-300:]
            time.sleep(0.02)
        yield simulator
    finally:
        for running in (*simulator.managers, process):
            running.kill()
            running.wait()


def written_roots(guids: Sequence[int], place: Path) -> tuple[str, str]:
    """The option for a root file."""
    path = place / "roots"
    path.write_text("# roots\n" + "".join(f"0x{guid:016x}\n" for guid in guids))
    return "-a", str(path)
