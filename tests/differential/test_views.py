"""Every view of a fabric against the real program, on fabrics drawn at random: sound, and after losses."""

from __future__ import annotations

import os
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from engine.commands.infiniband._diags.netlist_text import netlist
from engine.control.subnet_manager.lids import host_of_manager
from engine.simulation import open_site
from engine.world.aggregation import DESCRIPTION
from engine.world.world import World
from tests.differential.scene import Scene, both
from tests.engine.control.subnet_manager.routing import opensm
from tests.engine.control.subnet_manager.routing.drawings import Drawing, rails, three_tier, two_tier

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not opensm.installed(), reason="no ibsim, opensm and infiniband-diags here"),
    pytest.mark.xdist_group("ibsim"),
]

# The workers of one run draw alike: what names the run is the same in all of them.
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(random.SystemRandom().random())
FIRST = int(os.environ.get("BREAKFIX_DIFFERENTIAL_SEED", "0")) or random.Random(RUN).randrange(1, 10**6)
SEEDS = [FIRST, FIRST + 1, FIRST + 2]
LARGE = os.environ.get("BREAKFIX_DIFFERENTIAL_LARGE")
"""Set it to compare a fabric of 2,048 adapters as well."""

WHOLE = [
    "ibnetdiscover", "ibnetdiscover -l", "ibnetdiscover -p", "iblinkinfo", "iblinkinfo -l", "iblinkinfo -d",
    "ibhosts", "ibswitches", "ibnodes", "sminfo", "dump_fts", "ibqueryerrors -s PortXmitWait,VL15Dropped",
]  # fmt: skip


def drawing(seed: int) -> Drawing:
    """Another one for every seed."""
    draw = random.Random(seed)
    drawn = (
        lambda: three_tier(draw.choice([32, 64, 100, 128]), 8),
        lambda: two_tier(draw.randint(2, 10), draw.randint(2, 5), draw.randint(2, 14), cables=draw.randint(1, 3)),
        lambda: rails(draw.randint(2, 20), draw.randint(2, 8), draw.choice([4, 8]), draw.choice([2, 4])),
    )[seed % 3]()
    return drawn.with_guids_drawn(seed) if draw.random() < 0.5 else drawn


def packaged(site: str) -> str:
    """The netlist of a packaged site as ibsim can have it: its manager's host comes first, and ports have the GUIDs
    that ibsim gives.
    """
    world = open_site(site).world
    text = "".join(f"{line}\n" for line in netlist(world, 0))
    text = NODE_PORT.sub(lambda port: f"{port[1]}({int(port[2], 16) + 1:016x})", text)
    head, *blocks = re.split(r"(?m)^(?=vendid=)", text)
    own = host_of_manager(world.inventory)
    assert own is not None
    blocks.sort(key=lambda block: f"caguid=0x{own.guid:016x}" not in block)
    return head + "".join(blocks)


NODE_PORT = re.compile(r'(?m)(^\[1\]|"H-[0-9a-f]{16}"\[1\])\(([0-9a-f]{16})\)')


def pointed(world: World, seed: int, count: int) -> list[str]:
    """Questions to some adapters and switches by LID."""
    draw = random.Random(seed)
    lids = sorted(world.first_sweep.lids(world.inventory).values())
    some = draw.sample(lids, min(count, len(lids)))
    lines = [f"smpquery nodeinfo {lid}" for lid in some] + [f"smpquery nodedesc {lid}" for lid in some]
    lines += [f"perfquery {lid} 1" for lid in some] + [f"ibtracert 1 {lid}" for lid in some]
    return lines + [f"ibtracert {near} {far}" for near, far in pairwise(some)]


def losses(scene: Scene, seed: int) -> list[tuple[str, list[str]]]:
    """A cable between switches, a node, a spine: names and ports to pull, one after the other."""
    draw, cables = random.Random(seed), scene.ours.world.inventory.cables
    between = sorted(port for port, cable in cables.items() if all(end.count("/") == 1 for end in cable.ends))
    real = {host for host, (first, *_) in scene.fabric.hosts.items() if first.node.description != DESCRIPTION}
    bearing = {cable.other(port).partition("/")[0] for port, cable in cables.items() if port.partition("/")[0] in real}
    high = sorted({port.partition("/")[0] for port in between} - bearing)
    hosts = sorted(real - {scene.host})
    host, spine = draw.choice(hosts), draw.choice(high)
    return [
        ("link", [draw.choice(between)]),
        ("node", [port for port in cables if port.startswith(f"{host}/")]),
        ("spine", [port for port in cables if port.startswith(f"{spine}/")]),
    ]


def compare(text: str, seed: int, place: Path, count: int = 3) -> None:
    """Sound, with errors, and after each loss."""
    with both(text, seed, place) as scene:
        asked = pointed(scene.ours.world, seed, count)
        scene.count_alike()
        assert scene.differences([*WHOLE, *asked]) == [], f"seed {seed}, sound"
        for name, ports in losses(scene, seed):
            scene.unplug(ports)
            scene.count_alike()
            assert scene.differences([*WHOLE, *asked]) == [], f"seed {seed}, {name} lost"


@pytest.mark.parametrize("seed", SEEDS)
def test_fabrics_drawn_at_random(seed: int, tmp_path: Path) -> None:
    print(f"BREAKFIX_DIFFERENTIAL_SEED={SEEDS[0]} draws these again; this one is {seed}")
    compare(drawing(seed).text(), seed, tmp_path)


@pytest.mark.parametrize("site", ["dgx-h100-4", "dgx-h100-su"])
def test_packaged_sites(site: str, tmp_path: Path) -> None:
    compare(packaged(site), FIRST, tmp_path)


@pytest.mark.skipif(not LARGE, reason="BREAKFIX_DIFFERENTIAL_LARGE is not set")
def test_a_fabric_of_2048_adapters(tmp_path: Path) -> None:
    compare(rails(256, 8, 32, 16).text(), SEEDS[0], tmp_path, count=40)
