"""ibnodes of infiniband-diags: what ibhosts prints, then what ibswitches prints."""

from __future__ import annotations

from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH
from engine.commands.infiniband._diags.lists import lister
from engine.commands.infiniband._diags.topology import host_line, switch_line

COMMAND = lister("ibnodes", "show InfiniBand nodes in topology", {ADAPTER: host_line, SWITCH: switch_line})
