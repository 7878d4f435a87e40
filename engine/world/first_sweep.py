"""What a subnet manager had done before a site began, as functions of the inventory: the world's default records ask
for it, and the floor that knows the rules of a subnet manager stands above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.world.inventory import Inventory

_NOTHING: Mapping[str, int] = MappingProxyType({})
_NO_TABLES: Mapping[str, bytes] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class FirstSweep:
    """Results of a manager's first sweep: `lids` by end port, and forwarding `tables` by the names of the switches.

    Both are empty where no subnet manager is; traffic then takes shortest ways by itself.
    """

    lids: Callable[[Inventory], Mapping[str, int]] = lambda _: _NOTHING
    tables: Callable[[Inventory], Mapping[str, bytes]] = lambda _: _NO_TABLES


NO_MANAGER = FirstSweep()
