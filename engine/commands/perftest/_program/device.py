"""The device that a perftest program uses: finding it, its link, its GID, its packets, its memory; and what the program
says where one of these fails (perftest_parameters.c, perftest_resources.c, perftest_communication.c, cuda_memory.c).

Guesses: that the kernel counts 64 KiB of queues beside the buffer against RLIMIT_MEMLOCK, and addresses of buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.perftest._program.kinds import LATENCY, SEND, WRITE, Kind
from engine.commands.perftest._program.options import RULE, Settings
from engine.control import driver, gpu_direct, limits, programs, verbs
from engine.control.containers.inside import container, memory_lock, sees_infiniband
from engine.kernel.random import hash64
from engine.physics import links
from engine.physics.paths import network
from engine.workloads import cuda
from engine.workloads.perftest import INLINE_BYTES, OUTSTANDING_READS
from engine.world.inventory import Gpu, Hca
from engine.world.records import LogicalState

MTU_NUMBERS = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
_STATES = {LogicalState.DOWN: "Down", LogicalState.INITIALIZING: "Init", LogicalState.ARMED: "Armed"}
_SEND_INLINE_BYTES, _DATAGRAM_INLINE_BYTES = 236, 188
_MAPPED = ["0000"] * 5 + ["ffff"]
_PAGE, _CACHE_LINE, _GPU_PAGE = 4096, 64, 65536
_QUEUES_KIB = 64
_LARGEST_KEY_INDEX = 127


class Failed(Exception):
    """A program ends with status 1 after these lines on standard error."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Device:
    """An opened device: GID index (-1: none), the GID, the type of that GID, bytes sent inline, reads under way."""

    hca: Hca
    gid_index: int
    gid: str
    gid_type: str
    inline: int
    reads: int

    @property
    def ethernet(self) -> bool:
        return self.hca.link_layer == "Ethernet"

    @property
    def gid_is_ipv4(self) -> bool:
        return self.gid.split(":")[:6] == _MAPPED

    @property
    def ipv4_address(self) -> str:
        """The IPv4 address that the GID stands for, "" for none."""
        if not self.gid_is_ipv4:
            return ""
        words = self.gid.split(":")[6:]
        return ".".join(str(int(word[start : start + 2], 16)) for word in words for start in (0, 2))

    @property
    def gid_is_empty(self) -> bool:
        return not self.gid.replace(":", "").strip("0")


_NO_CONTEXT = " Couldn't get context for the device"
_NO_RESOURCES = " Couldn't create IB resources"
NO_CONNECTION = " Unable to set up socket connection"


def open_device(ctx: Context, kind: Kind, settings: Settings) -> Device:
    """Find the device and look at its port. Raises Failed."""
    reachable = sees_infiniband(ctx.world, ctx.host, ctx.environment)
    hca = _find(verbs.devices(ctx.world, ctx.host) if reachable else (), settings.ib_dev)
    if settings.ib_port != 1:
        text = f" Unable to query port {settings.ib_port} attributes"
        raise Failed(text, " Couldn't set the link layer", _NO_CONTEXT)
    state = links.logical_state(ctx.world, hca.port)
    if state is not LogicalState.ACTIVE:
        raise Failed(f" Port number 1 state is {_STATES[state]}", " Couldn't set the link layer", _NO_CONTEXT)
    inline = _inline(ctx, kind, settings)
    reads = settings.outs if settings.outs > 0 else OUTSTANDING_READS
    if reads > OUTSTANDING_READS:
        ctx.line(RULE)
        ctx.error(f" Number of outstanding reads is above max = {OUTSTANDING_READS}\n Changing to that max value")
    if settings.pkey_index > _LARGEST_KEY_INDEX:
        ctx.line(RULE)
        ctx.error(f" Specified PKey Index, {settings.pkey_index}, greater than allowed max, {_LARGEST_KEY_INDEX}")
        ctx.error(" Changing to 0")
    return Device(hca, settings.gid_index, "", "", inline, min(reads, OUTSTANDING_READS))


def _find(found: Sequence[Hca], wanted: str | None) -> Hca:
    missing = " Unable to find the Infiniband/RoCE device"
    if not found:
        raise Failed(" Did not detect devices ", " If device exists, check if driver is up", missing)
    chosen = next((hca for hca in found if wanted in (None, hca.name)), None)
    if chosen is None:
        raise Failed(f"IB device {wanted} not found", missing)
    return chosen


