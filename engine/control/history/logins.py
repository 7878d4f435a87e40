"""Who logged in to a host before the site's start: administrators now and then, users on the login host. What `last`
and sshd's lines tell.

Everybody comes with a key; from the login host to the nodes, and from the office network to the login host. All of it
is drawn per day.
"""

from __future__ import annotations

from engine.control.history.past import past_boots
from engine.control.process_ids import pid_at
from engine.kernel.random import Stream
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.world.inventory import Inventory, User
from engine.world.records import Login
from engine.world.world import World

_OFFICE = "192.168.40."
_WORKING_DAY = (7 * HOUR, 17 * HOUR)


def past_logins(world: World, host: str) -> tuple[Login, ...]:
    """Logins that ended before the site's start, by time."""
    boots = past_boots(world, host)
    return world.inventory.once(("past logins", world.seed, host, boots[-1].start), lambda: _past_logins(world, host))


def _past_logins(world: World, host: str) -> tuple[Login, ...]:
    found: list[Login] = []
    for boot in past_boots(world, host):
        end = boot.end if boot.end is not None else -20 * MINUTE
        number = 0
        for start, stop, user, source in _sessions(world, host, boot.kept_from, end):
            number += 1 + start // SECOND % 2
            found.append(
                Login(
                    number,
                    user,
                    _free_terminal(found, start),
                    source,
                    start,
                    stop,
                    pid_at(world, host, boot.start, start),
                )
            )
    return tuple(found)


def _free_terminal(earlier: list[Login], start: int) -> str:
    """The first pseudo-terminal that nobody has at `start`, as the kernel gives them."""
    taken = {login.terminal for login in earlier if login.end is None or login.end > start}
    return next(name for name in (f"pts/{number}" for number in range(len(taken) + 1)) if name not in taken)


def _sessions(world: World, host: str, since: int, until: int) -> list[tuple[int, int, str, str]]:
    """(start, end, user, source) within a time, in order; nobody stays beyond its end."""
    inventory, people = world.inventory, _people(world.inventory, host)
    sessions = []
    for day in range((inventory.start + since) // DAY, (inventory.start + until) // DAY + 1):
        stream = Stream(world.seed, f"logins/{host}/{day}")
        for _ in range(stream.integer(0, 5 if host == inventory.login_host else 2)):
            user, offset = stream.choice(people), stream.integer(_WORKING_DAY[0] // SECOND, _WORKING_DAY[1] // SECOND)
            start = day * DAY + offset * SECOND + stream.bits() % SECOND - inventory.start
            stop = start + stream.integer(70, 5400) * SECOND
            if start > since + 5 * MINUTE and stop < until - MINUTE:
                sessions.append((start, stop, user.name, _source(inventory, host, stream.integer(20, 90))))
    return sorted(sessions)


def _people(inventory: Inventory, host: str) -> list[User]:
    """Who logs in to a host: everybody on the login host, administrators elsewhere."""
    people = [user for user in inventory.users if host == inventory.login_host or "sudo" in user.groups]
    others = [user for user in people if user.name != inventory.learner]
    return others or people or [User("root", 0, "root", ())]


def _source(inventory: Inventory, host: str, number: int) -> str:
    if host == inventory.login_host:
        return f"{_OFFICE}{number}"
    login = inventory.node(inventory.login_host)
    return next((address.cidr.partition("/")[0] for address in login.addresses), "127.0.0.1")
