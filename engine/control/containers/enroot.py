"""enroot (3.5): its configuration, and which of a node's devices a container of it reaches.

Source: NVIDIA/enroot conf/enroot.conf.in, conf/mounts/10-system.fstab and conf/hooks: /dev of the host is mounted into
a container whole, unless ENROOT_RESTRICT_DEV says otherwise (10-devices.sh). 98-nvidia.sh then asks
nvidia-container-cli for driver and GPUs if NVIDIA_VISIBLE_DEVICES is set, 99-mellanox.sh mounts the verbs devices that
MELLANOX_VISIBLE_DEVICES names; variables of whoever starts the container go before those of the image and of environ.d.
enroot makes no device cgroup: what the cgroup of the job allows stays the limit, and the toolkit counts GPUs within it.
The site's configuration is the usual one of clusters with pyxis (data below /tmp, /dev restricted, home mounted).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.control import driver, files, packages
from engine.control.containers import toolkit
from engine.control.containers.images import Image
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Gpu
from engine.world.records import WrittenFile
from engine.world.world import World

PACKAGE, PLUGIN, TOOLS = "enroot", "nvslurm-plugin-pyxis", "libnvidia-container-tools"
CONFIGURATION = "/etc/enroot/enroot.conf"
HOOKS = "/etc/enroot/hooks.d"
NVIDIA_HOOK, MELLANOX_HOOK = f"{HOOKS}/98-nvidia.sh", f"{HOOKS}/99-mellanox.sh"
ENVIRONMENT = "/etc/enroot/environ.d/50-site.env"
DEFAULT = """ENROOT_RUNTIME_PATH        /run/enroot/user-$(id -u)
ENROOT_CONFIG_PATH         ${HOME}/enroot
ENROOT_CACHE_PATH          /tmp/enroot-cache/group-$(id -g)
ENROOT_DATA_PATH           /tmp/enroot-data/user-$(id -u)
ENROOT_ROOTFS_WRITABLE     yes
ENROOT_REMAP_ROOT          no
ENROOT_MOUNT_HOME          yes
ENROOT_RESTRICT_DEV        yes
"""
DEFAULT_ENVIRONMENT = "MELLANOX_VISIBLE_DEVICES=all\n"
_NO = ("", "no", "n", "false", "f", "0")


@dataclass(frozen=True, slots=True)
class Settings:
    """What enroot.conf says: where file systems lie, and what is done by itself."""

    data_path: str
    writable: bool
    remap_root: bool
    mount_home: bool
    restrict_dev: bool


@dataclass(frozen=True, slots=True)
class Devices:
    """What a container may open: GPUs by id, whether the driver's files were put into it, and device files."""

    gpus: tuple[str, ...]
    driver: bool
    files: tuple[str, ...]


class HookFailed(Exception):
    """A hook ended a start; the text is what it and enroot write."""


def installed(world: World, host: str) -> bool:
    """Whether enroot is on a host."""
    return PACKAGE in packages.installed(world, host)


def settings(world: World, host: str, uid: int, gid: int, home: str, variables: Mapping[str, str]) -> Settings:
    """enroot.conf as it applies to a user; variables of the same names go before it."""
    found = {}
    for line in files.text(world, host, CONFIGURATION, DEFAULT).splitlines():
        name, _, value = line.partition("#")[0].strip().partition(" ")
        found[name] = value.strip()
    found |= {name: value for name, value in variables.items() if name.startswith("ENROOT_")}
    path = found.get("ENROOT_DATA_PATH") or "${HOME}/.local/share/enroot"
    for mark, value in (("$(id -u)", str(uid)), ("$(id -g)", str(gid)), ("${HOME}", home), ("$HOME", home)):
        path = path.replace(mark, value)

    def on(name: str) -> bool:
        return found.get(f"ENROOT_{name}", "").lower() not in _NO

    return Settings(path, on("ROOTFS_WRITABLE"), on("REMAP_ROOT"), on("MOUNT_HOME"), on("RESTRICT_DEV"))


