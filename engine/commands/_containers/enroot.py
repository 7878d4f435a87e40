"""What enroot does, for its command and for pyxis: bringing an image into a file, making a file system of the file,
starting that.

Source: NVIDIA/enroot 3.5 src/docker.sh and runtime.sh. A file of an image holds the magic number of squashfs and the
image's reference, so that its size is not an image's. Progress bars and the tables of figures that mksquashfs and
unsquashfs end with are left out. How long things take is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from engine.commands._containers import inside as places
from engine.commands.context import Context, Place
from engine.control import accounts
from engine.control.containers import enroot, images, lifecycle
from engine.control.containers import inside as laws
from engine.control.containers.images import Image
from engine.control.slurm.devices import visible_gpus
from engine.hostfs.tree import FileTree
from engine.kernel.units import MILLISECOND
from engine.world.records import Container

_MAGIC = b"hsqs"
_URI = re.compile(r"docker://(?:[\w.@+-]+@)?(?:([^#/]+)#)?([a-z0-9._/-]+)(?::([\w.-]+))?")
_HUB = "registry-1.docker.io"
_PER_MEGABYTE, _UNPACK_PER_MEGABYTE, _START = 12 * MILLISECOND, 2 * MILLISECOND, 350 * MILLISECOND
_MOST_LAYERS = 8

Say = Callable[[str], None]


class EnrootError(Exception):
    """enroot ends; the text is all that it writes last, with its marks."""


@dataclass(frozen=True, slots=True)
class Source:
    """A registry's image: its registry, name and tag ("": none was said)."""

    registry: str
    name: str
    tag: str

    @property
    def image(self) -> Image | None:
        """The image that the registry has under this name, or None."""
        if self.registry == _HUB and "." in self.name.partition("/")[0]:
            return None
        where = self.name if self.registry == _HUB else f"{self.registry}/{self.name}"
        return images.registry().get(images.full_reference(f"{where}:{self.tag or 'latest'}"))

    @property
    def is_known_on_hub(self) -> bool:
        """Whether Docker Hub has an image of this name, with whatever tag."""
        own = "." not in self.name.partition("/")[0]
        return own and any(each.repository == self.name for each in images.registry().values())

    @property
    def url(self) -> str:
        """Where its manifest is."""
        name = f"library/{self.name}" if self.registry == _HUB and "/" not in self.name else self.name
        return f"https://{self.registry}/v2/{name}/manifests/{self.tag or 'latest'}"


def source(uri: str) -> Source:
    """The image that a URI names. Raises EnrootError."""
    found = _URI.fullmatch(uri)
    if found is None:
        word = "image reference" if uri.startswith("docker://") else "argument"
        raise EnrootError(f"[ERROR] Invalid {word}: {uri}")
    registry = found[1] or _HUB
    return Source(_HUB if registry in ("docker.io", "index.docker.io") else registry, found[2], found[3] or "")


async def fetch(ctx: Context, uri: str, say: Say) -> Image:
    """Get an image from its registry. Raises EnrootError."""
    wanted = source(uri)
    for text in ("Querying registry for permission grant", "Authenticating with user: <anonymous>",
                 "Authentication succeeded", "Fetching image manifest list", "Fetching image manifest"):  # fmt: skip
        say(f"[INFO] {text}")
    image = wanted.image
    if image is None:
        known = wanted.registry != _HUB or wanted.is_known_on_hub
        status = "404 Not Found" if known else "401 Unauthorized"
        raise EnrootError(f"[ERROR] URL {wanted.url} returned error code: {status}")
    layers = 1 + int(image.id[:2], 16) % _MOST_LAYERS + (_MOST_LAYERS if image.megabytes > 1000 else 0)
    for text in (f"Downloading {layers} missing layers...", "Extracting image layers...", "Converting whiteouts..."):
        say(f"[INFO] {text}")
    await ctx.sleep(image.megabytes * _PER_MEGABYTE)
    return image


def file_of(image: Image) -> bytes:
    """What a file of an image holds."""
    return _MAGIC + b"\n" + image.reference.encode() + b"\n"


def image_in(tree: FileTree, path: str) -> Image | None:
    """The image that lies in a file; None: it is no squashfs. Raises FileError."""
    magic, _, reference = tree.read(path).partition(b"\n")
    return images.registry().get(reference.decode("utf-8", "replace").strip()) if magic == _MAGIC else None


