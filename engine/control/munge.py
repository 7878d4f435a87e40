"""MUNGE: credentials that one host encodes and another decodes, if both have loaded one key and their clocks agree.

munged reads its key when it starts and never again: a key file that was replaced changes nothing until then. A
credential is good for 300 seconds, and clocks may differ by as much. Rules and texts: dun/munge 0.5.15 src/munged
(conf.c: the checks of the key file; dec.c: _dec_validate_time; munged.c and job.c: the log) and
src/libmunge/strerror.c.
"""

from __future__ import annotations

import base64

from engine.control import files as host_files
from engine.control import host_clock, service_state
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import ServiceChanged
from engine.world.inventory import Inventory, stable_hexadecimal
from engine.world.world import World

SERVICE = "munge"
KEY_FILE = "/etc/munge/munge.key"
UID, GID = 111, 113
LEAST_KEY = 32
LIFETIME = 300
"""Seconds for which a credential is good, unless it says otherwise."""

Status = tuple[int, str]
"""What munged says of a credential: number and text."""

SUCCESS, BAD_FORMAT, INVALID = (0, "Success"), (8, "Invalid credential format"), (14, "Invalid credential")
EXPIRED, REWOUND = (15, "Expired credential"), (16, "Rewound credential")
REPLAYED, UNAUTHORIZED = (17, "Replayed credential"), (18, "Unauthorized credential")
_PREFIX = "MUNGE:"
_KEPT = 32


@dataclass(frozen=True, slots=True)
class Credential:
    """What a credential says: who made it, on which host, when by that host's clock (s since 1970), for how long it is
    good, for whom (None: anybody), and what it carries.
    """

    host: str
    address: str
    time: int
    lifetime: int
    uid: int
    gid: int
    payload: bytes = b""
    for_uid: int | None = None
    for_gid: int | None = None


def site_key(inventory: Inventory) -> bytes:
    """The key that the site gave all its hosts."""
    made = inventory.once(("munge key",), lambda: stable_hexadecimal(256, inventory.name, "munge key"))
    return bytes(made, "ascii")[:128]


def key_on_disk(world: World, host: str) -> bytes | None:
    """The key file of a host; None where there is none."""
    return host_files.content(world, host, KEY_FILE, site_key(world.inventory))


def loaded_key(world: World, host: str) -> str:
    """The fingerprint of the key that munged works with."""
    return world.munge[host].key or fingerprint(site_key(world.inventory))


def fingerprint(key: bytes) -> str:
    """A short name of a key."""
    return f"{hash64(key.hex()):016x}"


def runs(world: World, host: str) -> bool:
    """Whether munged answers on a host. One that has no such unit is taken to have what it needs."""
    return service_state.find(world, host, SERVICE) is None or service_state.is_active(world, host, SERVICE)


def refusal(world: World, host: str) -> str | None:
    """Why munged would not start: its error line, or None."""
    key, held = key_on_disk(world, host), host_files.written(world, host, KEY_FILE)
    if key is None:
        return f'Failed to find keyfile "{KEY_FILE}": No such file or directory (Did you run mungekey?)'
    if held is not None:
        mode = held.mode & 0o7777
        if held.uid != UID:
            return f'Keyfile is insecure: "{KEY_FILE}" should be owned by UID {UID} instead of UID {held.uid}'
        for who, bits in (("group", 0o060), ("other", 0o006)):
            if mode & bits:
                return (
                    f'Keyfile is insecure: "{KEY_FILE}" should not be readable or writable by {who} (perms={mode:04o})'
                )
    return f"Keyfile must be at least {LEAST_KEY} bytes" if len(key) < LEAST_KEY else None


def between(world: World, sender: str, receiver: str, now: int) -> Status:
    """What munged of `receiver` makes of a credential that `sender` encodes at this moment."""
    if loaded_key(world, sender) != loaded_key(world, receiver):
        return INVALID
    ahead = host_clock.offset(world, sender, now) - host_clock.offset(world, receiver, now)
    return REWOUND if ahead > LIFETIME * SECOND else EXPIRED if -ahead > LIFETIME * SECOND else SUCCESS


