"""ibhosts of infiniband-diags: the channel adapters of the fabric."""

from __future__ import annotations

from engine.commands.infiniband._diags.discovery import ADAPTER
from engine.commands.infiniband._diags.lists import lister
from engine.commands.infiniband._diags.topology import host_line

COMMAND = lister("ibhosts", "show InfiniBand host nodes in topology", {ADAPTER: host_line})
