"""What small daemons of a host keep in memory, and its clock."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HostClock:
    """A host's clock: `steps` are (since when, by how many ns it is ahead of the right time; behind: negative), by time
    (none: it is right).
    """

    steps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MungeDaemon:
    """munged of a host: the fingerprint of the key that it has loaded (None: the site's), what it wrote to its log as
    (time, text), and the fingerprints of the last credentials that it has decoded.
    """

    key: str | None = None
    log: tuple[tuple[int, str], ...] = ()
    decoded: tuple[str, ...] = ()
