"""ibrouters of infiniband-diags: the routers of the fabric. The model has none, so it prints nothing."""

from __future__ import annotations

from engine.commands.infiniband._diags.lists import lister

COMMAND = lister("ibrouters", "show InfiniBand router nodes in topology", {})
