"""ibswitches of infiniband-diags: the switches of the fabric."""

from __future__ import annotations

from engine.commands.infiniband._diags.discovery import SWITCH
from engine.commands.infiniband._diags.lists import lister
from engine.commands.infiniband._diags.topology import switch_line

COMMAND = lister("ibswitches", "show InfiniBand switch nodes in topology", {SWITCH: switch_line})
