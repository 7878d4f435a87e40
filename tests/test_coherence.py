"""One state, many views: all tools name the same thing, for every node, GPU and seed that chance picks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.faults import fault as faults
from engine.faults.fault import parse_fault
from engine.faults.targets import target_kinds
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.sites.build import load_site
from engine.world.world import World
from tests.census.census import SITE, scene
from tests.support.sessions import screen

NODES = ("dgx-01", "dgx-02", "dgx-03", "dgx-04")
PICKS = Stream(20261130, "coherence")
CASES = [(PICKS.choice(NODES), PICKS.integer(0, 7), PICKS.integer(1, 10_000)) for _ in range(20)]
CSV = "nvidia-smi --query-gpu=index,pci.bus_id --format=csv"
VIEWS = ("sudo dmesg", "lspci", CSV, "nvidia-smi -L")


def view(simulation: Simulation[World], node: str) -> dict[str, str]:
    """What each view shows on a node."""
    return {line: screen(simulation.fork(), [line], host=node) for line in VIEWS}


@pytest.mark.parametrize(("node", "index", "seed"), CASES)
def test_every_tool_names_the_same_lost_gpu(node: str, index: int, seed: int) -> None:
    healthy, broken = open_site("dgx-h100-4", seed), open_site("dgx-h100-4", seed)
    broken.apply(parse_fault(f"gpu.fell_off_bus target={node}/gpu{index}"))
    for simulation in (healthy, broken):
        simulation.advance(MINUTE)
    before, after = view(healthy, node), view(broken, node)

    address = broken.world.inventory.gpu(f"{node}/gpu{index}").address
    new_lines = set(after["sudo dmesg"].splitlines()) - set(before["sudo dmesg"].splitlines())
    xids = [re.search(r"Xid \(PCI:([0-9a-f:]+)\): 79,", line) for line in new_lines]
    assert {match[1] for match in xids if match} == {address[:-2]}
    assert [line[:7] for line in after["lspci"].splitlines() if "(rev ff)" in line] == [address[5:]]
    missing = set(before[CSV].splitlines()) - set(after[CSV].splitlines())
    assert missing == {f"{index}, 0000{address.upper()}"}

    for other in (name for name in NODES if name != node):
        assert view(broken, other) == view(healthy, other)


def _nodes(site: str) -> tuple[str, ...]:
    """The nodes of a site that have GPUs."""
    found = load_site(site)
    return tuple(name for name in found.node_names if found.node(name).gpus)


def _target(fault: str) -> str:
    """What the fault befalls in its scene, or the example of its kind of target."""
    if scene(fault).site != SITE:
        return scene(fault).line.partition("target=")[2].split()[0]
    return target_kinds()[faults.catalogue()[fault].targets[0]].example


AREAS = sorted({name.partition(".")[0] for name in faults.catalogue()})


@pytest.mark.parametrize("area", AREAS)
def test_no_output_is_keyed_on_a_fault(monkeypatch: pytest.MonkeyPatch, area: str) -> None:
    """All faults renamed: every output stays the same, with all faults of an area at once."""
    known = faults.catalogue()
    names_there = [name for name in known if name.startswith(f"{area}.")]
    sites = sorted({scene(name).site for name in names_there}, key=lambda name: name != SITE)
    chosen = [name for name in names_there if scene(name).site == sites[0]]
    lines = [f"ssh {node} '{line}'" for node in _nodes(sites[0])[:2] for line in VIEWS]
    lines += ["sinfo -R", "squeue", "scontrol show node", "kubectl get pods -A", "kubectl describe nodes"]
    targets = {name: _target(name) for name in chosen}
    wanted = []
    for rename in (False, True):
        names = {name: f"x.{number}" if rename else name for number, name in enumerate(known)}
        monkeypatch.setattr(faults, "catalogue", lambda names=names: {names[name]: known[name] for name in known})
        simulation = open_site(sites[0], 3)
        for name in chosen:
            simulation.apply(faults.InjectFault(names[name], targets[name]))
        simulation.advance(20 * MINUTE)
        wanted.append(screen(simulation, lines))
    assert wanted[0] == wanted[1]
    assert area != "gpu" or "Xid" in wanted[0]


LINE = (
    'ssh dgx-01 "nvidia-smi dmon | head -5"; date; shuf -i 1-99 -n3; shuf -i 1-99 -n3; mktemp; echo $RANDOM; '
    "ls -la --time-style=full-iso ~"
)
ENVIRONMENTS = (("0", "UTC", "C"), ("7", "Asia/Tokyo", "de_DE.UTF-8"), ("99", "America/New_York", "C.UTF-8"))


def test_runs_are_equal_whatever_the_real_environment() -> None:
    """The hash seed, the time zone and the locale of the real machine change nothing."""
    outputs = set()
    for hash_seed, zone, locale in ENVIRONMENTS:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": locale}
        breakfix = Path(sys.executable).with_name("breakfix")
        done = subprocess.run([breakfix, "shell", "-c", LINE], env=environment, capture_output=True, check=False)
        outputs.add((done.stdout, done.stderr, done.returncode))
    assert len(outputs) == 1
    assert b"2026" in next(iter(outputs))[0]
