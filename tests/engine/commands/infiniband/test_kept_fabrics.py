"""Fabrics kept in files, what is different from them, names of nodes, and lists made from topology files."""

from __future__ import annotations

import pytest

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World
from tests.support.run import Result, run_command

HOST, PORT, FAR = "head-01", "dgx-04/mlx5_0/1", "leaf-01/13"
FAILED = "ibnetdiscover: iberror: failed: loading cached fabric"


@pytest.fixture
def files(simulation: Simulation[World]) -> HostTree:
    return HostTree(simulation, HOST, identity(simulation.world.inventory, "root"))


def on(simulation: Simulation[World], files: HostTree, line: str) -> Result:
    return run_command(simulation, HOST, "root", line, files=files)


def unplug(simulation: Simulation[World]) -> None:
    links.change_cable(simulation, simulation.world.inventory.cables[FAR], plugged=False)


def test_nothing_has_changed(simulation: Simulation[World], files: HostTree) -> None:
    whole = on(simulation, files, "ibnetdiscover --cache /tmp/fabric").stdout
    assert on(simulation, files, "ibnetdiscover --diff /tmp/fabric").stdout == ""
    assert on(simulation, files, "iblinkinfo --diff /tmp/fabric").stdout == ""
    assert on(simulation, files, "ibnetdiscover --load-cache /tmp/fabric").stdout == whole


def test_what_went(simulation: Simulation[World], files: HostTree) -> None:
    on(simulation, files, "ibnetdiscover --cache /tmp/fabric")
    unplug(simulation)
    hca = simulation.world.inventory.hca("dgx-04/mlx5_0")
    lines = on(simulation, files, "ibnetdiscover --diff /tmp/fabric").lines
    link = f'< [13]\t"H-{hca.guid:016x}"[1]({hca.port_guid:x}) \t\t# "dgx-04 mlx5_0" lid '
    assert [line for line in lines if line.startswith(link)] and f"< caguid=0x{hca.guid:x}" in lines
    assert not [line for line in lines if line.startswith(">")]
    links_now = on(simulation, files, "iblinkinfo --diff /tmp/fabric").lines
    assert any(line.startswith("> ") and "Down/ Polling" in line for line in links_now)
    assert "< CA: dgx-04 mlx5_0:" in links_now


def test_what_came(simulation: Simulation[World], files: HostTree) -> None:
    unplug(simulation)
    on(simulation, files, "ibnetdiscover --cache /tmp/fabric")
    links.change_cable(simulation, simulation.world.inventory.cables[FAR], plugged=True)
    lines = on(simulation, files, "ibnetdiscover --diff /tmp/fabric").lines
    assert any(line.startswith("> caguid=") for line in lines) and not any(line.startswith("<") for line in lines)
    assert on(simulation, files, "ibnetdiscover --diff /tmp/fabric --diffcheck ca").lines[0] == ""


def test_ports_that_were_down_are_left_out(simulation: Simulation[World], files: HostTree) -> None:
    on(simulation, files, "ibnetdiscover --cache /tmp/fabric")
    unplug(simulation)
    text = on(simulation, files, "iblinkinfo -d -l --filterdownports /tmp/fabric").stdout
    assert len(text.splitlines()) == 1 and "leaf-01" in text


@pytest.mark.parametrize(
    ("line", "output", "status"),
    [
        ("ibnetdiscover --load-cache /nowhere", f"{FAILED} failed\n\n", 255),
        ("ibnetdiscover --diff /etc/hosts", f"{FAILED} for diff failed\n\n", 255),
        ("iblinkinfo --load-cache /nowhere", "", 1),
    ],
)  # fmt: skip
def test_files_that_hold_no_fabric(
    simulation: Simulation[World], files: HostTree, line: str, output: str, status: int
) -> None:
    result = on(simulation, files, line)
    assert (result.stdout, result.status) == (output, status)


def test_a_wrong_check(simulation: Simulation[World], files: HostTree) -> None:
    on(simulation, files, "ibnetdiscover --cache /tmp/fabric")
    result = on(simulation, files, "ibnetdiscover --diff /tmp/fabric --diffcheck nonsense")
    assert result.status == 2 and result.stderr.startswith("invalid diff check key: nonsense\n")


def test_given_names(simulation: Simulation[World], files: HostTree) -> None:
    guid = simulation.world.inventory.switches["leaf-01"].guid
    files.write("/root/names", f'# racks\n0x{guid:016x} "rack 7 top" # remark\n'.encode())
    for line in ("ibnetdiscover -S", "iblinkinfo", "ibqueryerrors", "saquery"):
        text = on(simulation, files, f"{line} --node-name-map /root/names").stdout
        assert "rack 7 top" in text and "MF0;leaf-01" not in text
    missing = on(simulation, files, "ibnetdiscover -S --node-name-map /nowhere")
    assert missing.stderr == 'WARNING failed to open node name map "/nowhere" (No such file or directory)\n'


def test_lists_of_a_topology_file(simulation: Simulation[World], files: HostTree) -> None:
    on(simulation, files, "ibnetdiscover /tmp/topology")
    unplug(simulation)
    assert on(simulation, files, "ibhosts /tmp/topology").lines == [
        *on(simulation, files, "ibnodes /tmp/topology").lines[:33]
    ]
    assert len(on(simulation, files, "ibhosts").lines) == 32
    assert on(simulation, files, "ibswitches /tmp/topology").lines == on(simulation, files, "ibswitches").lines
    assert on(simulation, files, "ibhosts /nowhere").stderr == "cat: /nowhere: No such file or directory\n"


def test_usage_texts(simulation: Simulation[World], files: HostTree) -> None:
    result = on(simulation, files, "iblinkinfo --help")
    lines = result.stderr.splitlines()
    assert result.status == 2 and lines[1] == "Usage: iblinkinfo [options] "
    assert "  --line, -l              everything of a link on one line" in lines
    assert "  --Ca, -C <ca>           the local device to use" in lines
