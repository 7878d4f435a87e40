"""The driver's answer to errors of GPUs: chains of Xids for lost data, failed NVLinks, firmware and channels that do
not go on, and programs that crash by their own mistake.

Chains, from logs of H100 and A100 systems: 48 (from 580 on with 171 or 172), 63 or 64, then 94 with the channel that
met the lost data, or 95 with all; then 154. A row that waits for its remapping asks for drain and reset. A link of
Hopper and older fails with Xid 74 and SXid 20034 at the NVSwitch's end, one of Blackwell with Xid 149; those with
work on that GPU are told by Xid 45. Xid 109 comes five seconds after Xid 13 where a kernel's exception leaves the
engine stuck. Guesses: places in the chip, the registers of Xid 74 and 149, that a contained error which nobody works
on is told by nothing but 48 and 63.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.control import gsp, journald, service_state
from engine.control.modules import driver_version
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.control.processes import find
from engine.control.xid import (
    catalogue,
    demand_recovery,
    lines,
    main_process,
    report,
    report_sxid,
    tell_all_channels,
    watches,
)
from engine.control.xid.catalogue import Values
from engine.control.xid.report import end_work_on, tell_removal
from engine.control.xid.switches import switch_ports
from engine.kernel.events import Event, Handler
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import board_defects, gpu_memory
from engine.physics.load import bound_gpus, gpu_processes
from engine.physics.nvlink_errors import FATAL, SWITCH, TRAINING, fail_links
from engine.world.events import (
    BoardDefectStruck,
    ContextTimesOut,
    GpuLoadChanged,
    GpuMemoryError,
    NvLinkFailed,
    NvSwitchLinkFault,
    ProgramCrashes,
)
from engine.world.records import BootPhase, Priority, Process, RecoveryAction
from engine.world.world import World

Sim = Simulation[World]

DOUBLE_BIT, ROW_MARKED, ROW_FAILED, HIGH_RATE, CONTAINED, UNCONTAINED = 48, 63, 64, 92, 94, 95
EXCEPTION, PAGE_FAULT, STOPPED, LINK, SWITCH_TIMEOUT, GSP_ERROR, LINK_5 = 13, 31, 43, 74, 109, 120, 149
DRAM_DETAIL, SRAM_DETAIL = 171, 172

_DETAILS_FROM = 580
_STORM = 1000
"""Corrected errors at a time from which the driver turns their interrupts off (guess)."""

_PARTITIONS, _SUBPARTITIONS = 20, 4
_EXCEPTIONS = (
    ("Out Of Range Address", 0x11F000E, 0x1174),
    ("Illegal Instruction Parameter", 0xC04000B, 0x1174),
)
_CONTEXT_WAITS = 5 * SECOND
_SWITCH_NOTICES = 4 * MILLISECOND
_CTXSW_INFO, _CHANNEL = 0x58005, 8
_NVLINK_5 = ("Blackwell",)
_FATAL_REGISTERS = "0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0"
_EVENT_REGISTERS = "0x021425c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000"


def _memory_error(simulation: Sim, event: GpuMemoryError) -> None:
    """Data are lost: where, what becomes of the row, and who met it."""
    world, gpu = simulation.world, event.gpu
    if not watches(world, gpu):
        return
    chance = simulation.stream(f"memory error/{gpu}/{simulation.now}/{event.address}")
    recent = lines.loaded_release(world, gpu.partition("/")[0]) >= _DETAILS_FROM
    if event.part == "dram":
        place = {"partition": chance.integer(0, _PARTITIONS - 1), "subpartition": chance.integer(0, _SUBPARTITIONS - 1)}
        report(simulation, gpu, DOUBLE_BIT, {"address": event.address, **place}, form="dram")
        if recent:
            report(simulation, gpu, DRAM_DETAIL, place)
        _tell_remapping(simulation, event)
    else:
        report(simulation, gpu, DOUBLE_BIT, {"gpc": chance.integer(0, 7), "tpc": chance.integer(0, 8)}, form="sram")
        if recent:
            report(simulation, gpu, SRAM_DETAIL)
    _spread(simulation, event, chance)
    if event.remap:
        demand_recovery(simulation, gpu, RecoveryAction.DRAIN_AND_RESET)


def _tell_remapping(simulation: Sim, event: GpuMemoryError) -> None:
    values = {"address": event.address}
    if event.remap == gpu_memory.MARKED:
        report(simulation, event.gpu, ROW_MARKED, values, recover=False)
    else:
        report(simulation, event.gpu, ROW_FAILED, values, form=event.remap, recover=False)


def _spread(simulation: Sim, event: GpuMemoryError, chance: Stream) -> None:
    """The channel that met the data ends; where they may have gone anywhere, all do."""
    met = main_process(simulation.world, event.gpu)
    if not event.contained:
        values = {"partition": chance.integer(0, 9), "slice": chance.integer(0, 3)}
        report(simulation, event.gpu, UNCONTAINED, values, previous=DOUBLE_BIT)
    elif met:
        report(simulation, event.gpu, CONTAINED, {"unit": "SM", "code": 1}, process=met, previous=DOUBLE_BIT)


def _link_failed(simulation: Sim, event: NvLinkFailed) -> None:
    """A link is gone, or did not come up; the NVSwitch notices it at its end."""
    world, gpu = simulation.world, simulation.world.inventory.gpu(event.gpu)
    if not watches(world, gpu.id):
        return
    number = LINK_5 if gpu.product.architecture in _NVLINK_5 else LINK
    registers = _EVENT_REGISTERS if number == LINK_5 else _FATAL_REGISTERS
    ports = list(switch_ports(world.node(gpu.node), gpu.product, gpu.module))
    if event.how == TRAINING:
        remote = "0000:00:00"
        if event.link < len(ports):
            remote = lines.slot(world.node(gpu.node).nvswitches[ports[event.link][0]].address)
        values: Values = {"link": event.link, "remote": remote, "registers": registers}
        report(simulation, gpu.id, number, values, form=event.how, harmless=True)
        return
    alone = event.how == FATAL  # where a switch failed, who does that ends the work on all its GPUs
    report(simulation, gpu.id, number, {"link": event.link, "registers": registers}, form=FATAL, harmless=not alone)
    if not alone:
        demand_recovery(simulation, gpu.id, RecoveryAction.RESET)
    if event.how == FATAL and number == LINK and event.link < len(ports):
        switch, port = ports[event.link]
        fault = NvSwitchLinkFault(gpu.node, switch, port, world.nodes[gpu.node].boots)
        simulation.schedule(fault, _SWITCH_NOTICES)


def fail_switch(simulation: Sim, host: str, switch: int, number: int) -> None:
    """An NVSwitch reports a fatal SXid of one of its ports and carries nothing any more."""
    world, node = simulation.world, simulation.world.node(host)
    links: dict[str, list[int]] = {}
    ports: list[int] = []
    for gpu in node.gpus:
        for link, (chip, port) in enumerate(switch_ports(node, gpu.product, gpu.module)):
            if chip == switch:
                links.setdefault(gpu.id, []).append(link)
                ports.append(port)
    if driver_version(world, host) is not None and world.nodes[host].phase is BootPhase.RUNNING and ports:
        port = simulation.stream(f"switch fails/{host}/{switch}/{simulation.now}").choice(ports)
        report_sxid(simulation, node, switch, port, number)
        _fabric_manager_notices(simulation, host, switch, port, number)
    holders = {gpu_id: gpu_processes(world, gpu_id) for gpu_id in links if watches(world, gpu_id)}
    fail_links(simulation, links, SWITCH)
    for gpu_id, doomed in holders.items():
        tell_removal(simulation, gpu_id, LINK, doomed)
    end_work_on(simulation, holders, LINK)


def _fabric_manager_notices(simulation: Sim, host: str, switch: int, port: int, number: int) -> None:
    """A line of its log, as captured for a non-fatal error."""
    service = service_state.service(simulation.world, host, FABRIC_MANAGER)
    if service.active:
        address = simulation.world.node(host).nvswitches[switch].address.removeprefix("0000:")
        text = f"detected NVSwitch fatal error {number} on fid 0 on NVSwitch pci bus id 00000000:{address} "
        text += f"physical id {switch} port {port}"
        journald.log(simulation, host, text, source="nv-fabricmanager", priority=Priority.ERR, pid=service.pid)


def _struck(simulation: Sim, event: BoardDefectStruck) -> None:
    law = _LAWS.get(event.kind)
    if law and watches(simulation.world, event.gpu):
        law(simulation, event)


def _storm(simulation: Sim, event: BoardDefectStruck) -> None:
    """Very many corrected errors: the driver stops listening to them, and says so once."""
    defect = board_defects.find(simulation.world, event.gpu, event.kind, event.place)
    if defect and defect.amount >= _STORM and defect.strikes == 1:
        chance = simulation.stream(f"storm/{event.gpu}")
        report(simulation, event.gpu, HIGH_RATE, {"partition": chance.integer(0, _PARTITIONS - 1)}, form="dram")


def _firmware_stalls(simulation: Sim, event: BoardDefectStruck) -> None:
    gsp.stall(simulation, event.gpu)


def _firmware_crashes(simulation: Sim, event: BoardDefectStruck) -> None:
    """The firmware is gone: all work on the GPU with it."""
    simulation.world.gpus.update(event.gpu, gsp_stalled=True, gsp_timeouts=gsp.GIVES_UP_AFTER)
    tell_all_channels(simulation, event.gpu.partition("/")[0], GSP_ERROR, kernel=False)
    report(simulation, event.gpu, GSP_ERROR, process=main_process(simulation.world, event.gpu))


def _channel_stops(simulation: Sim, event: BoardDefectStruck) -> None:
    """A kernel ends in an exception, and its channel is not switched any more."""
    process = main_process(simulation.world, event.gpu)
    if process:
        _tell_exception(simulation, event.gpu, simulation.stream(f"exception/{event.gpu}/{simulation.now}"))
        stuck = event.kind == board_defects.CONTEXT_STUCK
        simulation.schedule(ContextTimesOut(event.gpu, process.pid, stuck), _CONTEXT_WAITS)


def _times_out(simulation: Sim, event: ContextTimesOut) -> None:
    node = event.gpu.partition("/")[0]
    process = find(simulation.world, node, event.pid)
    if process is None or not watches(simulation.world, event.gpu):
        return
    values = {"channel": _CHANNEL, "info": _CTXSW_INFO}
    report(simulation, event.gpu, SWITCH_TIMEOUT, values, process=process, previous=EXCEPTION)
    if event.stuck:
        simulation.world.gpus.update(event.gpu, hung=True)
        demand_recovery(simulation, event.gpu, RecoveryAction.RESET)
        simulation.publish(GpuLoadChanged(node))


def _tell_exception(simulation: Sim, gpu_id: str, chance: Stream) -> None:
    """The lines of one multiprocessor's exception; its registers lie at 0x504000, then by cluster and position."""
    what, first, last = chance.choice(_EXCEPTIONS)
    gpc, tpc, sm = chance.integer(0, 6), chance.integer(0, 8), chance.integer(0, 1)
    base = 0x504730 + gpc * 0x8000 + tpc * 0x800 + sm * 0x80
    registers = f"{base:#x}={first:#x} {base + 4:#x}=0x24 {base - 8:#x}=0xf81eb60 {base - 4:#x}={last:#x}"
    values: Values = {"gpc": gpc, "tpc": tpc, "sm": sm, "what": what, "registers": registers}
    for form in ("warp", "global", "registers"):
        report(simulation, gpu_id, EXCEPTION, values, form=form)


