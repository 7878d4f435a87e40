"""An adapter tells the GUID of another one: somebody wrote the GUID of a card that was to be replaced into the spare,
and later the old card came back into service, or the GUID was written into the wrong card.

opensm finds one GUID at two places (ERR 0D01) and never finishes a sweep: the adapter stays Initializing, and so does
every port that comes up, while what was set up before goes on. flint's query shows the card's own GUID beside the other
one; writing it back and a reset of the card mend it.
"""

from __future__ import annotations

from engine.control import adapter_firmware
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.adapters import card
from engine.world.inventory import Hca
from engine.world.world import World

_NOW, _NEXT_START = "now", "next_start"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The GUID is written, and loaded at once or by the next start. Raises BreakfixError where no other one is."""
    world = simulation.world
    other = _other(world, world.inventory.hca(target), str(values["of"]))
    simulation.apply(adapter_firmware.WriteGuid(target, adapter_firmware.own_guid(world, other)))
    if values["when"] == _NOW:
        simulation.apply(adapter_firmware.ResetAdapter(target))


def _other(world: World, hca: Hca, named: str) -> Hca:
    """The device whose GUID it is: the named one, or that of the same name in the next node of the same kind."""
    inventory = world.inventory
    if named:
        return inventory.hca(named)
    names = [name for name in inventory.node_names if inventory.pattern(name) == inventory.pattern(hca.node)]
    after = names.index(hca.node) + 1
    for name in (*names[after:], *names[: after - 1]):
        found = inventory.hca(f"{name}/{hca.name}")
        if found.port in inventory.cables and card(inventory.node(name), found) == found.id:
            return found
    raise BreakfixError(f"no other node has a device like {hca.id}", "Name one as `of`.")


FAULT = Fault(
    id="hca.guid_copied",
    title="An adapter tells the GUID of another one",
    targets=("cabled_hca",),
    inject=inject,
    parameters=(
        Parameter("of", "text", "", "Whose GUID it tells; by default that of its like in the next node."),
        Parameter("when", "choice", _NOW, "Whether it runs so at once or from the next start.", (_NOW, _NEXT_START)),
    ),
    doc="opensm: ERR 0D01 without end, new ports stay Initializing. flint -guid OWN sg and mlxfwreset mend it.",
)
