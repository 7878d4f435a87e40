"""What NCCL prints when it fails: warnings, and the trail of places that hand the error up.

Texts and places are those of the source of 2.28.9 (file:line of the call that warns). Trails are shortened to the
places that tell something. Made up: port numbers, and the size of the request that got no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.kernel.random import hash64
from engine.workloads.nccl import roce
from engine.workloads.nccl.between import Rail
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.speaking import Speaker
from engine.workloads.nccl.starting_lines import BINDING_FAILED
from engine.workloads.nccl.troubles import Trouble
from engine.world.inventory import Hca

_REQUEST = 524288
_RETRIES_EXCEEDED = 129
_TYPES = {"Socket": 3, "IB": 4}
_INVALID, _TIMED_OUT = "22 Invalid argument", "110 Connection timed out"


def lines(trouble: Trouble, parts: Sequence[HostPart], speakers: Mapping[int, Speaker]) -> dict[int, tuple[str, ...]]:
    """What each rank prints, by number; ranks that say nothing are left out."""
    if trouble.hangs:
        return {}
    tell = _TELLERS[trouble.kind]
    told = {number: tuple(tell(trouble, parts, speakers[number], number)) for number in trouble.culprits}
    return {number: text for number, text in told.items() if text}


def _gpu(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    yield from say.warn("init.cc:1527", "Cuda failure 'unknown error'")
    yield from say.info("INIT", "group.cc:76 -> 1 [Async thread]")


def _lost(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    """Nothing of its own: the program that waits for the GPU gets CUDA's error."""
    return iter(())


