"""NVLinks of GPUs that fail or go wrong: links that go down, what a reset trains again, and errors that are counted.

Law: a link that failed stays down until its GPU is reset, which trains all its links anew; one that cannot train stays
down. Errors on a link are noticed by checksums and sent again: nothing is lost, counters grow while the link is used
(under load, in steps; NVIDIA has no rate for links of H100 that people measured, so how many is the fault's to choose).
A reset sets the counters to zero. That replays cost no bandwidth worth telling is a simplification.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.world.events import BoardDefectStruck, GpuReset, NvLinkFailed, NvLinksChanged
from engine.world.records import BoardDefect, NvLinkErrors
from engine.world.world import World

LANES = {"Ampere": 4, "Hopper": 2, "Blackwell": 2}
"""Lanes of an NVLink by architecture, each with a checksum counter of its own."""

_REPLAYS_A_RECOVERY = 400
"""How many packets are sent again for each time that the link has to train anew (guess)."""

FATAL, TRAINING, SWITCH = "fatal", "training", "switch"
"""How a link failed: at work by itself, it did not train, or its NVSwitch failed."""


def fail_link(simulation: Simulation[World], gpu_id: str, link: int) -> None:
    """A link that was at work is gone."""
    fail_links(simulation, {gpu_id: [link]}, FATAL)


def fail_links(simulation: Simulation[World], links: Mapping[str, Sequence[int]], how: str) -> None:
    """Links of GPUs of one node are gone, all at once; those that were down already change nothing."""
    world, gone = simulation.world, []
    for gpu_id, numbers in links.items():
        down = world.nvlinks[gpu_id].down
        gone += [(gpu_id, link) for link in numbers if link not in down]
        world.nvlinks.update(gpu_id, down=tuple(sorted({*down, *numbers})))
    for gpu_id, link in gone:
        simulation.publish(NvLinkFailed(gpu_id, link, how))
    if gone:
        simulation.publish(NvLinksChanged(gone[0][0].partition("/")[0]))


def break_link(simulation: Simulation[World], gpu_id: str, link: int, *, badly_seated: bool) -> None:
    """A link can no longer train: it fails now, and with each reset again until the board, or its seat, is mended."""
    state = simulation.world.nvlinks[gpu_id]
    broken = tuple(sorted({*state.broken, link}))
    simulation.world.nvlinks.update(gpu_id, broken=broken, badly_seated=badly_seated or state.badly_seated)
    fail_link(simulation, gpu_id, link)


def leave_untrained(
    simulation: Simulation[World], gpu_id: str, links: Sequence[int], *, broken: bool, badly_seated: bool
) -> None:
    """Links did not come up when they were last trained, which nobody was told; `broken` ones never will."""
    state = simulation.world.nvlinks[gpu_id]
    simulation.world.nvlinks.update(
        gpu_id,
        down=tuple(sorted({*state.down, *links})),
        broken=tuple(sorted({*state.broken, *(links if broken else ())})),
        badly_seated=badly_seated or state.badly_seated,
    )
    simulation.publish(NvLinksChanged(gpu_id.partition("/")[0]))


def mend_seat(simulation: Simulation[World], gpu_id: str) -> bool:
    """Somebody reseats the module; the links train at the next start. Gives whether it was badly seated."""
    state = simulation.world.nvlinks[gpu_id]
    if state.badly_seated:
        simulation.world.nvlinks.update(gpu_id, broken=(), badly_seated=False)
    return state.badly_seated


def new_module(simulation: Simulation[World], gpu_id: str) -> None:
    """Another board is in the socket, with links of its own, properly seated."""
    simulation.world.nvlinks.forget(gpu_id)


def _reset(simulation: Simulation[World], event: GpuReset) -> None:
    """The links of a GPU train anew, and their counters start at zero."""
    state = simulation.world.nvlinks[event.gpu]
    simulation.world.nvlinks.update(event.gpu, down=state.broken, errors=(), trained=simulation.now)
    for link in state.broken:
        simulation.publish(NvLinkFailed(event.gpu, link, TRAINING))
    if state.down != state.broken:
        simulation.publish(NvLinksChanged(event.gpu.partition("/")[0]))


def _struck(simulation: Simulation[World], event: BoardDefectStruck) -> None:
    defect = board_defects.find(simulation.world, event.gpu, event.kind, event.place)
    if defect is None:
        return
    if event.kind == board_defects.LINK_DOWN:
        fail_link(simulation, event.gpu, event.place)
    elif event.kind == board_defects.LINK_ERRORS and event.place not in simulation.world.nvlinks[event.gpu].down:
        _count(simulation, event.gpu, defect)


def _count(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    """One lane of the link is the bad one; what its checksums find is sent again."""
    world, link = simulation.world, defect.place
    kept = {each.link: each for each in world.nvlinks[gpu_id].errors}
    before = kept.get(link, NvLinkErrors(link))
    lanes = LANES.get(world.inventory.gpu(gpu_id).product.architecture, 2)
    bad = hash64(world.seed, "bad lane", world.gpus[gpu_id].serial, link) % lanes
    wrong = board_defects.amount(world, gpu_id, defect, "checksums")
    replays = before.replay + max(1, wrong * 9 // 10)
    kept[link] = replace(
        before,
        replay=replays,
        recovery=max(before.recovery, replays // _REPLAYS_A_RECOVERY),
        crc=tuple(number + (wrong if lane == bad else 0) for lane, number in enumerate(before.crc or (0,) * lanes)),
    )
    world.nvlinks.update(gpu_id, errors=tuple(kept[number] for number in sorted(kept)))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((GpuReset, _reset), (BoardDefectStruck, _struck))
