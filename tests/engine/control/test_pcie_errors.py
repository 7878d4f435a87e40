"""Corrected errors of a PCIe link: the kernel's lines, its counts and the GPU's replays agree."""

from __future__ import annotations

import re

import pytest

from engine.control import journald, pcie_errors
from engine.control.accounts import identity
from engine.control.boot import Reboot
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics.config_space import writing
from engine.physics.pcie import restore_link
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST, ADDRESS, PORT, ROOT = "dgx-04", "0000:1b:00.0", "0000:17:03.0", "0000:15:01.0"
GPU = f"{HOST}/gpu0"


@pytest.fixture
def spoilt() -> Simulation[World]:
    simulation = open_site("dgx-h100-4", 1)
    pcie_errors.spoil(simulation, HOST, ADDRESS, 20 * SECOND)
    simulation.advance(20 * MINUTE)
    return simulation


def lines(simulation: Simulation[World]) -> list[str]:
    return [entry.text for entry in journald.kernel_entries(simulation.world, HOST, 0)]


def read(simulation: Simulation[World], name: str) -> str:
    tree = HostTree(simulation, HOST, identity(simulation.world.inventory, "root"))
    return tree.read(f"/sys/bus/pci/devices/{name}").decode()


def total(simulation: Simulation[World], address: str) -> int:
    text = read(simulation, f"{address}/aer_dev_correctable")
    names = dict(line.split() for line in text.splitlines())
    assert int(names["TOTAL_ERR_COR"]) == sum(int(count) for name, count in names.items() if name != "TOTAL_ERR_COR")
    return int(names["TOTAL_ERR_COR"])


def test_lines_and_counts_agree(spoilt: Simulation[World]) -> None:
    head = rf"pcieport {ROOT}: AER: (Multiple )?Corrected error message received from ({ADDRESS}|{PORT})"
    heads = [line for line in lines(spoilt) if re.fullmatch(head, line)]
    assert 30 < len(heads) < 130
    assert total(spoilt, ADDRESS) + total(spoilt, PORT) == len(heads)
    assert int(read(spoilt, f"{ROOT}/aer_rootport_total_err_cor")) == len(heads)


def test_the_kernels_grammar(spoilt: Simulation[World]) -> None:
    text = "\n".join(lines(spoilt))
    kind = r"severity=Corrected, type=Data Link Layer, \(Receiver ID\)"
    block = rf"nvidia {ADDRESS}: PCIe Bus Error: {kind}\nnvidia {ADDRESS}:   device \[10de:2330\] "
    assert re.search(rf"{block}error status/mask=00000040/00002000\nnvidia {ADDRESS}:    \[ 6\] BadTLP", text)
    assert re.search(r"\[ 0\] RxErr {18}\(First\)", text)


def test_replays_count_on_the_gpu(spoilt: Simulation[World]) -> None:
    replays = run_command(spoilt, HOST, "root", "nvidia-smi -q -i 0").stdout
    found = re.search(r"Replays Since Reset\s*: (\d+)", replays)
    assert found and int(found.group(1)) == spoilt.world.gpus[GPU].pcie_replays > 0


def test_a_mask_keeps_the_kernel_from_hearing(spoilt: Simulation[World]) -> None:
    node = spoilt.world.node(HOST)
    for address in (ADDRESS, PORT):
        place = writing.offset(node.devices[address], "error_reporting", "CEMsk")
        assert place is not None
        writing.write(spoilt, HOST, address, place, b"\xff\xff\x00\x00")
    before = len(lines(spoilt))
    spoilt.advance(20 * MINUTE)
    assert len(lines(spoilt)) == before


def test_reseating_ends_it_and_a_restart_does_not(spoilt: Simulation[World]) -> None:
    spoilt.apply(Reboot(HOST, "alex"))
    spoilt.advance(30 * MINUTE)
    assert total(spoilt, ADDRESS) + total(spoilt, PORT) > 0
    restore_link(spoilt, HOST, ADDRESS)
    before = total(spoilt, ADDRESS)
    spoilt.advance(20 * MINUTE)
    assert total(spoilt, ADDRESS) == before
