"""Orders to the machine room: somebody walks there, works for a while and reports.

Work that needs a node without power shuts the node down first, cleanly if it runs, and starts it again afterwards: it
comes back cold. A node that was in service is harmed by that, and the harm is the orderer's. Orders for one node are
done one after the other. How long things take is a guess for a staffed machine room with spares on its shelf.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.control import boot
from engine.hands.action import HandsAction, Job, catalogue, parts, places
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.names import unknown
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.events import HandsBegin, HandsDone
from engine.world.inventory import Inventory
from engine.world.records import HandsOrder
from engine.world.world import World

__all__ = ["ARRIVAL", "HANDLERS", "HandsAction", "OrderHands", "catalogue", "hands_action", "job_for", "orders"]

ARRIVAL = 5 * MINUTE
"""From the order to the first move at the node."""

BETWEEN = MINUTE
"""From one order to the next at the same node."""


def hands_action(name: str) -> HandsAction | None:
    """The action `name` (`_` and `-` are the same), or None."""
    return catalogue().get(name.replace("_", "-"))


def orders(world: World) -> tuple[HandsOrder, ...]:
    """All orders so far, oldest first."""
    return world.hands[""].orders


def job_for(inventory: Inventory, action: HandsAction, target: str) -> Job | str:
    """The job that `action` means for `target`, or what is wrong with it."""
    place = target.partition("/")[0]
    if place not in places(inventory):
        return unknown("node, switch or rack", place, places(inventory))
    known: list[str] = []
    for kind, job in action.jobs.items():
        names = parts(inventory, place, kind)
        if target in names:
            return job
        known += names
    return f"{action.name} cannot be done to that: " + unknown("target", target, known)


@dataclass(frozen=True, slots=True)
class OrderHands(Action):
    """Order `work` (the name of an action). Gives the order, or a sentence that says why it was not taken."""

    work: str
    target: str
    by: str

    def perform(self, simulation: Simulation[World]) -> HandsOrder | str:
        action = hands_action(self.work)
        if action is None:
            return unknown("action", self.work, catalogue())
        job = job_for(simulation.world.inventory, action, self.target)
        if isinstance(job, str):
            return job
        begin = max([simulation.now + ARRIVAL, *_busy_until(simulation.world, self.target)])
        placed = orders(simulation.world)
        order = HandsOrder(len(placed) + 1, action.name, self.target, simulation.now, begin + job.duration, self.by)
        simulation.world.hands.update("", orders=(*placed, order))
        simulation.schedule_at(HandsBegin(order.number), begin)
        return order


def _busy_until(world: World, target: str) -> list[int]:
    """When earlier orders for the same node will be done, and somebody is ready for the next."""
    node = target.partition("/")[0]
    return [order.due_at + BETWEEN for order in orders(world) if not order.done and _node(order) == node]


def _begin(simulation: Simulation[World], event: HandsBegin) -> None:
    order, job = _order_and_job(simulation.world, event.number)
    if job.power_off:
        verb = "soft" if boot.is_up(simulation.world, _node(order)) else "off"
        simulation.apply(boot.ChassisPower(_node(order), verb, _orderer(order)))
    if job.start:
        job.start(simulation, order.target)
    simulation.schedule_at(HandsDone(order.number), order.due_at)


def _done(simulation: Simulation[World], event: HandsDone) -> None:
    order, job = _order_and_job(simulation.world, event.number)
    node = _node(order)
    if job.power_off:
        simulation.apply(boot.ChassisPower(node, "off", _orderer(order)))
    report = job.work(simulation, order.target, order.number)
    if job.power_off:
        simulation.apply(boot.ChassisPower(node, "on", _orderer(order)))
        report += f" {node} is powered on again."
    finished = replace(order, report=report, done=True)
    table = simulation.world.hands
    table.update("", orders=tuple(finished if each.number == order.number else each for each in table[""].orders))


def _node(order: HandsOrder) -> str:
    return order.target.partition("/")[0]


def _orderer(order: HandsOrder) -> str:
    """Who takes a node down: whoever ordered the work, and what for."""
    return f"{order.ordered_by} (hands {order.action} {order.target})"


def _order_and_job(world: World, number: int) -> tuple[HandsOrder, Job]:
    order = orders(world)[number - 1]
    action = hands_action(order.action)
    job = job_for(world.inventory, action, order.target) if action else None
    assert isinstance(job, Job)
    return order, job


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((HandsBegin, _begin), (HandsDone, _done))
