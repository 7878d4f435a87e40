"""What NCCL prints when an algorithm is used for the first time: it connects its channels only then (cuMem, 2.22 on).

Texts are those of src/transport of 2.28.9: P2P/CUMEM between processes of a node that NVLinks join, P2P/direct pointer
within one process, SHM where there is no peer access, NET between nodes, with /GDRDMA where the adapter reaches the
GPU's memory directly, and the rank of the GPU beside the adapter in brackets where that is another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl import channels
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.starting_lines import Member, Setting

_NVLS_STEP = 131072 * 8


@dataclass(frozen=True, slots=True)
class Link:
    """A connection of a channel from one rank to another."""

    channel: int
    sender: int
    receiver: int


def lines(member: Member, setting: Setting, algorithm: str) -> Iterator[str]:
    """All lines of a rank when it first uses an algorithm."""
    say = member.speaker
    if setting.shape.ranks == 1:
        return
    if algorithm == "Ring":
        yield from _channels(member, setting, _ring_links(member, setting))
        proxied = int(any("(" in _device(setting, link, sending=True) for link in _between(setting)))
        direct = int(all(part.direct for part in setting.parts))
        yield from say.info("INIT", f"Connected all rings, use ring PXN {proxied} GDR {direct}")
    elif algorithm == "Tree":
        known = set(_ring_links(member, setting))
        yield from _channels(member, setting, [link for link in _tree_links(member, setting) if link not in known])
        yield from say.info("INIT", "Connected all trees")
    elif algorithm in ("NVLS", "NVLSTree"):
        yield from _nvls(member, setting)


def _nvls(member: Member, setting: Setting) -> Iterator[str]:
    heads = len(member.part.ranks) if setting.shape.nodes == 1 else setting.shape.adapters
    per_rank = setting.counts.nvls * 2 * _NVLS_STEP
    sizes = f"buffSize {_NVLS_STEP} nvlsPerRankSize {per_rank} nvlsTotalSize {per_rank * heads}"
    group = f"headRank {member.place} nHeads {heads} nvlsRanks {len(member.part.ranks)}"
    yield from member.speaker.info("INIT|NVLS", f"NVLS comm {member.pointer} {group} {sizes}")
    if setting.shape.nodes > 1:
        yield from member.speaker.info("INIT", "Connected NVLS tree")


def _ring_links(member: Member, setting: Setting) -> list[Link]:
    """The two links of a rank in the ring of each channel: from the one before and to the one behind."""
    found = []
    for channel in range(setting.counts.collective):
        order = channels.ring_from(channels.ring(setting.parts, setting.shape, channel), member.rank)
        found += [Link(channel, order[-1], member.rank), Link(channel, member.rank, order[1 % len(order)])]
    return found


def _tree_links(member: Member, setting: Setting) -> list[Link]:
    found = []
    for channel in range(setting.counts.collective):
        place = channels.tree(setting.parts, setting.shape, setting.counts.collective, channel, member.rank)
        for other in (*place.down, place.up):
            if other >= 0:
                found += [Link(channel, other, member.rank), Link(channel, member.rank, other)]
    return found


def _between(setting: Setting) -> list[Link]:
    """All links of rings that lead from one node to another."""
    found = []
    for channel in range(setting.counts.collective if setting.shape.nodes > 1 else 0):
        order = channels.ring(setting.parts, setting.shape, channel)
        pairs = zip(order, (*order[1:], order[0]), strict=True)
        links = (Link(channel, sender, receiver) for sender, receiver in pairs)
        found += [link for link in links if _part(setting, link.sender) is not _part(setting, link.receiver)]
    return found


def _channels(member: Member, setting: Setting, links: list[Link]) -> Iterator[str]:
    incoming = [link for link in links if link.receiver == member.rank and not _inside(setting, link)]
    for link in incoming:
        way = f"[receive] via NET/{member.part.network}/{_device(setting, link, sending=False)}"
        yield from member.speaker.info("INIT|NET", f"Channel {link.channel:02d}/0 : {_ends(setting, link)} {way}")
    for link in (link for link in links if link.sender == member.rank and link.receiver != member.rank):
        if not _inside(setting, link):
            way = f"[send] via NET/{member.part.network}/{_device(setting, link, sending=True)}"
            yield from member.speaker.info("INIT|NET", f"Channel {link.channel:02d}/0 : {_ends(setting, link)} {way}")
        elif member.part.nvlinks:
            way = "P2P/direct pointer" if setting.same_process else "P2P/CUMEM"
            yield from member.speaker.info(
                "INIT|P2P", f"Channel {link.channel:02d}/0 : {_ends(setting, link)} via {way}"
            )
        else:
            ends = _ends(setting, link)
            yield from member.speaker.info("INIT|SHM", f"Channel {link.channel:02d} : {ends} via SHM/direct/direct")


def _ends(setting: Setting, link: Link) -> str:
    names = (f"{rank}[{_gpu_index(setting, rank)}]" for rank in (link.sender, link.receiver))
    return " -> ".join(names)


def _gpu_index(setting: Setting, rank: int) -> int:
    part = _part(setting, rank)
    return part.gpus[part.ranks.index(rank)].index


def _device(setting: Setting, link: Link, sending: bool) -> str:
    """The adapter of a link between nodes: its number, the rank beside it in brackets if it is another one's, and
    whether it reaches GPU memory.
    """
    rank = link.sender if sending else link.receiver
    part = _part(setting, rank)
    if part.socket:
        return str(link.channel % max(1, len(part.interfaces)))
    gpu = part.gpus[part.ranks.index(rank)]
    own = [adapter for adapter in part.adapters if adapter.gpu is gpu]
    adapter = own[0] if own else part.adapters[link.channel % len(part.adapters)]
    beside = part.ranks[part.gpus.index(adapter.gpu)]
    by_other = f"({beside})" if sending and beside != rank else ""
    return f"{part.devices.index(adapter.hca)}{by_other}{'/GDRDMA' if adapter.direct else ''}"


def _inside(setting: Setting, link: Link) -> bool:
    """Whether a link needs no network: both ends on one node that has peer access or shared memory."""
    part = _part(setting, link.sender)
    return part is _part(setting, link.receiver) and bool(part.nvlinks or part.shared_memory)


def _part(setting: Setting, rank: int) -> HostPart:
    return next(part for part in setting.parts if rank in part.ranks)
