"""Which looks at the cluster each fault changes: every fault alone on a site at work, half an hour after its onset,
compared look by look with the same site without it.

A look is a command line of `looks.txt`; it runs on the node that the fault befell or on the head node, each on a copy
of the world, so that none sees what another did. `python -m tests.census` writes docs/census.md anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.commands.command import installed
from engine.control.boot import Reboot
from engine.faults.fault import Fault, catalogue, parse_fault
from engine.faults.targets import target_kinds
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.census.agreements import content
from tests.support.run import run_command
from tests.support.sessions import screen

HERE = Path(__file__).parent
SITE, HEAD, USUAL_NODE = "dgx-h100-4", "head-01", "dgx-02"
USUAL_NODES = {"hgx-h200-roce": "hgx-03"}
LATER = 30 * MINUTE
MEASURING = ("nvbandwidth", "p2pBandwidthLatencyTest", "all_reduce_perf")
FIGURE, SCATTER = re.compile(r"\d+\.\d+"), 0.06
PATIENCE = 5 * MINUTE  # then Ctrl-C: a collective waits for ever for a GPU that hangs


@dataclass(frozen=True, slots=True)
class Look:
    """A command line, as whom it runs, and whether on the head node."""

    at_head: bool
    user: str
    line: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a fault is looked at: its line, the site, its settings, whether the node starts anew afterwards."""

    line: str
    site: str = SITE
    settings: tuple[tuple[str, str], ...] = ()
    restarted: bool = False

    @property
    def node(self) -> str:
        """The node that the fault befell; the usual one where it befell something else."""
        target = self.line.partition("target=")[2].split()[0].partition("/")[0]
        own = target.startswith(("dgx-", "hgx-", "node-", "gpu-", "cp-"))
        return target if own else USUAL_NODES.get(self.site, USUAL_NODE)


@cache
def looks() -> tuple[Look, ...]:
    """All looks, in the order of their file."""
    rows = (line.split(maxsplit=2) for line in _lines("looks.txt"))
    return tuple(Look(where == "head", user, line) for where, user, line in rows)


@cache
def scene(fault: str) -> Scene:
    """The scene of a fault: from scenes.txt, or its first kind of target's example."""
    for line in _lines("scenes.txt"):
        name, *words = line.split()
        if name == fault:
            given = [word for word in words if not word.startswith(("site=", "set=", "then="))]
            site = next((word.removeprefix("site=") for word in words if word.startswith("site=")), SITE)
            settings = tuple(_setting(word) for word in words if word.startswith("set="))
            return Scene(" ".join((name, *given)), site, settings, "then=reboot" in words)
    return Scene(f"{fault} target={_example(catalogue()[fault])}")


@cache
def changed(fault: str) -> dict[str, str]:
    """The looks that the fault changes, by their line, and a digest of what each shows instead."""
    where = scene(fault)
    simulation = _site(where.site, where.settings).fork()
    simulation.apply(parse_fault(where.line))
    _go_on(simulation, where)
    healthy = _healthy(where.site, where.settings, where.node, where.restarted)
    return {
        look.line: hashlib.sha256(shown.encode()).hexdigest()[:12]
        for look, shown in _shown(simulation, where.node)
        if not (_same if any(name in look.line for name in MEASURING) else str.__eq__)(shown, healthy[look])
    }


@cache
def _site(site: str, settings: tuple[tuple[str, str], ...]) -> Simulation[World]:
    simulation = open_site(site, overrides=dict(settings))
    simulation.advance(MINUTE)
    return simulation


@cache
def _healthy(site: str, settings: tuple[tuple[str, str], ...], node: str, restarted: bool) -> Mapping[Look, str]:
    simulation = _site(site, settings).fork()
    _go_on(simulation, Scene(f"target={node}", site, settings, restarted))
    return dict(_shown(simulation, node))


def _go_on(simulation: Simulation[World], where: Scene) -> None:
    """What happens until somebody looks."""
    if where.restarted:
        simulation.apply(Reboot(where.node, "root"))
    simulation.advance(LATER)


def _same(first: str, second: str) -> bool:
    """Whether two outputs say the same: a figure that was measured scatters by a few per cent."""
    figures = [list(map(float, FIGURE.findall(text))) for text in (first, second)]
    if FIGURE.sub("", first) != FIGURE.sub("", second):
        return False
    return all(abs(one - other) <= SCATTER * max(abs(one), abs(other)) for one, other in zip(*figures, strict=True))


def _settled(text: str) -> str:
    """An output without process ids, which follow from whatever was started before."""
    return re.sub(r"(?i)\b(pid\s+)\d+|:\d{4,}:\d{4,} ", r"\1N ", text)


def _shown(simulation: Simulation[World], node: str) -> Iterator[tuple[Look, str]]:
    for look in looks():
        yield look, _settled(_show(simulation.fork(), HEAD if look.at_head else node, look))


def _show(simulation: Simulation[World], host: str, look: Look) -> str:
    """What a look shows, with its exit status. What is no command of ours goes through a shell."""
    if look.line.startswith("cat "):
        return content(simulation, host, look.line.removeprefix("cat "))
    if not installed(simulation.world.inventory, host, look.line.split()[0]):
        return screen(simulation, [look.line], host=host, user=look.user)
    done = run_command(simulation, host, look.user, look.line, interrupt_after=PATIENCE)
    return f"{done.status}\n{done.stdout}\n{done.stderr}"


def _setting(word: str) -> tuple[str, str]:
    key, _, value = word.removeprefix("set=").partition("=")
    return key, value


def _example(fault: Fault) -> str:
    return target_kinds()[fault.targets[0]].example


def _lines(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
