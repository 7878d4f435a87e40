"""What a manager finds, the order in which it keeps it, and the LIDs that it gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.control.subnet_manager.lids import swapped
from engine.control.subnet_manager.routing.fabric import Fabric, build, given_lids, without
from tests.engine.control.subnet_manager.routing import scenes
from tests.engine.control.subnet_manager.routing.drawings import irregular, three_tier, two_tier


def test_switches_and_ends_stand_in_table_order() -> None:
    known = scenes.fabric(irregular(12, 4, 40, 5).text())
    for guids in (known.switch_guids, known.end_guids):
        assert list(guids) == sorted(guids, key=swapped) and len(guids) > 1


def test_cables_are_told_from_both_ends() -> None:
    known = scenes.fabric(irregular(12, 4, 40, 5).text())
    for switch, peers in enumerate(known.peers):
        for port, far in enumerate(peers):
            if far >= 0:
                there = known.peer_ports[switch][port]
                assert (known.peers[far][there], known.peer_ports[far][there]) == (switch, port)


def test_leaves_come_by_their_adapters_then_in_table_order() -> None:
    drawing = two_tier(4, 2, 5)
    drawing.unplug((0, 1))
    known = scenes.fabric(drawing.text())
    assert [len(known.ends_of[leaf]) for leaf in known.leaves] == [5, 5, 5, 4]
    assert list(known.leaves[:3]) == sorted(known.leaves[:3])


def test_lids_of_a_fresh_start() -> None:
    known = scenes.fabric(two_tier(2, 2, 3).text())
    lids = scenes.lids(known)
    manager = 0xE8EBD30300000001
    assert lids[manager] == 1
    others = sorted((guid for guid in lids if guid != manager), key=swapped)
    assert [lids[guid] for guid in others] == list(range(2, len(lids) + 1))


def test_known_ports_keep_their_lids_and_new_ones_take_the_lowest_free() -> None:
    known = {10: 7, 99: 2}
    assert given_lids([30, 10, 20, 40], 40, known) == {10: 7, 40: 1, 30: 3, 20: 4}


def test_tables_reach_to_the_highest_lid_ever_given() -> None:
    drawing = two_tier(2, 2, 3)
    whole = scenes.fabric(drawing.text())
    last = whole.end_lids.index(whole.highest_lid)
    port = whole.ends_of[whole.end_switches[last]]
    drawing.unplug(
        next(socket for socket in drawing.cables if drawing.devices[socket[0]].guid + 1 == whole.end_guids[last])
    )
    smaller = scenes.fabric(drawing.text(), scenes.lids(whole))
    assert smaller.highest_lid == whole.highest_lid and len(smaller.end_lids) == len(whole.end_lids) - 1
    assert len(smaller.ends_of[smaller.switch_index[whole.switch_guids[whole.end_switches[last]]]]) == len(port) - 1


def test_only_what_cables_join_to_the_manager_is_found() -> None:
    switches = {0x100: 4, 0x200: 4, 0x300: 4}
    known = build(switches, [((0x100, 1), (0x200, 1))], [(0x11, (0x100, 2)), (0x33, (0x300, 2))], 0x11)
    assert set(known.switch_guids) == {0x100, 0x200} and known.end_guids == (0x11,)


def test_a_manager_on_a_switch_is_reached_by_its_port_0() -> None:
    known = build({0x100: 4, 0x200: 4}, [((0x100, 1), (0x200, 1))], [(0x11, (0x100, 2))], 0x200)
    assert scenes.lids(known)[0x200] == 1


def test_a_manager_without_a_link_finds_nothing() -> None:
    known = build({0x100: 4}, [], [], 0x11)
    assert known.switch_guids == () and known.highest_lid == 0


def test_a_cable_from_a_switch_to_itself_is_no_way() -> None:
    known = build({0x100: 4}, [((0x100, 3), (0x100, 4))], [(0x11, (0x100, 2))], 0x11)
    assert known.peers == ((-1,) * 5,)


@pytest.mark.parametrize("cables", [1, 5])
def test_losing_links_is_like_never_having_had_them(cables: int) -> None:
    drawing = three_tier(64, 8).with_guids_drawn(3)
    whole = scenes.fabric(drawing.text())
    lids = scenes.lids(whole)
    before = dict(drawing.cables)
    drawing.damaged(cables=cables)
    drawing.unplug((5, 1))
    gone = [socket for socket in before if socket not in drawing.cables]
    dead = [(drawing.devices[number].guid, port) for number, port in gone]
    expected = scenes.fabric(drawing.text(), lids)
    assert without(whole, dead, whole_manager(whole), lids) == replace(expected)


def whole_manager(known: Fabric) -> int:
    return known.end_guids[known.end_lids.index(1)]
