"""Buses inside a node: PCIe links and the registers that steer them, NVLinks, and the fabric that fabric manager has
programmed into the NVSwitches.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PcieLinkState:
    """The link above a PCI function, by `dgx-02/0000:1b:00.0`: what keeps it below what both ends can do (None:
    nothing). `redirect` says that its port sends peer requests up to the root (ACS ReqRedir and CmpltRedir); `held` is
    the generation to which software had it trained (None: as well as it can). A link with bad signals is mended by its
    own protocol about every `errors_every` ns (0: never) in the time since `errors_since`.
    """

    generation: int | None = None
    width: int | None = None
    redirect: bool = False
    held: int | None = None
    errors_every: int = 0
    errors_since: int = 0


@dataclass(frozen=True, slots=True)
class NvLinkErrors:
    """What one NVLink of a GPU has counted since its counters were last at zero: packets sent again, retrainings, and
    checksums that were wrong, by lane.
    """

    link: int
    replay: int = 0
    recovery: int = 0
    crc: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NvLinkState:
    """The NVLinks of a GPU: numbers of those that are down, and what those with errors have counted, by link.

    A reset trains the links anew, but for those that are `broken`; where the module is `badly_seated`, reseating mends
    them. `trained` is when that last happened, None if not since the site's start.
    """

    down: tuple[int, ...] = ()
    errors: tuple[NvLinkErrors, ...] = ()
    broken: tuple[int, ...] = ()
    badly_seated: bool = False
    trained: int | None = None


@dataclass(frozen=True, slots=True)
class NvFabricState:
    """What fabric manager has programmed into the NVSwitches of a node.

    `peer_access`: the GPUs' partition routes traffic between them (links may be up without it), `multicast`: groups for
    NVLink SHARP can be made. `programmed`: a fabric manager has come up since the NVSwitches were last reset. What is
    stale is so until every GPU has been reset; `reset` are those that have been since. `refused` are GPUs that
    registered and got no routes, as the fabric manager had no place for them; with `room` it has one by now.
    """

    peer_access: bool = True
    multicast: bool = True
    programmed: bool = True
    reset: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    room: bool = True
