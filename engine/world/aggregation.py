"""The aggregation node (SHARP) inside an InfiniBand switch chip: an adapter that no host has, behind the switch's last
port, which has no cage.

Tools see it as a channel adapter like any other: `Mellanox Technologies Aggregation Node`, device 0xcf09, with the GUID
of the switch plus 8 and the switch's system GUID, on port 41 of a Quantum and port 65 of a Quantum-2. Source: netlists
of fabrics with Quantum switches that were published; guess: that a Quantum-2 counts its GUID in the same way. Trees of
aggregation (sharp_am) are not modelled.
"""

from __future__ import annotations

from engine.world.fabric import AGGREGATION, Cable, Identity, Switch
from engine.world.inventory import Hca

DESCRIPTION, VENDOR, DEVICE = "Mellanox Technologies Aggregation Node", 0x2C9, 0xCF09
_GUID_STEP = 8


def node_of(switch: Switch) -> Hca:
    """The aggregation node of a switch, as an adapter `leaf-01/an`."""
    guid = switch.aggregation_guid or switch.guid + _GUID_STEP
    system = switch.identity.system_guid if switch.identity else switch.guid
    return Hca(
        id=f"{switch.name}/{AGGREGATION}",
        node=switch.name,
        name=AGGREGATION,
        address="",
        netdev="",
        link_layer="InfiniBand",
        rate=switch.rate,
        lanes=4,
        purpose="aggregation",
        model=DESCRIPTION,
        board_id="",
        pci_id=f"15b3:{DEVICE:04x}",
        firmware=switch.firmware,
        numa=0,
        guid=guid,
        port_guid=guid,
        mac="",
        identity=Identity(DESCRIPTION, VENDOR, DEVICE, system),
    )


def wire_of(switch: Switch, site: str) -> Cable:
    """What joins it with the switch: no cable that hands could pull."""
    ends = (f"{switch.name}/{AGGREGATION}/1", f"{switch.name}/{switch.ports}")
    return Cable("--".join(ends), ends, "internal", 0, site, "")
