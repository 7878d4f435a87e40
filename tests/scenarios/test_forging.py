"""Evidence that the learner wrote is none, however it is put together."""

from __future__ import annotations

import asyncio

import pytest

from scenarios.catalogue import packaged
from scenarios.result import Result
from scenarios.scoring import score
from scenarios.session import DrillSession

FORGED = (
    "{{ printf 'Xid (PCI:%s): 79,\\n' 0000:{bus}:00;"
    " printf 'Unable to determine the device %s for GPU: Unknown Error\\n' handle;"
    " printf '{bus}:00.0 x (%s ff)\\n' rev;"
    " printf 'GPU 0000:{bus}:00.0: GPU %s number is {serial}\\n' serial; }}"
)


def played(lines: list[str]) -> Result:
    async def run() -> Result:
        session = await DrillSession.start(packaged("gpu-off-the-bus"), 1)
        for line in [*lines, ":submit"]:
            await session.perform(line.replace("NODE", session.stage.fill("{node}")))
        result = await score(session)
        session.close()
        return result

    return asyncio.run(run())


async def _truth() -> tuple[str, str]:
    session = await DrillSession.start(packaged("gpu-off-the-bus"), 1)
    session.close()
    gpu = session.simulation.world.inventory.gpu(session.stage.fill("{gpu}"))
    return gpu.address[5:7], gpu.serial


@pytest.mark.parametrize(
    "line",
    [
        "{forged}",
        "ssh NODE 'sudo dmesg | grep -q fallen' && {forged}",
        'ssh NODE "sudo dmesg | grep -q fallen && {forged}"',
        "f() {forged}",
        "x=$(ssh NODE lspci | grep -c ff); if [ $x = 1 ]; then {forged}; fi",
    ],
)
def test_echoes_that_depend_on_the_fault_are_no_evidence(line: str) -> None:
    bus, serial = asyncio.run(_truth())
    forged = FORGED.format(bus=bus, serial=serial)
    result = played([line.replace("{forged}", forged), "f"])
    assert [one.id for one in result.evidence if one.at is not None] == []
    assert result.score.points("evidence") == 0


def test_the_same_words_from_the_tools_count() -> None:
    lines = [
        "ssh NODE 'sudo dmesg | grep \"Xid.*79\"'",
        "ssh NODE nvidia-smi 2>&1 | grep 'Unable to determine the device handle'",
        "ssh NODE lspci -d 10de:2330 | grep 'rev ff'",
    ]
    result = played(lines)
    assert {one.id for one in result.evidence if one.at is not None} >= {"xid", "handle", "dead-function"}
