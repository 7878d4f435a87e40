"""dkms 3.0.11 of Ubuntu 24.04: which modules are built for which kernels, and building them. Texts: dkms.in of 3.0.11.

The NVIDIA modules are built; MLNX_OFED's stand in the list as its own scripts left them.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed
from engine.control import dkms, kernels, packages
from engine.kernel.units import SECOND

_TAKES = 95 * SECOND
"""How long building the NVIDIA modules takes on such a machine: a guess."""

_NO_HEADERS, _NO_SOURCE, _NOT_ROOT = 21, 2, 1
_VERBS = (
    "add", "build", "install", "uninstall", "unbuild", "remove", "status", "autoinstall", "mktarball", "ldtarball",
    "mkdeb", "generate_mok", "match",
)  # fmt: skip


async def run(ctx: Context, parsed: Parsed) -> int:
    """Do what the verb says."""
    verb, *words = parsed.operands or ("",)
    if verb == "status":
        return _status(ctx, parsed, words)
    if verb not in _VERBS:
        ctx.error(f"Error! Unknown action specified: {verb!r}" if verb else "Error! No action was specified.")
        return 1
    if verb not in ("build", "install", "autoinstall", "remove", "uninstall"):
        return ctx.not_modelled(f"dkms {verb}")
    if not ctx.is_root:
        ctx.error("Error! You must be root to use this command.")
        return _NOT_ROOT
    releases = _releases(ctx, parsed)
    if verb == "autoinstall":
        return max([await _autoinstall(ctx, release) for release in releases])
    name, version = _named(parsed, words)
    if (name, version) != (dkms.NVIDIA, dkms.source_version(ctx.world, ctx.host)):
        return _no_source(ctx, name, version)
    if verb in ("remove", "uninstall"):
        return _remove(ctx, version, releases, verb)
    return max([await _build(ctx, parsed, version, release, verb) for release in releases])


def _releases(ctx: Context, parsed: Parsed) -> tuple[str, ...]:
    if "all" in parsed:
        return kernels.installed(ctx.world, ctx.host)
    named = tuple(str(value) for key, value in parsed.given if key == "kernel")
    return named or (kernels.running(ctx.world, ctx.host),)


def _named(parsed: Parsed, words: list[str]) -> tuple[str, str]:
    """Module and version, as `nvidia/590.48.01` or by -m and -v."""
    if words:
        name, _, version = words[0].partition("/")
        return name, version or str(parsed["version"] or "")
    return str(parsed["module"] or ""), str(parsed["version"] or "")


def _no_source(ctx: Context, name: str, version: str) -> int:
    if not name or not version:
        ctx.error("Error! Arguments <module> and <module-version> are not specified.")
        return 1
    if name == dkms.OFED:
        return ctx.not_modelled("building MLNX_OFED's modules")
    ctx.error(f"Error! Could not find module source directory.\nDirectory: /usr/src/{name}-{version} does not exist.")
    return _NO_SOURCE


def _status(ctx: Context, parsed: Parsed, words: list[str]) -> int:
    wanted, wanted_version = _named(parsed, words)
    for name, version, rest in _lines(ctx):
        if wanted in ("", name) and wanted_version in ("", version):
            ctx.line(f"{name}/{version}{rest}")
    return 0


def _lines(ctx: Context) -> list[tuple[str, str, str]]:
    world, host, found = ctx.world, ctx.host, []
    there = tuple(reversed(kernels.installed(world, host)))
    ofed = packages.installed(world, host).get("mlnx-ofed-kernel-dkms")
    if ofed:
        version = packages.upstream(ofed.version)
        found += [(dkms.OFED, version, f", {release}, x86_64: installed") for release in there]
    source = dkms.source_version(world, host)
    if source:
        builds = [(release, build) for release in there if (build := dkms.build(world, host, release))]
        found += [(dkms.NVIDIA, build.version, f", {release}, x86_64: {build.state}") for release, build in builds]
        if not builds:
            found.append((dkms.NVIDIA, source, ": added"))
    return found


async def _autoinstall(ctx: Context, release: str) -> int:
    if dkms.installed_build(ctx.world, ctx.host, release):
        return 0
    version = dkms.source_version(ctx.world, ctx.host)
    return await _make(ctx, version, release, "install") if version else 0


async def _build(ctx: Context, parsed: Parsed, version: str, release: str, verb: str) -> int:
    before = dkms.build(ctx.world, ctx.host, release)
    if before and before.version == version and "force" not in parsed:
        if before.state == "installed":
            state = "installed" if verb == "install" else "built"
            ctx.error(
                f"Module nvidia/{version} already {state} on kernel {release} (x86_64), skip. "
                "You may override by specifying --force."
            )
            return 0
        if verb == "build":
            ctx.error(
                f"Module nvidia/{version} already built for kernel {release} (x86_64), skip. "
                "You may override by specifying --force."
            )
            return 0
    return await _make(ctx, version, release, verb)


async def _make(ctx: Context, version: str, release: str, verb: str) -> int:
    if not kernels.has_headers(ctx.world, ctx.host, release):
        place = f"/lib/modules/{release}"
        ctx.error(
            f"Error! Your kernel headers for kernel {release} cannot be found at {place}/build or {place}/source.\n"
            f"Please install the linux-headers-{release} package or use the --kernelsourcedir option to tell DKMS "
            "where it's located."
        )
        return _NO_HEADERS
    before = dkms.build(ctx.world, ctx.host, release)
    if not (before and before.version == version and before.state == "built"):
        for line in _building(version):
            ctx.line(line)
        await ctx.sleep(_TAKES)
    ctx.simulation.apply(dkms.BuildModule(ctx.host, release, verb == "install"))
    if verb == "install":
        for line in _installing(release):
            ctx.line(line)
    return 0


def _building(version: str) -> list[str]:
    folder = f"/var/lib/dkms/nvidia/{version}/build"
    return [
        "Sign command: /usr/bin/kmodsign",
        "Signing key: /var/lib/shim-signed/mok/MOK.priv",
        "Public certificate (MOK): /var/lib/shim-signed/mok/MOK.der",
        "",
        "Building module:",
        "Cleaning build area...",
        "unset ARCH; [ ! -h /usr/bin/cc ] && export CC=/usr/bin/gcc; env NV_VERBOSE=1 'make' modules..............",
        *(f"Signing module {folder}/{name}.ko" for name in dkms.MODULE_FILES),
        "Cleaning build area...",
    ]


def _installing(release: str) -> list[str]:
    lines = []
    for name in dkms.MODULE_FILES:
        lines += [
            "",
            f"{name}.ko.zst:",
            "Running module version sanity check.",
            " - Original module",
            "   - No original module exists within this kernel",
            " - Installation",
            f"   - Installing to /lib/modules/{release}/updates/dkms/",
        ]
    return [*lines, "depmod..."]


def _remove(ctx: Context, version: str, releases: tuple[str, ...], verb: str) -> int:
    status = 0
    for release in releases:
        before = dkms.build(ctx.world, ctx.host, release)
        if before is None:
            ctx.error(
                f"Error! There is no instance of nvidia {version} for kernel {release} (x86_64) located in the DKMS "
                "tree."
            )
            status = 1
            continue
        ctx.line(f"Module nvidia-{before.version} for kernel {release} (x86_64).")
        ctx.line("Before uninstall, this module version was ACTIVE on this kernel.")
        for name in dkms.MODULE_FILES:
            ctx.line(f"\n{name}.ko.zst:\n - Uninstallation")
            ctx.line(f"   - Deleting from: /lib/modules/{release}/updates/dkms/")
        ctx.line("depmod...")
        ctx.simulation.apply(dkms.RemoveBuild(ctx.host, (release,), verb == "uninstall"))
    return status


COMMAND = program(
    "dkms",
    "build kernel modules for the installed kernels",
    run,
    suite=PLAIN,
    synopsis="dkms ACTION [MODULE/VERSION] [OPTION]...",
    options=(
        Option("m", "module", "MODULE", help="the module"),
        Option("v", "version", "VERSION", help="its version"),
        Option("k", "kernel", "RELEASE", help="the kernel; without it, the one that runs"),
        Option("a", "arch", "ARCH", help="the architecture"),
        Option(None, "all", help="for all kernels"),
        Option(None, "force", help="again, whatever is there"),
        Option("q", "quiet", help="say less"),
        Option(None, "no-depmod", help="leave the list of modules as it is"),
    ),
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: list(_VERBS) if len(words) < 2 else [],
    manual="""
    ACTION: status, build, install, uninstall, remove, autoinstall. A kernel without its linux-headers package gets no
    modules: after a boot into it there is no NVIDIA driver. Changing anything needs root.
    """,
)
