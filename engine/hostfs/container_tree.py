"""The root file system of a container: what its image has, the devices that it was given, and its own changes, over a
host's /proc and /sys, which it shares.

What somebody writes inside is the container's own (kept under its id), but below /home and /data, where they are
mounted into it. The image's programs are those that the container's commands say; its other files are the few that
people look at. What an image has below /usr and /var beyond that is not modelled: the host's stand there.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control.accounts import Identity
from engine.control.containers import images, inside
from engine.hostfs import pod_files
from engine.hostfs.acting import Acting
from engine.hostfs.drafts import Drafts
from engine.hostfs.host_tree import HostTree
from engine.hostfs.machine import Machine, Programs
from engine.hostfs.nodes import Children, Node, directory, file
from engine.hostfs.structure import Structure
from engine.hostfs.views._programs import SHELL_PROGRAMS
from engine.hostfs.written import Layer
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.inventory import Gpu
from engine.world.records import Container
from engine.world.world import World

_FROM_IMAGE = ("etc", "root", "home", "data", "raid", "opt", "boot", "srv", "mnt", "media", "run", "workspace")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "shm", "pts", "mqueue", "fd", "stdin", "stdout",
            "stderr")  # fmt: skip
_DRIVER = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")


class ContainerStructure(Structure):
    """The host's tables with the image's and the container's own directories in their places."""

    def __init__(self, each: Callable[[], Container]) -> None:
        super().__init__()
        self._each = each

    def child(self, machine: Machine, path: str, node: Node, name: str) -> Node | None:
        """The entry `name` of a directory of the container."""
        top = path.split("/")[1] if path else name
        if self._from_image(top):
            return self._own(machine, path, node).get(name) if path else self._top(machine, name)
        found = super().child(machine, path, node, name)
        return found if found is None or self._visible(machine, path, name) else None

    def children(self, machine: Machine, path: str, node: Node) -> Children:
        """All entries of a directory of the container."""
        if path and self._from_image(path.split("/")[1]):
            return self._own(machine, path, node)
        names = {*super().children(machine, path, node), *(_FROM_IMAGE if path == "" else ())}
        found = {name: self.child(machine, path, node, name) for name in sorted(names)}
        return {name: below for name, below in found.items() if below is not None}

    def _from_image(self, top: str) -> bool:
        """Whether a directory of the root is the image's, and none of the host's that is mounted there."""
        mounted = any(target.split("/")[1] == top for _, target, _ in self._each().binds)
        return top in _FROM_IMAGE and not mounted

    def _top(self, machine: Machine, name: str) -> Node | None:
        each = self._each()
        image = images.registry()[each.image]
        if name == "etc":
            return directory({**_etc(each, image), **pod_files.files(machine, each)})
        if name in ("data", "raid") or (name == "workspace" and image.kind != "pytorch"):
            return None
        if name == "workspace":
            return directory({"README.md": file("NVIDIA PyTorch container\n"), "examples": directory()})
        return directory(mode=0o700 if name == "root" else 0o755)

    def _visible(self, machine: Machine, path: str, name: str) -> bool:
        each = self._each()
        if path == "/dev":
            return _has_device(machine, each, name)
        if path in ("/usr/bin", "/usr/sbin"):
            return name in machine.programs() or name in SHELL_PROGRAMS
        if path.startswith("/dev/infiniband"):
            return inside.passes(each, f"{path}/{name}")
        return True


def _has_device(machine: Machine, each: Container, name: str) -> bool:
    """Whether /dev of a container has an entry."""
    if each.privileged or name in _DEVICES:
        return True
    if name == "infiniband":
        return inside.passes(each, inside.INFINIBAND) or any(
            given.startswith(inside.INFINIBAND) for given in each.devices
        )
    if name in _DRIVER:
        return bool(each.gpus) or each.driver or inside.passes(each, f"/dev/{name}")
    if name.startswith("nvidia") and name[6:].isdecimal():
        place = int(name[6:])
        bound = [gpu.id for gpu in _bound(machine)]
        given = inside.passes(each, f"/dev/{name}")
        return place < len(bound) and (given or bound[place] in each.gpus)
    return inside.passes(each, f"/dev/{name}")


def _bound(machine: Machine) -> list[Gpu]:
    return list(bound_gpus(machine.world, machine.host))


_PASSWD = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
_GROUP = "root:x:0:\nnogroup:x:65534:\n"


def _etc(each: Container, image: images.Image) -> dict[str, Node]:
    """What lies in /etc."""
    own = {"hostname": file(f"{each.hostname}\n"), "passwd": file(_PASSWD), "group": file(_GROUP)}
    if not image.system.startswith("Ubuntu "):
        return own
    number = image.system.split()[1]
    release, code = ".".join(number.split(".")[:2]), "noble" if number.startswith("24") else "jammy"
    words = "Noble Numbat" if code == "noble" else "Jammy Jellyfish"
    lines = [
        f'PRETTY_NAME="{image.system}"', 'NAME="Ubuntu"', f'VERSION_ID="{release}"',
        f'VERSION="{image.system.removeprefix("Ubuntu ")} ({words})"', f"VERSION_CODENAME={code}", "ID=ubuntu",
        "ID_LIKE=debian", 'HOME_URL="https://www.ubuntu.com/"', f"UBUNTU_CODENAME={code}",
    ]  # fmt: skip
    return {
        "os-release": file("\n".join(lines) + "\n"),
        **own,
        "hosts": file(f"127.0.0.1\tlocalhost\n172.17.0.2\t{each.hostname}\n"),
        "debian_version": file("trixie/sid\n" if code == "noble" else "bookworm/sid\n"),
    }


class ContainerTree(HostTree):
    """A container's tree."""

    def __init__(
        self, simulation: Simulation[World], host: str, identity: Identity, each: Container, programs: Programs
    ) -> None:
        def now() -> Container:
            return inside.of_id(simulation.world, host, each.id) or each

        own = f"{host}/{each.id[:12]}"
        self._structure = ContainerStructure(now)
        self._set_up(Machine(simulation, host, identity.name, None, programs), identity, Layer(own), simulation.apply)
        self._acting = Acting(own, self._lookup, Layer(own), simulation.apply)
        self._drafts = Drafts(self._acting)
