"""Fabrics as ibnetdiscover writes them: read whole, and every mistake told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kernel.places import DocumentError
from engine.sites.netlist import parse_netlist

GOOD = """\
#
# Topology file: generated on Mon Nov 30 21:01:27 2026
#
# Initiated from node e8ebd30300000000 port e8ebd30300000001

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xb83fd20300000000
switchguid=0xb83fd20300000000(b83fd20300000000)
Switch\t64 "S-b83fd20300000000"\t\t# "MF0;leaf-01:MQM9700/U1" enhanced port 0 lid 4 lmc 0
[1]\t"H-e8ebd30300000000"[1](e8ebd30300000001) \t\t# "dgx-01 mlx5_0" lid 1 4xNDR

vendid=0x2c9
devid=0x1021
sysimgguid=0xe8ebd30300000000
caguid=0xe8ebd30300000000
Ca\t2 "H-e8ebd30300000000"\t\t# "dgx-01 mlx5_0"
[1](e8ebd30300000001) \t"S-b83fd20300000000"[1]\t\t# lid 1 lmc 0 "MF0;leaf-01:MQM9700/U1" lid 4 4xNDR
"""


def test_a_switch_and_an_adapter() -> None:
    nodes = parse_netlist(GOOD, "fabric.net").nodes
    switch, adapter = nodes["S-b83fd20300000000"], nodes["H-e8ebd30300000000"]
    assert list(nodes) == [switch.identifier, adapter.identifier]
    assert (switch.switch, switch.ports, switch.lid) == (True, 64, 4)
    assert (switch.guid, switch.description) == (0xB83FD20300000000, "MF0;leaf-01:MQM9700/U1")
    assert switch.identity["devid"] == 0xD2F2
    assert (adapter.switch, adapter.ports, adapter.port_guid(1)) == (False, 2, 0xE8EBD30300000001)
    port = adapter.links[1]
    assert (port.peer, port.peer_port, port.lid, port.speed) == (switch.identifier, 1, 1, "4xNDR")
    assert switch.port_guid(1) == switch.guid


def test_a_port_guid_that_is_not_written_follows_from_the_node() -> None:
    text = GOOD.replace("[1](e8ebd30300000001) \t", "[1]\t")
    assert parse_netlist(text, "fabric.net").nodes["H-e8ebd30300000000"].port_guid(1) == 0xE8EBD30300000001


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[1]\t", "[65]\t", "fabric.net:11: the node has ports 1 to 64, found 65"),
        (
            "[1]\t",
            "1\t",
            "fabric.net:11: this line is neither a key such as `switchguid=0x...`, nor a node, nor a port",
        ),
        (
            '"S-b83fd20300000000"[1]',
            '"S-b83fd20300000000"',
            'fabric.net:18: a port must be written as `[1] "S-..."[2]`',
        ),
        ('"H-e8ebd30300000000"[1]', '"H-0"[1]', 'fabric.net:11: the cable of port 1 ends at "H-0", which is not in'),
        (
            '"S-b83fd20300000000"[1]',
            '"S-b83fd20300000000"[2]',
            'fabric.net:18: the cable of port 1 ends at port 2 of "S-b83fd20300000000", which has no cable',
        ),
        ("caguid=0xe8ebd30300000000\n", "", "fabric.net:16: a line `caguid=0x...` must stand before this node"),
        ("Switch\t64", "Switch\t0", "fabric.net:10: a node has 1 to 254 ports, found 0"),
        ("[1]\t", '[1]\t"H-e8ebd30300000000"[1]\n[1]\t', "fabric.net:12: port 1 is there already"),
    ],
)
def test_mistakes_are_told_with_their_line(old: str, new: str, message: str) -> None:
    with pytest.raises(DocumentError) as error:
        parse_netlist(GOOD.replace(old, new, 1), "fabric.net")
    assert message in str(error.value)


def test_a_node_that_is_there_twice() -> None:
    with pytest.raises(DocumentError, match=r'fabric\.net:24: the node "S-.*" is there already, in line 10'):
        parse_netlist(GOOD + "\n" + GOOD.partition("\n\n")[2].partition("\n\n")[0], "fabric.net")


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_a_file_without_nodes(text: str) -> None:
    with pytest.raises(DocumentError, match=r"empty\.net:1: no node found"):
        parse_netlist(text, "empty.net")


def test_every_mistake_is_told_in_the_order_of_lines() -> None:
    text = GOOD.replace("Switch\t64", "Switch\t999").replace("Ca\t2", "Ca\t0")
    with pytest.raises(DocumentError) as error:
        parse_netlist(text, "fabric.net")
    lines = [problem.location.line for problem in error.value.problems]
    assert lines == sorted(lines) and {10, 17} <= set(lines)


def test_what_ibnetdiscover_printed(shared: Path) -> None:
    text = (shared / "realtools" / "ib" / "pod256" / "ibnetdiscover.out").read_text()
    nodes = parse_netlist(text, "ibnetdiscover.out").nodes.values()
    assert sum(node.switch for node in nodes) == 12 and len(nodes) == 268
    assert all(link.speed for node in nodes for link in node.links.values())
    assert all(node.lid for node in nodes if node.switch)