def crash(simulation: Sim, gpu_id: str, number: int, process: Process) -> None:
    """A program makes a mistake on a GPU that an Xid tells (13 with 43, 31, or 43 alone), and ends by it."""
    chance = simulation.stream(f"crash/{gpu_id}/{simulation.now}/{process.pid}")
    if number == EXCEPTION:
        _tell_exception(simulation, gpu_id, chance)
    if number == PAGE_FAULT:
        address = f"{0x7000 + chance.integer(0, 0xFFF):#x}_{chance.integer(0, 0xFFFF) << 16:08x}"
        client, access = f"GPCCLIENT_T1_{chance.integer(0, 15)}", chance.choice(("VIRT_READ", "VIRT_WRITE"))
        values: Values = {
            "channel": _CHANNEL,
            "client": client,
            "address": address,
            "fault": "FAULT_PDE",
            "access": access,
        }
        report(simulation, gpu_id, PAGE_FAULT, values, process=process)
        return
    previous = EXCEPTION if number == EXCEPTION else 0
    report(simulation, gpu_id, STOPPED, {"channel": chance.integer(8, 24)}, process=process, previous=previous)


def strike(simulation: Sim, gpu_id: str, number: int) -> None:
    """The driver reports an error of the chip out of the blue: 61, 62, 140 or 143. What dies of it and what it asks
    for stands in the catalogue.
    """
    chance = simulation.stream(f"strike/{gpu_id}/{simulation.now}/{number}")
    entry, process = catalogue.xids()[number], main_process(simulation.world, gpu_id)
    report(simulation, gpu_id, number, _STRIKES[number](chance), process=process, recover=False)
    if not watches(simulation.world, gpu_id):
        return
    if number == PMU_HALTED:
        node = gpu_id.partition("/")[0]
        index = [gpu.id for gpu in bound_gpus(simulation.world, node)].index(gpu_id)
        told = f"NVRM: GPU{index} _kgspRpcGspEventPmuHalted: Received signal from GSP that PMU has halted."
        lines.say(simulation, node, told)
    if entry.recovery:
        demand_recovery(simulation, gpu_id, entry.recovery)