def site_variables(world: World, host: str) -> dict[str, str]:
    """What /etc/enroot/environ.d sets in every container."""
    lines = files.text(world, host, ENVIRONMENT, DEFAULT_ENVIRONMENT).splitlines()
    return {line.partition("=")[0]: line.partition("=")[2] for line in lines if "=" in line and line[0] != "#"}


def runs_hook(world: World, host: str, path: str) -> bool:
    """Whether enroot runs a hook: it is there, and may be run."""
    if files.removed(world, host, path):
        return False
    written: WrittenFile | None = world.files[files.files_key(host, path)].files.get(path)
    return written is None or bool(written.mode & 0o111)


def devices(
    world: World, host: str, allowed: Sequence[int] | None, image: Image, variables: Mapping[str, str], restrict: bool
) -> Devices:
    """What the hooks put into a container. `allowed` are indices of the GPUs that the caller's cgroup leaves (None:
    all). Raises HookFailed.
    """
    answering = [
        gpu
        for index, gpu in enumerate(driver.bound_gpus(world, host))
        if (allowed is None or index in allowed) and not driver.is_lost(world, gpu.id)
    ]
    wanted = variables.get("NVIDIA_VISIBLE_DEVICES") or "void"
    with_driver = wanted != "void" and runs_hook(world, host, NVIDIA_HOOK)
    named = _asked(world, host, wanted, answering, image, variables) if with_driver else []
    gpus = tuple(gpu.id for gpu in (named if restrict else answering if with_driver else []))
    verbs = variables.get("MELLANOX_VISIBLE_DEVICES") or "void"
    with_verbs = verbs not in ("void", "none") and runs_hook(world, host, MELLANOX_HOOK)
    return Devices(gpus, with_driver, ("/dev",) if not restrict else _verbs(world, host, verbs) if with_verbs else ())


def _verbs(world: World, host: str, wanted: str) -> tuple[str, ...]:
    """The device files that 99-mellanox.sh mounts for a user: verbs alone, umad only for root. Raises HookFailed."""
    count = len(world.node(host).hcas)
    for name in () if wanted == "all" else wanted.split(","):
        if not name.isdecimal() or int(name) >= count:
            raise HookFailed(f"[ERROR] Unknown MELLANOX device id: {name}\n{_ended(MELLANOX_HOOK)}")
    numbers = range(count) if wanted == "all" else [int(name) for name in wanted.split(",")]
    return ("/dev/infiniband/rdma_cm", *(f"/dev/infiniband/uverbs{number}" for number in numbers))


def _asked(
    world: World, host: str, wanted: str, answering: Sequence[Gpu], image: Image, variables: Mapping[str, str]
) -> list[Gpu]:
    """The GPUs that 98-nvidia.sh mounts."""
    if TOOLS not in packages.installed(world, host):
        text = "Command not found: nvidia-container-cli, see https://github.com/NVIDIA/libnvidia-container"
        raise HookFailed(f"[ERROR] {text}\n{_ended(NVIDIA_HOOK)}")
    try:
        toolkit.initialise(world, host)
        chosen = [] if wanted == "none" else _chosen(world, wanted, answering)
        toolkit.requirement(world, host, image, dict(variables))
    except toolkit.Refused as why:
        raise HookFailed(f"nvidia-container-cli: {why}\n{_ended(NVIDIA_HOOK)}") from why
    return chosen


def _chosen(world: World, wanted: str, answering: Sequence[Gpu]) -> list[Gpu]:
    """GPUs by index among those that answer, or by UUID. Raises Refused."""
    if wanted == "all":
        return list(answering)
    found = []
    for name in wanted.split(","):
        by_uuid = [gpu for gpu in answering if world.gpus[gpu.id].uuid.lower() == name.lower()]
        by_index = [answering[int(name)]] if name.isdecimal() and int(name) < len(answering) else []
        if not by_uuid + by_index:
            raise toolkit.Refused(f"device error: {name}: unknown device")
        found += by_uuid or by_index
    return found


def _ended(hook: str) -> str:
    return f"[ERROR] {hook} exited with return code 1"