def _inline(ctx: Context, kind: Kind, settings: Settings) -> int:
    if settings.inline_size >= 0:
        return settings.inline_size
    if settings.cuda:
        ctx.line("Perftest doesn't supports CUDA tests with inline messages: inline size set to 0")
        return 0
    if kind.test != LATENCY:
        return 0
    datagram = settings.connection == "UD"
    return {WRITE: INLINE_BYTES, SEND: _DATAGRAM_INLINE_BYTES if datagram else _SEND_INLINE_BYTES}.get(kind.verb, 0)


def packet(ctx: Context, settings: Settings, hca: Hca) -> int:
    """Bytes of payload in a packet, as far as this end is concerned; says where -m asks for what can't be."""
    active = network.packet_size(ctx.world, hca.port)
    if not settings.mtu:
        return active
    if settings.mtu not in MTU_NUMBERS:
        ctx.error(f" Invalid MTU - {settings.mtu} \n Please choose mtu from {{256,512,1024,2048,4096}}")
        ctx.error(f" Will run with the port active mtu - {MTU_NUMBERS[active]}")
        return active
    if settings.mtu > active:
        ctx.line(f"Requested mtu is higher than active mtu \nChanging to active mtu - {MTU_NUMBERS[active]}")
    return min(settings.mtu, active)


def with_gid(ctx: Context, settings: Settings, device: Device) -> Device:
    """The device with the GID that -x names, or that suits best on Ethernet. Raises Failed for an index out of the
    table.
    """
    if settings.gid_index < 0 and not device.ethernet:
        return device
    folder = f"/sys/class/infiniband/{device.hca.name}/ports/1"
    index = settings.gid_index if settings.gid_index >= 0 else _best(ctx, folder, settings.ipv6)
    gid = paths.read_or(ctx, f"{folder}/gids/{index}").strip()
    if not gid:
        raise Failed(NO_CONNECTION)
    kind = paths.read_or(ctx, f"{folder}/gid_attrs/types/{index}").strip()
    return Device(device.hca, index, gid, kind, device.inline, device.reads)


def _best(ctx: Context, folder: str, ipv6: bool) -> int:
    """The first GID of the wanted kind of address, of RoCE v2 if there is one."""
    best, rank = 0, (-1, -1)
    for index in range(256):
        gid = paths.read_or(ctx, f"{folder}/gids/{index}").strip()
        if not gid or not gid.replace(":", "").strip("0"):
            break
        kind = paths.read_or(ctx, f"{folder}/gid_attrs/types/{index}").strip()
        own = (int((gid.split(":")[:6] == _MAPPED) != ipv6), int(kind == "RoCE v2"))
        if own > rank:
            best, rank = index, own
    return best


