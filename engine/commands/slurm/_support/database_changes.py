"""What `sacctmgr add`, `modify` and `delete` do to the database, and what they say of it first.

Source: SchedMD/slurm 24.11 src/sacctmgr (account_functions.c, user_functions.c, qos_functions.c) and texts of 22.05.
The refusal for people who are no administrators is that of slurmdbd (`Access/permission denied`), in the words that
modify uses; the others' words are a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.commands.context import Context
from engine.commands.slurm._support.database_settings import (
    SHOWN,
    BadSetting,
    changed_association,
    changed_qos,
)
from engine.control.accounts import accounts as known_accounts
from engine.control.slurm import associations, jobs
from engine.control.slurm.associations import ChangeDatabase
from engine.control.slurm.jobs import memory_text
from engine.world.records import SlurmAccount, SlurmAssociation, SlurmQos

if TYPE_CHECKING:
    from engine.commands.slurm.sacctmgr import Line

_LEVELS = {"none": "None", "operator": "Operator", "administrator": "Administrator", "admin": "Administrator"}
_OF_ACCOUNT = ("name", "account", "accounts", "names", "cluster", "clusters", "parent", "description", "organization",
               "desc", "org")  # fmt: skip
_OF_USER = ("name", "names", "user", "users", "account", "accounts", "acct", "cluster", "clusters", "partition",
            "defaultaccount", "adminlevel", "admin")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """What is told, what is then done (None: nothing), and the exit status in that case."""

    lines: list[str] = field(default_factory=list)
    action: ChangeDatabase | None = None
    status: int = 1


def worked_out(ctx: Context, what: str, entity: str, line: Line) -> Change | None:
    """The change that a line asks for; None where the refusal was printed. Raises BadSetting."""
    kind = next(
        (name for name in ("account", "qos", "user", "association") if entity and name.startswith(entity.rstrip("s"))),
        "",
    )
    verb = {"update": "modify", "remove": "delete"}.get(what, what)
    change = _CHANGES.get((verb, kind))
    if change is None:
        listed = '"Account", "Association", "Cluster", "Coordinator", "QOS", "Resource", "User"'
        ctx.error(f"No valid entity in {verb} command\nInput line must include {listed}")
        return None
    return change(ctx, line)


def _names(line: Line, *keys: str) -> list[str]:
    named = [part for word in line.words for part in word.split(",")]
    return [*named, *(part for part in line.value(*keys).split(",") if part)]


def _rest(line: Line, own: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """The settings of an `add` line, which stand among what names the thing."""
    return [entry for entry in line.where if entry[0].lower() not in own]


def _pair(account: str, cluster: str, user: str = "") -> str:
    """`  U = alice     A = ml         C = gpupod    ` of an association."""
    head = f"  U = {user:<9} " if user else "  "
    return f"{head}A = {account:<10} C = {cluster:<10}"


def _add_account(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "account", "accounts")
    if not names:
        raise BadSetting(" Need name of account to add.")
    parent = line.value("parent") or associations.ROOT
    known, tree = associations.accounts(ctx.world), associations.associations(ctx.world)
    if not any(each.name == parent for each in known):
        raise BadSetting(f" Parent account '{parent}' doesn't exist.\n        Contact your admin to add this account.")
    new = [name for name in names if all(each.name != name for each in known)]
    if not new:
        return Change([" Nothing new added."])
    description, organization = line.value("description", "desc"), line.value("organization", "org")
    made = [SlurmAccount(name, description or name, organization or parent) for name in new]
    settings = _rest(line, _OF_ACCOUNT)
    own = [changed_association(SlurmAssociation(name, parent=parent), settings, ()) for name in new]
    lines = [" Adding Account(s)", *(f"  {name}" for name in new), " Settings"]
    lines += [
        f"  Description     = {description or 'Account Name'}",
        f"  Organization    = {organization or 'Parent/Account Name'}",
    ]
    lines += [
        " Associations",
        *(_pair(name, ctx.inventory.cluster) for name in new),
        " Settings",
        f"  Parent        = {parent}",
    ]
    return Change(lines, _action(ctx, accounts=(*known, *made), tree=(*tree, *own)))


def _add_user(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "user", "users")
    accounts = [part for part in line.value("account", "accounts", "acct", "defaultaccount").split(",") if part]
    if not names:
        raise BadSetting(" Need name of user to add.")
    if not accounts:
        raise BadSetting(" Need name of account or wckey to add.")
    known, tree = associations.accounts(ctx.world), associations.associations(ctx.world)
    missing = [account for account in accounts if all(each.name != account for each in known)]
    if missing:
        texts = [
            f" This account '{name}' doesn't exist.\n        Contact your admin to add this account."
            for name in missing
        ]
        return Change([*texts, " No associations or wckeys created."])
    first = [name for name in names if all(each.user != name for each in tree)]
    pairs = [(account, name) for account in accounts for name in names]
    new = [pair for pair in pairs if associations.association(ctx.world, *pair) is None]
    if not new:
        return Change([" Nothing new added."])
    settings = _rest(line, _OF_USER)
    made = [
        changed_association(
            SlurmAssociation(account, user, default=user in first and account == accounts[0]), settings, ()
        )
        for account, user in new
    ]
    lines = [" Adding User(s)", *(f"  {name}" for name in first)] if first else []
    lines += [" Associations =", *(_pair(account, ctx.inventory.cluster, user) for account, user in new)]
    lines += [" Non Default Settings", *_told(made[0].limits)]
    if unknown := [name for name in names if all(each.name != name for each in known_accounts(ctx.inventory))]:
        lines.insert(0, f"There is no uid for user '{unknown[0]}'")
    level = _LEVELS.get(line.value("adminlevel", "admin").lower(), "")
    return Change(lines, _action(ctx, tree=(*tree, *made), level=(names, level) if level else None))


def _add_qos(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names")
    if not names:
        raise BadSetting(" Need name of qos to add.")
    known = associations.qualities(ctx.world)
    new = [name for name in names if associations.quality(ctx.world, name) is None]
    if not new:
        return Change([" Nothing new added."])
    settings = [entry for entry in line.where if entry[0].lower() not in ("name", "names")]
    made = [changed_qos(SlurmQos(name, name), settings) for name in new]
    described = line.value("description")
    lines = [" Adding QOS(s)", *(f"  {name}" for name in new), " Settings"]
    lines.append(f"  Description    = {described or ('QOS Name' if len(new) > 1 else new[0])}")
    lines += _told(made[0].limits)
    if made[0].preempts:
        lines.append(f"  Preempt                  = {','.join(made[0].preempts)}")
    if made[0].priority:
        lines.append(f"  Priority                 = {made[0].priority}")
    return Change(lines, _action(ctx, qos=(*known, *made)))


def _told(limits: tuple[tuple[str, int], ...]) -> list[str]:
    """`  MaxTRESPerUser           = gres/gpu=16` of each kind of limit."""
    found: dict[str, list[str]] = {}
    for key, value in limits:
        name, slash, resource = key.partition("/")
        shown = f"{resource}={memory_text(value) if resource == 'mem' else value}" if slash else str(value)
        found.setdefault(SHOWN.get(name, name), []).append(shown)
    return [f"  {name:<24} = {','.join(parts)}" for name, parts in found.items()]


def _modify_user(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "user", "users")
    accounts = [part for part in line.value("account", "accounts", "acct").split(",") if part]
    level = next(
        (text for name, _, text in line.settings if "adminlevel".startswith(name.lower()) and len(name) > 4), ""
    )
    if level:
        return _modify_level(ctx, names, level)
    default = next((text for name, _, text in line.settings if name.lower() == "defaultaccount"), "")
    if default:
        return _modify_default(ctx, names, default)
    return _modify_tree(
        ctx, line, lambda each: each.user in names and (not accounts or each.account in accounts), bool(names),
        " Modified user associations...",
        lambda each: f"  C = {ctx.inventory.cluster:<10} A = {each.account:<20} U = {each.user:<9}",
    )  # fmt: skip


def _modify_level(ctx: Context, names: list[str], text: str) -> Change:
    level = _LEVELS.get(text.lower())
    if level is None:
        raise BadSetting(f" Unknown admin level: {text}")
    return Change([" Modified users...", *(f"  {name}" for name in names)], _action(ctx, level=(names, level)))


def _modify_default(ctx: Context, names: list[str], account: str) -> Change:
    lacking = [name for name in names if associations.association(ctx.world, account, name) is None]
    if lacking:
        listed = "".join(f"\n  U = {name} C = {ctx.inventory.cluster}" for name in lacking)
        head = f" Can't modify because these users aren't associated with new default account '{account}'..."
        return Change([f"{head}{listed}"])
    tree = tuple(
        replace(each, default=each.account == account) if each.user in names else each
        for each in associations.associations(ctx.world)
    )
    return Change([" Modified users...", *(f"  {name}" for name in names)], _action(ctx, tree=tree))


def _modify_account(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "account", "accounts")
    texts = {"description": "description", "organization": "organization"}
    plain = {texts[name.lower()]: text for name, _, text in line.settings if name.lower() in texts}
    if plain:
        known = associations.accounts(ctx.world)
        changed = tuple(replace(each, **plain) if each.name in names else each for each in known)
        return Change([" Modified accounts...", *(f"  {name}" for name in names)], _action(ctx, accounts=changed))
    return _modify_tree(
        ctx, line, lambda each: not each.user and each.account in names, bool(names),
        " Modified account associations...",
        lambda each: f"  C = {ctx.inventory.cluster:<10} A = {each.account} of {each.parent or associations.ROOT}",
    )  # fmt: skip


def _modify_tree(
    ctx: Context,
    line: Line,
    chosen: Callable[[SlurmAssociation], bool],
    named: bool,
    heading: str,
    tell: Callable[[SlurmAssociation], str],
) -> Change:
    if not line.settings:
        raise BadSetting(" You didn't give me anything to set")
    if not named:
        raise BadSetting(" You didn't set any conditions with 'WHERE'.")
    _check_qos(ctx, line.settings)
    tree = associations.associations(ctx.world)
    meant = [each for each in tree if chosen(each)]
    if not meant:
        return Change(["  Nothing modified"])
    after = {
        (each.account, each.user): changed_association(
            each, line.settings, associations.allowed_qos(ctx.world, each.account, each.user)
        )
        for each in meant
    }
    merged = tuple(after.get((each.account, each.user), each) for each in tree)
    return Change([heading, *map(tell, meant)], _action(ctx, tree=merged))


def _check_qos(ctx: Context, settings: list[tuple[str, str, str]]) -> None:
    """Qualities of service that are given must be there."""
    for name, _, text in settings:
        if name.lower() in ("qos", "qoslevel", "defaultqos") and text not in ("", "-1"):
            for word in text.split(","):
                if associations.quality(ctx.world, word) is None:
                    raise BadSetting(f" You gave a bad qos '{word}'.  Use 'list qos' to get complete list.")


def _modify_qos(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "qos")
    if not line.settings:
        raise BadSetting(" You didn't give me anything to set")
    known = associations.qualities(ctx.world)
    meant = [each for each in known if each.name in names]
    if not meant:
        return Change(["  Nothing modified"])
    changed = tuple(changed_qos(each, line.settings) if each in meant else each for each in known)
    return Change([" Modified qos...", *(f"  {each.name}" for each in meant)], _action(ctx, qos=changed))


def _delete_user(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "user", "users")
    accounts = [part for part in line.value("account", "accounts", "acct").split(",") if part]
    tree = associations.associations(ctx.world)
    gone = [each for each in tree if each.user in names and (not accounts or each.account in accounts)]
    if not gone:
        return Change([" Nothing deleted"])
    if refused := _in_use(ctx, gone):
        return refused
    if accounts:
        lines = [" Deleting user associations...", *(
            f"  C = {ctx.inventory.cluster:<10} A = {each.account:<20} U = {each.user:<9}" for each in gone
        )]  # fmt: skip
    else:
        lines = [" Deleting users...", *(f"  {name}" for name in dict.fromkeys(each.user for each in gone))]
    return Change(lines, _action(ctx, tree=tuple(each for each in tree if each not in gone)))


def _delete_account(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "account", "accounts")
    known, tree = associations.accounts(ctx.world), associations.associations(ctx.world)
    gone = [each for each in tree if each.account in names and each.account != associations.ROOT]
    if not gone:
        return Change([" Nothing deleted"])
    if refused := _in_use(ctx, gone):
        return refused
    lines = [" Deleting accounts...", *(f"  {name}" for name in dict.fromkeys(each.account for each in gone))]
    left = tuple(each for each in known if each.name not in names or each.name == associations.ROOT)
    return Change(lines, _action(ctx, accounts=left, tree=tuple(each for each in tree if each not in gone)))


def _in_use(ctx: Context, gone: list[SlurmAssociation]) -> Change | None:
    """Jobs that are charged to an association keep it."""
    pairs = {(each.account, each.user) for each in gone if each.user}
    busy = [job for job in jobs.active(ctx.world) if (job.account, job.user) in pairs]
    if not busy:
        return None
    lines = [" Error with request: Job(s) active, cancel job(s) before remove"]
    lines += [
        f"  JobID = {job.id:<10} C = {ctx.inventory.cluster:<10} A = {job.account:<10} U = {job.user:<9}"
        for job in busy
    ]
    return Change(lines)


def _delete_qos(ctx: Context, line: Line) -> Change:
    names = _names(line, "name", "names", "qos")
    known = associations.qualities(ctx.world)
    gone = [each for each in known if each.name in names]
    if not gone:
        return Change([" Nothing deleted"])
    tree = tuple(
        replace(each, qos=tuple(name for name in each.qos if name not in names))
        for each in associations.associations(ctx.world)
    )
    left = tuple(each for each in known if each not in gone)
    return Change([" Deleting QOS(s)...", *(f"  {each.name}" for each in gone)], _action(ctx, qos=left, tree=tree))


def _action(
    ctx: Context,
    *,
    accounts: tuple[SlurmAccount, ...] | None = None,
    tree: tuple[SlurmAssociation, ...] | None = None,
    qos: tuple[SlurmQos, ...] | None = None,
    level: tuple[list[str], str] | None = None,
) -> ChangeDatabase:
    levels = None
    if level is not None:
        known = dict(ctx.world.slurm_database[""].levels) | dict.fromkeys(level[0], level[1])
        levels = tuple(sorted(known.items()))
    ordered = None if tree is None else associations.ordered(tree)
    return ChangeDatabase(ctx.identity.name, accounts, ordered, qos, levels)


_CHANGES: dict[tuple[str, str], Callable[[Context, Line], Change]] = {
    ("add", "account"): _add_account,
    ("add", "user"): _add_user,
    ("add", "qos"): _add_qos,
    ("modify", "user"): _modify_user,
    ("modify", "account"): _modify_account,
    ("modify", "qos"): _modify_qos,
    ("delete", "user"): _delete_user,
    ("delete", "account"): _delete_account,
    ("delete", "qos"): _delete_qos,
}
