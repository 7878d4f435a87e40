"""What the NVIDIA container toolkit (1.18) does when a container starts: whether it can, and which GPUs it puts there.

Texts of libnvidia-container's tool (`nvidia-container-cli: initialization error: ...`) after its sources and users'
reports; the order of its checks: library, driver, versions, devices, requirements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.control import cuda_versions, driver, files
from engine.control.containers import daemon
from engine.control.containers.images import Image
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Gpu
from engine.world.world import World

CDI_KIND = "nvidia.com/gpu"
CDI_FILES = ("/etc/cdi/nvidia.yaml", "/var/run/cdi/nvidia.yaml")
_NOTHING = ("", "void", "none")
_VERSION = re.compile(r"cuda>=(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class Request:
    """GPUs that are wanted: all of them, the first `count`, or those that are named (index, UUID)."""

    everything: bool = False
    count: int = 0
    names: tuple[str, ...] = ()


class Refused(Exception):
    """The toolkit ends a container's start; the text is what nvidia-container-cli says, without its own name."""


def request(text: str) -> Request | None:
    """What a value of NVIDIA_VISIBLE_DEVICES asks for; None: no GPUs, and no driver."""
    if text in _NOTHING:
        return None
    return Request(everything=True) if text == "all" else Request(names=tuple(text.split(",")))


def initialise(world: World, host: str) -> None:
    """nvidia-container-cli opens the driver. Raises Refused."""
    status = driver.nvml(world, host).status
    if status is driver.NvmlStatus.NO_LIBRARY:
        text = "load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory"
        raise Refused(f"initialization error: {text}")
    if status is not driver.NvmlStatus.OK:
        raise Refused(f"initialization error: nvml error: {status.value}")


def chosen(world: World, host: str, wanted: Request) -> tuple[Gpu, ...]:
    """The GPUs that a request means. Raises Refused for one that is not there."""
    gpus = [gpu for gpu in driver.bound_gpus(world, host) if not driver.is_lost(world, gpu.id)]
    if wanted.everything:
        return tuple(gpus)
    if wanted.count:
        if wanted.count > len(gpus):
            raise Refused(f"device error: {len(gpus)}: unknown device")
        return tuple(gpus[: wanted.count])
    return tuple(_named(world, host, name, gpus) for name in wanted.names)


def _named(world: World, host: str, name: str, answering: Sequence[Gpu]) -> Gpu:
    for index, gpu in enumerate(driver.bound_gpus(world, host)):
        uuid = world.gpus[gpu.id].uuid.lower()
        named = name == str(index) or (name.upper().startswith("GPU-") and uuid.startswith(name.lower()))
        if named and gpu in answering:
            return gpu
    raise Refused(f"device error: {name}: unknown device")


def requirement(world: World, host: str, image: Image, variables: dict[str, str]) -> None:
    """Whether the driver speaks the CUDA that the image asks for. Raises Refused."""
    found = _VERSION.search(variables.get("NVIDIA_REQUIRE_CUDA", ""))
    if not image.cuda or not found or variables.get("NVIDIA_DISABLE_REQUIRE", "") not in ("", "0", "false"):
        return
    spoken = cuda_versions.spoken_by(driver.nvml(world, host).library_version) or "0.0"
    major, _, minor = spoken.partition(".")
    if (int(major), int(minor)) < (int(found[1]), int(found[2])):
        text = "please update your driver to a newer version, or use an earlier cuda container"
        raise Refused(f"requirement error: unsatisfied condition: {found[0]}, {text}")


def pick(world: World, host: str, wanted: Request, image: Image, variables: dict[str, str]) -> tuple[Gpu, ...]:
    """Everything that the hook does before a container starts. Raises Refused."""
    initialise(world, host)
    gpus = chosen(world, host, wanted)
    requirement(world, host, image, variables)
    return gpus


def hook_refusal(why: Refused) -> str:
    """The error of a container's start that the toolkit's hook ended, as runc 1.2 and dockerd tell it."""
    return (
        "failed to create task for container: failed to create shim task: OCI runtime create failed: runc create "
        "failed: unable to start container process: error during container init: error running prestart hook #0: "
        f"exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: {why}: unknown"
    )


def cdi_there(world: World, host: str) -> bool:
    """Whether a CDI specification names the GPUs: the toolkit's service writes one at each boot, and people may."""
    written = files.text(world, host, CDI_FILES[0], "")
    return CDI_KIND in written or (daemon.has_toolkit(world, host) and bool(driver.bound_gpus(world, host)))
