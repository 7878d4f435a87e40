"""Take a part out of its socket and put it back. It mends what was badly seated, and nothing else."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, nvlink_errors, plugs, supplies
from engine.physics.pcie import restore_link
from engine.world.inventory import Psu
from engine.world.world import World


def reseat_gpu(simulation: Simulation[World], target: str, number: int) -> str:
    """An SXM module: off with the heat sink, out, contacts inspected, in and tightened to the torque of the manual."""
    gpu, state = simulation.world.inventory.gpu(target), simulation.world.gpus[target]
    where = f"the GPU module in SXM socket {gpu.module} of {gpu.node} (serial {state.serial})"
    restore_link(simulation, gpu.node, gpu.address)
    askew = nvlink_errors.mend_seat(simulation, target)
    dry = state.contact_permille > 1000
    if dry:
        simulation.world.gpus.update(target, contact_permille=1000)
    if state.defect and state.defect.seating:
        simulation.world.gpus.update(target, defect=None)
        askew = True
    if askew:
        return f"Reseated {where}. Two of its screws were loose and it sat askew; it is tight now."
    if dry:
        return f"Reseated {where}. The thermal paste under its heat sink was dry; it has new paste."
    return f"Reseated {where}. It was tight, and its contacts look clean."


def reseat_psu(simulation: Simulation[World], target: str, number: int) -> str:
    """A power supply, pulled and pushed back in under power."""
    node, _, part = target.partition("/")
    state = simulation.world.psus[target]
    found = (
        "Its cord was loose at the back; it is tight now." if state.input_lost else "Its latch and its cord are tight."
    )
    supplies.change_psu(simulation, target, input_lost=False, failed=state.failed and not state.latched, latched=False)
    psu = next(psu for psu in simulation.world.node(node).psus if psu.id == target)
    light = "green" if supplies.psu_working(simulation.world, psu) else supply_light(simulation.world, psu)
    return f"Reseated power supply {part.removeprefix('psu')} of {node}. {found} Its light is {light}."


def supply_light(world: World, psu: Psu) -> str:
    """What the light of a power supply shows to somebody who stands behind the node (colours: a guess)."""
    if world.psus[psu.id].failed:
        return "amber"
    return "green" if supplies.has_input(world, psu) else "off"


def reseat_hca(simulation: Simulation[World], target: str, number: int) -> str:
    """A network card with its riser or mezzanine board: out, contacts cleaned, in again; its PCIe link trains anew."""
    hca = simulation.world.inventory.hca(target)
    for sister in simulation.world.node(hca.node).hcas:
        if sister.address.rpartition(".")[0] == hca.address.rpartition(".")[0]:
            restore_link(simulation, hca.node, sister.address)
    for device in simulation.world.inventory.node(hca.node).path_to_root(hca.address)[1:]:
        if device.role == "switch_upstream":
            restore_link(simulation, hca.node, device.address)
    return f"Reseated the card of {hca.name} in {hca.node} with its riser, and cleaned the contacts of both."


def pull_cable(simulation: Simulation[World], target: str) -> None:
    """The link is gone for as long as somebody works on its cable."""
    links.change_cable(simulation, simulation.world.inventory.cables[target], in_hand=True)


def reseat_cable(simulation: Simulation[World], target: str, number: int) -> str:
    """A cable, pulled at both ends, inspected and pushed home. What was badly plugged is plugged; a bad cable stays
    bad.
    """
    found = simulation.world.inventory.cables[target]
    loose = not simulation.world.cables[found.id].plugged
    links.change_cable(simulation, found, plugged=True, in_hand=False)
    hot = any([plugs.restart_module(simulation, end) for end in found.ends])
    how = "One end was not home; it clicked in now." if loose else "Both ends were home."
    how += " One transceiver was too hot to hold." if hot else ""
    return f"Reseated the cable {found.serial} from {found.ends[0]} to {found.ends[1]}. {how}"


HANDS = HandsAction(
    name="reseat",
    title="Take a part out and put it back",
    jobs=MappingProxyType(
        {
            "gpu": Job(duration=40 * MINUTE, power_off=True, work=reseat_gpu),
            "hca": Job(duration=35 * MINUTE, power_off=True, work=reseat_hca),
            "psu": Job(duration=5 * MINUTE, power_off=False, work=reseat_psu),
            "port": Job(duration=5 * MINUTE, power_off=False, work=reseat_cable, start=pull_cable),
        }
    ),
    doc="A GPU and a network card need the node without power; a power supply and a cable are reseated under power.",
)
