"""journalctl's output modes against what the real journalctl printed of the same four entries, and its choices on a
simulated host.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.commands.linux._support.journal import Entry
from engine.commands.linux._support.journal_output import Style, lines
from engine.control import journald
from engine.control.journald import Boot
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import LogEntry, Priority
from engine.world.world import World

START = 1_780_000_000 * SECOND - 5 * SECOND
ENTRIES = (
    (5000, "kernel", None, None, Priority.ERR,
     "NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
    (6500, "kernel", None, None, Priority.WARNING, "mlx5_core 0000:1a:00.0: mlx5_0: Port: 1 Link DOWN"),
    (8000, "slurmd", 2231, "slurmd.service", Priority.INFO, "launch task StepId=12.0 request from UID:1001"),
    (9500, "systemd", 1, "slurmd.service", Priority.INFO, "Started slurmd.service - Slurm node daemon."),
)  # fmt: skip


@dataclass
class Case:
    file: str
    style: Style


CASES = [
    Case("journal-.out", Style()),
    Case("journal-_o_cat.out", Style(mode="cat")),
    Case("journal-_o_short_precise.out", Style(mode="short-precise")),
    Case("journal-_o_short_full.out", Style(mode="short-full")),
    Case("journal-_o_short_unix.out", Style(mode="short-unix")),
    Case("journal-_o_short_monotonic.out", Style(mode="short-monotonic")),
    Case("journal-_o_with_unit.out", Style(mode="with-unit")),
    Case("journal-__no_hostname.out", Style(hostname=False)),
]


def entries() -> list[Entry]:
    world = SimpleNamespace(inventory=SimpleNamespace(start=START), host_clocks=SimpleNamespace(generation=0))
    boot = Boot(0, "11112222333344445555666677778888", 0, None)
    return [
        Entry(world, "gpu-001", LogEntry(time * MILLISECOND, text, source, priority, pid, unit), boot)  # type: ignore[arg-type]
        for time, source, pid, unit, priority, text in ENTRIES
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_modes_are_the_real_ones(case: Case, shared: Path) -> None:
    captured = (shared / "realtools/linux/out" / case.file).read_text().splitlines()
    expected = [line for line in captured if not line.startswith(("$ ", "[rc="))]
    assert [line for entry in entries() for line in lines(entry, case.style)] == expected


def test_short_iso_has_a_colon_in_its_zone() -> None:
    assert lines(entries()[0], Style(mode="short-iso"))[0].startswith("2026-05-28T20:26:40+00:00 gpu-001 kernel: NVRM")


def test_choices(run) -> None:
    everything = run("journalctl -b --no-pager", host="dgx-01").lines
    kernel = run("journalctl -k", host="dgx-01").lines
    assert kernel and set(kernel) < set(everything)
    assert run("journalctl -k -n 3", host="dgx-01").lines == kernel[-3:]
    assert run("journalctl -kr -n 2", host="dgx-01").lines == kernel[:-3:-1]
    assert run("journalctl -u slurmd -o cat -n 1", host="dgx-01").lines
    only = run("journalctl -t slurmd -u slurmd -n 5", host="dgx-01").lines
    assert all("slurmd[" in line for line in only)
    graver = run("journalctl -b -p warning -o json", host="dgx-01").lines
    assert graver and all(int(json.loads(line)["PRIORITY"]) <= 4 for line in graver)
    assert run("journalctl -k -g 'nvrm.*loading' -o cat", host="dgx-01").stdout.startswith("NVRM: loading NVIDIA")
    assert run("journalctl -k -g NVRM.*nothing", host="dgx-01").status == 1


def test_boots(run) -> None:
    boots = run("journalctl --list-boots").lines
    assert boots[0].split() == ["IDX", "BOOT", "ID", "FIRST", "ENTRY", "LAST", "ENTRY"]
    identifier = boots[1].split()[1]
    assert run(f"journalctl -b {identifier} -n 1").stdout == run("journalctl -b 1 -n 1").stdout
    assert "-- Boot " in run("journalctl --no-pager").stdout
    assert run("journalctl -b 99").status == 1


def test_errors_and_rights(run) -> None:
    assert run("journalctl -p bogus").stderr == "Unknown log level bogus\n"
    assert run("journalctl -u nosuch").stdout == "-- No entries --\n"
    assert run("journalctl --since 2030-01-01").stdout == "-- No entries --\n"
    assert run("journalctl --since foo").stderr == "Failed to parse timestamp: foo\n"
    refused = run("journalctl", user="priya")
    assert refused.status == 1 and "Hint: You are currently not seeing messages" in refused.stderr
    assert run("journalctl --vacuum-size 1G").status == 125


def test_following_sees_new_entries(run, simulation: Simulation[World]) -> None:
    original = simulation.advance

    def advance(duration: int) -> None:
        original(duration)
        journald.kernel(simulation, "head-01", f"at {simulation.now // SECOND}")

    simulation.advance = advance  # type: ignore[method-assign]
    result = run("journalctl -f -k -n 0 -o cat", head=3)
    assert result.lines == ["at 1", "at 2", "at 3"]
    kernel = run("dmesg -W -t", user="root", head=1)
    assert kernel.lines[0].startswith("at ")


def test_dmesg(run) -> None:
    refused = run("dmesg")
    assert (refused.stderr, refused.status) == ("dmesg: read kernel buffer failed: Operation not permitted\n", 1)
    plain = run("dmesg", host="dgx-01", user="root").lines
    assert plain[0].startswith("[    0.000000] Linux version")
    texts = run("dmesg -t", host="dgx-01", user="root").lines
    assert [line.split("] ", 1)[1] for line in plain] == texts
    assert run("dmesg -x -l warn", host="dgx-01", user="root").lines[0].startswith("kern  :warn  : [")
    assert run("dmesg -T", host="dgx-01", user="root").lines[0].startswith("[Sun Nov  1 15:30:35 2026] Linux")
    iso = run("dmesg --time-format iso", host="dgx-01", user="root").lines[0]
    assert iso.startswith("2026-11-01T15:30:35,") and "+00:00 Linux" in iso
    recent = run("dmesg --since '2026-11-29'", host="dgx-01", user="root").lines
    assert len(recent) < len(plain)
    assert run("dmesg -l foo").stderr == "dmesg: unknown level 'foo'\n"
    levels = json.loads(run("dmesg -J -l warn", host="dgx-01", user="root").stdout)["dmesg"]
    assert {entry["pri"] for entry in levels} == {4}