def encode(world: World, host: str, credential: Credential) -> str:
    """The credential as munge prints it: nobody without the key can read it (here: is meant to)."""
    import json  # only munge and unmunge wait for it

    fields = [
        credential.host, credential.address, credential.time, credential.lifetime, credential.uid, credential.gid,
        credential.payload.hex(), credential.for_uid, credential.for_gid,
    ]  # fmt: skip
    plain = json.dumps(fields, separators=(",", ":")).encode()
    key = loaded_key(world, host)
    check = f"{hash64(key, plain.hex()):016x}"
    sealed = bytes.fromhex(check) + _sealed(plain, key, check)
    return f"{_PREFIX}{base64.b64encode(bytes((3, 4, 5, 0)) + sealed).decode()}:"


def decode(world: World, host: str, text: str, uid: int, gid: int, now: int) -> tuple[Status, Credential | None]:
    """What munged of a host says of a credential, for a process of that user: the status, and what the credential says
    as far as it could be read.
    """
    stripped = text.strip()
    if not (stripped.startswith(_PREFIX) and stripped.endswith(":")):
        return BAD_FORMAT, None
    try:
        raw = base64.b64decode(stripped.removeprefix(_PREFIX).removesuffix(":"), validate=True)
    except ValueError:
        return BAD_FORMAT, None
    check, sealed = raw[4:12].hex(), raw[12:]
    key = loaded_key(world, host)
    plain = _sealed(sealed, key, check)
    if len(raw) < 13 or check != f"{hash64(key, plain.hex()):016x}":
        return INVALID, None
    import json  # only munge and unmunge wait for it

    made_on, address, time, lifetime, maker, group, payload, for_uid, for_gid = json.loads(plain)
    carried = bytes.fromhex(payload)
    found = Credential(made_on, address, time, lifetime, maker, group, carried, for_uid, for_gid)
    return _judged(world, host, found, (uid, gid), check, now), found


def _judged(world: World, host: str, found: Credential, who: tuple[int, int], check: str, now: int) -> Status:
    """Time first, then who may decode it, then whether it was decoded before (dec.c)."""
    here = host_clock.epoch(world, host, now) // SECOND
    if here < found.time - found.lifetime:
        return REWOUND
    if here > found.time + found.lifetime:
        return EXPIRED
    allowed = who[0] == 0 or (found.for_uid in (None, who[0]) and found.for_gid in (None, who[1]))
    if not allowed:
        return UNAUTHORIZED
    return REPLAYED if check in world.munge[host].decoded else SUCCESS


@dataclass(frozen=True, slots=True)
class Decoded(Action):
    """munged has decoded a credential, and takes it no second time. A failure goes to its log."""

    host: str
    text: str
    failure: str = ""

    def perform(self, simulation: Simulation[World]) -> None:
        if self.failure:
            write(simulation, self.host, f"Info:      {self.failure}")
            return
        raw = base64.b64decode(self.text.strip().removeprefix(_PREFIX).removesuffix(":"))
        known = simulation.world.munge[self.host].decoded
        simulation.world.munge.update(self.host, decoded=(*known, raw[4:12].hex())[-_KEPT:])


def write(simulation: Simulation[World], host: str, text: str) -> None:
    """munged writes a line to its log."""
    log = simulation.world.munge[host].log
    simulation.world.munge.update(host, log=(*log, (simulation.now, text)))


def load_key(simulation: Simulation[World], host: str) -> None:
    """munged has started: it works with the key that stands in the file now."""
    key = key_on_disk(simulation.world, host)
    simulation.world.munge.update(host, key=fingerprint(key) if key is not None else None)
    pid = service_state.service(simulation.world, host, SERVICE).pid
    write(simulation, host, f"Notice:    Starting munge-0.5.15 daemon (pid {pid})")
    write(simulation, host, 'Info:      Created socket "/run/munge/munge.socket.2"')


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit.removesuffix(".service") != SERVICE:
        return
    if event.active:
        load_key(simulation, event.host)
    else:
        write(simulation, event.host, "Notice:    Exiting on signal 15 (Terminated)")


def _sealed(data: bytes, key: str, check: str) -> bytes:
    """The bytes with a stream laid over them that follows from key and checksum; the same again takes it off."""
    laid = b"".join(hash64(key, check, block).to_bytes(8, "big") for block in range(len(data) // 8 + 1))
    return bytes(left ^ right for left, right in zip(data, laid, strict=False))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ServiceChanged, _service_changed),)
