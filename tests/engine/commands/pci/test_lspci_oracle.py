"""Our lspci against the real one, which decodes the same configuration spaces from a dump."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.kernel.simulation import Simulation
from engine.world.records import BusState
from engine.world.world import World
from tests.support import lspci_oracle
from tests.support.run import run_command

VERSION = lspci_oracle.version()
OLD = VERSION is not None and VERSION.startswith("3.7")
MakeSimulation = Callable[..., Simulation[World]]

pytestmark = pytest.mark.skipif(VERSION is None, reason="no lspci here")


@pytest.fixture
def simulation(make_simulation: MakeSimulation) -> Simulation[World]:
    """A site whose hosts have the version of lspci that is installed here; links and boards are not all sound."""
    simulation = make_simulation(pciutils=VERSION)
    link = f"dgx-02/{simulation.world.inventory.gpu('dgx-02/gpu3').address}"
    simulation.world.pcie_links.update(link, width=8, generation=3)
    simulation.world.gpus.update("dgx-02/gpu5", bus=BusState.ABSENT)
    return simulation


def seen(text: str) -> str:
    """Up to 3.7 lspci prints this line only where it knows the sizes of regions, which a dump lacks."""
    return re.sub(r"^\t\t\t AtomicOpsCap: 32bit.*\n", "", text, flags=re.MULTILINE) if OLD else text


def compare(simulation: Simulation[World], host: str, place: Path, *options: str) -> None:
    lspci_oracle.write_dump(simulation.world, host, place)
    ours = run_command(simulation, host, "root", f"lspci {' '.join(options)}")
    assert ours.status == 0
    assert seen(lspci_oracle.without_kernel(ours.stdout)) == seen(lspci_oracle.judge(place, *options))


@pytest.mark.parametrize("host", ["dgx-01", "dgx-02", "head-01"])
@pytest.mark.parametrize("options", ["-n", "-nn", "-D", "-t", "-tv", "-P", "-PP", "-mm", "-v", "-vv", "-vvv", "-vvvnn"])
def test_whole_host(simulation: Simulation[World], tmp_path: Path, host: str, options: str) -> None:
    compare(simulation, host, tmp_path, options)


@pytest.mark.parametrize(
    "options",
    [
        ("-s", "1b:00.0", "-vvv"),
        ("-s", "1b:", "-nn"),
        ("-s", ".1"),
        ("-s", "0000:18:"),
        ("-d", "10de:"),
        ("-d", "10de:22a3", "-vv"),
        ("-d", "::0302"),
        pytest.param(("-d", "::06xx", "-n"), marks=pytest.mark.skipif(OLD, reason="3.8 and later")),
        ("-d", "15b3:*:0200", "-v"),
        ("-s", "52:00.0", "-xxxx"),
        ("-s", "99:", "-x"),
        ("-s", "77:00.0"),
    ],
)
def test_selection(simulation: Simulation[World], tmp_path: Path, options: tuple[str, ...]) -> None:
    compare(simulation, "dgx-02", tmp_path, *options)
