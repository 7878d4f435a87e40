"""What NCCL prints while it makes a communicator (NCCL_DEBUG=INFO), from the first line to `Init COMPLETE`.

Texts and their order are those of the source of 2.28.9. Made up, but the same in every run: pointers, the id of the
communicator, numbers of threads and CPU cores, and how the time of the initialization is divided. A guess: the CUDA
error of a failed multicast binding.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.physics.paths import near
from engine.workloads.nccl import channels
from engine.workloads.nccl.channels import Counts
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.shape import Shape
from engine.workloads.nccl.speaking import VERSION, WARN, Speaker
from engine.world.inventory import Gpu, Node

BINDING_FAILED = (
    "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 "
    "'the operation cannot be performed in the present state'"
)
_LINE_LENGTH, _TREES_LENGTH = 127, 1023
_PARTS_OF_TIME = (
    ("kernels", 70), ("alloc", 520), ("bootstrap", 60), ("allgathers", 15), ("topo", 230), ("graphs", 45),
    ("connections", 50),
)  # fmt: skip
_TEXTS = frozenset({"NCCL_ALGO", "NCCL_PROTO", "NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY", "NCCL_NET_GDR_LEVEL"})
_TEXTS |= {"NCCL_P2P_LEVEL", "NCCL_TOPO_FILE", "NCCL_NET_PLUGIN", "NCCL_TUNER_PLUGIN", "NCCL_PROFILER_PLUGIN"}
_SILENT = frozenset(
    {"NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_CONF_FILE", "NCCL_NET", "NCCL_COMM_ID"}
)


@dataclass(frozen=True, slots=True)
class Member:
    """A rank inside its communicator, for its own lines."""

    rank: int
    place: int
    device: int
    pointer: str
    gpu: Gpu
    part: HostPart
    speaker: Speaker
    cpus: str
    first: bool
    """Whether it is the first of its process, which says what concerns the whole process."""

    @property
    def bus_id(self) -> str:
        """Bus, device and function as NCCL writes them in one number."""
        domain, bus, rest = self.gpu.address.split(":")
        return f"{int(domain + bus + rest.replace('.', ''), 16):x}"


@dataclass(frozen=True, slots=True)
class Setting:
    """What all ranks of a communicator share: `function` is the call that makes it, `duration` how long that takes."""

    parts: tuple[HostPart, ...]
    shape: Shape
    counts: Counts
    version: str
    cuda: str
    driver: int
    identity: str
    function: str
    duration: int
    same_process: bool


def address_text(address: str, port: int = 0) -> str:
    """An address as NCCL's sockets print it."""
    return f"{address}<{port}>"


def lines(member: Member, setting: Setting, node: Node) -> Iterator[str]:
    """All lines of a rank."""
    if member.first:
        yield from _opening(member, setting)
    yield from member.speaker.info("ENV", "Comm config Blocking set to 1", member.speaker.pid)
    if member.first:
        yield from _network(member)
    used = member.part.network
    yield from member.speaker.info("INIT|NET", f"Initialized NET plugin {used}")
    yield from member.speaker.info("INIT|NET", f"Assigned NET plugin {used} to comm")
    yield from member.speaker.info("INIT", f"Using network {used}")
    yield from _beginning(member, setting)
    yield from _machine(member, setting, node)
    yield from _graphs(member, setting)
    yield from _ending(member, setting)


def version_line(setting: Setting) -> str:
    """NCCL's version with CUDA's, as it was built."""
    return f"NCCL version {setting.version}+cuda{setting.cuda}"


def _opening(member: Member, setting: Setting) -> Iterator[str]:
    say, main = member.speaker, member.speaker.pid
    environment = member.part.environment
    yield from say.info("INIT", "ENV/Plugin: Could not find: libnccl-env.so", main)
    for name in ("NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME"):
        yield from _set(say, environment, name, main)
    first = member.part.interfaces[0]
    yield from say.info("BOOTSTRAP", f"Bootstrap: Using {first.name}:{address_text(first.address)}", main)
    yield from say.info("INIT", f"cudaDriverVersion {setting.driver}", main)
    if say.level in (VERSION, WARN) and member.rank == 0:
        yield version_line(setting)
    yield from say.info("ALL", version_line(setting), main)


