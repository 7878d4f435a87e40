"""hands: orders to the people in the machine room, and what came of them. It stands for a ticket to remote hands; no
real tool is imitated.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.linux._support.tables import table
from engine.commands.options import Option, Parsed, UsageError
from engine.hands.action import parts, places
from engine.hands.order import HandsAction, OrderHands, catalogue, orders
from engine.kernel.names import unknown
from engine.kernel.units import MINUTE, SECOND, format_duration
from engine.world.records import HandsOrder

_VERBS = ("list", "order", "status", "wait")


async def run(ctx: Context, parsed: Parsed) -> int:
    """List actions, order one, or tell how orders stand."""
    words = list(parsed.operands)
    if not words:
        return _list(ctx)
    verb = words[0]
    if verb.replace("_", "-") in catalogue():
        return _order(ctx, words)
    if verb == "list":
        return _list(ctx)
    if verb == "order":
        return _order(ctx, words[1:])
    if verb == "status":
        return _status(ctx, words[1:])
    if verb == "wait":
        return await _wait(ctx, words[1:])
    raise UsageError(f"hands: {unknown('action', verb, [*_VERBS, *catalogue()])}\n")


def _list(ctx: Context) -> int:
    rows = [[action.name, _targets(action), _duration(action), action.title] for action in catalogue().values()]
    for line in table(["ACTION", "FOR", "TAKES", "WHAT"], rows, gap=2):
        ctx.line(line)
    ctx.line()
    ctx.line("* the node is shut down for it, and started again afterwards: drain it first")
    ctx.line("Order with: hands order ACTION TARGET, such as: hands order reseat dgx-02/gpu5")
    return 0


def _targets(action: HandsAction) -> str:
    return ",".join(kind + ("*" if job.power_off else "") for kind, job in action.jobs.items())


def _duration(action: HandsAction) -> str:
    times = sorted({job.duration for job in action.jobs.values()})
    return "-".join(format_duration(time) for time in (times if len(times) == 1 else (times[0], times[-1])))


def _order(ctx: Context, words: list[str]) -> int:
    if len(words) != 2:
        raise UsageError("hands: say what to do to what: hands order ACTION TARGET (`hands list` shows the actions)\n")
    target = words[1].removeprefix("target=")
    by = ctx.environment.get("SUDO_USER") or ctx.identity.name
    placed: HandsOrder | str = ctx.simulation.apply(OrderHands(words[0], target, by))
    if isinstance(placed, str):
        ctx.error(f"hands: {placed}")
        return 1
    ctx.line(
        f"Order {placed.number}: {placed.action} {placed.target}, expected to be done at {_time(ctx, placed.due_at)}."
    )
    return 0


def _time(ctx: Context, moment: int) -> str:
    return clock.shown(ctx, ctx.inventory.start + moment, "%H:%M:%S")


def _chosen(ctx: Context, words: list[str]) -> list[HandsOrder]:
    found = list(orders(ctx.world))
    if not words:
        return found
    if not words[0].isdigit() or not 1 <= int(words[0]) <= len(found):
        raise UsageError(f"hands: there is no order {words[0]}\n")
    return [found[int(words[0]) - 1]]


def _status(ctx: Context, words: list[str]) -> int:
    found = _chosen(ctx, words)
    if not found:
        ctx.line("No orders.")
        return 0
    for order in found:
        when = f"done at {_time(ctx, order.due_at)}" if order.done else f"due at {_time(ctx, order.due_at)}"
        by = f"by {order.ordered_by} at {_time(ctx, order.ordered_at)}"
        ctx.line(f"Order {order.number}: {order.action} {order.target}, {by}, {when}")
        if order.report:
            ctx.line(f"  {order.report}")
    return 0


async def _wait(ctx: Context, words: list[str]) -> int:
    """Wait until orders are done, then tell what came of them."""
    numbers = [order.number for order in _chosen(ctx, words)]
    while waiting := [order for order in orders(ctx.world) if order.number in numbers and not order.done]:
        left = max(SECOND, min(order.due_at for order in waiting) - ctx.now)
        await ctx.sleep(min(left, MINUTE))
    return _status(ctx, words)


def _complete(ctx: Context, words: Sequence[str]) -> Sequence[str]:
    """What can be done, then to what."""
    actions = catalogue()
    if words[:-1] and (words[-2].replace("_", "-") in actions):
        jobs = actions[words[-2].replace("_", "-")].jobs
        return [part for place in places(ctx.inventory) for kind in jobs for part in parts(ctx.inventory, place, kind)]
    return [*actions] if words[:-1] else [*_VERBS, *actions]


COMMAND = program(
    "hands",
    "order work in the machine room",
    run,
    suite=PLAIN,
    synopsis="hands [list | order ACTION TARGET | status [NUMBER] | wait [NUMBER]]",
    options=(Option("l", "list", help="list the actions"),),
    complete=_complete,
    manual="""
    People in the machine room reseat, replace, clean and power what you ask them to. They need some minutes to get
    there; `hands status` tells when an order is due and what they report. Actions marked * need the node without
    power: they shut it down, and start it again afterwards. Drain the node first.

    A TARGET is such as dgx-02/gpu5, dgx-02/mlx5_3, dgx-02/fan3, dgx-02/psu0, dgx-02, or a port for the cable in it:
    leaf-01/5, dgx-02/mlx5_3/1.
    """,
)
