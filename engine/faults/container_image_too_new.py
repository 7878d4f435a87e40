"""A service was moved to an image whose CUDA is newer than the node's driver speaks: the toolkit's hook compares the
image's NVIDIA_REQUIRE_CUDA with the driver and ends the start with `requirement error: unsatisfied condition: cuda>=`.

The container stands there as created, the reason is in dockerd's journal and in `docker inspect`; the driver, the hook
and the GPUs are fine, as a container of an older image shows. Cause: the image was chosen without looking at the
driver. Remedy: an image of a CUDA that the driver speaks, or a newer driver on the node.
"""

from __future__ import annotations

from engine.control import cuda_versions, driver
from engine.control.containers import daemon, images, lifecycle, toolkit
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The image comes to the node, its container is made, and its start fails."""
    world, name = simulation.world, str(values["name"])
    image = _too_new(world, target)
    if image not in images.held(world, target):
        simulation.apply(images.Pull(target, image.reference))
    old = lifecycle.find(world, target, name)
    if old is not None:
        simulation.apply(lifecycle.Remove(target, old.id))
    fields = {
        "name": name,
        "image": image.reference,
        "command": ("sleep", "infinity"),
        "gpu_request": "all",
        "restart": "unless-stopped",
        "cgroup_driver": daemon.settings(world, target).cgroup_driver,
        "ipc": "host",
        "shm_kib": 0,
    }
    identifier = simulation.apply(lifecycle.Create(target, tuple(fields.items())))
    try:
        toolkit.pick(world, target, toolkit.Request(everything=True), image, image.environment)
    except toolkit.Refused as why:
        simulation.apply(lifecycle.FailStart(target, identifier, toolkit.hook_refusal(why)))


def _too_new(world: World, host: str) -> images.Image:
    """An image of PyTorch that asks for more than the host's driver speaks. Raises BreakfixError if there is none."""
    spoken = _numbers(cuda_versions.spoken_by(driver.nvml(world, host).library_version) or "0.0")
    for image in sorted(images.registry().values(), key=lambda each: each.reference):
        if image.kind == "pytorch" and _numbers(image.cuda) > spoken:
            return image
    raise BreakfixError(f"no image asks for more than the driver of {host} speaks")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


FAULT = Fault(
    id="container.image_too_new",
    title="A container's image wants a newer driver",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("name", "text", "assistant", "The container's name."),),
    doc="requirement error: unsatisfied condition: cuda>=. Run an image that the driver speaks, or upgrade the driver.",
)
