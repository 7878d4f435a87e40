"""What apt and apt-get do to packages: install and upgrade (apt 2.7). Texts compared with apt 2.6.

The model knows no sizes, so the lines about bytes to get and disk space are left out. Packages of the NVIDIA driver's
family go together, and a fork of the simulation tells beforehand what a change brings.
"""

from __future__ import annotations

import fnmatch
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support import archive, kernel_scripts
from engine.commands.linux._support.apt_line import WRONG, Line, done, refuse
from engine.control import kernels, packages
from engine.control.packages import Remove, Upgrade, version_order
from engine.kernel.units import SECOND

Change = tuple[str, str, str]
"""Name, old version ("" for a new package), new version."""

TAKES = 6 * SECOND
"""How long a transaction lasts, as /var/log/apt/history.log has it."""

FRONTEND_LOCK = "/var/lib/dpkg/lock-frontend"
_LOCKS = {
    FRONTEND_LOCK: f"Unable to acquire the dpkg frontend lock ({FRONTEND_LOCK}), are you root?",
    "/var/lib/apt/lists/lock": "Unable to lock directory /var/lib/apt/lists/",
    "/var/cache/apt/archives/lock": "Unable to lock directory /var/cache/apt/archives/",
}
_COLUMNS = 79


@dataclass(slots=True)
class Plan:
    """What a line comes down to: upgrades to apply, and the changes that they bring."""

    upgrades: list[tuple[str, str]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    kept_back: list[str] = field(default_factory=list)
    removing: list[str] = field(default_factory=list)

    @property
    def new(self) -> list[str]:
        return [name for name, old, _ in self.changes if not old]

    @property
    def upgraded(self) -> list[str]:
        return [name for name, old, new in self.changes if old and version_order(new) > version_order(old)]

    @property
    def downgraded(self) -> list[str]:
        return [name for name, old, new in self.changes if old and new and version_order(new) < version_order(old)]

    @property
    def removed(self) -> list[str]:
        return [name for name, _, new in self.changes if not new]


def demand_root(ctx: Context, lock: str = FRONTEND_LOCK) -> None:
    """Only root gets the lock. Raises UsageError with apt's words."""
    if not ctx.is_root:
        raise refuse(f"Could not open lock file {lock} - open (13: Permission denied)", _LOCKS[lock])


def read_state(ctx: Context) -> None:
    """What apt prints while it reads its state."""
    for what in ("Reading package lists", "Building dependency tree", "Reading state information"):
        ctx.line(f"{what}...{done(ctx)}")


async def install(ctx: Context, line: Line) -> int:
    """install NAME[=VERSION]...: those packages, and what has to go with them."""
    _demand_lock(ctx, line)
    read_state(ctx)
    plan = Plan()
    for word in line.words:
        _ask(ctx, line, plan, word)
    return await _carry_out(ctx, line, plan)


async def upgrade(ctx: Context, line: Line) -> int:
    """upgrade: everything of which there is a newer version, except what is on hold."""
    _demand_lock(ctx, line)
    read_state(ctx)
    ctx.line(f"Calculating upgrade...{done(ctx)}")
    plan, held = Plan(), packages.holds(ctx.world, ctx.host)
    for package in archive.upgradable(ctx):
        if package.name in held:
            plan.kept_back.append(package.name)
        else:
            plan.asked.append(package.name)
            plan.upgrades.append((package.name, archive.candidate(ctx, package)))
    return await _carry_out(ctx, line, plan)


async def remove(ctx: Context, line: Line) -> int:
    """remove NAME...: those packages, and what cannot be without them."""
    _demand_lock(ctx, line)
    read_state(ctx)
    known, plan = packages.installed(ctx.world, ctx.host), Plan()
    for word in line.words:
        names = [name for name in known if fnmatch.fnmatchcase(name, word)]
        if not names and "*" not in word:
            if not archive.versions(ctx, word):
                raise refuse(f"Unable to locate package {word}")
            ctx.line(f"Package '{word}' is not installed, so not removed")
        plan.removing += names
    held = [name for name in plan.removing if name in packages.holds(ctx.world, ctx.host)]
    if held and "yes" in line and "held" not in line:
        raise refuse("Held packages were changed and -y was used without --allow-change-held-packages.")
    return await _carry_out(ctx, line, plan)


def _demand_lock(ctx: Context, line: Line) -> None:
    if "simulate" not in line:
        demand_root(ctx)
        if packages.unfinished(ctx.world, ctx.host):
            raise refuse(
                "dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct the problem. "
            )
    elif not ctx.is_root:
        ctx.line("NOTE: This is only a simulation!")
        ctx.line(f"      {ctx.name} needs root privileges for real execution.")
        ctx.line("      Keep also in mind that locking is deactivated,")
        ctx.line("      so don't depend on the relevance to the real current situation!")


def _ask(ctx: Context, line: Line, plan: Plan, word: str) -> None:
    """Take one word of an install line into the plan."""
    name, equals, version = word.partition("=")
    name = name.partition(":")[0]
    known = archive.versions(ctx, name)
    package = packages.installed(ctx.world, ctx.host).get(name)
    if not known and package is None:
        raise refuse(f"Unable to locate package {name}")
    if equals and version not in known:
        raise refuse(f"Version '{version}' for '{name}' was not found")
    mirrored = kernels.package_version(ctx.inventory, name) or name in packages.base_packages(ctx.inventory, ctx.host)
    if package is None and not mirrored:
        raise refuse(f"Package '{name}' has no installation candidate")
    if package is None:
        plan.asked.append(name)
        plan.upgrades.append((name, version or known[0]))
        return
    wanted = version or archive.candidate(ctx, package)
    if wanted == package.version:
        ctx.line(f"{name} is already the newest version ({wanted}).")
    elif name in packages.holds(ctx.world, ctx.host):
        if "yes" in line and "held" not in line:
            raise refuse("Held packages were changed and -y was used without --allow-change-held-packages.")
        plan.kept_back.append(name)
    else:
        plan.asked.append(name)
        plan.upgrades.append((name, wanted))


async def _carry_out(ctx: Context, line: Line, plan: Plan) -> int:
    plan.changes = _foreseen(ctx, plan)
    _announce(ctx, line, plan)
    if "simulate" in line:
        return _simulate(ctx, plan)
    if not plan.changes or "download" in line:
        return 0
    unreachable = next((each for each in archive.archives(ctx) if not archive.reachable(ctx, each)), None)
    if not await _agreed(ctx, line, plan):
        ctx.line("Abort.")
        return 1
    if unreachable:
        ctx.error(
            f"E: Failed to fetch {unreachable.uri}/  Could not connect to {unreachable.host}:80, connection timed out"
        )
        ctx.error("E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?")
        return WRONG
    return await _transaction(ctx, plan)


def _foreseen(ctx: Context, plan: Plan) -> list[Change]:
    """What the upgrades would change, tried on a copy of the world."""
    twin = ctx.simulation.fork()
    changes: dict[str, Change] = {}
    for name, version in plan.upgrades:
        for change in twin.apply(Upgrade(ctx.host, name, version, "", "")):
            changes.setdefault(change[0], change)
    if plan.removing:
        for change in twin.apply(Remove(ctx.host, tuple(plan.removing), "", "")):
            changes[change[0]] = change
    return [changes[name] for name in sorted(changes)]


def _announce(ctx: Context, line: Line, plan: Plan) -> None:
    versions = {name: (old, new) for name, old, new in plan.changes}
    extra = [name for name in versions if name not in plan.asked] if plan.asked else []
    _name_list(ctx, line, "The following additional packages will be installed:", extra, versions)
    _name_list(ctx, line, "The following packages have been kept back:", sorted(plan.kept_back), {})
    _name_list(ctx, line, "The following NEW packages will be installed:", plan.new, versions)
    _name_list(ctx, line, "The following packages will be upgraded:", plan.upgraded, versions)
    _name_list(ctx, line, "The following packages will be DOWNGRADED:", plan.downgraded, versions)
    _name_list(ctx, line, "The following packages will be REMOVED:", plan.removed, {})
    downgraded = f"{len(plan.downgraded)} downgraded, " if plan.downgraded else ""
    rest = len([each for each in archive.upgradable(ctx) if each.name not in versions])
    ctx.line(
        f"{len(plan.upgraded)} upgraded, {len(plan.new)} newly installed, {downgraded}{len(plan.removed)} to "
        f"remove and {rest} not upgraded."
    )


def _name_list(
    ctx: Context, line: Line, title: str, names: Sequence[str], versions: dict[str, tuple[str, str]]
) -> None:
    if not names:
        return
    ctx.line(title)
    if "versions" in line:
        for name in names:
            old, new = versions.get(name, ("", ""))
            ctx.line(f"   {name} ({old} => {new})" if old else f"   {name} ({new})")
        return
    columns = ctx.terminal.columns - 1 if ctx.terminal else _COLUMNS
    lines = textwrap.wrap(" ".join(names), columns - 2, break_long_words=False, break_on_hyphens=False)
    ctx.write("".join(f"  {text}\n" for text in lines))


def _simulate(ctx: Context, plan: Plan) -> int:
    suite = next((each.suite for each in archive.archives(ctx)), "now")
    known = packages.installed(ctx.world, ctx.host)
    for verb in ("Inst", "Conf"):
        for name, old, new in plan.changes:
            architecture = known[name].architecture if name in known else "amd64"
            before = f" [{old}]" if old and verb == "Inst" else ""
            ctx.line(f"{verb} {name}{before} ({new} Ubuntu:{suite} [{architecture}])")
    return 0


async def _agreed(ctx: Context, line: Line, plan: Plan) -> bool:
    if "yes" in line:
        if plan.downgraded and "downgrades" not in line:
            raise refuse("Packages were downgraded and -y was used without --allow-downgrades.")
        return True
    extra = [name for name, _, _ in plan.changes if name not in plan.asked]
    if not (extra or plan.downgraded or plan.removing) and ctx.name in ("apt", "apt-get") and line.verb == "install":
        return True
    prompt = "Do you want to continue? [Y/n] "
    if ctx.terminal is not None:
        answer = await ctx.terminal.ask(prompt)
    else:
        ctx.write(prompt)
        answer = (await ctx.stdin.read()).decode("utf-8", "replace").partition("\n")[0] if ctx.stdin.attached else None
        answer = answer or None
    return answer is not None and answer.strip().lower() in ("", "y", "yes")


async def _transaction(ctx: Context, plan: Plan) -> int:
    """Change the packages; dpkg's lines come while the time passes."""
    command = " ".join([ctx.name, *ctx.arguments])
    user = ctx.environment.get("SUDO_USER")
    by = f"{user} ({ctx.environment.get('SUDO_UID', '')})" if user else ""
    where = next(iter(archive.archives(ctx)), None)
    for number, (name, _, new) in enumerate((change for change in plan.changes if change[2]), 1):
        if where:
            ctx.line(f"Get:{number} {where.uri} {where.suite}/{where.component} amd64 {name} amd64 {new}")
    files = sum(len(each.files) + 1 for each in packages.installed(ctx.world, ctx.host).values())
    for name, version in plan.upgrades:
        ctx.simulation.apply(Upgrade(ctx.host, name, version, by, command))
    if plan.removing:
        ctx.simulation.apply(Remove(ctx.host, tuple(plan.removing), by, command))
    ctx.line(f"(Reading database ... {files} files and directories currently installed.)")
    for name, old, new in plan.changes:
        if not new:
            ctx.line(f"Removing {name} ({old}) ...")
            continue
        ctx.line(f"Preparing to unpack .../{name}_{new.replace(':', '%3a')}_amd64.deb ...")
        over = f" over ({old})" if old else ""
        ctx.line(f"Unpacking {name} ({new}){over} ...")
    await ctx.sleep(TAKES)
    for name, _, new in plan.changes:
        if new:
            ctx.line(f"Setting up {name} ({new}) ...")
    for text in kernel_scripts.output(ctx, plan.changes):
        ctx.line(text)
    return 0


def update(ctx: Context) -> int:
    """update: read the lists of the archives again."""
    if not ctx.is_root:
        ctx.line(f"Reading package lists...{done(ctx)}")
    demand_root(ctx, "/var/lib/apt/lists/lock")
    failed = []
    for number, each in enumerate(archive.archives(ctx), 1):
        reached = archive.reachable(ctx, each)
        ctx.line(f"{'Hit' if reached else 'Ign'}:{number} {each.uri} {each.suite} InRelease")
        failed += [] if reached else [each]
    ctx.line(f"Reading package lists...{done(ctx)}")
    for each in failed:
        ctx.error(
            f"W: Failed to fetch {each.uri}/dists/{each.suite}/InRelease  Could not connect to {each.host}:80, "
            "connection timed out"
        )
    if failed:
        ctx.error("W: Some index files failed to download. They have been ignored, or old ones used instead.")
    return 0
