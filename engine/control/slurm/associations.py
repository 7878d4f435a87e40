"""The accounting database's people: accounts, associations (who may charge what, and how much), and qualities of
service.

What a site has when it opens follows from its people: an account for each group that is not the system's, under root,
and the users in it; everybody shares alike and has the quality of service `normal`. `sacctmgr` changes it
(`ChangeDatabase`), and slurmctld hears of it at once.

Source: sacctmgr(1) and SchedMD/slurm 24.11 src/common/assoc_mgr.c.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control.slurm import jobs, lifecycle
from engine.control.slurm.errors import SlurmError
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.inventory import Inventory
from engine.world.records import SlurmAccount, SlurmAssociation, SlurmQos
from engine.world.world import World

ROOT = "root"
NORMAL = "normal"


def accounts(world: World) -> tuple[SlurmAccount, ...]:
    """All accounts, root first."""
    known = world.slurm_database[""].accounts
    return _first_accounts(world.inventory) if known is None else known


def associations(world: World) -> tuple[SlurmAssociation, ...]:
    """All associations as a tree: an account, its users, the accounts below it."""
    known = world.slurm_database[""].associations
    return _first_associations(world.inventory) if known is None else known


def qualities(world: World) -> tuple[SlurmQos, ...]:
    """All qualities of service in the order of their making."""
    known = world.slurm_database[""].qos
    return (SlurmQos(NORMAL, "Normal QOS default"),) if known is None else known


def quality(world: World, name: str) -> SlurmQos | None:
    """A quality of service by its name."""
    return next((each for each in qualities(world) if each.name == name), None)


def association(world: World, account: str, user: str) -> SlurmAssociation | None:
    """The association of a user in an account (user "": of the account itself)."""
    return next((each for each in associations(world) if (each.account, each.user) == (account, user)), None)


def default_account(world: World, user: str) -> str:
    """The account that a user's jobs are charged to where they name none; "" without any."""
    own = [each for each in associations(world) if each.user == user]
    return next((each.account for each in sorted(own, key=lambda each: not each.default)), "")


def line(world: World, account: str, user: str) -> list[SlurmAssociation]:
    """The associations that a job counts against, its own first, root's last; none if the user has none there."""
    own = association(world, account, user)
    if own is None:
        return []
    found, name = [own], account
    while name and (above := association(world, name, "")) is not None and above not in found:
        found.append(above)
        name = above.parent
    return found


def allowed_qos(world: World, account: str, user: str) -> tuple[str, ...]:
    """The qualities of service that a user may ask for in an account, inherited ones too."""
    return next((each.qos for each in line(world, account, user) if each.qos), (NORMAL,))


def default_qos(world: World, account: str, user: str) -> str:
    """The quality of service of jobs that name none."""
    named = next((each.default_qos for each in line(world, account, user) if each.default_qos), "")
    allowed = allowed_qos(world, account, user)
    return named or (NORMAL if NORMAL in allowed else allowed[0])


def admin_level(world: World, user: str) -> str:
    """`Administrator`, `Operator` or `None`."""
    if user in (ROOT, jobs.SLURM_USER):
        return "Administrator"
    level = dict(world.slurm_database[""].levels).get(user)
    if level:
        return level
    return "Operator" if jobs.is_operator(world.inventory, user) else "None"


def children(world: World, account: str) -> list[SlurmAssociation]:
    """What stands right under an account: its users, then the accounts."""
    below = [each for each in associations(world) if not each.user and each.parent == account]
    return [*(each for each in associations(world) if each.user and each.account == account), *below]


@dataclass(frozen=True, slots=True)
class ChangeDatabase(Action):
    """sacctmgr writes to the database: the new tables (None: as they were), and levels of administrators."""

    by: str
    accounts: tuple[SlurmAccount, ...] | None = None
    associations: tuple[SlurmAssociation, ...] | None = None
    qos: tuple[SlurmQos, ...] | None = None
    levels: tuple[tuple[str, str], ...] | None = None

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        world = simulation.world
        if admin_level(world, self.by) == "None":
            return SlurmError.ACCESS_DENIED
        before = world.slurm_database[""]
        given = {name: getattr(self, name) for name in ("accounts", "associations", "qos", "levels")}
        world.slurm_database[""] = replace(
            before, **{name: value for name, value in given.items() if value is not None}
        )
        lifecycle.look_soon(simulation)
        return None


def ordered(found: tuple[SlurmAssociation, ...]) -> tuple[SlurmAssociation, ...]:
    """Associations as the tree that the database keeps: below an account its users and then the accounts, by name."""
    listed: list[SlurmAssociation] = []

    def walk(account: str) -> None:
        listed.extend(each for each in found if not each.user and each.account == account)
        listed.extend(sorted((each for each in found if each.user and each.account == account), key=lambda a: a.user))
        for below in sorted({each.account for each in found if not each.user and each.parent == account}):
            walk(below)

    walk(ROOT)
    return tuple(listed)


def _first_accounts(inventory: Inventory) -> tuple[SlurmAccount, ...]:
    names = sorted({_group(inventory, user.name) for user in inventory.users} - {ROOT})
    return (
        SlurmAccount(ROOT, "default root account", ROOT),
        *(SlurmAccount(name, name, inventory.cluster) for name in names),
    )


def _first_associations(inventory: Inventory) -> tuple[SlurmAssociation, ...]:
    return inventory.once(("slurm associations",), lambda: _made(inventory))


def _made(inventory: Inventory) -> tuple[SlurmAssociation, ...]:
    found = [SlurmAssociation(ROOT), SlurmAssociation(ROOT, ROOT, default=True)]
    found += [
        SlurmAssociation(account.name, parent=ROOT) for account in _first_accounts(inventory) if account.name != ROOT
    ]
    found += [SlurmAssociation(_group(inventory, user.name), user.name, default=True) for user in inventory.users]
    return ordered(tuple(found))


def _group(inventory: Inventory, user: str) -> str:
    return jobs.account_of(inventory, user)
