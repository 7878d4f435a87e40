"""People and what they did: orders to the machine room, and harm."""

from __future__ import annotations

from typing import Literal

from engine.control import harm
from engine.facts.fact import View, fact
from engine.facts.kinds import User


@fact("hands.ordered")
def hands_ordered(view: View, action: str, target: str) -> bool:
    """Whether somebody ordered this work in the machine room."""
    return any((order.action, order.target) == (action, target) for order in view.world.hands[""].orders)


@fact("hands.done")
def hands_done(view: View, action: str, target: str) -> bool:
    """Whether this work in the machine room has been done."""
    return any(
        (order.action, order.target, order.done) == (action, target, True) for order in view.world.hands[""].orders
    )


@fact("harm.count")
def harm_count(
    view: View, kind: Literal["job_killed", "node_down", "gpu_lost_work", "service_stopped", "data_lost"]
) -> int:
    """How much harm of a kind operators have done (in a scenario: since the learner came)."""
    return sum(one.kind == kind for one in harm.harms(view.world))


@fact("harm.total")
def harm_total(view: View) -> int:
    """How much harm of any kind operators have done."""
    return len(harm.harms(view.world))


@fact("harm.done_to")
def harm_done_to(view: View, text: str) -> bool:
    """Whether operators have done harm to something whose description holds a text, such as a node's name."""
    return any(text in one.what for one in harm.harms(view.world))


@fact("jobs.killed")
def jobs_killed(view: View) -> int:
    """How many running jobs operators have killed."""
    return sum(one.kind == "job_killed" for one in harm.harms(view.world))


@fact("user.is_in")
def user_is_in(view: View, user: User, group: str) -> bool:
    """Whether a person belongs to a group of the site, such as research or operators."""
    found = view.world.inventory.user(user)
    return found is not None and group in found.groups
