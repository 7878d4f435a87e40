"""Lines run in real bash and in ours, over the same files: what differs in standard output or status.

The files and the stand-ins for cluster commands (functions that print a file) are the same on both sides.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from engine.shell.play import Play
from tests.support.worlds import bare_simulation

FOLDER = "/tmp/breakfix-cases"

PRELUDE = """
nvidia-smi() { case "$*" in *-L*) cat smiL.txt ;; *-q*) case "$*" in *query-gpu*) cat smi.csv ;; *) cat smiq.txt ;; esac
;; *) cat smi.csv ;; esac; }
dmesg() { cat dmesg.txt; }
sinfo() { cat sinfo.txt; }
squeue() { cat squeue.txt; }
ibstat() { cat ibstat.txt; }
kubectl() { cat pods.json; }
failcmd() { echo failing >&2; return 3; }
"""


@dataclass(frozen=True)
class Outcome:
    """What a line printed on standard output, and its status."""

    stdout: bytes
    status: int


def real(line: str, fixtures: Path) -> Outcome:
    """The line in the machine's own bash, in a fresh copy of the files."""
    folder = Path(FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(fixtures, folder)
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "root"}
    try:
        done = subprocess.run(
            ["bash", "-c", PRELUDE + line],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Outcome(done.stdout, done.returncode)


async def ours_all(lines: list[str], fixtures: Path) -> list[Outcome]:
    """The lines in ours, each in a world of its own."""
    simulation = bare_simulation()
    fill(simulation, fixtures)
    return [await _ours(line, simulation.fork()) for line in lines]


def fill(simulation: object, fixtures: Path) -> None:
    """Copy the files into the simulated host."""
    from engine.control.accounts import identity
    from engine.hostfs.host_tree import HostTree

    root = identity(simulation.world.inventory, "root")  # type: ignore[attr-defined]
    tree = HostTree(simulation, "head-01", root)  # type: ignore[arg-type]
    for path in sorted(fixtures.rglob("*")):
        inside = f"{FOLDER}/{path.relative_to(fixtures)}"
        if path.is_dir():
            tree.make_directory(inside, True)
        else:
            tree.make_directory(inside.rpartition("/")[0], True)
            tree.write(inside, path.read_bytes())


async def _ours(line: str, simulation: object) -> Outcome:
    play = Play(simulation)  # type: ignore[arg-type]
    printed = bytearray()
    terminal = play.open_terminal(
        "head-01", "root", printer=lambda data, error: None if error else printed.extend(data)
    )
    await terminal.run_line(f"{PRELUDE}\nunalias -a; cd {FOLDER}", whole=True)
    printed.clear()
    result = await asyncio.wait_for(terminal.run_line(line, whole=True), 30)
    play.close()
    return Outcome(bytes(printed), result.status)
