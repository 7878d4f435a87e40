"""Secure Boot: whether the firmware demands signatures, and whose keys count.

The switch is a BIOS attribute (`SecureBoot`, as Redfish names it), off on these machines. While it is on, Ubuntu's
kernel takes only modules whose key the firmware or the machine owner's list (MOK) holds; those of the kernel's and
MLNX_OFED's packages are among them. A key that `mokutil --import` asks for is enrolled when somebody stands at the
console during the next start (MokManager); without anybody there the request lapses. That the image has Mellanox's key
enrolled, and that an unanswered request lapses, are guesses. Sources: mokutil(1), Ubuntu's wiki UEFI/SecureBoot.
"""

from __future__ import annotations

from engine.control.dkms import machine_key
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.inventory import stable_hexadecimal
from engine.world.world import World

ATTRIBUTE, ON, OFF = "SecureBoot", "Enabled", "Disabled"
KEY_FILE = "/var/lib/shim-signed/mok/MOK.der"
IMAGE_KEYS = ("Canonical Ltd. Master Certificate Authority", "Mellanox Technologies signing key")


def is_on(world: World, host: str) -> bool:
    """Whether the firmware started the running system with Secure Boot."""
    return dict(world.bmcs[host].bios).get(ATTRIBUTE, OFF) == ON


def trusted(world: World, host: str, signer: str) -> bool:
    """Whether the kernel knows a signer's key."""
    return signer in (*IMAGE_KEYS, *world.systems[host].enrolled_keys)


def fingerprint(world: World, name: str) -> str:
    """The SHA-1 of a key, as mokutil and modinfo show it: 20 bytes with colons, made up."""
    digits = stable_hexadecimal(40, world.inventory.name, "key", name).lower()
    return ":".join(digits[place : place + 2] for place in range(0, 40, 2))


def switch(simulation: Simulation[World], host: str, on: bool) -> None:
    """Somebody sets the BIOS attribute; the next start goes by it."""
    bmc = simulation.world.bmcs[host]
    others = tuple(pair for pair in bmc.bios if pair[0] != ATTRIBUTE)
    simulation.world.bmcs.update(host, bios=(*others, (ATTRIBUTE, ON)) if on else others)


@dataclass(frozen=True, slots=True)
class RequestKey(Action):
    """mokutil --import of the machine's own key."""

    host: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.systems.update(self.host, requested_keys=(machine_key(self.host),))


def enrol_requested(simulation: Simulation[World], host: str) -> tuple[str, ...]:
    """Somebody at the console confirms what was asked for. Gives the keys."""
    state = simulation.world.systems[host]
    new = tuple(key for key in state.requested_keys if key not in state.enrolled_keys)
    simulation.world.systems.update(host, enrolled_keys=(*state.enrolled_keys, *new), requested_keys=())
    return new