def _network(member: Member) -> Iterator[str]:
    say, part = member.speaker, member.part
    environment = part.environment
    yield from say.info("INIT", "NET/Plugin: Could not find: libnccl-net.so")
    if environment.text("NCCL_IB_DISABLE"):
        yield from _set(say, environment, "NCCL_IB_DISABLE")
    hca = environment.text("NCCL_IB_HCA")
    if hca is not None and not environment.number("NCCL_IB_DISABLE", 0):
        yield from say.info("NET|ENV", f"NCCL_IB_HCA set to {hca}")
    first = part.interfaces[0]
    if part.devices:
        layers = {"InfiniBand": "IB", "Ethernet": "RoCE"}
        devices = (f" [{number}]{hca.name}:1/{layers[hca.link_layer]}" for number, hca in enumerate(part.devices))
        place = f"OOB {first.name}:{address_text(first.address)}"
        yield from say.info("INIT|NET", f"NET/IB : Using{''.join(devices)} [RO]; {place}")
    else:
        if not environment.number("NCCL_IB_DISABLE", 0):
            yield from say.info("INIT|NET", "NET/IB : No device found.")
            yield from say.info("INIT|NET", f"NET/IB : Using [RO]; OOB {first.name}:{address_text(first.address)}")
        yield from say.info("INIT|NET", "Failed to initialize NET plugin IB")
        used = (f" [{number}]{each.name}:{address_text(each.address)}" for number, each in enumerate(part.interfaces))
        yield from say.info("INIT|NET", f"NET/Socket : Using{''.join(used)}")


def _beginning(member: Member, setting: Setting) -> Iterator[str]:
    say, device = member.speaker, member.device
    if member.part.memory == "dmabuf":
        yield from say.info("INIT", f"DMA-BUF is available on GPU device {device}")
    yield from say.info("INIT", f"{_call(member, setting)} - Init START")
    if member.first:
        yield from say.info("INIT|RAS", "RAS client listening socket at 127.0.0.1<28028>")
    parts = [_share(member, name) for name in ("create", "send", "recv", "ring")]
    names = zip(("create", "send", "recv", "ring"), parts, strict=True)
    detail = ", ".join(f"{name} {part / 1e6:f}" for name, part in names)
    total = sum(parts) + 320
    yield from say.info("BOOTSTRAP|PROFILE", f"Bootstrap timings total {total / 1e6:f} ({detail}, delay 0.000000)")


def _machine(member: Member, setting: Setting, node: Node) -> Iterator[str]:
    say = member.speaker
    if node.nvswitches:
        fabric = f"MNNVL busId 0x{member.bus_id} fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0"
        yield from say.info("INIT", fabric)
    for name in member.part.environment.names():
        if name not in _SILENT and not name.startswith(("NCCL_IB_HCA", "NCCL_IB_DISABLE", "NCCL_SOCKET_")):
            yield from _set(say, member.part.environment, name)
    local = near.cpu_list(node, member.gpu.numa)
    allowed = member.cpus or f"0-{node.cpu.sockets * node.cpu.cores * node.cpu.threads - 1}"
    common = near.common(node, member.gpu.numa, member.cpus) or "empty, ignoring"
    affinity = f"Affinity for GPU {member.gpu.index} is {common}. (GPU affinity = {local} ; CPU affinity = {allowed})."
    yield from say.info("INIT", f"ncclTopoGetCpuAffinity: {affinity}")
    yield from _multicast(member, setting)


def _multicast(member: Member, setting: Setting) -> Iterator[str]:
    """What the driver says of NVLink SHARP, and whether a group could be made."""
    say, enabled = member.speaker, member.part.environment.number("NCCL_NVLS_ENABLE", 2)
    if not enabled or not setting.shape.figures.nvls_share or len(member.part.ranks) < 2:
        return
    channels_used = setting.counts.nvls or channels.nvls_channels(setting.shape)
    support = f"NVLS multicast support is available on dev {member.device}"
    yield from say.info("INIT", f"{support} (NVLS_NCHANNELS {channels_used})")


def _binding(member: Member) -> Iterator[str]:
    if (
        member.part.environment.number("NCCL_NVLS_ENABLE", 2)
        and not member.part.multicast
        and len(member.part.ranks) > 1
    ):
        yield from member.speaker.info("INIT|NVLS", f"{BINDING_FAILED}. Proceeding without NVLS support.")


