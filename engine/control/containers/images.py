"""Container images: which there are in the registries, and which a host holds.

An image's configuration is NVIDIA's (CUDA images and those built on them): NVIDIA_VISIBLE_DEVICES=all,
NVIDIA_DRIVER_CAPABILITIES=compute,utility and NVIDIA_REQUIRE_CUDA, which names the CUDA that the driver must speak. The
alternatives for older branches that a real NVIDIA_REQUIRE_CUDA lists are left out.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256

from engine.control.tables import rows
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.world import World

WITHOUT_SYSTEM = "distroless"
"""The system of an image that holds a program and its libraries alone: no shell, no tools."""

_HUB = "docker.io/library/"
_AGES = 200
_ENTRYPOINT = "/opt/nvidia/nvidia_entrypoint.sh"


@dataclass(frozen=True, slots=True)
class Image:
    """An image: its reference, size in MB, CUDA ("" for none), the system inside and what kind of image it is."""

    reference: str
    megabytes: int
    cuda: str
    system: str
    kind: str
    everywhere: bool

    @property
    def repository(self) -> str:
        return self.reference.rpartition(":")[0]

    @property
    def tag(self) -> str:
        return self.reference.rpartition(":")[2]

    @property
    def id(self) -> str:
        """64 hexadecimal digits."""
        return sha256(f"image {self.reference}".encode()).hexdigest()

    @property
    def digest(self) -> str:
        """What the registry calls it."""
        return "sha256:" + sha256(f"manifest {self.reference}".encode()).hexdigest()

    @property
    def created(self) -> int:
        """When it was made, ns before the site's start."""
        return -(30 + int(self.id[:6], 16) % _AGES) * DAY

    @property
    def entrypoint(self) -> tuple[str, ...]:
        """What is run before the command."""
        if self.kind == "dcgm-exporter":
            return ("/usr/local/dcgm/dcgm-exporter-entrypoint.sh",)
        return (_ENTRYPOINT,) if self.kind == "pytorch" else ()

    @property
    def command(self) -> tuple[str, ...]:
        """What runs if nobody says what."""
        return () if self.kind == "dcgm-exporter" else ("/bin/bash",)

    @property
    def directory(self) -> str:
        """Where a program starts."""
        return "/workspace" if self.kind == "pytorch" else "/"

    @property
    def environment(self) -> dict[str, str]:
        """Its variables, as its configuration lists them."""
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        if not self.cuda:
            return {"PATH": path}
        return {
            "PATH": f"/usr/local/nvidia/bin:/usr/local/cuda/bin:{path}",
            "NVIDIA_REQUIRE_CUDA": f"cuda>={self.cuda}",
            "CUDA_VERSION": self.cuda,
            "LD_LIBRARY_PATH": "/usr/local/nvidia/lib:/usr/local/nvidia/lib64",
            "NVIDIA_VISIBLE_DEVICES": "all",
            "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
        }


@cache
def registry() -> dict[str, Image]:
    """Every image that the registries offer, by reference."""
    return {row[0]: Image(row[0], int(row[1]), row[2], row[3], row[4], row[5] == "gpu") for row in rows("images")}


def full_reference(text: str) -> str:
    """A reference with its tag, as images are listed: `ubuntu` is `ubuntu:latest`; enroot's `host#path` is a slash."""
    name = text.removeprefix("docker://").replace("#", "/").removeprefix(_HUB)
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


def held(world: World, host: str) -> tuple[Image, ...]:
    """The images that lie on a host, newest first."""
    state = world.container_hosts[host]
    there = [each for each in registry().values() if each.everywhere and each.reference not in state.removed]
    there += [registry()[name] for name in state.pulled]
    return tuple(sorted(there, key=lambda each: (-each.created, each.reference)))


def find(world: World, host: str, text: str) -> Image | None:
    """The image of a host that a reference or the beginning of an id names, or None."""
    name = full_reference(text)
    short = text.removeprefix("sha256:")
    return next(
        (
            each
            for each in held(world, host)
            if each.reference == name or (len(short) > 3 and each.id.startswith(short))
        ),
        None,
    )


def megabytes(world: World, host: str) -> int:
    """What the images of a host take, MB."""
    return sum(each.megabytes for each in held(world, host))


@dataclass(frozen=True, slots=True)
class Pull(Action):
    """An image of the registries comes to a host. Gives whether it is new there."""

    host: str
    reference: str

    def perform(self, simulation: Simulation[World]) -> bool:
        state = simulation.world.container_hosts[self.host]
        if find(simulation.world, self.host, self.reference) is not None:
            return False
        removed = tuple(name for name in state.removed if name != self.reference)
        pulled = state.pulled if registry()[self.reference].everywhere else (*state.pulled, self.reference)
        simulation.world.container_hosts.update(self.host, pulled=pulled, removed=removed)
        return True


@dataclass(frozen=True, slots=True)
class RemoveImage(Action):
    """An image goes from a host."""

    host: str
    reference: str

    def perform(self, simulation: Simulation[World]) -> None:
        state = simulation.world.container_hosts[self.host]
        pulled = tuple(name for name in state.pulled if name != self.reference)
        own = registry()[self.reference].everywhere
        removed = (*state.removed, self.reference) if own else state.removed
        simulation.world.container_hosts.update(self.host, pulled=pulled, removed=removed)
