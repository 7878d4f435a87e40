"""States of NVLinks as DCGM gives them: of each GPU, and of each port of the NVSwitches.

A port of an NVSwitch is up while the GPU's link at its other end is. Which ports a board leaves open, and that DCGM
calls them not supported, is a guess; the ports that GPUs hang on are those of engine.control.xid.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.control import driver
from engine.control.xid import switch_ports
from engine.kernel.units import SECOND
from engine.world.inventory import Gpu
from engine.world.records import LinkSample, NvLinkErrors
from engine.world.world import World

UP, DOWN, DISABLED, NOT_SUPPORTED = "U", "D", "X", "_"
LINKS_OF_A_GPU, PORTS_OF_A_SWITCH = 18, 64
_WINDOW = 60 * SECOND


def of_gpu(world: World, gpu: Gpu) -> list[str]:
    """The state of each link."""
    down = world.nvlinks[gpu.id].down
    if driver.is_lost(world, gpu.id) or not world.node(gpu.node).nvswitches:
        state = DOWN if world.node(gpu.node).nvswitches else NOT_SUPPORTED
        return [state if link < gpu.product.nvlinks else NOT_SUPPORTED for link in range(LINKS_OF_A_GPU)]
    working = [DOWN if link in down else UP for link in range(gpu.product.nvlinks)]
    return working + [NOT_SUPPORTED] * (LINKS_OF_A_GPU - gpu.product.nvlinks)


def errors(world: World, gpu: Gpu) -> dict[int, NvLinkErrors]:
    """What the links of a GPU that have errors have counted, by link."""
    return {each.link: each for each in world.nvlinks[gpu.id].errors}


def sample(world: World, gpu_id: str, now: int) -> LinkSample:
    """What the links of a GPU have counted together, now."""
    found = world.nvlinks[gpu_id].errors
    crc = sum(sum(each.crc) for each in found)
    return LinkSample(gpu_id, now, crc, sum(each.replay for each in found), sum(each.recovery for each in found))


def grown(samples: Sequence[LinkSample], gpu_id: str, start: int) -> LinkSample | None:
    """By how much the counts of a GPU have grown since `start`; None where nothing was sampled."""
    own = [each for each in samples if each.gpu == gpu_id]
    if not own:
        return None
    first = next((each for each in reversed(own) if each.time <= start), own[0])
    last = own[-1]
    grown = (last.crc - first.crc, last.replay - first.replay, last.recovery - first.recovery)
    # Counters that were set to zero meanwhile have grown by what they show.
    crc, replay, recovery = grown if min(grown) >= 0 else (last.crc, last.replay, last.recovery)
    return LinkSample(gpu_id, last.time, crc, replay, recovery)


def with_sample(samples: Sequence[LinkSample], new: LinkSample) -> tuple[LinkSample, ...]:
    """The samples with a new one, without those that no watch needs any more."""
    own = [each for each in samples if each.gpu == new.gpu]
    old = [each for each in own if each.time <= new.time - _WINDOW][:-1]
    return (*(each for each in samples if each not in old), new)


def of_switches(world: World, host: str) -> list[list[str]]:
    """The state of each port of each NVSwitch."""
    node = world.node(host)
    ports = [[NOT_SUPPORTED] * PORTS_OF_A_SWITCH for _ in node.nvswitches]
    for gpu in node.gpus:
        states = of_gpu(world, gpu)
        for link, (switch, port) in enumerate(switch_ports(node, gpu.product, gpu.module)):
            ports[switch][port] = states[link] if link < len(states) else NOT_SUPPORTED
    return ports