def _graphs(member: Member, setting: Setting) -> Iterator[str]:
    say, shape, rank = member.speaker, setting.shape, member.rank
    sizes = f"nRanks {shape.ranks} nNodes {shape.nodes} localRanks {len(member.part.ranks)} localRank {member.place}"
    yield from say.info("INIT", f"comm {member.pointer} rank {rank} {sizes} MNNVL 0")
    count = setting.counts.collective
    if member.part is setting.parts[0] and shape.nodes > 1 and setting.counts.nvls:
        for rail in range(shape.adapters):
            heads = (f" {part.ranks[channels.head_place(part, rail)]:2d}" for part in setting.parts[:20])
            yield from say.info("INIT", f"NVLS Head {rail:2d}:{''.join(heads)}")
    if rank == 0:
        width = len(str(shape.ranks - 1))
        for channel in range(count):
            order = channels.ring_from(channels.ring(setting.parts, shape, channel), 0)
            text = f"Channel {channel:02d}/{count:02d} :" + "".join(f" {each:{width}d}" for each in order)
            yield from say.info("INIT", text if len(text) <= _LINE_LENGTH else f"{text[: _LINE_LENGTH - 3]}...")
    places = (channels.tree(setting.parts, shape, count, channel, rank) for channel in range(count))
    text = "".join(f" [{channel}] {place.text(rank)}" for channel, place in enumerate(places))
    yield from say.info("INIT", f"Trees{text[:_TREES_LENGTH]}")
    chunk = 131072 if shape.nodes > 1 or not shape.nvlinks else 524288
    yield from say.info("INIT", f"P2P Chunksize set to {chunk}")
    yield from say.info("INIT", "PROFILER/Plugin: Could not find: libnccl-profiler.so")
    joined = int(shape.nvlinks > 0 and shape.nodes == 1)
    same = int(setting.same_process)
    yield from say.info("INIT", f"Check P2P Type isAllDirectP2p {joined} directMode {same} isAllCudaP2p {joined}")


def _ending(member: Member, setting: Setting) -> Iterator[str]:
    say, counts, ranks = member.speaker, setting.counts, setting.shape.ranks
    for number, thread in enumerate(("Proxy Service", "Proxy Service UDS"), start=1):
        core = hash64("nccl core", say.host, say.pid, thread) % 56 + 56 * member.gpu.numa
        text = f"[{thread}] Device {member.device} CPU core {core}"
        yield from say.info("INIT", text, say.thread + 10 + number)
    if setting.shape.figures.nvls_share:
        yield from _binding(member)
    yield from say.info("INIT", f"threadThresholds 8/8/64 | {8 * ranks}/8/64 | 512 | 512")
    single = f"{counts.single} p2p channels, {counts.single_per_peer} p2p channels per peer"
    first = f"{counts.collective} coll channels, {counts.collective} collnet channels, {counts.nvls} nvls channels"
    yield from say.info("INIT", f"{first}, {single}")
    if member.rank == 0:
        yield from say.info("INIT", "CC Off, workFifoBytes 1048576")
    yield from say.info("INIT", "TUNER/Plugin: Could not find: libnccl-tuner.so")
    yield from say.info("INIT", f"{_call(member, setting)} - Init COMPLETE")
    total = setting.duration / SECOND
    parts = [(name, total * share / 1000) for name, share in _PARTS_OF_TIME]
    detail = ", ".join(f"{name} {part:.2f}" for name, part in parts)
    rest = total - sum(part for _, part in parts)
    begin = f"Init timings - {setting.function}: rank {member.rank} nranks {ranks} total {total:.2f}"
    yield from say.info("INIT|PROFILE", f"{begin} ({detail}, rest {rest:.2f})")


def _call(member: Member, setting: Setting) -> str:
    """The beginning of the lines in which a communicator is told of."""
    numbers = f"cudaDev {member.device} nvmlDev {member.gpu.index} busId {member.bus_id}"
    who = f"{setting.function} comm {member.pointer} rank {member.rank} nranks {setting.shape.ranks}"
    return f"{who} {numbers} commId {setting.identity}"


def _set(say: Speaker, environment: Environment, name: str, thread: int | None = None) -> Iterator[str]:
    """That a variable was set: as text, or as the number that NCCL reads from it."""
    text = environment.text(name)
    if not text:
        return
    value = text if name in _TEXTS else f"{environment.number(name, 0)}."
    if name == "NCCL_P2P_DISABLE":
        value = value.rstrip(".")
    yield from say.info("ENV", f"{name} set by environment to {value}", thread)


def _share(member: Member, name: str) -> int:
    """Microseconds of a part of the bootstrap."""
    return 90 + hash64("nccl bootstrap", member.speaker.host, member.speaker.pid, member.rank, name) % 9000