def _interface(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    named = next(part for part in parts if rank in part.ranks).environment.text("NCCL_SOCKET_IFNAME")
    if named:
        yield from say.info("ENV", f"NCCL_SOCKET_IFNAME set by environment to {named}", say.pid)
    yield from say.warn("bootstrap.cc:114", "Bootstrap : no socket interface found", say.pid)
    yield from say.trail(5, "init.cc:160" if rank == 0 else "init.cc:1975", thread=say.pid)


def _network(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    yield from say.warn("plugin/net.cc:379", "Failed to initialize any NET plugin")
    yield from say.trail(5, "init.cc:421", "init.cc:1572")
    yield from say.info("INIT", "group.cc:76 -> 5 [Async thread]")


def _words(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    token, text = trouble.details
    yield from say.warn("graph/tuning.cc:104", f'Unrecognized element token "{token}" when parsing "{text}"')
    yield from say.trail(5, "init.cc:1356", "init.cc:1582")
    yield from say.info("INIT", "group.cc:76 -> 5 [Async thread]")


def _multicast(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    cause = "This is usually caused by a system or configuration error in the Fabric Manager or NVSwitches."
    advice = "Do not force-enable NVLS (NCCL_NVLS_ENABLE=1) if you wish to avoid this error in the future."
    for number, line in enumerate(say.warn("transport/nvls.cc:285", f"{BINDING_FAILED}.")):
        yield line
        if number:
            yield from (cause, advice)
    yield from say.info("INIT", "group.cc:76 -> 1 [Async thread]")


def _disagree(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    part = next(part for part in parts if rank in part.ranks)
    before = parts[parts.index(part) - 1]
    peer = f"{before.interfaces[0].address}<{_port(before.host, rank)}>"
    types = f"wrong type {_TYPES[before.network]} != {_TYPES[part.network]}"
    yield from say.warn("misc/socket.cc:538", f"socketFinalizeAccept from {peer}: {types}", say.helper)


def _memory(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    place = {"ibv_create_cq": "misc/ibvwrap.cc:215", "ibv_reg_mr": "misc/ibvwrap.cc:178"}[trouble.details[0]]
    text = f"Call to {trouble.details[0]} failed with error Cannot allocate memory"
    yield from say.warn(place, text, say.helper)


def _address(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    part = next(part for part in parts if rank in part.ranks)
    place = next(number for number, each in enumerate(part.adapters) if each.hca.name == trouble.details[0])
    other = parts[parts.index(part) - 1]
    yield from _refused(say, part, place, other, other.adapters[place % len(other.adapters)].hca, _INVALID)


def _neighbour(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    """The kernel finds nobody behind the other end's address."""
    part = next(part for part in parts if rank in part.ranks)
    place = next(number for number, each in enumerate(part.adapters) if each.hca.name == trouble.details[0])
    other = next(each for each in parts if each.host == trouble.details[1].partition("/")[0])
    yield from _refused(say, part, place, other, other.world.inventory.hca(trouble.details[1]), _TIMED_OUT)


def _refused(say: Speaker, part: HostPart, place: int, other: HostPart, far: Hca, error: str) -> Iterator[str]:
    """ibv_modify_qp fails on the way to ready to receive."""
    hca = part.adapters[place].hca
    index = part.environment.number("NCCL_IB_GID_INDEX", -1)
    state = f"on dev {hca.name}:1, curr state INIT, next state RTR, local GID index {index}"
    local = roce.address(part.world, hca, part.environment)
    remote = roce.address(other.world, far, other.environment)
    text = f"Call to ibv_modify_qp failed with {error}, {state}, local GID {local}, remote GID {remote}"
    yield from say.warn("misc/ibvwrap.cc:307", text, say.helper)


def _no_answer(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    """Both ends of a connection: the sender's data and the receiver's notice of free buffers get no answer."""
    rail = next(rail for rail in trouble.rails if rank in (rail.sender, rail.receiver))
    sending = rank == rail.sender
    port = rail.source if sending else rail.destination
    if port in trouble.details:
        event = f"NET/IB : {port.split('/')[1]}:1 Got non-fatal async event: port error(10)"
        yield from say.warn("transport/net_ib.cc:253", event, say.helper)
    yield from say.warn("transport/net_ib.cc:2543", _completion(rail, parts, sending), say.helper)
    yield from say.trail(6, f"transport/net.cc:{1339 if sending else 1508}", "proxy.cc:761", thread=say.helper)
    yield from say.trail(6, "proxy.cc:965", thread=say.helper, last="[Progress Thread]")


def _completion(rail: Rail, parts: Sequence[HostPart], sending: bool) -> str:
    other = rail.receiver if sending else rail.sender
    host = next(part for part in parts if other in part.ranks)
    own, far = (rail.source, rail.destination) if sending else (rail.destination, rail.source)
    peer = f"{host.interfaces[0].address}<{_port(host.host, other)}>"
    request = f"opcode=IBV_WC_RDMA_WRITE(1) reqSize={_REQUEST}" if sending else "opcode=IBV_WC_SEND(0) reqSize=0"
    kind = f"vendor_err={_RETRIES_EXCEEDED} req_type={'Send' if sending else 'Recv'}"
    kind += _addresses(parts, own, far)
    status = "status=IBV_WC_RETRY_EXC_ERR(12)"
    return f"NET/IB: Got completion from peer {peer} with {status} {request} {kind} hca {own.split('/')[1]}"


def _addresses(parts: Sequence[HostPart], own: str, far: str) -> str:
    """On RoCE, the addresses of both ends."""
    here, there = (next(part for part in parts if port.startswith(f"{part.host}/")) for port in (own, far))
    hcas = [part.world.inventory.hca(port.rpartition("/")[0]) for part, port in ((here, own), (there, far))]
    if not roce.ethernet(hcas[0]):
        return ""
    local = roce.address(here.world, hcas[0], here.environment)
    return f" localGid {local} remoteGids{roce.address(there.world, hcas[1], there.environment)}"


def _algorithm(trouble: Trouble, parts: Sequence[HostPart], say: Speaker, rank: int) -> Iterator[str]:
    title, text = trouble.details
    start = f"Error : no algorithm/protocol available for function {title} with datatype ncclFloat32."
    yield from say.warn("enqueue.cc:1859", f"{start}{text}", say.pid)


def _port(host: str, rank: int) -> int:
    """A port of the kernel's range for outgoing connections."""
    return 32_768 + hash64("nccl port", host, rank) % 28_000


_Teller = Callable[[Trouble, Sequence[HostPart], Speaker, int], Iterator[str]]
_TELLERS: Mapping[str, _Teller] = {
    "gpu": _gpu,
    "lost": _lost,
    "interface": _interface,
    "network": _network,
    "words": _words,
    "multicast": _multicast,
    "disagree": _disagree,
    "memory": _memory,
    "address": _address,
    "neighbour": _neighbour,
    "no answer": _no_answer,
    "algorithm": _algorithm,
}
