"""The tables are those of the real opensm, byte for byte: fabrics on ibsim, on a fresh start and with a manager that
goes on while links come and go."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.control.subnet_manager.routing.dump import ibroute_text
from engine.control.subnet_manager.routing.engines import Tables, engine_order, route
from engine.control.subnet_manager.routing.fabric import Fabric
from engine.sites.netlist import parse_netlist
from tests.engine.control.subnet_manager.routing import opensm, scenes
from tests.engine.control.subnet_manager.routing.drawings import Drawing, irregular, rails, three_tier, two_tier

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not opensm.installed(), reason="no ibsim, opensm and infiniband-diags here"),
]

FABRICS: dict[str, Callable[[], Drawing]] = {
    "rails, 32 nodes": lambda: rails(4, 2, 4, 2, 36),
    "rails of 256": lambda: rails(32, 8, 32, 8),
    "rails, last unit half empty": lambda: rails(20, 4, 8, 4, 40).with_guids_drawn(7),
    "two tiers, four cables each": lambda: two_tier(6, 3, 10, cables=4, ports=36),
    "two tiers, spine gone": lambda: two_tier(6, 4, 10, cables=2, ports=36).damaged(switches=("spine01",)),
    "two tiers, cables gone": lambda: two_tier(6, 4, 10, cables=3, ports=36).damaged(cables=5),
    "two tiers, as many leaves as roots": lambda: two_tier(24, 4, 4).with_guids_drawn(2),
    "three tiers": lambda: three_tier(128, 8),
    "three tiers, GUIDs drawn": lambda: three_tier(256, 16).with_guids_drawn(3),
    "three tiers, last pod half empty": lambda: three_tier(100, 8),
    "three tiers, cables gone": lambda: three_tier(128, 8).damaged(cables=6).with_guids_drawn(5),
    "three tiers, core gone": lambda: three_tier(128, 8).damaged(cables=2, switches=("core001",)),
    "irregular, few": lambda: irregular(4, 3, 20, 11),
    "irregular": lambda: irregular(25, 4, 200, 3),
    "irregular, dense": lambda: irregular(40, 6, 300, 1),
    "one switch": lambda: two_tier(1, 0, 5),
    "large, rails": lambda: rails(128, 8, 32, 16).damaged(cables=9, seed=4).with_guids_drawn(7),
    "large, three tiers": lambda: three_tier(1024, 16).with_guids_drawn(9),
    "large, three tiers, cables gone": lambda: three_tier(512, 16).damaged(cables=12, switches=("core003",)),
    "large, irregular": lambda: irregular(120, 6, 700, 2),
    "one switch of 144 ports": lambda: two_tier(1, 0, 140, ports=144),
    "one switch, 64 LIDs": lambda: two_tier(1, 0, 63),
    "two switches": lambda: two_tier(2, 1, 1).damaged(switches=("spine00",)),
}


def drawn_at_random(seed: int) -> Drawing:
    """Another fabric for every seed."""
    draw = random.Random(seed)
    switches = draw.randint(2, 60)
    drawing = draw.choice(
        [
            irregular(switches, draw.randint(2, 7), draw.randint(1, min(400, 40 * switches)), seed),
            three_tier(draw.choice([32, 64, 100, 128]), 8).with_guids_drawn(seed),
            two_tier(draw.randint(2, 20), draw.randint(1, 6), draw.randint(1, 20), cables=draw.randint(1, 3)),
            rails(draw.randint(2, 60), draw.randint(1, 8), draw.choice([4, 8, 16]), draw.choice([2, 4])),
        ]
    )
    return drawing.damaged(cables=draw.choice([0, 0, 1, len(drawing.switch_sockets()) // 10]), seed=seed)


def said(line: str, log: str) -> bool:
    """Whether opensm wrote the line. Of several adapters on switches of a wrong rank it may name another, where one has
    more than one port."""
    return (line.partition("CN port")[0] if "ERR AB26" in line else line) in log


def damaged_roots(known: Fabric) -> tuple[int, ...]:
    """Some switches as roots, wherever they stand."""
    return tuple(sorted(known.switch_guids)[1::7][:4])


def spines(known: Fabric) -> tuple[int, ...]:
    """The switches without adapters that are farthest from those with them: what a person would write as roots."""
    far = max(range(len(known.switch_guids)), key=lambda switch: (not known.ends_of[switch], switch))
    hops = {leaf: 0 for leaf in known.leaves}
    waiting = list(hops)
    for switch in waiting:
        new = [peer for peer in known.peers[switch] if peer >= 0 and peer not in hops]
        hops.update((peer, hops[switch] + 1) for peer in new)
        waiting += dict.fromkeys(new)
    top = max(hops.values())
    return tuple(known.switch_guids[switch] for switch in sorted(hops) if hops[switch] == top) or (
        known.switch_guids[far],
    )


@pytest.mark.parametrize("name", FABRICS)
@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_a_fresh_start(name: str, engine: str, tmp_path: Path) -> None:
    assert_as_opensm_does(name, engine, tmp_path)


@pytest.mark.parametrize("name", ["three tiers, cables gone", "irregular"])
@pytest.mark.parametrize("engine", ["ftree,updn", "bogus updn,ftree"])
def test_a_list_of_engines(name: str, engine: str, tmp_path: Path) -> None:
    assert_as_opensm_does(name, engine, tmp_path)


def assert_as_opensm_does(name: str, engine: str, tmp_path: Path) -> None:
    text = FABRICS[name]().text()
    known = scenes.fabric(text)
    order = engine_order(engine)
    routing = route(known, order)
    with opensm.simulated(text, tmp_path) as simulator:
        real = simulator.sweep_once("-R", engine)
        log = simulator.log
    assert [line for line in (*order.lines, *routing.lines) if not said(line, log)] == []
    assert scenes.dumped(text, known, routing.tables) == real


def test_without_a_fallback_nothing_is_configured(tmp_path: Path) -> None:
    text = FABRICS["irregular"]().text()
    routing = route(scenes.fabric(text), engine_order("ftree,no_fallback"))
    assert routing.engine is None and routing.tables == {}
    with opensm.simulated(text, tmp_path) as simulator:
        simulator.start_manager_that_says(routing.lines[-1], "-R", "ftree,no_fallback")
        assert [line for line in routing.lines if line not in simulator.log] == []
        assert simulator.run("dump_fts").count("0 valid lids dumped") == len(scenes.fabric(text).switch_guids)


# Where cables join leaves, opensm's ftree orders adapters by memory that it takes for indices: nothing to compare with.
ROOTED = [(name, "updn") for name in FABRICS if name.startswith(("two tiers", "three tiers", "irregular"))]
ROOTED += [(name, "ftree") for name, _ in ROOTED if not name.startswith("irregular")]


@pytest.mark.parametrize(("name", "engine"), ROOTED)
@pytest.mark.parametrize("roots_of", [spines, damaged_roots])
def test_a_root_file(name: str, engine: str, roots_of: Callable[[Fabric], tuple[int, ...]], tmp_path: Path) -> None:
    text = FABRICS[name]().text()
    known = scenes.fabric(text)
    roots = roots_of(known)
    routing = route(known, engine_order(engine), roots=roots)
    with opensm.simulated(text, tmp_path) as simulator:
        real = simulator.sweep_once("-R", engine, *opensm.written_roots(roots, tmp_path))
        log = simulator.log
    assert [line for line in routing.lines if not said(line, log)] == []
    assert scenes.dumped(text, known, routing.tables) == real


@pytest.mark.parametrize("name", ["one switch of 144 ports", "one switch, 64 LIDs", "rails of 256"])
def test_ibroute(name: str, tmp_path: Path) -> None:
    text = FABRICS[name]().text()
    known, names = scenes.fabric(text), scenes.names(parse_netlist(text, "drawn.net"))
    table = route(known).tables[known.switch_guids[0]]
    with opensm.simulated(text, tmp_path) as simulator:
        simulator.sweep_once("-R", "minhop")
        real = simulator.run("ibroute", str(known.switch_lids[0]))
    assert ibroute_text(known, 0, table, names) == real


@pytest.mark.parametrize("turn", range(3))
def test_fabrics_drawn_at_random(turn: int, tmp_path: Path) -> None:
    """Others in each run; what fails is repeated with the seed that is told."""
    seed = random.SystemRandom().randrange(1_000_000)
    text = drawn_at_random(seed).text()
    known = scenes.fabric(text)
    for engine in ("minhop", "updn", "ftree"):
        place = tmp_path / engine
        place.mkdir()
        with opensm.simulated(text, place) as simulator:
            real = simulator.sweep_once("-R", engine)
        assert scenes.dumped(text, known, route(known, engine_order(engine)).tables) == real, f"seed {seed}, {engine}"


LIVES: dict[str, tuple[Callable[[], Drawing], str, tuple[str, ...]]] = {
    "rails, minhop": (
        lambda: rails(32, 8, 32, 8),
        "minhop",
        ("-leaf02/40", "-spine03", "-gpu0007 mlx5_3", "+spine03", "-leaf05/33,-leaf05/34", "+leaf02/40"),
    ),
    "three tiers, minhop": (
        lambda: three_tier(128, 8).with_guids_drawn(4),
        "minhop",
        ("-leaf003/6", "-core002", "-agg005", "+gpu00001 mlx5_0,+core002", "-leaf030"),
    ),
    "three tiers, updn": (
        lambda: three_tier(128, 8),
        "updn",
        ("-leaf003/6", "-core002", "-gpu00009 mlx5_0", "-agg005", "+agg005"),
    ),
    "three tiers, ftree": (
        lambda: three_tier(128, 8),
        "ftree",
        ("-gpu00009 mlx5_0", "-leaf003/6", "-core002", "+core002", "+leaf003/6"),
    ),
    "two tiers, ftree": (
        lambda: two_tier(6, 4, 10, cables=2, ports=36),
        "ftree",
        ("-spine02", "-leaf01/11", "+spine02"),
    ),
    "large, minhop": (
        lambda: three_tier(512, 16).with_guids_drawn(6),
        "minhop",
        ("-leaf003/10", "-core002", "-agg005,-gpu00077 mlx5_0", "-leaf030", "+agg005"),
    ),
    "large, updn": (lambda: three_tier(512, 16), "updn", ("-leaf003/10", "-core002", "-agg005", "+core002")),
    "irregular, minhop": (
        lambda: irregular(30, 4, 150, 8),
        "minhop",
        ("-sw004", "-sw011,-sw020", "-host12", "+sw004", "-sw007"),
    ),
}


def cut(drawing: Drawing, step: str, gone: dict[tuple[int, int], tuple[int, int]]) -> list[str]:
    """Take cables out of a drawing or put them back; returns what to type at the simulator's console."""
    lines = []
    for change in step.split(","):
        name, _, port = change[1:].partition("/")
        number = drawing.of(name)
        device = drawing.devices[number]
        source = drawing.cables if change[0] == "-" else gone
        for socket in [one for one in source if one[0] == number and (not port or one[1] == int(port))]:
            far = source.pop(socket)
            source.pop(far, None)
            other = gone if change[0] == "-" else drawing.cables
            other[socket], other[far] = far, socket
        word = "Unlink" if change[0] == "-" else "Relink"
        lines.append(f'{word} "{device.identifier}"' + (f"[{port}]" if port else ""))
    return lines


@pytest.mark.parametrize("name", LIVES)
def test_a_manager_that_goes_on(name: str, tmp_path: Path) -> None:
    draw, engine, steps = LIVES[name]
    drawing, order = draw(), engine_order(engine)
    gone: dict[tuple[int, int], tuple[int, int]] = {}
    known = scenes.fabric(drawing.text())
    lids = scenes.lids(known)
    tables: Tables = route(known, order).tables
    with opensm.simulated(drawing.text(), tmp_path) as simulator:
        assert simulator.start_manager("-R", engine) == scenes.dumped(drawing.text(), known, tables)
        for step in steps:
            lines = cut(drawing, step, gone)
            known = scenes.fabric(drawing.text(), lids)
            lids |= scenes.lids(known)
            tables = route(known, order, previous=None if "+" in step else tables).tables
            assert simulator.command(*lines) == scenes.dumped(drawing.text(), known, tables), step