def settings(ctx: Context, place: Place) -> enroot.Settings:
    """enroot.conf as it applies at a place."""
    who = place.identity
    return enroot.settings(ctx.world, place.host, who.uid, who.gid, who.home, place.environment)


def find(ctx: Context, place: Place, name: str) -> Container | None:
    """The user's file system of a name on a host, or None."""
    there = lifecycle.containers(ctx.world, place.host, "enroot")
    return next((each for each in there if each.name == name and each.owner == place.identity.name), None)


async def create(ctx: Context, place: Place, name: str, image: Image, job: int | None = None) -> Container:
    """Unpack an image into a file system."""
    await ctx.sleep(image.megabytes * _UNPACK_PER_MEGABYTE)
    fields = {
        "name": name, "image": image.reference, "command": (), "engine": "enroot", "owner": place.identity.name,
        "network": "host", "ipc": "host", "shm_kib": 0, "memory_lock": None, "hostname": place.host, "job": job,
    }  # fmt: skip
    identifier = ctx.simulation.apply(lifecycle.Create(place.host, tuple(fields.items())))
    made = laws.of_id(ctx.world, place.host, identifier)
    assert made is not None
    return made


@dataclass(frozen=True, slots=True)
class Start:
    """How a file system is started: variables of -e, mounts of -m, and what goes before enroot.conf (None: it)."""

    variables: Mapping[str, str]
    mounts: tuple[tuple[str, str, str], ...] = ()
    home: bool | None = None
    remap_root: bool | None = None
    command: tuple[str, ...] = ("/bin/bash",)
    directory: str = ""


async def start(ctx: Context, place: Place, each: Container, how: Start) -> Place:
    """Start a file system: hooks, mounts, the first process. Gives the place inside. Raises HookFailed."""
    world, host, image, conf = ctx.world, place.host, images.registry()[each.image], settings(ctx, place)
    own = {**image.environment, **enroot.site_variables(world, host), **how.variables}
    outside = {name: value for name, value in place.environment.items() if name.startswith(("NVIDIA_", "MELLANOX_"))}
    allowed = visible_gpus(world, host, place.environment)
    given = enroot.devices(world, host, allowed, image, {**own, **outside}, conf.restrict_dev)
    home = conf.mount_home if how.home is None else how.home
    remap = conf.remap_root if how.remap_root is None else how.remap_root
    binds = (*(((place.identity.home,) * 2 + ("rw",),) if home else ()), *how.mounts)
    lifecycle.change(
        ctx.simulation, host, each.id, devices=given.files, driver=given.driver, home=home, remap_root=remap,
        command=how.command, binds=binds, environment=tuple(how.variables.items()), directory=how.directory,
    )  # fmt: skip
    await ctx.sleep(_START)
    ctx.simulation.apply(lifecycle.Start(host, each.id, given.gpus))
    return inside(ctx, place, each.id)


def inside(ctx: Context, place: Place, identifier: str) -> Place:
    """The place in a running file system."""
    each = laws.of_id(ctx.world, place.host, identifier)
    assert each is not None
    found = places.place_in(replace_place(ctx, place), each)
    who = accounts.identity(ctx.inventory, "root") if each.remap_root else place.identity
    home = "/root" if each.remap_root else who.home
    extra = {**enroot.site_variables(ctx.world, place.host), **dict(each.environment), "HOME": home, "USER": who.name}
    return replace(found, host=place.host, identity=who, environment={**found.environment, **extra})


def replace_place(ctx: Context, place: Place) -> Context:
    """The same run of a command at another place."""
    return replace(ctx, place=place)


def end(ctx: Context, host: str, identifier: str, status: int, *, remove: bool) -> None:
    """The first process of a file system is over; `remove` takes the file system away."""
    if laws.of_id(ctx.world, host, identifier) is None:
        return
    ctx.simulation.apply(lifecycle.End(host, identifier, status))
    if remove:
        ctx.simulation.apply(lifecycle.Remove(host, identifier))


def mount(text: str) -> tuple[str, str, str]:
    """(place on the host, place inside, mode) of a mount that is written SOURCE[:TARGET[:FLAGS]]."""
    place, _, rest = text.partition(":")
    target, _, flags = rest.partition(":")
    return place, target or place, "ro" if "ro" in flags.replace("+", ",").split(",") else "rw"


def cannot_mount(place: tuple[str, str, str]) -> bool:
    """Whether the model lacks a mount: only folders that hosts share, and /raid and /tmp, at the same place inside."""
    return place[0] != place[1] or not place[0].startswith(("/home", "/data", "/raid", "/tmp", "/dev"))