def buffer_bytes(settings: Settings) -> int:
    """Bytes of the buffer that both directions of all queue pairs share."""
    size = max(settings.size, _PAGE)
    return -(-size // _CACHE_LINE) * _CACHE_LINE * 2 * settings.qp


def buffer_address(ctx: Context, pid: int, settings: Settings, gpu: Gpu | None) -> int:
    """Where the buffer lies."""
    draw = hash64(ctx.world.seed, "buffer", ctx.host, pid)
    if gpu is not None:
        return 0x7F0000000000 + draw % 0x8000 * 0x2000000
    large = buffer_bytes(settings) >= 128 * 1024
    return (0x7F0000000000 + draw % 0xFF0000 * 0x10000 if large else 0x560000000000 + draw % 0xFFF0000 * _PAGE) + 0x1000


def chosen_gpu(ctx: Context, pid: int, settings: Settings) -> Gpu | None:
    """The GPU whose memory is used, after the words of cuda_memory_init; None for host memory. Raises Failed."""
    if not settings.cuda:
        return None
    try:
        gpu = _open_gpu(ctx, pid, settings)
    except cuda.CudaError as error:
        ctx.simulation.apply(driver.OpenDriver(ctx.host, ctx.name, pid))
        ctx.line(f"cuInit(0) returned {error.code}")
        raise Failed("Couldn't init GPU context: 1", "Failed to init memory", _NO_RESOURCES) from None
    if settings.use_cuda_dmabuf and not gpu_direct.dma_buf(ctx.world, ctx.host):
        raise Failed("DMA-BUF is not supported on this GPU", "Failed to init memory", _NO_RESOURCES)
    return gpu


def _open_gpu(ctx: Context, pid: int, settings: Settings) -> Gpu:
    number = settings.use_cuda
    if settings.use_cuda_bus_id:
        ctx.line("initializing CUDA")
        gpus = cuda.open_devices(ctx.world, ctx.host, ctx.environment, ctx.identity.name)
        ctx.line(f"Finding PCIe BUS {settings.use_cuda_bus_id}")
        number = next((index for index, gpu in enumerate(gpus) if _same_bus(gpu, settings.use_cuda_bus_id)), -1)
        if number < 0:
            text = "cuDeviceGetByPCIBusId failed with error: 101; Failed to get PCI Bus ID"
            raise Failed(f"{text} ({settings.use_cuda_bus_id})", "Failed to init memory", _NO_RESOURCES)
        ctx.line(f"Picking GPU number {number}")
    ctx.line("initializing CUDA")
    gpus = cuda.open_devices(ctx.world, ctx.host, ctx.environment, ctx.identity.name)
    if number >= len(gpus):
        text = f"No such device ID ({number}) exists in system"
        raise Failed(text, "Couldn't init GPU context: 1", "Failed to init memory", _NO_RESOURCES)
    ctx.line("Listing all CUDA devices in system:")
    for index, gpu in enumerate(gpus):
        bus, slot = gpu.address.split(":")[1], gpu.address.split(":")[2][:2]
        ctx.line(f"CUDA device {index}: PCIe address is {bus.upper()}:{slot.upper()}")
    ctx.line(f"\nPicking device No. {number}")
    ctx.line(f"[pid = {pid}, dev = {number}] device name = [{gpus[number].product.name}]")
    ctx.line("creating CUDA Ctx")
    try:
        cuda.make_context(ctx.world, gpus[number], pid)
    except cuda.CudaError as error:
        ctx.line(f"cuCtxCreate() error={error.code}")
        raise Failed("Couldn't init GPU context: 1", "Failed to init memory", _NO_RESOURCES) from None
    ctx.line("making it the current CUDA Ctx")
    memory = cuda.CONTEXT_MIB + -(-buffer_bytes(settings) >> 20)
    held = cuda.device_indices(ctx.world, [gpus[number]])
    ctx.simulation.apply(programs.HoldGpus(ctx.host, pid, held, memory))
    return gpus[number]


def _same_bus(gpu: Gpu, wanted: str) -> bool:
    return gpu.address.lower().endswith(wanted.lower().removeprefix("00000000:").removeprefix("0000:"))


def register(ctx: Context, pid: int, settings: Settings, device: Device, gpu: Gpu | None) -> int:
    """Allocate and register the buffer. Gives the remote key. Raises Failed."""
    size = buffer_bytes(settings)
    if gpu is None:
        limit = _lockable_kib(ctx)
        refused = limit is not None and size // 1024 + _QUEUES_KIB > limit
    else:
        refused = not settings.use_cuda_dmabuf and not gpu_direct.peermem(ctx.world, ctx.host)
        _tell_allocation(ctx, settings, size, buffer_address(ctx, pid, settings, gpu))
    if refused:
        raise Failed("Couldn't allocate MR", "failed to create mr", "Failed to create MR", _NO_RESOURCES)
    key: int = ctx.simulation.apply(verbs.RegisterMemory(device.hca.id))
    return key


def _lockable_kib(ctx: Context) -> int | None:
    """KiB that the program may lock, or None: root's on the host has no limit, root's in a container of Docker has the
    container's.
    """
    inside = container(ctx.world, ctx.host, ctx.environment)
    if inside is not None and inside.engine == "docker":
        return memory_lock(inside)
    return None if ctx.identity.uid == 0 else limits.memory_lock(ctx.world, ctx.host, ctx.identity.name)


def _tell_allocation(ctx: Context, settings: Settings, size: int, address: int) -> None:
    ctx.line("CUDA device integrated: 0")
    ctx.line(f"cuMemAlloc() of a {size} bytes GPU buffer")
    ctx.line(f"allocated GPU buffer address at {address:016x} pointer={address:#x}")
    if settings.use_cuda_dmabuf:
        aligned = -(-size // _PAGE) * _PAGE
        ctx.line(
            f"using DMA-BUF for GPU buffer address at {address:#x} aligned at {address:#x} with aligned size {aligned}"
        )
        words = f"offset=0, size={size}, addr={address:#x}, fd={_DESCRIPTOR}"
        ctx.line(f"Calling ibv_reg_dmabuf_mr({words}) for QP #0")


_DESCRIPTOR = 47
