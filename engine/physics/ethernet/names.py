"""What switches call their ports: `swp17`, or `swp9s0` and `swp9s1` of a split cage (Cumulus Linux); `Ethernet64`, by
the first of the eight lanes of a cage (SONiC on an SN5600).
"""

from __future__ import annotations

from engine.world.inventory import Inventory, Switch

_LANES = 8
_SONIC = "sonic"


def name(switch: Switch, number: int) -> str:
    """The name of a switch's port by its number from 1."""
    cage, half = divmod(number - 1, 2) if switch.split else (number - 1, 0)
    if switch.os == _SONIC:
        return f"Ethernet{cage * _LANES + half * _LANES // 2}"
    return f"swp{cage + 1}s{half}" if switch.split else f"swp{cage + 1}"


def port_name(inventory: Inventory, port: str) -> str:
    """The name of `leaf-01/17` on its switch. Raises KeyError if it is no switch's port."""
    device, _, number = port.rpartition("/")
    return name(inventory.switches[device], int(number))


def number_of(switch: Switch, wanted: str) -> int | None:
    """The number of the port that a switch calls so, or None."""
    return next((number for number in range(1, switch.ports + 1) if name(switch, number) == wanted), None)