def _registers(chance: Stream) -> Values:
    """Eight words of a halted microcontroller."""
    return {"words": " ".join(f"{chance.integer(0, 0xFFFFFFFF):08x}" for _ in range(8))}


def _escaped_to(chance: Stream) -> Values:
    """Which part of the chip noticed an ECC error that nobody handled; mostly the DRAM."""
    part = chance.choice(("dram", "dram", "ltc", "mmu"))
    return {name: int(name == part) for name in ("dram", "ltc", "mmu", "pcie")}


def uncontained(simulation: Sim, gpu_id: str) -> None:
    """An error whose data may have gone anywhere, found by the cache's tags (Xid 95): all work on the GPU ends."""
    chance = simulation.stream(f"uncontained/{gpu_id}/{simulation.now}")
    values = {"partition": chance.integer(0, 9), "slice": chance.integer(0, 3)}
    report(simulation, gpu_id, UNCONTAINED, values)


def _program_crashes(simulation: Sim, event: ProgramCrashes) -> None:
    """A program that somebody starts again and again crashes once more."""
    world, node = simulation.world, event.gpu.partition("/")[0]
    left = None if event.left is None else event.left - 1
    if left is None or left > 0:
        again = ProgramCrashes(event.gpu, event.xid, event.user, event.command, event.every, event.count + 1, left)
        chance = simulation.stream(f"again/{event.gpu}/{event.count}")
        simulation.schedule(again, event.every // 2 + chance.integer(0, event.every))
    if not watches(world, event.gpu):
        return
    pid = world.systems[node].next_pid
    world.systems.update(node, next_pid=pid + 3)
    crash(simulation, event.gpu, event.xid, Process(pid, 1, event.user, event.command, simulation.now))


PMU_BREAKPOINT, PMU_HALTED, ECC_ESCAPED, INITIALISATION = 61, 62, 140, 143
_STRIKES: Mapping[int, Callable[[Stream], Values]] = {
    PMU_BREAKPOINT: lambda chance: {"first": chance.integer(0xC00, 0xDFF), "second": chance.integer(0x3000, 0x3FFF)},
    PMU_HALTED: _registers,
    ECC_ESCAPED: _escaped_to,
    INITIALISATION: lambda chance: {},
}

_LAWS = {
    board_defects.CORRECTED: _storm,
    board_defects.GSP_STALL: _firmware_stalls,
    board_defects.GSP_CRASH: _firmware_crashes,
    board_defects.CONTEXT: _channel_stops,
    board_defects.CONTEXT_STUCK: _channel_stops,
}

HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (GpuMemoryError, _memory_error),
    (NvLinkFailed, _link_failed),
    (BoardDefectStruck, _struck),
    (ContextTimesOut, _times_out),
    (ProgramCrashes, _program_crashes),
)
